// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <cstdint>
#include <string>

namespace pipeloom
{

/// U+2212, the sign of every negative number shown.
inline constexpr const char *minusSign = "\u2212";

/// "15,360"; "−12".
[[nodiscard]] std::string formatCount(std::int64_t value);

/// A number with fixed decimals, commas between thousands and a true minus: "1,541.7". NaN and infinities give "–".
[[nodiscard]] std::string formatFixed(double value, int decimals);

/// Memory: "79.1 GiB", below 0.1 GiB "56 MiB" (one decimal below 10 MiB), "0 B", "512 B".
[[nodiscard]] std::string formatBytes(ByteCount bytes, int decimals = 1);

/// The number of formatBytes in GiB, without its unit: for columns whose header names it.
[[nodiscard]] std::string formatGib(ByteCount bytes, int decimals = 1);

/// A duration: "7.12 s", "129.01 ms", "540 µs", "80 ns", "0 s".
[[nodiscard]] std::string formatDuration(double seconds);

/// Seconds whatever the size: formatSeconds(t, 3) is the playhead's "1.100 s".
[[nodiscard]] std::string formatSeconds(double seconds, int decimals = 2);

/// A ratio as percentage: "39.0 %".
[[nodiscard]] std::string formatPercent(double ratio, int decimals = 1);

/// Large round numbers: "386 k", "5.58 M", "1.2 T", three significant digits at most; below 1,000 whole.
[[nodiscard]] std::string formatShort(double value);

/// The sign always: "+1.17", "−3.08", "±0.00".
[[nodiscard]] std::string formatSigned(double value, int decimals);

/// A difference of memory: "+17.1 GiB", "−640 MiB".
[[nodiscard]] std::string formatSignedBytes(ByteCount bytes, int decimals = 1);

/// The relative change from `before` to `after`, "−30 %", "+0.4 %" below 1 %; empty when before is 0.
[[nodiscard]] std::string formatChange(double before, double after);

/// A parameter count: "671.0 B", "36.6 B", "8.03 B", "410 M".
[[nodiscard]] std::string formatParameters(std::int64_t count);

} // namespace pipeloom
