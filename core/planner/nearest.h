// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace pipeloom
{

/// A plan that fits, close to one that does not.
struct NearbyPlan
{
    std::vector<Setting> set; ///< what to change
    std::string label; ///< "PP 16, M 40"
    std::shared_ptr<const Evaluation> evaluation;
};

/// Plans with verdict Fits, fewest fields changed first, then least step time; at most `most`. Changes PP, TP, EP, CP, micro-batch, schedule,
/// recompute, ZeRO and the layout, never the workload (model, GPUs, global batch, sequence). Empty when none within two changes fits or on stop.
[[nodiscard]] std::vector<NearbyPlan> nearestPlans(const Scenario &scenario, std::size_t most = 4, const std::stop_token &stop = {});

} // namespace pipeloom
