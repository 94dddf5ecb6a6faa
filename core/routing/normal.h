// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Quantile of the standard normal distribution, to about 1e-14. p outside (0, 1) gives the nearest finite end (|z| <= 38).
[[nodiscard]] double normalQuantile(double p);

/// The z that a normal variate exceeds with probability `tail`, to 4.5e-4: quick, for sampling. 0 < tail < 1.
[[nodiscard]] double roughUpperTailQuantile(double tail);

/// Expected maximum of n standard normals (Blom's approximation); 0 for n <= 1.
[[nodiscard]] double expectedNormalMaximum(int n);

} // namespace pipeloom
