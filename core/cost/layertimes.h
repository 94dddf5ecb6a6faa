// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/efficiency.h"
#include "core/memory/layertensors.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Compute time of one layer and one microbatch on one rank, seconds, without communication.
struct LayerCompute
{
    double f = 0;
    double bi = 0; ///< recompute included
    double w = 0;
    double recompute = 0; ///< the part of bi that recompute adds
    double matmul = 0, attention = 0, memoryBound = 0; ///< f + bi + w by kind of kernel
    double routedShare = 0; ///< part of f + bi + w that scales with the tokens routed to the rank
    /// The attention block's part of f, bi and w, with both norms; the rest is the MLP's.
    double attentionF = 0, attentionBi = 0, attentionW = 0;
};

/// One layer of the kind. Matmuls from their shapes, core attention from its FLOPs, memory-bound kernels from the classes of
/// DeepSeek's training trace scaled by their element counts and the memory bandwidth. tokens: rankTokens() of the hottest rank.
[[nodiscard]] LayerCompute layerCompute(const Scenario &scenario, LayerKind kind, GpuShare share, const RankTokens &tokens);

/// Parts outside the layers, seconds.
struct HeadCompute
{
    double f = 0, bi = 0, w = 0;
};
/// Final norm, output projection and loss.
[[nodiscard]] HeadCompute headCompute(const Scenario &scenario, GpuShare share, const RankTokens &tokens);
/// The lookup of the input embedding and the scatter of its gradient.
[[nodiscard]] HeadCompute embeddingCompute(const Scenario &scenario, const RankTokens &tokens);
/// What an MTP module computes beside its layer and its head: norms and the projection of 2h to h.
[[nodiscard]] HeadCompute mtpProjectionCompute(const Scenario &scenario, GpuShare share, const RankTokens &tokens);

} // namespace pipeloom
