// SPDX-License-Identifier: GPL-3.0-or-later
// Schedule bubble and stage imbalance as two numbers.
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"
#include "core/schedule/bubblesplit.h"

#include <gtest/gtest.h>

#include <string>

namespace pipeloom
{
namespace
{

Nanoseconds idleOf(const Schedule &schedule, const Timeline &timeline)
{
    Nanoseconds idle = 0;
    for (int rank = 0; rank < schedule.ranks; ++rank)
        idle += timeline.idle(rank);
    return idle;
}

// 1F1B, P 4, M 8, F 1, B 2: (P-1)(F+B) = 9 on each rank, whatever the order of magnitude; all of it the schedule's.
TEST(BubbleSplit, EqualStagesHaveTheClosedFormAndNoImbalance)
{
    const Schedule schedule = *generate({ ScheduleKind::OneForwardOneBackward, 4, 8 });
    const OpDurations durations = uniformDurations(schedule, 100, 200, 100, 0, 0);
    const BubbleSplit split = splitBubble(schedule, *simulate(schedule, durations), durations);
    EXPECT_EQ(split.schedule, 4 * 900);
    EXPECT_EQ(split.imbalance, 0);
}

// The same with a last stage twice as long: mean F 125, B 250. The schedule's part is (P-1) x 375 on each rank, the rest waits
// for the last stage: it alone works 8 x 600, fills and drains 3 x 300, so the makespan is 5,700 and the idle 4 x 5,700 - 8 x
// 1,500.
TEST(BubbleSplit, AHeavyLastStageIsImbalance)
{
    const Schedule schedule = *generate({ ScheduleKind::OneForwardOneBackward, 4, 8 });
    OpDurations durations = uniformDurations(schedule, 100, 200, 100, 0, 0);
    for (auto *times : { &durations.f, &durations.b, &durations.bi, &durations.w })
        times->back() *= 2;
    const Timeline timeline = *simulate(schedule, durations);
    EXPECT_EQ(timeline.makespan, 5'700);
    const BubbleSplit split = splitBubble(schedule, timeline, durations);
    EXPECT_EQ(split.schedule, 4 * 3 * 375);
    EXPECT_EQ(split.imbalance, 4 * 5'700 - 8 * 1'500 - 4 * 3 * 375);
}

TEST(BubbleSplit, PairsTakeTheMeanOfThoseThatRun)
{
    const Schedule schedule = *generate({ ScheduleKind::DualPipe, 4, 8 });
    OpDurations durations = uniformDurations(schedule, 100, 200, 100, 250, 0);
    for (std::size_t i = 0; i < durations.pair.size(); ++i)
        durations.pair[i] += static_cast<Nanoseconds>(i);
    const OpDurations mean = meanDurations(schedule, durations);
    for (const Nanoseconds pair : mean.pair) {
        EXPECT_GE(pair, 250);
        EXPECT_LT(pair, 250 + static_cast<Nanoseconds>(durations.pair.size()));
        EXPECT_EQ(pair, mean.pair.front());
    }
}

TEST(BubbleSplit, BothPartsOfAnEvaluationSumToItsBubble)
{
    for (const Sample &sample : samples()) {
        const auto e = evaluate(parseScenario(sample.text)->scenario);
        ASSERT_TRUE(e->valid) << sample.name;
        const BubbleSplit split = splitBubble(e->schedule, e->timeline, e->times.durations);
        EXPECT_EQ(split.schedule + split.imbalance, idleOf(e->schedule, e->timeline)) << sample.name;
        EXPECT_NEAR(e->time.bubbleOfSchedule + e->time.bubbleOfImbalance, e->time.bubble, 1e-6) << sample.name;
        EXPECT_NEAR(e->time.bubbleOfSchedule, toSeconds(split.schedule) / e->schedule.ranks, 1e-9) << sample.name;
        EXPECT_GT(e->time.bubbleOfSchedule, 0) << sample.name;
    }
}

// The head of DeepSeek-V3 sits on the last of 32 stages: a layout that takes its layers away moves the bubble from imbalance.
TEST(BubbleSplit, AnUnevenLayoutRepairsImbalanceAndLeavesTheSchedulesPart)
{
    Scenario s = parseScenario(samples().front().text)->scenario;
    s.plan.gpus = 2048;
    s.plan.pp = 32;
    s.plan.globalBatch = 7680;
    s.plan.schedule = ScheduleKind::OneForwardOneBackward;
    const auto even = evaluatePlain(s);
    s.plan.layout = FirstLastLayout{ 1, 0 };
    const auto repaired = evaluatePlain(s);
    ASSERT_TRUE(even->valid && repaired->valid);
    EXPECT_LT(repaired->time.bubbleOfImbalance, 0.8 * even->time.bubbleOfImbalance);
    EXPECT_NEAR(repaired->time.bubbleOfSchedule / even->time.bubbleOfSchedule, 1.0, 0.05);
}

} // namespace
} // namespace pipeloom
