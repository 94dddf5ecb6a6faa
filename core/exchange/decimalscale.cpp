// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/decimalscale.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace pipeloom
{

namespace
{

/// A quarter of the range: sums of two times and the closed forms stay inside as well.
constexpr double range = 2.3e18;
constexpr int mostDecimals = 15;
constexpr Nanoseconds exactInDouble = Nanoseconds{ 1 } << 53;

double power(int decimals) { return std::pow(10.0, decimals); }

/// Decimals of the shortest text that reads back as the same double: 77.3 -> 1, 1e-07 -> 7.
int decimalsOf(double value)
{
    std::string shortest;
    int digits = 0;
    for (; digits <= 17; ++digits) {
        shortest = fmt::format("{:.{}e}", value, digits);
        double back = 0;
        std::from_chars(shortest.data(), shortest.data() + shortest.size(), back);
        if (back == value)
            break;
    }
    const std::size_t mark = shortest.find('e');
    const int exponent = std::stoi(shortest.substr(mark + 1));
    return std::max(0, digits - exponent);
}

} // namespace

bool DecimalScale::fits(double largest, double count) { return largest * count < range; }

DecimalScale DecimalScale::forValues(std::span<const double> values, double count)
{
    DecimalScale scale;
    double largest = 0;
    for (const double value : values) {
        largest = std::max(largest, value);
        scale.m_decimals = std::max(scale.m_decimals, decimalsOf(value));
    }
    scale.m_decimals = std::min(scale.m_decimals, mostDecimals);
    while (scale.m_decimals > 0 && !fits(largest * power(scale.m_decimals), count))
        --scale.m_decimals;
    return scale;
}

Nanoseconds DecimalScale::toTicks(double units) const { return std::llround(units * power(m_decimals)); }

double DecimalScale::toUnits(Nanoseconds ticks, int places) const
{
    const int decimals = m_decimals - places;
    // Both exact: the division rounds once, to the nearest double.
    if (decimals >= 0 && ticks < exactInDouble && ticks > -exactInDouble)
        return static_cast<double>(ticks) / power(decimals);
    const std::string digits = fmt::format("{}e{}", ticks, -decimals);
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string DecimalScale::text(Nanoseconds ticks) const { return fmt::format("{}", toUnits(ticks)); }

} // namespace pipeloom
