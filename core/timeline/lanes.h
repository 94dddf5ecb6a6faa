// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace pipeloom
{

/// One op of a lane: a simulated op (or half of one) or a recorded kernel.
struct Span
{
    static constexpr std::uint32_t noSource = std::numeric_limits<std::uint32_t>::max();

    Nanoseconds start = 0;
    Nanoseconds duration = 0; ///< >= 0
    std::int32_t label = -1; ///< number on the op; -1 = none
    std::int32_t labelB = -1; ///< second number (backward of a pair); -1 = none
    std::uint32_t source = noSource; ///< index of what it shows: Schedule::ops, a kernel of a recording
    std::uint8_t classId = 0; ///< what its colour means
    bool operator==(const Span &) const = default;

    [[nodiscard]] Nanoseconds end() const { return start + duration; }
};

/// A run of pixel columns that look the same. Columns are absolute: column c is the time [c, c + 1) x nsPerPixel, so that a
/// view whose origin is a whole column shows the same columns wherever it stands.
struct VisibleSpan
{
    std::int64_t first = 0; ///< first column
    std::int64_t last = 0; ///< one past the last column
    std::size_t span = 0; ///< the span that represents the run: the one with the most time in its first column
    std::uint8_t classId = 0;
    std::uint8_t share = 255; ///< busy share of a column, 255 = all of it; lower only where ops are shorter than a pixel
    bool whole = false; ///< true: the run is one span at least a pixel long, which may carry its edge and number
    bool operator==(const VisibleSpan &) const = default;
};

/// Sorted spans lane by lane with an index for drawing: simulated ranks and recorded streams alike. Holds 1e7 spans; the cost of
/// a view follows its pixels. Times must stay below 2^53 ns (104 days).
class Lanes
{
public:
    void reserve(std::size_t spans);

    /// Appends a lane. Spans are sorted by start; spans that begin before an earlier one ends do not fit on one lane and
    /// are returned, sorted, for the caller to place elsewhere. O(n log n), O(n) when sorted.
    [[nodiscard]] std::vector<Span> addLane(std::vector<Span> spans);

    [[nodiscard]] std::size_t laneCount() const { return m_lanes.size(); }
    [[nodiscard]] std::size_t spanCount() const { return m_start.size(); }
    /// The spans of a lane are begin..end of the flat numbering that `VisibleSpan::span` uses.
    [[nodiscard]] std::pair<std::size_t, std::size_t> laneRange(std::size_t lane) const
    {
        return { m_lanes[lane].begin, m_lanes[lane].end };
    }
    [[nodiscard]] Span span(std::size_t index) const;
    [[nodiscard]] Nanoseconds extent() const { return m_extent; } ///< latest end of all spans; 0 when there are none

    /// What the pixels of [begin, end) show, appended to `out` after clearing it: runs in ascending columns, no two overlapping.
    /// In each column the span with the most time in it stands for the column (the earlier of equals). A column that an op of
    /// at least a pixel fills by less than half, with nothing beside it, stays empty: long ops keep crisp edges. Neighbouring
    /// columns with the same span, or with the same class and share of shorter ones, are one run. Precondition: nsPerPixel > 0.
    /// O(columns x log spans), less where spans are longer than pixels.
    void visibleSpans(std::size_t lane, Nanoseconds begin, Nanoseconds end, double nsPerPixel,
                      std::vector<VisibleSpan> &out) const;

    /// The span of the lane that covers `time` (start <= time < end). O(log n).
    [[nodiscard]] std::optional<std::size_t> spanAt(std::size_t lane, Nanoseconds time) const;
    /// The first span of the lane that ends after `time`, or the lane's end. O(log n).
    [[nodiscard]] std::size_t firstEndingAfter(std::size_t lane, Nanoseconds time) const;
    /// The longest of the spans first..last (last excluded, not empty), the earliest of equals. O(log n).
    [[nodiscard]] std::size_t longest(std::size_t first, std::size_t last) const;
    /// Time that the lane's spans cover in [begin, end). O(log n).
    [[nodiscard]] Nanoseconds busyTime(std::size_t lane, Nanoseconds begin, Nanoseconds end) const;
    /// The edge (start or end of a span of the lane) nearest to `time`. O(log n).
    [[nodiscard]] std::optional<Nanoseconds> nearestEdge(std::size_t lane, Nanoseconds time) const;

private:
    struct Lane
    {
        std::size_t begin = 0, end = 0;
    };
    struct Column;
    /// The longest span of a block, with its length: a look at the spans themselves would miss the cache.
    struct Longest
    {
        Nanoseconds length = 0;
        std::uint32_t span = 0;
    };

    [[nodiscard]] Nanoseconds duration(std::size_t i) const { return m_end[i] - m_start[i]; }
    [[nodiscard]] Nanoseconds busyBefore(std::size_t index) const;
    [[nodiscard]] std::size_t firstStartingFrom(double time, std::size_t from, std::size_t end, std::size_t expected = 1) const;
    [[nodiscard]] Column mixedColumn(std::size_t first, std::size_t last, double from, double to) const;
    void appendIndex(std::size_t from);

    static constexpr std::size_t fanOut = 16;

    std::vector<Lane> m_lanes;
    std::vector<Nanoseconds> m_start, m_end;
    std::vector<std::int32_t> m_label, m_labelB;
    std::vector<std::uint32_t> m_source;
    std::vector<std::uint8_t> m_class;
    std::vector<Nanoseconds> m_busy; ///< busy time before each block of fanOut spans
    std::vector<std::vector<Longest>> m_longest; ///< level k: the longest span of each fanOut^(k+1) spans
    Nanoseconds m_extent = 0;
};

} // namespace pipeloom
