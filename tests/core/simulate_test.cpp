// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"
#include "tests/core/schedule_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace pipeloom
{

namespace
{

/// Every schedule on small grids that it accepts.
std::vector<ScheduleRequest> smallRequests()
{
    std::vector<ScheduleRequest> out;
    for (const ScheduleKind kind : allScheduleKinds()) {
        for (const int ranks : { 1, 2, 3, 4, 5, 8 }) {
            for (const int microbatches : { 1, 2, 3, 5, 8, 9, 12, 16, 20, 24 }) {
                for (const int vpp : { 1, 2, 3 }) {
                    const ScheduleRequest request{ kind, ranks, microbatches, vpp, std::nullopt };
                    const bool sameAsBefore = vpp > 1 && chunksPerRank(kind, vpp) == chunksPerRank(kind, 1);
                    if (!sameAsBefore && !checkSchedule(request))
                        out.push_back(request);
                }
            }
        }
    }
    return out;
}

std::string describe(const ScheduleRequest &request)
{
    return fmt::format("{} P{} M{} v{}", name(request.kind), request.ranks, request.microbatches, request.vpp);
}

/// Times that differ from stage to stage, so that nothing agrees by accident.
OpDurations unevenDurations(const Schedule &schedule)
{
    OpDurations out = uniformDurations(schedule, 0, 0, 0, 0, 3);
    for (std::size_t s = 0; s < out.f.size(); ++s) {
        const auto stage = static_cast<Nanoseconds>(s);
        out.f[s] = 100 + 7 * stage;
        out.bi[s] = 110 + 5 * stage;
        out.w[s] = 90 - stage;
        out.b[s] = out.bi[s] + out.w[s];
    }
    return out;
}

/// (stage, microbatch) -> start and end of each part.
struct Parts
{
    using Key = std::pair<int, int>;
    struct Span
    {
        Nanoseconds start, end;
        int rank;
    };
    std::map<Key, Span> forward, backward, weight;
    std::map<Key, bool> split; ///< the backward was input-only
};

Parts parts(const Schedule &schedule, const Timeline &timeline)
{
    Parts out;
    const auto add = [](std::map<Parts::Key, Parts::Span> &to, int stage, int microbatch, Parts::Span span) {
        EXPECT_TRUE(to.emplace(Parts::Key{ stage, microbatch }, span).second)
            << "stage " << stage << " microbatch " << microbatch << " twice";
    };
    for (int r = 0; r < schedule.ranks; ++r) {
        for (std::size_t i = schedule.begin[static_cast<std::size_t>(r)]; i < schedule.begin[static_cast<std::size_t>(r) + 1];
             ++i) {
            const Op &op = schedule.ops[i];
            const Parts::Span span{ timeline.start[i], timeline.end[i], r };
            if (op.kind == OpKind::F || op.kind == OpKind::FB)
                add(out.forward, op.stage, op.microbatch, span);
            if (op.kind == OpKind::B || op.kind == OpKind::Bi) {
                add(out.backward, op.stage, op.microbatch, span);
                out.split[{ op.stage, op.microbatch }] = op.kind == OpKind::Bi;
            }
            if (op.kind == OpKind::FB)
                add(out.backward, op.stageB, op.microbatchB, span);
            if (op.kind == OpKind::W)
                add(out.weight, op.stage, op.microbatch, span);
        }
    }
    return out;
}

struct Simulated
{
    Schedule schedule;
    OpDurations durations;
    Timeline timeline;
};

/// Calls `check` with every small pipeline, simulated with uneven stages and a latency.
void forEverySchedule(const std::function<void(const Simulated &)> &check)
{
    for (const ScheduleRequest &request : smallRequests()) {
        SCOPED_TRACE(describe(request));
        Expected<Schedule> schedule = generate(request);
        ASSERT_TRUE(schedule) << text(schedule.errors());
        OpDurations durations = unevenDurations(*schedule);
        Expected<Timeline> timeline = simulate(*schedule, durations);
        ASSERT_TRUE(timeline) << text(timeline.errors());
        check({ *std::move(schedule), std::move(durations), *std::move(timeline) });
    }
}

} // namespace

TEST(EverySchedule, PassesEachMicrobatchForwardsThenBackwardsThroughEachStageOnce)
{
    forEverySchedule([](const Simulated &run) {
        const Parts all = parts(run.schedule, run.timeline);
        const auto expected = static_cast<std::size_t>(run.schedule.stages) * static_cast<std::size_t>(run.schedule.microbatches);
        EXPECT_EQ(all.forward.size(), expected);
        EXPECT_EQ(all.backward.size(), expected);
        for (const auto &[key, forward] : all.forward) {
            const auto [stage, microbatch] = key;
            const Parts::Span backward = all.backward.at(key);
            EXPECT_EQ(forward.rank, backward.rank);
            EXPECT_LE(forward.end, backward.start);
            if (stage > 0) {
                const Parts::Span before = all.forward.at({ stage - 1, microbatch });
                EXPECT_LE(before.end + (before.rank == forward.rank ? 0 : run.durations.p2p), forward.start);
            }
            if (stage + 1 < run.schedule.stages) {
                const Parts::Span after = all.backward.at({ stage + 1, microbatch });
                EXPECT_LE(after.end + (after.rank == backward.rank ? 0 : run.durations.p2p), backward.start);
            }
        }
    });
}

TEST(EverySchedule, RunsTheWeightGradientAfterItsInputGradientOnTheSameRank)
{
    forEverySchedule([](const Simulated &run) {
        const Parts all = parts(run.schedule, run.timeline);
        for (const auto &[key, split] : all.split) {
            ASSERT_EQ(all.weight.contains(key), split);
            if (split) {
                EXPECT_LE(all.backward.at(key).end, all.weight.at(key).start);
                EXPECT_EQ(all.backward.at(key).rank, all.weight.at(key).rank);
            }
        }
    });
}

TEST(EverySchedule, RunsOneOpAtATimeOnEachRankInListOrder)
{
    forEverySchedule([](const Simulated &run) {
        for (int r = 0; r < run.schedule.ranks; ++r) {
            const auto rank = static_cast<std::size_t>(r);
            for (std::size_t i = run.schedule.begin[rank] + 1; i < run.schedule.begin[rank + 1]; ++i)
                ASSERT_LE(run.timeline.end[i - 1], run.timeline.start[i]);
        }
    });
}

TEST(EverySchedule, ConservesTheWork)
{
    forEverySchedule([](const Simulated &run) {
        Nanoseconds perMicrobatch = 0;
        for (std::size_t s = 0; s < run.durations.f.size(); ++s)
            perMicrobatch += run.durations.f[s] + run.durations.b[s];
        EXPECT_EQ(std::accumulate(run.timeline.busy.begin(), run.timeline.busy.end(), Nanoseconds{ 0 }),
                  perMicrobatch * run.schedule.microbatches);
    });
}

TEST(EverySchedule, TakesAtLeastTheCriticalPathAndTheBusiestRank)
{
    forEverySchedule([](const Simulated &run) {
        // One microbatch must pass every stage both ways; the weight gradient of stage 0 ends the longest chain.
        Nanoseconds path = 0;
        for (std::size_t s = 0; s < run.durations.f.size(); ++s)
            path += run.durations.f[s] + run.durations.bi[s];
        EXPECT_GE(run.timeline.makespan, path + run.durations.w[0]);
        EXPECT_GE(run.timeline.makespan, *std::ranges::max_element(run.timeline.busy));
        EXPECT_EQ(run.timeline.makespan, *std::ranges::max_element(run.timeline.end));
    });
}

TEST(EverySchedule, StartsEveryOpAsEarlyAsItsInputsAndItsRankAllow)
{
    forEverySchedule([](const Simulated &run) {
        const Parts all = parts(run.schedule, run.timeline);
        const auto arrival = [&](const Parts::Span &from, int rank) {
            return from.end + (from.rank == rank ? 0 : run.durations.p2p);
        };
        for (int r = 0; r < run.schedule.ranks; ++r) {
            const auto rank = static_cast<std::size_t>(r);
            for (std::size_t i = run.schedule.begin[rank]; i < run.schedule.begin[rank + 1]; ++i) {
                const Op &op = run.schedule.ops[i];
                Nanoseconds earliest = i == run.schedule.begin[rank] ? 0 : run.timeline.end[i - 1];
                if ((op.kind == OpKind::F || op.kind == OpKind::FB) && op.stage > 0)
                    earliest = std::max(earliest, arrival(all.forward.at({ op.stage - 1, op.microbatch }), r));
                const bool pair = op.kind == OpKind::FB;
                const Parts::Key back = pair ? Parts::Key{ op.stageB, op.microbatchB } : Parts::Key{ op.stage, op.microbatch };
                if (pair || op.kind == OpKind::B || op.kind == OpKind::Bi) {
                    earliest = std::max(earliest, all.forward.at(back).end);
                    if (back.first + 1 < run.schedule.stages)
                        earliest = std::max(earliest, arrival(all.backward.at({ back.first + 1, back.second }), r));
                }
                if (op.kind == OpKind::W)
                    earliest = std::max(earliest, all.backward.at(back).end);
                ASSERT_EQ(run.timeline.start[i], earliest) << compact(op) << " on rank " << r;
            }
        }
    });
}

TEST(Simulation, DeepSeekV3sStepOf16RanksAnd120MicrobatchesTakes17Point86Seconds)
{
    // Chunk times of the public training trace, four MoE layers a stage (deepseek-ai/profile-data): F 77.3, B 127.5, W 29.8, pair
    // 129.0 ms.
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::DualPipe, .ranks = 16, .microbatches = 120 });
    ASSERT_TRUE(schedule);
    constexpr Nanoseconds microsecond = 1000;
    const Expected<Timeline> timeline = simulate(
        *schedule,
        uniformDurations(*schedule, 77300 * microsecond, 127500 * microsecond, 29800 * microsecond, 129000 * microsecond, 0));
    ASSERT_TRUE(timeline);
    EXPECT_NEAR(toSeconds(timeline->makespan), 17.86, 17.86 * 0.005);
    // DualPipe holds P+1 chunk activations on every rank.
    EXPECT_EQ(timeline->peakInFlight, std::vector<int>(16, 17));
}

