// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/viewstate.h"

#include <cmath>
#include <cstdint>

namespace pipeloom
{

/// Time to pixels and back. The left edge stands on a whole device pixel column of absolute time (column c is [c, c + 1) x
/// nsPerColumn), so that a pan moves every picture by whole pixels and nothing flickers.
struct TimeMap
{
    double left = 0; ///< logical x of the first column
    double width = 1; ///< logical pixels
    double ratio = 1; ///< device pixels per logical pixel
    std::int64_t origin = 0; ///< first column
    double nsPerColumn = 1;
    bool operator==(const TimeMap &) const = default;

    /// The map that shows `range` in [left, left + width]; the origin moves by less than half a device pixel.
    [[nodiscard]] static TimeMap fit(TimeRange range, double left, double width, double ratio);
    /// The same picture for another device pixel ratio (an export).
    [[nodiscard]] TimeMap withRatio(double other) const;

    [[nodiscard]] std::int64_t columns() const { return std::llround(width * ratio); }
    [[nodiscard]] double start() const { return static_cast<double>(origin) * nsPerColumn; } ///< ns at the left edge
    [[nodiscard]] double end() const { return static_cast<double>(origin + columns()) * nsPerColumn; }
    [[nodiscard]] double nsPerPixel() const { return nsPerColumn * ratio; }
    /// Logical x of a time, not rounded.
    [[nodiscard]] double x(double time) const { return left + (time / nsPerColumn - static_cast<double>(origin)) / ratio; }
    /// Logical x of an absolute column's left edge.
    [[nodiscard]] double columnX(std::int64_t column) const { return left + static_cast<double>(column - origin) / ratio; }
    /// x rounded to a device pixel: where lines and edges are drawn.
    [[nodiscard]] double crispX(double time) const;
    /// The time at a logical x, rounded to a nanosecond.
    [[nodiscard]] Nanoseconds time(double x) const;

    /// `range`, which this map shows, nearer by `steps` wheel notches (negative = farther) with the time under x kept in place;
    /// never nearer than 1 ns a device pixel.
    [[nodiscard]] TimeRange zoomed(TimeRange range, double x, double steps) const;
    /// `range` moved right by whole device pixel columns: what stays in view keeps its picture.
    [[nodiscard]] TimeRange panned(TimeRange range, std::int64_t columns) const;

    static constexpr double zoomPerStep = 1.25;
};

} // namespace pipeloom
