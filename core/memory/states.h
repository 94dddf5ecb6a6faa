// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/precision.h"
#include "core/model/counts.h"
#include "core/plan/groups.h"
#include "core/plan/plan.h"

#include <vector>

namespace pipeloom
{

/// Parameters of one stage on one rank, by data-parallel group.
struct StageParameters
{
    double dense = 0; ///< attention, dense MLP, shared experts, router, norms, embedding, head: sharded over DP x CP
    double expert = 0; ///< routed experts: sharded over EDP
};

/// Elements of a matrix on one rank (all copies the rank holds). Key and value heads are replicated when TP exceeds them.
[[nodiscard]] double rankElements(const WeightMatrix &matrix, const ModelSpec &model, const ParallelPlan &plan);

/// Parameters of a stage on one rank. `embeddingCopy`: an MTP module needs the embedding where the stage does not hold it
/// already.
[[nodiscard]] StageParameters stageParameters(const std::vector<WeightMatrix> &matrices, const ModelSpec &model,
                                              const ParallelPlan &plan, const StageContent &stage, bool embeddingCopy);

/// Parameters of the largest layer of the stage on one rank: what ZeRO-3 gathers at a time.
[[nodiscard]] StageParameters largestLayer(const std::vector<WeightMatrix> &matrices, const ModelSpec &model,
                                           const ParallelPlan &plan, const StageContent &stage);

/// Bytes of the states of one stage on one rank, doubles so that shards need not divide.
struct StateBytes
{
    double weightsDense = 0, weightsExpert = 0, gradients = 0, optimizer = 0;
};

/// ZeRO: 1 shards master weights and moments, 2 gradients too, 3 weights too; the two groups shard over DP x CP and EDP. copies:
/// how many pipeline ranks hold the stage (2 for bidirectional schedules); their replicas shard what is sharded together.
[[nodiscard]] StateBytes stateBytes(const StageParameters &parameters, const Precision &precision, const ParallelPlan &plan,
                                    const Groups &groups, int copies);

/// The dummy weight gradients that Transformer Engine keeps: one bf16 buffer for each distinct weight shape of the rank's stages
/// (gradient accumulation fusion; TE >= 2.3, grouped matmuls >= 2.10).
[[nodiscard]] double dummyGradientBytes(const ModelSpec &model, const ParallelPlan &plan,
                                        const std::vector<StageContent> &stages);

} // namespace pipeloom
