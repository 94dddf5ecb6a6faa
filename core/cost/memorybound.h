// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Seconds of the kernels that move data rather than multiply, of one layer and microbatch.
struct MemoryBound
{
    double f = 0, bi = 0, w = 0;
    double norms = 0, upProjection = 0, activation = 0; ///< forward parts that the recompute modules of these names repeat
    double moe = 0; ///< forward part of the whole MoE (or dense MLP) block
    double mlpBi = 0, mlpW = 0; ///< parts of bi and w in that block
    double routed = 0; ///< part of f + bi + w that scales with routed tokens
};

/// Casts (FP8 only), norms, RoPE, permutation, SwiGLU, top-k, copies: class times of DeepSeek's training trace (4 layers, 4,096
/// tokens, H800), scaled by element count and HBM bandwidth.
[[nodiscard]] MemoryBound memoryBoundSeconds(const Scenario &scenario, LayerKind kind, const RankTokens &tokens);

} // namespace pipeloom
