// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"
#include "views/plot/timemap.h"

#include <QColor>
#include <QString>

#include <functional>
#include <span>
#include <vector>

class QPainter;

namespace pipeloom
{

/// Where a memory curve is highest and lowest within a span of its points. Made in O(n), asked in O(log n), so that drawing
/// follows the pixels and not the points.
class CurveIndex
{
public:
    CurveIndex() = default;
    /// The points must outlive the index.
    explicit CurveIndex(std::span<const MemoryPoint> points);

    /// Indices of two points; of equal ones the earliest.
    struct Extremes
    {
        std::size_t high = 0, low = 0;
        bool operator==(const Extremes &) const = default;
    };
    /// Of the points [first, last); precondition: first < last <= size.
    [[nodiscard]] Extremes extremes(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::span<const MemoryPoint> points() const { return m_points; }

private:
    [[nodiscard]] Extremes better(const Extremes &a, const Extremes &b) const;
    [[nodiscard]] Extremes block(std::size_t level, std::size_t index) const;

    std::span<const MemoryPoint> m_points;
    std::vector<std::vector<Extremes>> m_levels; ///< of blocks, each level the blocks of the one before
};

/// A rank's memory by device pixel columns, everything that the rank holds included.
struct CurveColumns
{
    struct Column
    {
        ByteCount low = 0, high = 0, last = 0;
        ByteCount activations = 0, transient = 0; ///< at the moment of `high`
        bool operator==(const Column &) const = default;
    };
    std::int64_t first = 0; ///< absolute column
    std::vector<Column> columns;
};

/// The columns of `map` from the start of the step to `end`; none when nothing of it is in view. `index` is of `memory.curve`.
[[nodiscard]] CurveColumns curveColumns(const RankMemory &memory, const CurveIndex &index, Nanoseconds end, const TimeMap &map);

/// Pixels drawn and left out in turn; off = 0 is a solid line.
struct DashPattern
{
    int on = 1, off = 0;
};
/// A solid, B dashed 5-3, C and later dotted 2-3.
[[nodiscard]] DashPattern planDash(const QString &letter);

/// How a step line is drawn.
struct StepLine
{
    DashPattern dash;
    double thickness = 1;
    QColor colour;
    double halo = 0; ///< pixels added on every side
};
/// The line through the columns' values, vertical where they change. `y` gives the height of a value. Fills only: crisp, and the
/// dashes count absolute columns, so that they travel with the axis.
void drawStepLine(QPainter &painter, const TimeMap &map, const CurveColumns &curve, const StepLine &line,
                  const std::function<double(ByteCount)> &y);

} // namespace pipeloom
