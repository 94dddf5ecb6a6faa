// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

namespace pipeloom
{

/// Where a matmul runs: alone on the whole GPU, or beside the communication kernels of an overlapped pair.
enum class GpuShare
{
    Alone,
    BesideCommunication, ///< the multiprocessors that the all-to-all kernels leave
};

/// Multiprocessors that the all-to-all kernels of an overlapped pair hold (DeepSeek-V3 report 3.2.2: 20 of 132).
inline constexpr int communicationMultiprocessors = 20;

/// Part of the GPU's multiprocessors left for compute.
[[nodiscard]] double computeShare(const Cluster &cluster, GpuShare share);

enum class GemmKind
{
    Forward, ///< forward and input gradient
    WeightGradient,
};

/// Seconds of one matmul [rows x k] x [k x n], 2 rows n k FLOP. Efficiency of the dense peak by the smaller of n and k and by the
/// rows: FP8 alone from DeepGEMM's H800 tables, FP8 beside communication and weight gradients from the kernels of DeepSeek's
/// training trace; BF16 0.45 / 0.60 / 0.72 is an assumption. rows: tokens of one matmul (of one expert in a grouped one).
[[nodiscard]] double gemmSeconds(const Cluster &cluster, bool fp8, GemmKind kind, GpuShare share, double rows, double n,
                                 double k);

/// Seconds of core attention for a FLOP count: forward at 0.66, backward (its five matmuls counted) at 0.56 of the BF16 peak:
/// DeepSeek's trace.
[[nodiscard]] double attentionSeconds(const Cluster &cluster, GpuShare share, double flops, bool backward);

/// Seconds for moving bytes through HBM at the 0.8 of its bandwidth that streaming kernels reach (an assumption).
[[nodiscard]] double streamSeconds(const Cluster &cluster, double bytes);

} // namespace pipeloom
