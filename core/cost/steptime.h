// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/cost.h"
#include "core/model/counts.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Splits the step into compute, exposed communication, bubble and optimizer: means over the ranks that sum to the step.
[[nodiscard]] StepTime computeStepTime(const Schedule &schedule, const Timeline &timeline, const OpTimes &times);

/// Half-width of the stated band around the model's throughput: first-order models without the kernels' detail missed published
/// runs by this much before any framework factor (cost facts 6). Typed durations have none.
inline constexpr double modelBand = 0.25;

/// Model FLOPs are causal and leave MTP out, as the published figures do; the denominator is the dense BF16 peak.
[[nodiscard]] Throughput computeThroughput(const Scenario &scenario, const FlopCounts &flops, const StepTime &time);

[[nodiscard]] MoneyCost computeCost(const Scenario &scenario, const Throughput &throughput);

} // namespace pipeloom
