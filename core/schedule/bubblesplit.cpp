// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/bubblesplit.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

Nanoseconds rounded(Nanoseconds sum, Nanoseconds count) { return count > 0 ? (2 * sum + count) / (2 * count) : 0; }

void flatten(std::vector<Nanoseconds> &times)
{
    Nanoseconds sum = 0;
    for (const Nanoseconds time : times)
        sum += time;
    std::ranges::fill(times, rounded(sum, static_cast<Nanoseconds>(times.size())));
}

void flattenPairs(const Schedule &schedule, std::vector<Nanoseconds> &pairs)
{
    Nanoseconds sum = 0, count = 0;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
        for (const Op &op : schedule.rank(rank)) {
            if (op.kind != OpKind::FB)
                continue;
            sum += pairs[pairIndex(schedule, rank, op)];
            ++count;
        }
    }
    std::ranges::fill(pairs, rounded(sum, count));
}

Nanoseconds idleOf(const Schedule &schedule, const Timeline &timeline)
{
    Nanoseconds idle = 0;
    for (int rank = 0; rank < schedule.ranks; ++rank)
        idle += timeline.idle(rank);
    return idle;
}

bool isFlat(const std::vector<Nanoseconds> &times)
{
    return std::ranges::adjacent_find(times, std::ranges::not_equal_to()) == times.end();
}

} // namespace

OpDurations meanDurations(const Schedule &schedule, const OpDurations &durations)
{
    OpDurations mean = durations;
    for (auto *times : { &mean.f, &mean.b, &mean.bi, &mean.w })
        flatten(*times);
    if (!mean.pair.empty())
        flattenPairs(schedule, mean.pair);
    return mean;
}

BubbleSplit splitBubble(const Schedule &schedule, const Timeline &timeline, const OpDurations &durations)
{
    const Nanoseconds idle = idleOf(schedule, timeline);
    const bool flat =
        isFlat(durations.f) && isFlat(durations.b) && isFlat(durations.bi) && isFlat(durations.w) && isFlat(durations.pair);
    if (flat)
        return { idle, 0 };
    // An order that ran once runs with other durations too.
    const Expected<Timeline> even = simulate(schedule, meanDurations(schedule, durations));
    const Nanoseconds ofOrder = even ? idleOf(schedule, *even) : idle;
    return { ofOrder, idle - ofOrder };
}

} // namespace pipeloom
