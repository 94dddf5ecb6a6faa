// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"
#include "core/plan/groups.h"
#include "core/routing/routing.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Payload times of the expert all-to-all of one MoE layer and microbatch on the hottest rank, seconds, nothing else running.
struct AllToAll
{
    double dispatchF = 0, combineF = 0;
    double dispatchB = 0; ///< gradient of the dispatch: runs the combine kernel (bf16)
    double combineB = 0; ///< gradient of the combine: runs the dispatch kernel
    [[nodiscard]] double forward() const { return dispatchF + combineF; }
    [[nodiscard]] double backward() const { return dispatchB + combineB; }
};

/// Hierarchical (runtime "deepep"): latency + skew x max(tokens x remote nodes x bytes / inter-node, tokens x ranks x bytes /
/// intra-node payload bandwidth), within 8.5 % of the DeepEP tables. Flat ("megatron-alltoall"): every token copy is sent on its
/// own. Dispatch carries FP8 with scales when the precision computes in FP8, else bf16; combine bf16. All zero without expert
/// parallelism.
[[nodiscard]] AllToAll expertAllToAll(const Scenario &scenario, const Groups &groups, const RoutingLoad &routing);

/// Exposed tensor- and context-parallel collectives, seconds, forward and backward (rings; nothing of it is hidden).
///
/// Tensor parallelism reduces the activations after attention and after the MLP, and their gradients in the backward: two
/// all-reduces each way. Sequence parallelism cuts each all-reduce into its two halves, a reduce-scatter and an all-gather, so
/// the bytes are the same (Korthikanti et al. 2022, arXiv 2205.05198, 4.2.2; the all-gather that repeats a sharded input for its
/// weight gradient runs under a matmul). Latent attention is the exception: there the gather carries the compressed latents,
/// which without sequence parallelism every rank computes whole.
struct LayerCollectives
{
    double f = 0, bi = 0;
};
[[nodiscard]] LayerCollectives layerCollectives(const Scenario &scenario, LayerKind kind);

/// The same for the vocabulary-parallel embedding and head. With sequence parallelism each has one half of a ring either way;
/// without, the embedding reduces in the forward and the head in the backward.
[[nodiscard]] LayerCollectives embeddingCollectives(const Scenario &scenario);
[[nodiscard]] LayerCollectives headCollectives(const Scenario &scenario);

/// What sharding beyond the optimizer states costs every microbatch, visible seconds of a stage: ZeRO 2 reduce-scatters its
/// gradients after each backward, ZeRO 3 gathers its weights before each forward and again before each backward. Half of it is
/// hidden (an assumption). dense, expert: parameters of the stage on one rank. copies: pipeline ranks that hold the stage.
[[nodiscard]] LayerCollectives shardingCollectives(const Scenario &scenario, const Groups &groups, double dense, double expert,
                                                   int copies);

/// Seconds from the end of a stage's op to the start of its neighbour's: latency + activations / link.
[[nodiscard]] double pipelineHopSeconds(const Scenario &scenario, const Groups &groups);

/// Time of the optimizer step: the update moves the local states through HBM; gradients are reduced and weights gathered over the
/// two data-parallel groups, half of it hidden (an assumption).
struct OptimizerSeconds
{
    double update = 0;
    double exposedComm = 0;
};
/// dense, expert: parameters of the heaviest rank, all its stages. copies: pipeline ranks that hold each stage.
[[nodiscard]] OptimizerSeconds optimizerSeconds(const Scenario &scenario, const Groups &groups, double dense, double expert,
                                                int copies);

} // namespace pipeloom
