// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/curvecolumns.h"

#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr std::size_t fan = 16;

ByteCount moving(const MemoryPoint &point) { return point.activations + point.transient; }

} // namespace

CurveIndex::CurveIndex(std::span<const MemoryPoint> points)
    : m_points(points)
{
    for (std::size_t size = points.size(); size > fan;) {
        const std::size_t level = m_levels.size();
        std::vector<Extremes> blocks((size + fan - 1) / fan);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            blocks[b] = block(level, b * fan);
            for (std::size_t i = b * fan + 1; i < std::min(size, (b + 1) * fan); ++i)
                blocks[b] = better(blocks[b], block(level, i));
        }
        size = blocks.size();
        m_levels.push_back(std::move(blocks));
    }
}

CurveIndex::Extremes CurveIndex::block(std::size_t level, std::size_t index) const
{
    return level == 0 ? Extremes{ index, index } : m_levels[level - 1][index];
}

CurveIndex::Extremes CurveIndex::better(const Extremes &a, const Extremes &b) const
{
    const auto value = [&](std::size_t i) { return moving(m_points[i]); };
    const bool bHigher = value(b.high) > value(a.high) || (value(b.high) == value(a.high) && b.high < a.high);
    const bool bLower = value(b.low) < value(a.low) || (value(b.low) == value(a.low) && b.low < a.low);
    return { bHigher ? b.high : a.high, bLower ? b.low : a.low };
}

CurveIndex::Extremes CurveIndex::extremes(std::size_t first, std::size_t last) const
{
    Extremes best{ first, first };
    // Single blocks at both ends, whole blocks of the next level between them.
    for (std::size_t level = 0; first < last; ++level, first /= fan, last /= fan) {
        const bool top = level == m_levels.size();
        for (; first < last && (top || first % fan != 0); ++first)
            best = better(best, block(level, first));
        for (; first < last && last % fan != 0; --last)
            best = better(best, block(level, last - 1));
    }
    return best;
}

CurveColumns curveColumns(const RankMemory &memory, const CurveIndex &index, Nanoseconds end, const TimeMap &map)
{
    CurveColumns result;
    const std::span<const MemoryPoint> points = index.points();
    const std::int64_t first = std::max<std::int64_t>(0, map.origin);
    const std::int64_t last =
        std::min(map.origin + map.columns(), static_cast<std::int64_t>(std::floor(static_cast<double>(end) / map.nsPerColumn)));
    if (points.empty() || first >= last)
        return result;
    result.first = first;
    result.columns.resize(static_cast<std::size_t>(last - first));
    const ByteCount fixed = memory.states() + memory.buffers;
    const auto time = [](const MemoryPoint &point) { return static_cast<double>(point.time); };
    // What is in force at the left edge of a column counts in it, as do the points inside.
    const auto begin = std::ranges::upper_bound(points, static_cast<double>(first) * map.nsPerColumn, {}, time) - points.begin();
    auto next = static_cast<std::size_t>(begin);
    for (std::int64_t c = first; c < last; ++c) {
        const std::size_t current = next == 0 ? 0 : next - 1;
        const double edge = static_cast<double>(c + 1) * map.nsPerColumn;
        if (next < points.size() && time(points[next]) < edge)
            next = static_cast<std::size_t>(std::ranges::lower_bound(points.subspan(next), edge, {}, time) - points.begin());
        const CurveIndex::Extremes extremes = index.extremes(current, std::max(next, current + 1));
        const MemoryPoint &highest = points[extremes.high];
        result.columns[static_cast<std::size_t>(c - first)] = { .low = fixed + moving(points[extremes.low]),
                                                                .high = fixed + moving(highest),
                                                                .last = fixed + moving(points[next == 0 ? 0 : next - 1]),
                                                                .activations = highest.activations,
                                                                .transient = highest.transient };
    }
    return result;
}

DashPattern planDash(const QString &letter)
{
    if (letter == QStringLiteral("A"))
        return {};
    return { letter == QStringLiteral("B") ? 5 : 2, 3 };
}

void drawStepLine(QPainter &painter, const TimeMap &map, const CurveColumns &curve, const StepLine &line,
                  const std::function<double(ByteCount)> &y)
{
    const double ratio = map.ratio;
    const int period = line.dash.on + line.dash.off;
    const auto lineY = [&](ByteCount bytes) { return crisp(y(bytes) - line.thickness / 2, ratio); };
    const auto drawn = [&](std::int64_t column) {
        return static_cast<int>(std::floor(static_cast<double>(column) / ratio)) % period < line.dash.on;
    };
    const auto fill = [&](const QRectF &rect) {
        painter.fillRect(rect.adjusted(-line.halo, -line.halo, line.halo, line.halo), line.colour);
    };
    for (std::size_t i = 0; i < curve.columns.size();) {
        const std::int64_t column = curve.first + static_cast<std::int64_t>(i);
        const CurveColumns::Column &value = curve.columns[i];
        // Where every column holds several values, a low upright in each gap would join the dashes.
        const double top = lineY(value.high);
        const double height = lineY(value.low) - top;
        if (value.low != value.high && (drawn(column) || height >= period))
            fill(QRectF(map.columnX(column), top, line.thickness, height + line.thickness));
        std::size_t j = i + 1;
        while (j < curve.columns.size() && curve.columns[j].low == value.last && curve.columns[j].high == value.last
               && drawn(curve.first + static_cast<std::int64_t>(j)) == drawn(column))
            ++j;
        if (drawn(column))
            fill(QRectF(map.columnX(column), lineY(value.last), static_cast<double>(j - i) / ratio, line.thickness));
        i = j;
    }
}

} // namespace pipeloom
