// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// A part of the step as one rank goes through it.
struct Phase
{
    Nanoseconds begin = 0;
    Nanoseconds end = 0; ///< where the next one begins
    std::string name; ///< "Step 4 of 8: pairs F0 with B1, F1 with B0"; "Warm-up", "Steady state", "Cool-down", "Optimizer"

    bool operator==(const Phase &) const = default;
};

/// The phases of `rank` in order and without gaps from 0 to makespan + optimizer, none of them empty. DualPipe and DualPipeV go
/// through their numbered steps, without those that have no op on this rank; every other schedule warms up until its first
/// backward starts and cools down from the end of its last forward (when that comes first, it waits in between). The wait for the
/// slowest rank belongs to the last of them. Empty for a rank that does not exist. O(ops of the rank).
[[nodiscard]] std::vector<Phase> phasesOf(const Schedule &schedule, const Timeline &timeline, Nanoseconds optimizer, int rank);

/// The phase at `time`; after the end the last one. Null when there are none. O(log phases).
[[nodiscard]] const Phase *phaseAt(const std::vector<Phase> &phases, Nanoseconds time);

} // namespace pipeloom
