// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/communication.h"
#include "core/cost/cost.h"
#include "core/cost/layertimes.h"
#include "core/model/counts.h"
#include "core/plan/groups.h"
#include "core/routing/routing.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Contention factor of an all-to-all that runs beside compute (1.28 to 1.80 in DeepSeek's trace; 1.35 is used) and the part of
/// it that stays visible even when compute is longer (the trace hides 96 %).
inline constexpr double overlapContention = 1.35;
inline constexpr double overlapLeak = 0.04;

/// Seconds of one layer and microbatch in the two situations that schedules know.
struct LayerTimes
{
    LayerCompute alone; ///< an op of its own: the whole GPU, then the all-to-all in the open
    LayerCompute beside; ///< in an overlapped pair
    AllToAll exchange; ///< of an MoE layer; zero for a dense one
    LayerCollectives collectives;
    double pairGain = -1; ///< calibrated profiles: seconds a pair saves for each layer against its F and B; < 0: from the model
};

/// Layer times of one kind from the scenario's timing source. A calibrated profile gives MoE layers; what it lacks comes from the
/// model.
[[nodiscard]] LayerTimes layerTimes(const Scenario &scenario, LayerKind kind, const Groups &groups, const RoutingLoad &routing);

/// Durations of every op: stages from their layers, embedding, head and MTP; pairs from both halves; P2P; optimizer.
/// Precondition: the plan has no error.
[[nodiscard]] OpTimes computeOpTimes(const Scenario &scenario, const std::vector<WeightMatrix> &matrices, const Groups &groups,
                                     const StageLayout &layout, const RoutingLoad &routing, const Schedule &schedule);

} // namespace pipeloom