TEST(Simulation, OneForwardOneBackwardHoldsAsManyMicrobatchesAsStagesFollow)
{
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 6, .microbatches = 9 });
    const Expected<Timeline> timeline = simulate(*schedule, uniformDurations(*schedule, 10, 20, 9, 0, 1));
    ASSERT_TRUE(timeline);
    EXPECT_EQ(timeline->peakInFlight, (std::vector<int>{ 6, 5, 4, 3, 2, 1 }));
}

TEST(Simulation, AReleaseAtTheSameInstantComesBeforeATaking)
{
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 1, .microbatches = 5 });
    const Expected<Timeline> timeline = simulate(*schedule, uniformDurations(*schedule, 1, 1, 0, 0, 0));
    EXPECT_EQ(timeline->peakInFlight, std::vector<int>{ 1 });
}

TEST(Simulation, LatencyCountsOnEdgesBetweenRanksAlone)
{
    // DualPipeV's last rank holds stages 2 and 3 of 4: between them nothing is sent.
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::DualPipeV, .ranks = 2, .microbatches = 4 });
    const Expected<Timeline> still = simulate(*schedule, uniformDurations(*schedule, 10, 20, 10, 30, 0));
    const Expected<Timeline> slow = simulate(*schedule, uniformDurations(*schedule, 10, 20, 10, 30, 1000));
    const Schedule &s = *schedule;
    const auto startOf = [&](const Timeline &timeline, int rank, OpKind kind, int stage) {
        for (std::size_t i = s.begin[static_cast<std::size_t>(rank)]; i < s.begin[static_cast<std::size_t>(rank) + 1]; ++i) {
            if (s.ops[i].kind == kind && s.ops[i].stage == stage && s.ops[i].microbatch == 0)
                return timeline.start[i];
        }
        return Nanoseconds{ -1 };
    };
    EXPECT_EQ(startOf(*still, 1, OpKind::F, 1), 10);
    EXPECT_EQ(startOf(*slow, 1, OpKind::F, 1), 1010);
    EXPECT_EQ(startOf(*slow, 1, OpKind::F, 2) - startOf(*slow, 1, OpKind::F, 1),
              startOf(*still, 1, OpKind::F, 2) - startOf(*still, 1, OpKind::F, 1));
}

