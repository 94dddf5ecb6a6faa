// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/lanes.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

struct Lanes::Column
{
    std::size_t span = 0;
    std::uint8_t share = 0; ///< 0 = draw nothing
    bool whole = false;
};

void Lanes::reserve(std::size_t spans)
{
    m_start.reserve(spans);
    m_end.reserve(spans);
    m_label.reserve(spans);
    m_labelB.reserve(spans);
    m_source.reserve(spans);
    m_class.reserve(spans);
    m_busy.reserve(spans / fanOut + 1);
}

std::vector<Span> Lanes::addLane(std::vector<Span> spans)
{
    const auto byStart = [](const Span &a, const Span &b) { return a.start < b.start; };
    if (!std::ranges::is_sorted(spans, byStart))
        std::ranges::stable_sort(spans, byStart);
    const std::size_t from = m_start.size();
    std::vector<Span> overlapping;
    for (const Span &span : spans) {
        if (m_start.size() > from && span.start < m_end.back()) {
            overlapping.push_back(span);
            continue;
        }
        m_start.push_back(span.start);
        m_end.push_back(span.end());
        m_label.push_back(span.label);
        m_labelB.push_back(span.labelB);
        m_source.push_back(span.source);
        m_class.push_back(span.classId);
        m_extent = std::max(m_extent, span.end());
    }
    m_lanes.push_back({ from, m_start.size() });
    appendIndex(from);
    return overlapping;
}

/// Extends the busy sums and the tree of longest spans from the block that span `from` lies in.
void Lanes::appendIndex(std::size_t from)
{
    const std::size_t n = m_start.size();
    std::size_t block = from / fanOut;
    m_busy.resize(std::min(m_busy.size(), block + 1));
    if (m_busy.empty() && n > 0)
        m_busy.push_back(0);
    while (m_busy.size() * fanOut < n) {
        Nanoseconds sum = m_busy.back();
        for (std::size_t i = (m_busy.size() - 1) * fanOut; i < m_busy.size() * fanOut; ++i)
            sum += duration(i);
        m_busy.push_back(sum);
    }

    std::size_t below = n;
    for (std::size_t level = 0; below > 1 || level == 0; ++level) {
        if (m_longest.size() <= level)
            m_longest.emplace_back();
        std::vector<Longest> &nodes = m_longest[level];
        const std::size_t count = (below + fanOut - 1) / fanOut;
        block = std::min(from / fanOut, nodes.size());
        from = block;
        nodes.resize(count);
        for (std::size_t b = block; b < count; ++b) {
            const auto child = [&](std::size_t i) {
                return level == 0 ? Longest{ duration(i), static_cast<std::uint32_t>(i) } : m_longest[level - 1][i];
            };
            Longest best = child(b * fanOut);
            for (std::size_t i = b * fanOut + 1; i < std::min(below, (b + 1) * fanOut); ++i) {
                const Longest next = child(i);
                if (next.length > best.length)
                    best = next;
            }
            nodes[b] = best;
        }
        below = count;
    }
}

Span Lanes::span(std::size_t index) const
{
    return { .start = m_start[index],
             .duration = duration(index),
             .label = m_label[index],
             .labelB = m_labelB[index],
             .source = m_source[index],
             .classId = m_class[index] };
}

std::size_t Lanes::longest(std::size_t first, std::size_t last) const
{
    Longest best{ duration(first), static_cast<std::uint32_t>(first) };
    std::size_t i = first;
    while (i < last) {
        // Climb to the largest aligned block that starts at i and ends within the range.
        std::size_t size = 1;
        std::size_t level = 0;
        while (i % (size * fanOut) == 0 && i + size * fanOut <= last && level < m_longest.size()) {
            size *= fanOut;
            ++level;
        }
        if (level > 0 && m_longest[level - 1][i / size].length > best.length)
            best = m_longest[level - 1][i / size];
        else if (level == 0 && duration(i) > best.length)
            best = { duration(i), static_cast<std::uint32_t>(i) };
        i += size;
    }
    return best.span;
}

Nanoseconds Lanes::busyBefore(std::size_t index) const
{
    const std::size_t block = std::min(index / fanOut, m_busy.size() - 1);
    Nanoseconds sum = m_busy[block];
    for (std::size_t i = block * fanOut; i < index; ++i)
        sum += duration(i);
    return sum;
}

std::size_t Lanes::firstEndingAfter(std::size_t lane, Nanoseconds time) const
{
    const auto begin = m_end.begin();
    const auto at = std::upper_bound(begin + static_cast<std::ptrdiff_t>(m_lanes[lane].begin),
                                     begin + static_cast<std::ptrdiff_t>(m_lanes[lane].end), time);
    return static_cast<std::size_t>(at - begin);
}

/// The first span in [from, end) with start >= time. Searches outwards from `from + expected`: neighbouring columns hold about
/// equally many spans, and a plain binary search would miss the cache at every step.
std::size_t Lanes::firstStartingFrom(double time, std::size_t from, std::size_t end, std::size_t expected) const
{
    const auto startsBefore = [&](std::size_t i) { return static_cast<double>(m_start[i]) < time; };
    std::size_t low = from; // every span before `low` starts before `time`
    std::size_t high = end; // the answer is at most `high`
    std::size_t step = 1;
    std::size_t at = std::min(from + expected, end);
    if (at < end && startsBefore(at)) {
        while (at < end && startsBefore(at)) {
            low = at + 1;
            at += step;
            step *= 2;
        }
        high = std::min(at, end);
    } else {
        while (at > from && !startsBefore(at - 1)) {
            high = at - 1;
            at = at - from > step ? at - step : from;
            step *= 2;
        }
        low = at;
    }
    const auto begin = m_start.begin();
    const auto found = std::partition_point(begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high),
                                            [&](Nanoseconds start) { return static_cast<double>(start) < time; });
    return static_cast<std::size_t>(found - begin);
}

