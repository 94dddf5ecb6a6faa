// SPDX-License-Identifier: GPL-3.0-or-later
// Why ranks idle: every gap has a cause, its length is the wait for what arrives last, and together they are the bubble.
#include "core/schedule/bubbles.h"

#include <gtest/gtest.h>

namespace pipeloom
{
namespace
{

struct Simulated
{
    Schedule schedule;
    OpDurations durations;
    Timeline timeline;
};

Simulated simulated(const ScheduleRequest &request, Nanoseconds f, Nanoseconds b, Nanoseconds w, Nanoseconds p2p)
{
    Simulated out;
    out.schedule = *generate(request);
    out.durations = uniformDurations(out.schedule, f, b, w, 0, p2p);
    out.timeline = *simulate(out.schedule, out.durations);
    return out;
}

std::optional<Bubble> at(const Simulated &r, int rank, Nanoseconds time)
{
    return bubbleAt(r.schedule, r.timeline, r.durations, rank, time);
}

// 1F1B, 4 ranks, 8 microbatches, F 1, B 2: makespan 33, 9 idle on each rank.
TEST(Bubbles, ofOneForwardOneBackwardAreFillWaitAndDrain)
{
    const Simulated r = simulated({ ScheduleKind::OneForwardOneBackward, 4, 8, 1 }, 1, 2, 1, 0);
    ASSERT_EQ(r.timeline.makespan, 33);
    const auto fill = at(r, 3, 0);
    ASSERT_TRUE(fill);
    EXPECT_EQ(fill->cause, BubbleCause::Fill);
    EXPECT_EQ(fill->start, 0);
    EXPECT_EQ(fill->end, 3);
    EXPECT_EQ(fill->awaitedRank, 2);
    EXPECT_EQ(r.schedule.ops[*fill->awaited].kind, OpKind::F);
    EXPECT_EQ(r.schedule.ops[*fill->awaited].stage, 2);
    // Rank 0 has sent four forwards by 4 and waits for the first backward, which comes back at 10.
    const auto wait = at(r, 0, 5);
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->cause, BubbleCause::Wait);
    EXPECT_EQ(wait->start, 4);
    EXPECT_EQ(wait->end, 10);
    EXPECT_EQ(wait->awaitedRank, 1);
    EXPECT_EQ(r.schedule.ops[*wait->awaited].kind, OpKind::B);
    EXPECT_EQ(r.schedule.ops[*wait->awaited].microbatch, 0);
    EXPECT_EQ(wait->longerThanMean, 0);
    const auto drain = at(r, 3, 32);
    ASSERT_TRUE(drain);
    EXPECT_EQ(drain->cause, BubbleCause::Drain);
    EXPECT_EQ(drain->end, 33);
    EXPECT_EQ(drain->awaitedRank, 0);
    EXPECT_FALSE(drain->next);
    EXPECT_FALSE(at(r, 0, 0)); // an op runs
    EXPECT_FALSE(at(r, 0, 33));
    EXPECT_FALSE(at(r, 4, 0));
    EXPECT_FALSE(at(r, 0, -1));
}

TEST(Bubbles, addUpToTheIdleTimeOfEveryRankAndEndWhenTheAwaitedResultArrives)
{
    for (const ScheduleKind kind : allScheduleKinds()) {
        if (!canGenerate(kind))
            continue;
        const Simulated r = simulated({ kind, 4, 16, 2 }, 10, 21, 8, 3);
        for (int rank = 0; rank < r.schedule.ranks; ++rank) {
            Nanoseconds idle = 0;
            for (Nanoseconds time = 0; time < r.timeline.makespan;) {
                const auto bubble = at(r, rank, time);
                if (!bubble) {
                    ++time;
                    continue;
                }
                ASSERT_LE(bubble->start, time);
                ASSERT_GT(bubble->end, time);
                idle += bubble->end - bubble->start;
                time = bubble->end;
                ASSERT_TRUE(bubble->awaited) << name(kind);
                EXPECT_EQ(bubble->arrival, bubble->end) << name(kind) << " rank " << rank << " at " << bubble->start;
                EXPECT_EQ(bubble->cause == BubbleCause::Drain, !bubble->next.has_value());
            }
            EXPECT_EQ(idle, r.timeline.idle(rank)) << name(kind) << " rank " << rank;
        }
    }
}

TEST(Bubbles, sayWhenALongerStageIsToBlame)
{
    Simulated r = simulated({ ScheduleKind::OneForwardOneBackward, 4, 8, 1 }, 100, 200, 100, 0);
    r.durations.f[2] = 180;
    r.timeline = *simulate(r.schedule, r.durations);
    const auto wait = at(r, 3, 350); // the first microbatch is on the slow stage until 380
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->awaitedRank, 2);
    EXPECT_EQ(wait->longerThanMean, 180 - 120);
}

} // namespace
} // namespace pipeloom