TEST(Simulation, APairTakesTheTimeOfItsRankAndChunks)
{
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::DualPipe, .ranks = 2, .microbatches = 6 });
    OpDurations durations = uniformDurations(*schedule, 10, 20, 10, 1, 0);
    std::iota(durations.pair.begin(), durations.pair.end(), 100);
    const Expected<Timeline> timeline = simulate(*schedule, durations);
    ASSERT_TRUE(timeline);
    int pairs = 0;
    for (int r = 0; r < 2; ++r) {
        for (std::size_t i = schedule->begin[static_cast<std::size_t>(r)]; i < schedule->begin[static_cast<std::size_t>(r) + 1];
             ++i) {
            const Op &op = schedule->ops[i];
            if (op.kind != OpKind::FB)
                continue;
            ++pairs;
            EXPECT_EQ(timeline->end[i] - timeline->start[i], 100 + (r * 2 + op.chunk) * 2 + op.chunkB);
        }
    }
    EXPECT_GT(pairs, 0);
    durations.pair.clear();
    const Expected<Timeline> serial = simulate(*schedule, durations);
    for (std::size_t i = 0; i < schedule->ops.size(); ++i) {
        if (schedule->ops[i].kind == OpKind::FB) {
            EXPECT_EQ(serial->end[i] - serial->start[i], 30);
        }
    }
}

