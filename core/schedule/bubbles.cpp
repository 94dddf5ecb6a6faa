// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/bubbles.h"

#include "core/schedule/needs.h"

#include <algorithm>
#include <numeric>

namespace pipeloom
{

namespace
{

Nanoseconds mean(const std::vector<Nanoseconds> &values)
{
    if (values.empty())
        return 0;
    return std::accumulate(values.begin(), values.end(), Nanoseconds{ 0 }) / static_cast<Nanoseconds>(values.size());
}

Nanoseconds meanOf(const Op &op, const OpDurations &durations)
{
    switch (op.kind) {
    case OpKind::F:
        return mean(durations.f);
    case OpKind::B:
        return mean(durations.b);
    case OpKind::Bi:
        return mean(durations.bi);
    case OpKind::W:
        return mean(durations.w);
    case OpKind::FB:
        break;
    }
    return durations.pair.empty() ? mean(durations.f) + mean(durations.b) : mean(durations.pair);
}

/// Finds the op whose result arrives last for the op at `next`.
void findAwaited(Bubble &bubble, const Schedule &schedule, const Timeline &timeline, const OpDurations &durations, int rank)
{
    const Needs needs(schedule.ops[*bubble.next], schedule.stages);
    for (int r = 0; r < schedule.ranks; ++r) {
        const auto from = static_cast<std::size_t>(r);
        for (std::size_t i = schedule.begin[from]; i < schedule.begin[from + 1]; ++i) {
            const auto brought = [&](const Need &need) { return brings(schedule.ops[i], need); };
            if (std::ranges::none_of(needs.all(), brought))
                continue;
            const Nanoseconds arrival = timeline.end[i] + (r == rank ? 0 : durations.p2p);
            if (!bubble.awaited || arrival > bubble.arrival) {
                bubble.awaited = i;
                bubble.awaitedRank = r;
                bubble.arrival = arrival;
            }
        }
    }
}

/// Finds the op that ends the step.
void findLast(Bubble &bubble, const Schedule &schedule, const Timeline &timeline)
{
    for (int r = 0; r < schedule.ranks; ++r) {
        const std::size_t end = schedule.begin[static_cast<std::size_t>(r) + 1];
        if (end == schedule.begin[static_cast<std::size_t>(r)] || timeline.end[end - 1] != timeline.makespan || bubble.awaited)
            continue;
        bubble.awaited = end - 1;
        bubble.awaitedRank = r;
        bubble.arrival = timeline.makespan;
    }
}

} // namespace

std::optional<Bubble> bubbleAt(const Schedule &schedule, const Timeline &timeline, const OpDurations &durations, int rank,
                               Nanoseconds time)
{
    if (rank < 0 || rank >= schedule.ranks || time < 0 || time >= timeline.makespan)
        return std::nullopt;
    const auto r = static_cast<std::size_t>(rank);
    const auto begin = timeline.end.begin() + static_cast<std::ptrdiff_t>(schedule.begin[r]);
    const auto end = timeline.end.begin() + static_cast<std::ptrdiff_t>(schedule.begin[r + 1]);
    // A rank's ops follow each other: the first that ends later is the one running, or the next.
    const auto found = std::upper_bound(begin, end, time);
    const auto next = static_cast<std::size_t>(found - timeline.end.begin());
    Bubble bubble;
    bubble.start = found == begin ? 0 : *std::prev(found);
    if (found == end) {
        bubble.end = timeline.makespan;
        bubble.cause = BubbleCause::Drain;
        findLast(bubble, schedule, timeline);
    } else {
        if (timeline.start[next] <= time)
            return std::nullopt;
        bubble.end = timeline.start[next];
        bubble.cause = found == begin ? BubbleCause::Fill : BubbleCause::Wait;
        bubble.next = next;
        findAwaited(bubble, schedule, timeline, durations, rank);
    }
    if (bubble.awaited) {
        const std::size_t i = *bubble.awaited;
        bubble.longerThanMean = timeline.end[i] - timeline.start[i] - meanOf(schedule.ops[i], durations);
    }
    return bubble;
}

} // namespace pipeloom
