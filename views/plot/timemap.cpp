// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/timemap.h"

#include <algorithm>

namespace pipeloom
{

TimeMap TimeMap::fit(TimeRange range, double left, double width, double ratio)
{
    TimeMap map{ .left = left, .width = std::max(1.0, width), .ratio = ratio };
    const auto length = static_cast<double>(std::max<Nanoseconds>(1, range.end - range.begin));
    map.nsPerColumn = length / std::max(1.0, map.width * ratio);
    map.origin = std::llround(static_cast<double>(range.begin) / map.nsPerColumn);
    return map;
}

TimeMap TimeMap::withRatio(double other) const
{
    TimeMap map = *this;
    map.ratio = other;
    map.nsPerColumn = nsPerColumn * ratio / other;
    map.origin = std::llround(start() / map.nsPerColumn);
    return map;
}

double TimeMap::crispX(double time) const
{
    return left + (std::floor(time / nsPerColumn + 0.5) - static_cast<double>(origin)) / ratio;
}

Nanoseconds TimeMap::time(double x) const
{
    return std::llround(((x - left) * ratio + static_cast<double>(origin)) * nsPerColumn);
}

TimeRange TimeMap::zoomed(TimeRange range, double x, double steps) const
{
    const auto length = static_cast<double>(range.end - range.begin);
    const auto closest = static_cast<double>(columns());
    const double wanted = std::max(std::min(closest, length), length * std::pow(zoomPerStep, -steps));
    const double share = std::clamp((x - left) / width, 0.0, 1.0);
    const Nanoseconds begin = std::llround(static_cast<double>(range.begin) + share * (length - wanted));
    return { begin, begin + std::llround(wanted) };
}

TimeRange TimeMap::panned(TimeRange range, std::int64_t columns) const
{
    const double column = std::round(static_cast<double>(range.begin) / nsPerColumn) + static_cast<double>(columns);
    const Nanoseconds begin = std::llround(column * nsPerColumn);
    return { begin, begin + (range.end - range.begin) };
}

} // namespace pipeloom
