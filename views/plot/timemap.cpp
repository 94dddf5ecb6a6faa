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

} // namespace pipeloom
