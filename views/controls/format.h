// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"
#include "core/base/term.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace pipeloom
{

/// 2560 -> "2,560".
[[nodiscard]] QString groupedText(std::int64_t value);
/// A number with fixed decimals, grouped: 1439.2 -> "1,439" with 0.
[[nodiscard]] QString fixedText(double value, int decimals);
/// Memory in GiB without the unit: 1 decimal.
[[nodiscard]] QString gibText(ByteCount bytes, int decimals = 1);
/// A count in short form: 671.0 B, 36.6 B, 583 M.
[[nodiscard]] QString shortCount(double value);
/// Thousands and millions for GPU-hours and money: 193421 -> "193 k", 2.4e6 -> "2.4 M".
[[nodiscard]] QString thousandsText(double value);

/// How a difference is written.
enum class DeltaStyle
{
    Percent, ///< relative: "−30 %"
    Points, ///< of two percentages: "−19.1 pt"
    Thousands, ///< absolute: "−167 k"
};

/// "A vs B" with the sign always shown (U+2212), neutral below 1 %.
struct Delta
{
    QString text; ///< "" when there is no value for it (x / 0)
    int tone = 0; ///< -1 less, 0 neutral, 1 more
};
/// first against second. Percentages for DeltaStyle::Points are given as 6.8, not 0.068.
[[nodiscard]] Delta delta(double first, double second, DeltaStyle style);

/// The value of a term with its unit, as a sentence would say it: "7.12 s", "24.40 GiB", "36.4 %".
[[nodiscard]] QString termValue(const Term &term);

/// A schedule's or preset's name as people say it; unknown names come back unchanged.
[[nodiscard]] QString zeroTitle(int level);

} // namespace pipeloom
