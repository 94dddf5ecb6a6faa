// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/navigation.h"

#include "core/timeline/links.h"
#include "core/timeline/phases.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

bool forwards(const Op &op) { return op.kind == OpKind::F || op.kind == OpKind::FB; }

} // namespace

std::vector<Nanoseconds> stepTimes(const Schedule &schedule, const Timeline &timeline, Nanoseconds optimizer, int rank,
                                   StepUnit unit)
{
    std::vector<Nanoseconds> times{ 0, timeline.makespan + optimizer };
    if (rank >= 0 && rank < schedule.ranks) {
        const std::size_t begin = schedule.begin[static_cast<std::size_t>(rank)];
        const std::span<const Op> ops = schedule.rank(rank);
        const Nanoseconds *start = timeline.start.data() + begin;
        const Nanoseconds *end = timeline.end.data() + begin;
        std::size_t lastForward = 0;
        for (std::size_t i = 0; i < ops.size(); ++i)
            lastForward = forwards(ops[i]) ? i : lastForward;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (unit == StepUnit::Op) {
                times.push_back(start[i]);
                times.push_back(end[i]);
            } else if (unit == StepUnit::Microbatch
                       && (forwards(ops[i]) || (i > lastForward && (ops[i].kind == OpKind::B || ops[i].kind == OpKind::Bi)))) {
                times.push_back(start[i]);
            }
        }
        if (unit == StepUnit::Phase) {
            for (const Phase &phase : phasesOf(schedule, timeline, optimizer, rank))
                times.push_back(phase.begin);
            times.push_back(timeline.makespan); // also where the optimizer takes no time
        }
    }
    std::ranges::sort(times);
    const auto repeats = std::ranges::unique(times);
    times.erase(repeats.begin(), repeats.end());
    return times;
}

int rankOf(const Schedule &schedule, std::size_t op)
{
    const auto next = std::ranges::upper_bound(schedule.begin, op);
    return static_cast<int>(next - schedule.begin.begin()) - 1;
}

std::optional<std::size_t> dependency(const Schedule &schedule, const Timeline &timeline, std::size_t op)
{
    const std::vector<std::size_t> inputs = OpLinks(schedule).inputs(op);
    const auto last = std::ranges::max_element(inputs, {}, [&](std::size_t input) { return timeline.end[input]; });
    return last == inputs.end() ? std::nullopt : std::optional(*last);
}

std::optional<std::size_t> dependent(const Schedule &schedule, const Timeline &timeline, std::size_t op)
{
    const std::vector<std::size_t> outputs = OpLinks(schedule).outputs(op);
    const auto first = std::ranges::min_element(outputs, {}, [&](std::size_t output) { return timeline.start[output]; });
    return first == outputs.end() ? std::nullopt : std::optional(*first);
}

} // namespace pipeloom
