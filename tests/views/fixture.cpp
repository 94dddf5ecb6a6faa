// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/fixture.h"

#include <algorithm>
#include <map>

namespace pipeloom::fixture
{

namespace
{

constexpr ByteCount gibibyte = 1LL << 30;

Schedule makeSchedule(int ranks, int microbatches)
{
    Schedule schedule;
    schedule.kind = ScheduleKind::OneForwardOneBackward;
    schedule.ranks = ranks;
    schedule.stages = ranks;
    schedule.microbatches = microbatches;
    schedule.begin.push_back(0);
    for (int rank = 0; rank < ranks; ++rank) {
        const auto add = [&](OpKind kind, int microbatch) {
            schedule.ops.push_back({ .kind = kind, .stage = static_cast<std::int16_t>(rank), .microbatch = microbatch });
        };
        const int warm = std::min(ranks - 1 - rank, microbatches);
        for (int m = 0; m < warm; ++m)
            add(OpKind::F, m);
        for (int m = warm; m < microbatches; ++m) {
            add(OpKind::F, m);
            add(OpKind::B, m - warm);
        }
        for (int m = microbatches - warm; m < microbatches; ++m)
            add(OpKind::B, m);
        schedule.begin.push_back(schedule.ops.size());
    }
    return schedule;
}

/// Runs every rank's list as soon as inputs are there; repeats until nothing moves, which is plenty for a few ops.
Timeline makeTimeline(const Schedule &schedule, Nanoseconds f, Nanoseconds b)
{
    Timeline timeline;
    const std::size_t n = schedule.ops.size();
    timeline.start.assign(n, 0);
    timeline.end.assign(n, -1);
    std::map<std::pair<int, int>, Nanoseconds> forward, backward; // (stage, microbatch) -> end
    std::vector<std::size_t> next(schedule.begin.begin(), schedule.begin.end() - 1);
    std::vector<Nanoseconds> free(next.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < next.size(); ++rank) {
            const std::size_t i = next[rank];
            if (i == schedule.begin[rank + 1])
                continue;
            const Op &op = schedule.ops[i];
            const std::pair<int, int> own(op.stage, op.microbatch);
            const bool isForward = op.kind == OpKind::F;
            Nanoseconds ready = free[rank];
            if (isForward && op.stage > 0) {
                const auto input = forward.find({ op.stage - 1, op.microbatch });
                if (input == forward.end())
                    continue;
                ready = std::max(ready, input->second);
            }
            if (!isForward && op.stage + 1 < schedule.stages) {
                const auto input = backward.find({ op.stage + 1, op.microbatch });
                if (input == backward.end())
                    continue;
                ready = std::max(ready, input->second);
            }
            timeline.start[i] = ready;
            timeline.end[i] = free[rank] = ready + (isForward ? f : b);
            (isForward ? forward : backward)[own] = timeline.end[i];
            ++next[rank];
            moved = true;
        }
    }
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
        Nanoseconds busy = 0;
        for (std::size_t i = schedule.begin[rank]; i < schedule.begin[rank + 1]; ++i)
            busy += timeline.end[i] - timeline.start[i];
        timeline.busy.push_back(busy);
        timeline.firstStart.push_back(timeline.start[schedule.begin[rank]]);
        timeline.lastEnd.push_back(timeline.end[schedule.begin[rank + 1] - 1]);
        timeline.peakInFlight.push_back(std::min(schedule.ranks - static_cast<int>(rank), schedule.microbatches));
        timeline.makespan = std::max(timeline.makespan, timeline.lastEnd.back());
    }
    return timeline;
}

