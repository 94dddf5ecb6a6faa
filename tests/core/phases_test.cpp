// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/navigation.h"
#include "core/timeline/phases.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

struct Simulated
{
    Schedule schedule;
    Timeline timeline;
};

/// F 10, B 20 (W 10 of it), overlapped pairs 30, no latency.
Simulated run(ScheduleKind kind, int ranks, int microbatches)
{
    auto schedule = generate({ .kind = kind, .ranks = ranks, .microbatches = microbatches });
    EXPECT_TRUE(schedule);
    auto timeline = simulate(*schedule, uniformDurations(*schedule, 10, 20, 10, 30, 0));
    EXPECT_TRUE(timeline);
    return { *std::move(schedule), *std::move(timeline) };
}

std::vector<std::string> namesOf(const std::vector<Phase> &phases)
{
    std::vector<std::string> names;
    for (const Phase &phase : phases)
        names.push_back(phase.name);
    return names;
}

} // namespace

TEST(Phases, oneForwardOneBackwardWarmsUpRunsSteadilyAndCoolsDown)
{
    const Simulated made = run(ScheduleKind::OneForwardOneBackward, 2, 4);
    const std::vector<Phase> phases = phasesOf(made.schedule, made.timeline, 7, 0);
    // Rank 0: F0 F1, B0 when rank 1 has done F0 and B0 (40), F2 B1 F3, B2 B3.
    const Nanoseconds makespan = made.timeline.makespan;
    ASSERT_EQ(made.schedule.ops[2].kind, OpKind::B);
    ASSERT_EQ(made.schedule.ops[5].kind, OpKind::F);
    EXPECT_EQ(made.timeline.start[2], 40);
    EXPECT_EQ(phases,
              (std::vector<Phase>{ { 0, 40, "Warm-up" },
                                   { 40, made.timeline.end[5], "Steady state" },
                                   { made.timeline.end[5], makespan, "Cool-down" },
                                   { makespan, makespan + 7, "Optimizer" } }));
}

TEST(Phases, gPipeHasNoSteadyState)
{
    const Simulated made = run(ScheduleKind::GPipe, 4, 4);
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(namesOf(phasesOf(made.schedule, made.timeline, 1, rank)),
                  (std::vector<std::string>{ "Warm-up", "Wait for the first backward", "Cool-down", "Optimizer" }));
    }
    // The last rank turns around at once.
    EXPECT_EQ(namesOf(phasesOf(made.schedule, made.timeline, 1, 3)),
              (std::vector<std::string>{ "Warm-up", "Cool-down", "Optimizer" }));
}

TEST(Phases, dualPipeGoesThroughTheStepsThatHaveOpsOnTheRank)
{
    const Simulated made = run(ScheduleKind::DualPipe, 8, 20);
    // h = 0 on the outer ranks: every step has ops. On the middle ranks H-1-h = 0 leaves out 1, 3, 5 and 7.
    const std::vector<std::string> all{ "Step 1 of 8: F0",
                                        "Step 2 of 8: F0 and F1 in turn",
                                        "Step 3 of 8: backward for input B1, then W and F1",
                                        "Step 4 of 8: pairs F0 with B1, F1 with B0",
                                        "Step 5 of 8: B1, then F1 paired with B0",
                                        "Step 6 of 8: B1 and B0 in turn, later without W",
                                        "Step 7 of 8: W, then backward for input B0",
                                        "Step 8 of 8: the W still waiting",
                                        "Optimizer" };
    EXPECT_EQ(namesOf(phasesOf(made.schedule, made.timeline, 1, 0)), all);
    EXPECT_EQ(namesOf(phasesOf(made.schedule, made.timeline, 1, 7)), all);
    const std::vector<std::string> even{ all[1], all[3], all[5], all[7], all[8] };
    EXPECT_EQ(namesOf(phasesOf(made.schedule, made.timeline, 1, 3)), even);
    EXPECT_EQ(namesOf(phasesOf(made.schedule, made.timeline, 1, 4)), even);
}

TEST(Phases, leaveNoGapAndAreWhereStepsByPhaseLand)
{
    for (const ScheduleKind kind : { ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward, ScheduleKind::DualPipe,
                                     ScheduleKind::DualPipeV, ScheduleKind::ZeroBubbleV }) {
        const Simulated made = run(kind, 4, 12);
        for (int rank = 0; rank < made.schedule.ranks; ++rank) {
            const std::vector<Phase> phases = phasesOf(made.schedule, made.timeline, 5, rank);
            ASSERT_FALSE(phases.empty());
            EXPECT_EQ(phases.front().begin, 0);
            EXPECT_EQ(phases.back().end, made.timeline.makespan + 5);
            std::vector<Nanoseconds> stops;
            for (std::size_t i = 0; i < phases.size(); ++i) {
                stops.push_back(phases[i].begin);
                EXPECT_LT(phases[i].begin, phases[i].end);
                EXPECT_EQ(phaseAt(phases, phases[i].begin), &phases[i]);
                EXPECT_EQ(phaseAt(phases, phases[i].end - 1), &phases[i]);
                if (i > 0) {
                    EXPECT_EQ(phases[i].begin, phases[i - 1].end);
                }
            }
            stops.push_back(phases.back().end);
            EXPECT_EQ(stepTimes(made.schedule, made.timeline, 5, rank, StepUnit::Phase), stops);
            EXPECT_EQ(phaseAt(phases, phases.back().end + 100), &phases.back());
        }
    }
}

TEST(Phases, anOpIsInThePhaseOfItsStep)
{
    const Simulated made = run(ScheduleKind::DualPipe, 8, 20);
    for (int rank = 0; rank < 8; ++rank) {
        const std::vector<Phase> phases = phasesOf(made.schedule, made.timeline, 1, rank);
        const auto index = static_cast<std::size_t>(rank);
        for (std::size_t i = made.schedule.begin[index]; i < made.schedule.begin[index + 1]; ++i) {
            const Phase *phase = phaseAt(phases, made.timeline.start[i]);
            ASSERT_NE(phase, nullptr);
            EXPECT_EQ(phase->name.substr(0, 11), "Step " + std::to_string(made.schedule.ops[i].step) + " of 8");
        }
    }
}

TEST(Phases, aRankThatDoesNotExistHasNone)
{
    const Simulated made = run(ScheduleKind::OneForwardOneBackward, 2, 4);
    EXPECT_TRUE(phasesOf(made.schedule, made.timeline, 1, 2).empty());
    EXPECT_TRUE(phasesOf(made.schedule, made.timeline, 1, -1).empty());
    EXPECT_EQ(phaseAt({}, 0), nullptr);
}

} // namespace pipeloom
