// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace pipeloom
{

/// How far one step of the playhead goes.
enum class StepUnit
{
    Op, ///< the next start or end of an op
    Microbatch, ///< the next microbatch enters the rank (F, FB); after the last one, the next leaves it (B, Bi)
    Phase, ///< warm-up, steady state, cool-down; DualPipe's steps 1..8; the optimizer
};

/// The times a step on `rank` can land on, ascending, without repeats: always 0 and makespan + optimizer, which ends the step.
/// O(ops of the rank).
[[nodiscard]] std::vector<Nanoseconds> stepTimes(const Schedule &schedule, const Timeline &timeline, Nanoseconds optimizer,
                                                 int rank, StepUnit unit);

/// The rank whose order holds op `op`; precondition: op < schedule.ops.size(). O(log ranks).
[[nodiscard]] int rankOf(const Schedule &schedule, std::size_t op);

/// The op that produces what `op` waits for last: F of the stage before, B of the stage after (on the last stage its own F), Bi
/// for a W. Empty for the first F of a microbatch. Precondition: the order was simulated. O(ops).
[[nodiscard]] std::optional<std::size_t> dependency(const Schedule &schedule, const Timeline &timeline, std::size_t op);
/// The op that waits for what `op` produces, first of those in time. Empty when none does. Precondition: the order was simulated.
/// O(ops).
[[nodiscard]] std::optional<std::size_t> dependent(const Schedule &schedule, const Timeline &timeline, std::size_t op);

} // namespace pipeloom