RankMemory makeMemory(const Schedule &schedule, const Timeline &timeline, int rank)
{
    RankMemory memory;
    memory.rank = rank;
    memory.stages = { rank };
    memory.weightsDense = gibibyte / 2;
    memory.weightsExpert = gibibyte / 2;
    memory.gradients = gibibyte / 2;
    memory.optimizer = gibibyte / 2;
    memory.buffers = gibibyte;
    memory.activationPerMicrobatch = { gibibyte };
    std::map<Nanoseconds, int> changes{ { 0, 0 } };
    for (std::size_t i = schedule.begin[static_cast<std::size_t>(rank)]; i < schedule.begin[static_cast<std::size_t>(rank) + 1];
         ++i) {
        if (schedule.ops[i].kind == OpKind::F)
            ++changes[timeline.start[i]];
        else
            --changes[timeline.end[i]];
    }
    int flight = 0;
    for (const auto &[time, change] : changes) {
        flight += change;
        memory.curve.push_back({ .time = time, .activations = flight * gibibyte, .inFlight = flight });
        if (flight * gibibyte > memory.activationsPeak) {
            memory.activationsPeak = flight * gibibyte;
            memory.peakTime = time;
            memory.inFlightAtPeak = flight;
        }
    }
    memory.peakAllocated = memory.states() + memory.activationsPeak;
    memory.peak = memory.peakAllocated + memory.buffers;
    return memory;
}

} // namespace

std::shared_ptr<const Evaluation> oneForwardOneBackward(int ranks, int microbatches, Nanoseconds scale)
{
    auto evaluation = std::make_shared<Evaluation>();
    evaluation->valid = true;
    evaluation->schedule = makeSchedule(ranks, microbatches);
    evaluation->timeline = makeTimeline(evaluation->schedule, scale, 2 * scale);
    const auto stages = static_cast<std::size_t>(ranks);
    OpDurations &durations = evaluation->times.durations;
    durations.f.assign(stages, scale);
    durations.bi.assign(stages, scale);
    durations.w.assign(stages, scale);
    durations.b.assign(stages, 2 * scale);
    evaluation->times.stages.assign(stages, { .f = scale, .bi = scale, .w = scale, .b = 2 * scale });
    evaluation->times.optimizer = 3 * scale;
    evaluation->time.pipeline = toSeconds(evaluation->timeline.makespan);
    evaluation->time.optimizer = toSeconds(3 * scale);
    evaluation->time.step = evaluation->time.pipeline + evaluation->time.optimizer;
    evaluation->time.bubbleFractionWorst =
        static_cast<double>(evaluation->timeline.idle(0)) / static_cast<double>(evaluation->timeline.makespan);
    MemoryResult &memory = evaluation->memory;
    memory.capacity = 10 * gibibyte;
    memory.usable = 9 * gibibyte;
    for (int rank = 0; rank < ranks; ++rank)
        memory.ranks.push_back(makeMemory(evaluation->schedule, evaluation->timeline, rank));
    memory.verdict = memory.ranks[0].peak <= memory.usable ? Verdict::Fits : Verdict::Over;
    return evaluation;
}

std::shared_ptr<const Evaluation> invalid()
{
    auto evaluation = std::make_shared<Evaluation>();
    evaluation->groups.microbatches = 10;
    evaluation->diagnostics.push_back({ .severity = Severity::Error,
                                        .code = "dualpipe-microbatches",
                                        .field = "plan.global_batch",
                                        .message = "M = 10 is too small: DualPipe on 8 ranks needs an even M of 16 or more.",
                                        .fixes = { { .label = "Use 2,048", .set = { { "plan.global_batch", "2048" } } } } });
    return evaluation;
}

ShownPlan shown(const char *letter, const char *name, std::shared_ptr<const Evaluation> evaluation)
{
    return { QString::fromUtf8(letter), QString::fromUtf8(name), evaluation, evaluation };
}

std::vector<ShownPlan> twoPlans()
{
    return { shown("A", "1F1B", oneForwardOneBackward(4, 8)),
             shown("B", "1F1B slow", oneForwardOneBackward(4, 8, unit * 3 / 2)) };
}

OpRef opOf(const ShownPlan &plan, int planIndex, int rank, OpKind kind, int microbatch)
{
    OpRef found{ planIndex, rank, 0 };
    const Schedule &schedule = plan.shown->schedule;
    for (std::size_t i = schedule.begin[static_cast<std::size_t>(rank)]; i < schedule.begin[static_cast<std::size_t>(rank) + 1];
         ++i) {
        if (schedule.ops[i].kind == kind && schedule.ops[i].microbatch == microbatch)
            found.op = i;
    }
    return found;
}

} // namespace pipeloom::fixture
