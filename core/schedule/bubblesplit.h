// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

namespace pipeloom
{

/// The idle time of a simulated order, split by its cause. Nanoseconds, sums over the ranks, within the makespan.
struct BubbleSplit
{
    Nanoseconds schedule = 0; ///< what the order leaves idle when every stage takes the mean time: fill, drain, dependencies, P2P
    Nanoseconds imbalance = 0; ///< what unequal stages add; negative where they happen to fit the order better than equal ones
};

/// Durations in which every stage takes the mean over the stages, kind by kind, and every pair the mean over the pairs that the
/// order runs, rounded to the nearest nanosecond. P2P stays.
[[nodiscard]] OpDurations meanDurations(const Schedule &schedule, const OpDurations &durations);

/// Simulates the order once more with mean durations; nothing to do where all stages are alike. Precondition: `timeline` is
/// simulate()'s for `schedule` and `durations`. O(ops).
[[nodiscard]] BubbleSplit splitBubble(const Schedule &schedule, const Timeline &timeline, const OpDurations &durations);

} // namespace pipeloom
