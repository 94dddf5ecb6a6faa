// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/cluster/cluster.h"
#include "core/model/modelspec.h"
#include "core/plan/plan.h"

#include <cstdint>
#include <vector>

namespace pipeloom
{

/// The two meshes: world = TP x CP x DP x PP = ETP x EP x EDP x PP.
struct Groups
{
    std::int64_t dp = 0; ///< data-parallel size of attention, dense and shared weights
    std::int64_t edp = 0; ///< data-parallel size of routed experts
    std::int64_t microbatches = 0; ///< per pipeline and step: global batch / (micro-batch x DP)
    std::int64_t nodes = 0;
    int expertRanksPerNode = 1; ///< ranks of one expert-parallel group that share a scale-up domain
    int expertNodes = 1; ///< scale-up domains one expert-parallel group spans
    bool pipelineCrossesNodes = false;
    bool operator==(const Groups &) const = default;
};

/// What one stage holds.
struct StageContent
{
    int stage = 0;
    int firstLayer = 0;
    int layers = 0;
    int denseLayers = 0;
    int moeLayers = 0;
    bool embedding = false; ///< the input embedding
    bool head = false; ///< final norm, output projection and loss
    int mtpModules = 0;
    bool operator==(const StageContent &) const = default;
};

/// The split of the layers over the stages.
struct StageLayout
{
    std::vector<StageContent> stages;
    int layersRequested = 0;
    int layersBuilt = 0;
    bool even = true;
    bool operator==(const StageLayout &) const = default;
};

/// Groups, layout and everything that is wrong with the plan. The groups and the layout hold what could be derived; use
/// them for a schedule only when no diagnostic is an error.
struct PlanCheck
{
    Groups groups;
    StageLayout layout;
    Diagnostics diagnostics; ///< errors, warnings, and one info line for each rule a control shows as satisfied
    bool operator==(const PlanCheck &) const = default;
};

/// Checks every rule of the plan against model and cluster. Never throws and terminates for any integers.
/// Rules and sources: the training frameworks' own argument checks, see the tests.
/// Every fix was tried: on the changed plan its diagnostic is gone, and no new error comes up if any fix manages that.
[[nodiscard]] PlanCheck checkPlan(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan);

/// Whether checkPlan would find no error, without looking for repairs: for searches that try many plans.
[[nodiscard]] bool planRuns(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan);

} // namespace pipeloom
