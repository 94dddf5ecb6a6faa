// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <span>
#include <string>

namespace pipeloom
{

/// Durations in any one unit as the simulator's whole numbers and back. The scale is a power of ten, so 0.05 or 77.3 become whole
/// and a sum of them prints as 65.3, not as 65.29999.
class DecimalScale
{
public:
    /// The smallest scale that makes every value whole while `count` times the largest stays inside the simulator's range; values
    /// that need more decimals than that are rounded. Precondition: finite, not negative, fits(largest, count).
    [[nodiscard]] static DecimalScale forValues(std::span<const double> values, double count);

    /// False when even whole units overflow the simulator.
    [[nodiscard]] static bool fits(double largest, double count);

    [[nodiscard]] int decimals() const { return m_decimals; }
    [[nodiscard]] Nanoseconds toTicks(double units) const;
    /// The nearest double, so that the shortest text of it is the exact decimal.
    [[nodiscard]] double toUnits(Nanoseconds ticks) const { return toUnits(ticks, 0); }
    /// The same times 10^places: 3 gives thousandths of the unit.
    [[nodiscard]] double toUnits(Nanoseconds ticks, int places) const;
    /// "65.3"
    [[nodiscard]] std::string text(Nanoseconds ticks) const;

private:
    int m_decimals = 0;
};

} // namespace pipeloom
