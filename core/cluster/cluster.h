// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <string>

namespace pipeloom
{

/// One kind of GPU with its node and network, as the cost model needs it. Bandwidths are one-directional and per GPU.
struct Cluster
{
    std::string name; ///< preset name: "h800"
    std::string title; ///< "H800 80 GB"
    std::string source;
    double bf16Flops = 0; ///< dense peak, FLOP/s
    double fp8Flops = 0; ///< dense peak, FLOP/s; 0 when the GPU has no FP8
    int multiprocessors = 0; ///< SMs (CUs on AMD)
    ByteCount hbmBytes = 0; ///< what the device reports
    double hbmBandwidth = 0; ///< B/s
    int gpusPerNode = 8;
    int scaleUpDomain = 8; ///< GPUs that reach each other over the fast link (72 on NVL72)
    double scaleUpBandwidth = 0; ///< effective B/s, point to point and rings
    double scaleOutBandwidth = 0; ///< effective B/s per GPU
    double scaleUpLatency = 0; ///< s
    double scaleOutLatency = 0; ///< s
    double expertScaleUpBandwidth = 0; ///< payload B/s of the all-to-all kernels, kept apart from the link figure
    double expertScaleOutBandwidth = 0; ///< payload B/s of the all-to-all kernels
    double usdPerGpuHour = 0; ///< default price
    bool rocm = false; ///< runs on ROCm, where kernels may differ from CUDA's
    bool operator==(const Cluster &) const = default;
};

} // namespace pipeloom
