// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace pipeloom
{

/// Time on a simulated or recorded timeline. Integer nanoseconds, so that sums and comparisons are exact.
using Nanoseconds = std::int64_t;

/// A memory size. Exact integer bytes until it is displayed; display uses GiB = 2^30.
using ByteCount = std::int64_t;

inline constexpr double bytesPerMiB = 1048576.0;
inline constexpr double bytesPerGiB = 1073741824.0;
inline constexpr double nanosecondsPerSecond = 1e9;

/// Rounds to the nearest nanosecond; the argument must be finite and below 292 years.
constexpr Nanoseconds fromSeconds(double seconds)
{
    return static_cast<Nanoseconds>(seconds * nanosecondsPerSecond + (seconds < 0 ? -0.5 : 0.5));
}

constexpr double toSeconds(Nanoseconds time)
{
    return static_cast<double>(time) / nanosecondsPerSecond;
}

} // namespace pipeloom
