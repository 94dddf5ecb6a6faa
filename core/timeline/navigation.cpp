// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/navigation.h"

#include "core/timeline/phases.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

bool forwards(const Op &op) { return op.kind == OpKind::F || op.kind == OpKind::FB; }

/// What an op does for one microbatch on one stage.
enum class Work
{
    Forward,
    Input, ///< the gradient of the input: B, Bi, FB
    Weight, ///< W
};

struct Task
{
    Work work = Work::Forward;
    int stage = 0;
    int microbatch = 0;
    bool operator==(const Task &) const = default;
};

std::vector<Task> tasksOf(const Op &op)
{
    switch (op.kind) {
    case OpKind::F:
        return { { Work::Forward, op.stage, op.microbatch } };
    case OpKind::B:
    case OpKind::Bi:
        return { { Work::Input, op.stage, op.microbatch } };
    case OpKind::W:
        return { { Work::Weight, op.stage, op.microbatch } };
    case OpKind::FB:
        return { { Work::Forward, op.stage, op.microbatch }, { Work::Input, op.stageB, op.microbatchB } };
    }
    return {};
}

bool does(const Op &op, const Task &task)
{
    if (op.microbatch != task.microbatch && op.microbatchB != task.microbatch)
        return false;
    return std::ranges::count(tasksOf(op), task) > 0;
}

std::vector<Task> inputsOf(const Task &task, int stages)
{
    switch (task.work) {
    case Work::Forward:
        if (task.stage > 0)
            return { { Work::Forward, task.stage - 1, task.microbatch } };
        return {};
    case Work::Input:
        if (task.stage + 1 < stages)
            return { { Work::Input, task.stage + 1, task.microbatch }, { Work::Forward, task.stage, task.microbatch } };
        return { { Work::Forward, task.stage, task.microbatch } };
    case Work::Weight:
        return { { Work::Input, task.stage, task.microbatch } };
    }
    return {};
}

std::vector<Task> outputsOf(const Task &task, int stages)
{
    switch (task.work) {
    case Work::Forward:
        if (task.stage + 1 < stages)
            return { { Work::Forward, task.stage + 1, task.microbatch } };
        return { { Work::Input, task.stage, task.microbatch } };
    case Work::Input: {
        std::vector<Task> tasks{ { Work::Weight, task.stage, task.microbatch } };
        if (task.stage > 0)
            tasks.push_back({ Work::Input, task.stage - 1, task.microbatch });
        return tasks;
    }
    case Work::Weight:
        break;
    }
    return {};
}

/// Of the ops that do one of `tasks`, the one `better` prefers.
template<class Better>
std::optional<std::size_t> pick(const Schedule &schedule, const std::vector<Task> &tasks, Better better)
{
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        const bool wanted = std::ranges::any_of(tasks, [&](const Task &task) { return does(schedule.ops[i], task); });
        if (wanted && (!best || better(i, *best)))
            best = i;
    }
    return best;
}

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
    std::vector<Task> inputs;
    for (const Task &task : tasksOf(schedule.ops[op])) {
        for (const Task &input : inputsOf(task, schedule.stages))
            inputs.push_back(input);
    }
    return pick(schedule, inputs, [&](std::size_t a, std::size_t b) { return timeline.end[a] > timeline.end[b]; });
}

std::optional<std::size_t> dependent(const Schedule &schedule, const Timeline &timeline, std::size_t op)
{
    std::vector<Task> outputs;
    for (const Task &task : tasksOf(schedule.ops[op])) {
        for (const Task &output : outputsOf(task, schedule.stages))
            outputs.push_back(output);
    }
    return pick(schedule, outputs, [&](std::size_t a, std::size_t b) { return timeline.start[a] < timeline.start[b]; });
}

} // namespace pipeloom
