// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <QString>

namespace pipeloom
{

// Numbers as the views write them (design section 10), through core/base/format.h.

[[nodiscard]] QString fixedNumber(double value, int decimals);
[[nodiscard]] QString wholeNumber(std::int64_t value); ///< "1,024"
[[nodiscard]] QString gib(ByteCount bytes); ///< "92.2": GiB with one decimal, no unit
[[nodiscard]] QString gibWithUnit(ByteCount bytes); ///< "92.2 GiB"; below 0.1 GiB "64 MiB"
[[nodiscard]] QString signedGib(ByteCount bytes); ///< "+5.1", "−5.1", "0.0"
[[nodiscard]] QString percent(double fraction); ///< 0.259 -> "25.9"
[[nodiscard]] QString durationText(Nanoseconds time); ///< "7.12 s", "129.01 ms", "540 µs"
[[nodiscard]] QString milliseconds(Nanoseconds time); ///< "278 ms", "12.4 ms", "0.42 ms"

/// 1, 2 or 5 times a power of ten, at least `step` (> 0): the distance between ticks.
[[nodiscard]] double niceStep(double step);

/// How the times on one axis are written: one unit, enough decimals to tell two neighbouring pixels apart.
struct TimeUnit
{
    double nanoseconds = 1e9; ///< of one unit
    QString name = QStringLiteral("s");
    int decimals = 2;

    /// For a step of length `extent` seen at `nsPerPixel`.
    [[nodiscard]] static TimeUnit forView(Nanoseconds extent, double nsPerPixel);
    [[nodiscard]] QString number(double time) const;
    [[nodiscard]] QString text(double time) const; ///< "1.10 s"
};

} // namespace pipeloom
