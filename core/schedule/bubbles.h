// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pipeloom
{

/// Why a rank idles.
enum class BubbleCause : std::uint8_t
{
    Fill, ///< before its first op: nothing has reached it yet
    Wait, ///< between two ops: what the next one needs is not there
    Drain, ///< after its last op, while other ranks still run
};

/// An idle stretch of one rank, within the makespan.
struct Bubble
{
    Nanoseconds start = 0;
    Nanoseconds end = 0;
    BubbleCause cause = BubbleCause::Wait;
    std::optional<std::size_t> next; ///< the op that ends it; none when draining
    std::optional<std::size_t>
        awaited; ///< the op whose result arrives last for `next`; when draining, the one that ends the step
    int awaitedRank = -1;
    Nanoseconds arrival = 0; ///< when that result is there, P2P included
    /// How much longer the awaited op is than the mean of its kind over the stages; 0 or less: equal stages would not end the
    /// wait sooner. Pairs are compared with pairs of all ranks.
    Nanoseconds longerThanMean = 0;
    bool operator==(const Bubble &) const = default;
};

/// The idle stretch of a rank at a time in [0, makespan); nothing while the rank runs an op. O(ops): for one place at a time, not
/// for every frame.
[[nodiscard]] std::optional<Bubble> bubbleAt(const Schedule &schedule, const Timeline &timeline, const OpDurations &durations,
                                             int rank, Nanoseconds time);

} // namespace pipeloom
