// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/findings.h"
#include "core/plan/groups.h"
#include "core/plan/planfields.h"

namespace pipeloom
{

/// What the rules look at, and what they fill in. Rules run in the order in which they stand here; a rule whose inputs an earlier
/// one found broken says nothing.
struct PlanContext
{
    const ModelSpec &model;
    const Cluster &cluster;
    const ParallelPlan &plan;
    Groups groups;
    StageLayout layout;
    Findings findings;

    [[nodiscard]] bool hasExperts() const { return model.moe.experts > 0; }
    [[nodiscard]] int stages() const { return stageCount(plan.schedule, plan.pp, plan.vpp); }
};

/// Every number is at least 1 and at most its limit. False when one is not: then no other rule can be checked.
[[nodiscard]] bool checkRanges(PlanContext &context);

/// world = TP x CP x DP x PP; fills dp, nodes. Field plan.gpus.
void checkAttentionMesh(PlanContext &context);
/// world = ETP x EP x EDP x PP, EP divides the experts; fills edp and the expert group's nodes. Fields plan.ep, plan.etp.
void checkExpertMesh(PlanContext &context);
/// TP and CP against heads, widths, sequence and sequence parallelism.
void checkTensorSplit(PlanContext &context);
void checkSequenceSplit(PlanContext &context);
/// Whole nodes, and which groups leave the fast link.
void checkNodes(PlanContext &context);
/// microbatches = global batch / (micro-batch x DP); fills microbatches.
void checkBatch(PlanContext &context);
/// What the schedule asks of ranks, chunks and microbatches.
void checkScheduleRules(PlanContext &context);
/// The split of the layers over the stages; fills layout.
void checkLayout(PlanContext &context);
/// One line for each rule a control shows as satisfied: both meshes, layers built.
void describeSatisfied(PlanContext &context);

enum class Depth
{
    FirstError, ///< whether the plan runs
    Faults, ///< every error and warning by its code
    Words, ///< messages and thoughts of repairs too
};

/// All rules in order.
[[nodiscard]] PlanContext applyRules(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan, Depth depth);

} // namespace pipeloom
