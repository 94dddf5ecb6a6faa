// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/normal.h"

#include <cmath>
#include <numbers>

namespace pipeloom
{

namespace
{

/// The upper tail p <= 1/2 as z >= 0, to 4.5e-4 (Abramowitz and Stegun 26.2.23).
double roughUpperQuantile(double p)
{
    const double t = std::sqrt(-2 * std::log(p));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

} // namespace

double normalQuantile(double p)
{
    constexpr double farthest = 38;
    if (!(p > 0))
        return -farthest;
    if (!(p < 1))
        return farthest;
    if (p == 0.5)
        return 0;
    const bool upper = p > 0.5;
    const double tail = upper ? 1 - p : p;
    if (tail <= 0)
        return farthest;
    double z = roughUpperQuantile(tail);
    for (int i = 0; i < 2; ++i) { // Halley: cubic convergence from 4.5e-4
        const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
        if (density <= 0)
            break;
        const double step = (0.5 * std::erfc(z / std::numbers::sqrt2) - tail) / density;
        z += step / (1 - z * step / 2);
    }
    return upper ? z : -z;
}

double roughUpperTailQuantile(double tail) { return tail <= 0.5 ? roughUpperQuantile(tail) : -roughUpperQuantile(1 - tail); }

double expectedNormalMaximum(int n) { return n <= 1 ? 0 : normalQuantile((n - 0.375) / (n + 0.25)); }

} // namespace pipeloom
