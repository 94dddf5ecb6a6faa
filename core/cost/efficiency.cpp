// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/efficiency.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace pipeloom
{

namespace
{

/// Efficiency at a size of the smaller matrix dimension.
struct Anchor
{
    double size;
    double efficiency;
};

// DeepGEMM README, H800, 132 SM, M = 4096: 4096x32768x512, 4096x24576x1536, 4096x7168x2048, 4096x4096x7168, 4096x7168x16384.
constexpr std::array<Anchor, 4> fp8Alone = { { { 512, 0.34 }, { 1536, 0.53 }, { 2048, 0.53 }, { 7168, 0.66 } } };
// DeepSeek profile-data train.json, of the peak of 112 SM: kv_b and kv_a 0.34 to 0.38, q_a and q_b 0.50 to 0.52, w2 0.55, w13
// 0.60, o_proj 0.63.
constexpr std::array<Anchor, 5> fp8Beside = {
    { { 512, 0.345 }, { 1536, 0.51 }, { 2048, 0.55 }, { 4096, 0.60 }, { 7168, 0.625 } }
};
// The same trace: attention weight gradients 642 TFLOPS (0.38), MLP weight gradients 724 TFLOPS (0.43).
constexpr std::array<Anchor, 2> fp8WeightGradient = { { { 512, 0.37 }, { 2048, 0.42 } } };
constexpr std::array<Anchor, 3> bf16 = { { { 512, 0.45 }, { 2048, 0.60 }, { 7168, 0.72 } } };

/// Linear in the logarithm of the size, constant outside the anchors.
double interpolate(std::span<const Anchor> anchors, double size)
{
    if (size <= anchors.front().size)
        return anchors.front().efficiency;
    for (std::size_t i = 1; i < anchors.size(); ++i) {
        const Anchor &low = anchors[i - 1];
        const Anchor &high = anchors[i];
        if (size <= high.size)
            return low.efficiency
                + (high.efficiency - low.efficiency) * std::log(size / low.size) / std::log(high.size / low.size);
    }
    return anchors.back().efficiency;
}

/// Few rows leave tiles empty: 533 TFLOPS at 128 rows and 287 at 64 against 1,520 at 4,096 (DeepGEMM) is rows / (rows + 250).
double rowFactor(double rows)
{
    constexpr double half = 250;
    constexpr double anchorRows = 4096;
    return rows / (rows + half) * (anchorRows + half) / anchorRows;
}

} // namespace

double computeShare(const Cluster &cluster, GpuShare share)
{
    if (share == GpuShare::Alone || cluster.multiprocessors <= communicationMultiprocessors)
        return 1;
    return static_cast<double>(cluster.multiprocessors - communicationMultiprocessors) / cluster.multiprocessors;
}

double gemmSeconds(const Cluster &cluster, bool fp8, GemmKind kind, GpuShare share, double rows, double n, double k)
{
    if (rows <= 0)
        return 0;
    const bool useFp8 = fp8 && cluster.fp8Flops > 0;
    std::span<const Anchor> anchors = bf16;
    if (useFp8 && kind == GemmKind::WeightGradient)
        anchors = fp8WeightGradient;
    else if (useFp8)
        anchors = share == GpuShare::Alone ? std::span<const Anchor>(fp8Alone) : std::span<const Anchor>(fp8Beside);
    const double efficiency = interpolate(anchors, std::min(n, k)) * std::min(1.1, rowFactor(rows));
    const double peak = (useFp8 ? cluster.fp8Flops : cluster.bf16Flops) * computeShare(cluster, share);
    return 2 * rows * n * k / (peak * efficiency);
}

double attentionSeconds(const Cluster &cluster, GpuShare share, double flops, bool backward)
{
    return flops / (cluster.bf16Flops * computeShare(cluster, share) * (backward ? 0.56 : 0.66));
}

double streamSeconds(const Cluster &cluster, double bytes) { return bytes / (0.8 * cluster.hbmBandwidth); }

} // namespace pipeloom
