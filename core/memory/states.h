// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/ledger.h"
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

/// What decides how many bytes a parameter takes on a rank.
struct StateRules
{
    const ModelSpec &model;
    const ParallelPlan &plan;
    const Precision &precision;
    const Groups &groups;
    int copies = 1; ///< pipeline ranks that hold the stage (2 for bidirectional schedules); what is sharded, they share as well
};

/// Bytes a parameter of the matrix takes as weights (all copies): linear layers as the precision says, embedding, head, router
/// and norms outside FP8.
[[nodiscard]] double weightBytes(const WeightMatrix &matrix, const Precision &precision);

/// Weights, main gradients, master weights and moments of a stage, a row for each matrix and kind. ZeRO: 1 shards master
/// weights and moments, 2 gradients too, 3 (and FSDP) weights too; dense weights over DP x CP, routed experts over EDP.
void addStateRows(Ledger &rows, const std::vector<WeightMatrix> &matrices, const StateRules &rules, const StageContent &stage,
                  bool embeddingCopy);

/// What ZeRO-3 or FSDP holds unsharded while an op of the stage runs.
struct GatherBuckets
{
    double weights = 0; ///< parameters gathered at once: ZeRO-3 one unit, FSDP the running unit and the prefetched one
    double gradients = 0; ///< parameters of the unit whose gradients wait for their reduce-scatter
};

/// The largest that occurs: a unit is a layer, the embedding, or the final norm with the head (the units PyTorch's FSDP2 recipes
/// wrap). Zero below ZeRO-2, and for weights whose data-parallel group is one rank.
[[nodiscard]] GatherBuckets gatherBuckets(const std::vector<WeightMatrix> &matrices, const StateRules &rules,
                                          const StageContent &stage);

} // namespace pipeloom