std::optional<std::size_t> Lanes::spanAt(std::size_t lane, Nanoseconds time) const
{
    const std::size_t i = firstEndingAfter(lane, time);
    if (i == m_lanes[lane].end || m_start[i] > time)
        return std::nullopt;
    return i;
}

Nanoseconds Lanes::busyTime(std::size_t lane, Nanoseconds begin, Nanoseconds end) const
{
    if (end <= begin)
        return 0;
    const std::size_t first = firstEndingAfter(lane, begin);
    const std::size_t last = firstStartingFrom(static_cast<double>(end), first, m_lanes[lane].end);
    if (first >= last)
        return 0;
    const Nanoseconds before = std::max<Nanoseconds>(0, begin - m_start[first]);
    const Nanoseconds after = std::max<Nanoseconds>(0, m_end[last - 1] - end);
    return busyBefore(last) - busyBefore(first) - before - after;
}

std::optional<Nanoseconds> Lanes::nearestEdge(std::size_t lane, Nanoseconds time) const
{
    const std::size_t i = firstEndingAfter(lane, time);
    std::optional<Nanoseconds> best;
    const auto offer = [&](Nanoseconds edge) {
        if (!best || std::abs(edge - time) < std::abs(*best - time))
            best = edge;
    };
    if (i > m_lanes[lane].begin)
        offer(m_end[i - 1]);
    if (i < m_lanes[lane].end) {
        offer(m_start[i]);
        offer(m_end[i]);
    }
    return best;
}

/// The column [from, to) that the spans first..last (not empty) touch.
Lanes::Column Lanes::mixedColumn(std::size_t first, std::size_t last, double from, double to) const
{
    const double pixel = to - from;
    const auto overlap = [&](std::size_t i) {
        return std::min(static_cast<double>(m_end[i]), to) - std::max(static_cast<double>(m_start[i]), from);
    };
    std::size_t best = first;
    double most = overlap(first);
    double busy = most;
    if (last - first > 1) {
        if (last - first > 2) {
            busy += static_cast<double>(busyBefore(last - 1) - busyBefore(first + 1));
            const std::size_t inner = longest(first + 1, last - 1);
            if (static_cast<double>(duration(inner)) > most) {
                best = inner;
                most = static_cast<double>(duration(inner));
            }
        }
        const double final = overlap(last - 1);
        busy += final;
        if (final > most) {
            best = last - 1;
            most = final;
        }
    }
    const bool whole = static_cast<double>(duration(best)) >= pixel;
    if (whole)
        return { best, static_cast<std::uint8_t>(2 * busy < pixel ? 0 : 255), true };
    // A column with an op in it never disappears: at least one step of lightness.
    return { best, static_cast<std::uint8_t>(std::clamp(std::lround(255 * busy / pixel), 1L, 255L)), false };
}

void Lanes::visibleSpans(std::size_t lane, Nanoseconds begin, Nanoseconds end, double nsPerPixel,
                         std::vector<VisibleSpan> &out) const
{
    out.clear();
    const auto edge = [&](std::int64_t column) { return static_cast<double>(column) * nsPerPixel; };
    // The column that holds `time`; the division alone can be one off where a time sits on an edge.
    const auto columnOf = [&](Nanoseconds time) {
        const auto t = static_cast<double>(time);
        auto column = static_cast<std::int64_t>(std::floor(t / nsPerPixel));
        while (edge(column + 1) <= t)
            ++column;
        while (edge(column) > t)
            --column;
        return column;
    };
    const auto emit = [&](std::int64_t first, std::int64_t last, const Column &column) {
        if (column.share == 0)
            return;
        const std::uint8_t classId = m_class[column.span];
        if (!out.empty()) {
            VisibleSpan &previous = out.back();
            const bool same = column.whole ? previous.whole && previous.span == column.span
                                           : !previous.whole && previous.classId == classId && previous.share == column.share;
            if (same && previous.last == first) {
                previous.last = last;
                return;
            }
        }
        out.push_back({ first, last, column.span, classId, column.share, column.whole });
    };

    std::int64_t column = columnOf(begin);
    std::int64_t columnEnd = columnOf(end);
    if (edge(columnEnd) < static_cast<double>(end))
        ++columnEnd;
    const std::size_t laneEnd = m_lanes[lane].end;
    std::size_t expected = 1;
    // One nanosecond earlier, so that a span without length on the first edge is found.
    std::size_t i = firstEndingAfter(lane, static_cast<Nanoseconds>(std::floor(edge(column))) - 1);
    while (i < laneEnd) {
        const auto start = static_cast<double>(m_start[i]);
        const auto finish = static_cast<double>(m_end[i]);
        column = std::max(column, columnOf(m_start[i]));
        if (column >= columnEnd)
            break;
        const double from = edge(column);
        const double to = edge(column + 1);
        if (finish <= from && start < from) {
            ++i; // ends where the column begins, or before
            continue;
        }
        if (start <= from && finish >= to) {
            const std::int64_t full = std::min(columnEnd, columnOf(m_end[i]));
            emit(column, full, { i, 255, true });
            column = full;
            if (finish <= edge(full))
                ++i;
            continue;
        }
        const std::size_t next = std::max(i + 1, firstStartingFrom(to, i, laneEnd, expected));
        expected = next - i;
        emit(column, column + 1, mixedColumn(i, next, from, to));
        i = static_cast<double>(m_end[next - 1]) > to ? next - 1 : next;
        ++column;
    }
}

} // namespace pipeloom