namespace
{

/// Two ranks, one microbatch, orders by hand.
Schedule byHand(std::vector<Op> first, std::vector<Op> second)
{
    Schedule out;
    out.ranks = 2;
    out.stages = 2;
    out.microbatches = 2;
    out.ops = first;
    out.ops.insert(out.ops.end(), second.begin(), second.end());
    out.begin = { 0, first.size(), out.ops.size() };
    return out;
}

Op op(OpKind kind, int stage, int microbatch)
{
    return { .kind = kind, .stage = static_cast<std::int16_t>(stage), .microbatch = microbatch };
}

} // namespace

TEST(Simulation, ADeadlockIsRefusedNamingTheOp)
{
    // Rank 0 wants the backward of microbatch 0 before it has sent microbatch 1, which rank 1 wants first.
    const Schedule crossed = byHand({ op(OpKind::F, 0, 0), op(OpKind::B, 0, 0), op(OpKind::F, 0, 1), op(OpKind::B, 0, 1) },
                                    { op(OpKind::F, 1, 1), op(OpKind::B, 1, 1), op(OpKind::F, 1, 0), op(OpKind::B, 1, 0) });
    const Expected<Timeline> timeline = simulate(crossed, uniformDurations(crossed, 1, 2, 1, 0, 0));
    ASSERT_FALSE(timeline);
    EXPECT_EQ(timeline.error().message,
              "The order deadlocks: rank 0 waits at B of microbatch 0 on stage 0 for a result that never comes");
}

TEST(Simulation, AWeightGradientBeforeItsBackwardIsADeadlock)
{
    const Schedule early =
        byHand({ op(OpKind::F, 0, 0), op(OpKind::W, 0, 0), op(OpKind::Bi, 0, 0) }, { op(OpKind::F, 1, 0), op(OpKind::B, 1, 0) });
    const Expected<Timeline> timeline = simulate(early, uniformDurations(early, 1, 2, 1, 0, 0));
    ASSERT_FALSE(timeline);
    EXPECT_NE(timeline.error().message.find("rank 0 waits at W of microbatch 0 on stage 0"), std::string::npos);
}

TEST(Simulation, ImpossibleOrdersAndDurationsAreRefused)
{
    const Schedule twice = byHand({ op(OpKind::F, 0, 0), op(OpKind::F, 0, 0) }, {});
    EXPECT_FALSE(simulate(twice, uniformDurations(twice, 1, 2, 1, 0, 0)));
    const Schedule outside = byHand({ op(OpKind::F, 0, 2) }, {});
    EXPECT_FALSE(simulate(outside, uniformDurations(outside, 1, 2, 1, 0, 0)));
    const Schedule elsewhere = byHand({ op(OpKind::F, 0, 0) }, { op(OpKind::F, 1, 0), op(OpKind::B, 1, 0), op(OpKind::B, 0, 0) });
    const Expected<Timeline> moved = simulate(elsewhere, uniformDurations(elsewhere, 1, 2, 1, 0, 0));
    ASSERT_FALSE(moved);
    EXPECT_NE(moved.error().message.find("its forward on rank 0"), std::string::npos);
    const Schedule fine = byHand({ op(OpKind::F, 0, 0), op(OpKind::B, 0, 0) }, { op(OpKind::F, 1, 0), op(OpKind::B, 1, 0) });
    EXPECT_TRUE(simulate(fine, uniformDurations(fine, 1, 2, 1, 0, 0)));
    EXPECT_FALSE(simulate(fine, uniformDurations(fine, -1, 2, 1, 0, 0)));
    EXPECT_FALSE(simulate(fine, uniformDurations(fine, std::numeric_limits<Nanoseconds>::max(), 2, 1, 0, 0)));
    EXPECT_FALSE(simulate(fine, OpDurations{}));
    EXPECT_FALSE(simulate(Schedule{}, OpDurations{}));
}

} // namespace pipeloom
