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

/// Contention factor of a modelled all-to-all that runs beside compute (1.28 to 1.80 in DeepSeek's trace; 1.35 is used).
inline constexpr double overlapContention = 1.35;

/// Seconds of one layer and microbatch in the two situations that schedules know.
struct LayerTimes
{
    LayerCompute alone; ///< an op of its own: the whole GPU, then the all-to-all in the open
    LayerCompute beside; ///< in an overlapped pair
    AllToAll exchange; ///< of an MoE layer; zero for a dense one
    AllToAll exchangeBeside; ///< the same in an overlapped pair
    LayerCollectives collectives;
    double recordedPair = 0; ///< calibrated profiles: seconds of a recorded pair for each layer of a half; 0: from the parts
};

/// Layer times of one kind from the scenario's timing source. A calibrated profile gives MoE layers; what it lacks comes from the
/// model.
[[nodiscard]] LayerTimes layerTimes(const Scenario &scenario, LayerKind kind, const Groups &groups, const RoutingLoad &routing);

/// Durations of every op: stages from their layers, embedding, head and MTP; pairs from both halves; P2P; optimizer.
/// Precondition: the plan has no error.
[[nodiscard]] OpTimes computeOpTimes(const Scenario &scenario, const std::vector<WeightMatrix> &matrices, const Groups &groups,
                                     const StageLayout &layout, const RoutingLoad &routing, const Schedule &schedule);

} // namespace pipeloom
