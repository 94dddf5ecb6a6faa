// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/criticalpath.h"

#include "core/schedule/schedule.h"
#include "tests/core/schedule_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pipeloom
{

namespace
{

std::string described(const Schedule &schedule, const std::vector<CriticalOp> &path)
{
    std::string out;
    for (const CriticalOp &step : path)
        out += fmt::format("{}{}@{}", out.empty() ? "" : " ", compact(schedule.ops[step.op]), step.rank);
    return out;
}

/// Every promise of the contract that can be counted.
void expectContiguous(const Schedule &schedule, const Timeline &timeline, const std::vector<CriticalOp> &path, Nanoseconds p2p,
                      const std::string &label)
{
    ASSERT_FALSE(path.empty()) << label;
    EXPECT_EQ(timeline.start[path.front().op], 0) << label;
    EXPECT_EQ(timeline.end[path.back().op], timeline.makespan) << label;
    Nanoseconds length = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const CriticalOp &step = path[i];
        const auto rank = static_cast<std::size_t>(step.rank);
        ASSERT_GE(step.op, schedule.begin[rank]) << label;
        ASSERT_LT(step.op, schedule.begin[rank + 1]) << label;
        length += timeline.end[step.op] - timeline.start[step.op];
        ASSERT_EQ(step.link == CriticalLink::Start, i == 0) << label;
        if (i == 0)
            continue;
        const CriticalOp &before = path[i - 1];
        ASSERT_EQ(step.link == CriticalLink::ResultSent, before.rank != step.rank) << label;
        if (step.link == CriticalLink::RankBusy) {
            ASSERT_EQ(before.op + 1, step.op) << label;
        }
        const Nanoseconds latency = step.link == CriticalLink::ResultSent ? p2p : 0;
        length += latency;
        ASSERT_EQ(timeline.end[before.op] + latency, timeline.start[step.op]) << label;
    }
    EXPECT_EQ(length, timeline.makespan) << label;
}

} // namespace

TEST(CriticalPath, Of1F1BFillsRunsOnTheLastRankAndDrains)
{
    const Schedule schedule = *generate({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 4, .microbatches = 8 });
    const Timeline timeline = *simulate(schedule, uniformDurations(schedule, 1, 2, 1, 0, 0));
    // Down the ranks, all eight microbatches on the last one, and up again: 3 F + 8 (F + B) + 3 B = 3 + 24 + 6.
    const std::vector<CriticalOp> path = criticalPath(schedule, timeline, 0);
    EXPECT_EQ(timeline.makespan, 33);
    EXPECT_EQ(path.size(), 22U);
    expectContiguous(schedule, timeline, path, 0, "1F1B");
    EXPECT_EQ(path.front(), (CriticalOp{ 0, 0, CriticalLink::Start }));
    EXPECT_EQ(path.back().rank, 0);
}

TEST(CriticalPath, FollowsTheSlowRankAndPaysTheLatency)
{
    const Schedule schedule = *generate({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 2, .microbatches = 3 });
    OpDurations durations = uniformDurations(schedule, 1, 2, 1, 0, 5);
    durations.f[1] = 10;
    durations.b[1] = 20;
    const Timeline timeline = *simulate(schedule, durations);
    const std::vector<CriticalOp> path = criticalPath(schedule, timeline, durations.p2p);
    EXPECT_EQ(described(schedule, path), "F0.0@0 F0.0@1 B0.0@1 F1.0@1 B1.0@1 F2.0@1 B2.0@1 B2.0@0");
    EXPECT_EQ(timeline.makespan, 1 + 5 + 3 * 30 + 5 + 2);
    expectContiguous(schedule, timeline, path, 5, "slow rank");
}

TEST(CriticalPath, PrefersTheSameRankWhenBothEndAtOnce)
{
    // One rank: every op follows the one before it, though B also needs the F of its microbatch.
    const Schedule schedule = *generate({ .kind = ScheduleKind::GPipe, .ranks = 1, .microbatches = 2 });
    const Timeline timeline = *simulate(schedule, uniformDurations(schedule, 1, 2, 1, 0, 0));
    const std::vector<CriticalOp> path = criticalPath(schedule, timeline, 0);
    ASSERT_EQ(path.size(), 4U);
    for (std::size_t i = 1; i < path.size(); ++i)
        EXPECT_EQ(path[i].link, CriticalLink::RankBusy);
}

TEST(CriticalPath, IsAsLongAsTheStepForEveryScheduleWhateverTheDurations)
{
    std::mt19937 random(7);
    const auto upTo = [&random](int most) { return static_cast<Nanoseconds>(random() % static_cast<unsigned>(most + 1)); };
    for (const ScheduleKind kind : allScheduleKinds()) {
        if (!canGenerate(kind))
            continue;
        for (int i = 0; i < 12; ++i) {
            const Schedule schedule = *generate({ .kind = kind, .ranks = 4, .microbatches = 8 + 4 * (i % 3), .vpp = 2 });
            OpDurations durations;
            for (int stage = 0; stage < schedule.stages; ++stage) {
                durations.f.push_back(upTo(9)); // ops without duration too
                durations.bi.push_back(upTo(9));
                durations.w.push_back(upTo(9));
                durations.b.push_back(durations.bi.back() + durations.w.back());
            }
            durations.p2p = upTo(4);
            const Timeline timeline = *simulate(schedule, durations);
            expectContiguous(schedule, timeline, criticalPath(schedule, timeline, durations.p2p), durations.p2p,
                             std::string(name(kind)));
        }
    }
}

} // namespace pipeloom
