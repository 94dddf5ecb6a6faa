// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace pipeloom
{

namespace
{

struct Times
{
    Nanoseconds f, bi, w, pair;
};

Timeline run(const ScheduleRequest &request, const Times &t)
{
    const Expected<Schedule> schedule = generate(request);
    const Expected<Timeline> timeline = simulate(*schedule, uniformDurations(*schedule, t.f, t.bi + t.w, t.w, t.pair, 0));
    return *timeline;
}

Nanoseconds worstIdle(const Timeline &timeline) { return timeline.makespan - *std::ranges::min_element(timeline.busy); }

} // namespace

TEST(ClosedForm, DualPipeIsThatOfTheDeepSeekV3ReportTable2)
{
    const ClosedForm form = closedForm({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 20 }, 10, 11, 9, 24);
    EXPECT_EQ(form.expression, "(P/2-1)(FB+B-3W)");
    EXPECT_EQ(form.bubble, 3 * (24 + 20 - 27));
}

TEST(ClosedForm, OneForwardOneBackwardIsTheRanksLessOneForwardsAndBackwards)
{
    const ClosedForm form =
        closedForm({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 8, .microbatches = 20 }, 10, 11, 9, 30);
    EXPECT_EQ(form.expression, "(P-1)(F+B)");
    EXPECT_EQ(form.bubble, 7 * 30);
    EXPECT_EQ(form.exactBubble, 7 * 30);
    EXPECT_EQ(form.exactMakespan, 27 * 30);
}

TEST(ClosedForm, ExactFormsEqualTheSimulationOnAGrid)
{
    const std::vector<Times> times = { { 1, 1, 1, 3 },   { 10, 11, 9, 24 }, { 10, 8, 12, 26 }, { 10, 20, 5, 28 },
                                       { 12, 8, 6, 20 }, { 6, 6, 5, 17 },   { 10, 10, 10, 30 } };
    int compared = 0;
    for (const ScheduleKind kind : allScheduleKinds()) {
        for (const int ranks : { 1, 2, 3, 4, 6, 8 }) {
            for (const int microbatches : { 1, 2, 4, 6, 8, 12, 16, 17, 24, 32 }) {
                for (const int vpp : { 1, 2, 3 }) {
                    const ScheduleRequest request{ kind, ranks, microbatches, vpp, std::nullopt };
                    if (checkSchedule(request))
                        continue;
                    for (const Times &t : times) {
                        const ClosedForm form = closedForm(request, t.f, t.bi, t.w, t.pair);
                        if (!form.exactBubble)
                            continue;
                        ++compared;
                        const Timeline timeline = run(request, t);
                        const std::string where = fmt::format("{} P{} M{} v{} F{} Bi{} W{} FB{}", name(kind), ranks, microbatches,
                                                              vpp, t.f, t.bi, t.w, t.pair);
                        EXPECT_EQ(*form.exactMakespan, timeline.makespan) << where;
                        EXPECT_EQ(*form.exactBubble, worstIdle(timeline)) << where;
                        EXPECT_FALSE(form.exactExpression.empty());
                    }
                }
            }
        }
    }
    EXPECT_GT(compared, 1000);
}

TEST(ClosedForm, DeepSeeksFormIsExactOnlyWhereForwardEqualsInputBackward)
{
    const ScheduleRequest request{ .kind = ScheduleKind::DualPipe, .ranks = 4, .microbatches = 10 };
    const ClosedForm even = closedForm(request, 6, 6, 5, 17);
    EXPECT_EQ(even.bubble, *even.exactBubble);
    const ClosedForm inputHeavy = closedForm(request, 10, 20, 5, 28);
    EXPECT_EQ(inputHeavy.bubble, 38);
    EXPECT_EQ(*inputHeavy.exactBubble, 28);
    const ClosedForm weightHeavy = closedForm(request, 10, 8, 12, 26);
    EXPECT_EQ(weightHeavy.bubble, 10);
    EXPECT_EQ(*weightHeavy.exactBubble, 16);
}

TEST(ClosedForm, WhatNobodyPublishedHasNoExpression)
{
    const ClosedForm form =
        closedForm({ .kind = ScheduleKind::CombinedAllToAll, .ranks = 4, .microbatches = 8, .vpp = 2 }, 10, 11, 9, 24);
    EXPECT_TRUE(form.expression.empty());
    EXPECT_EQ(form.exactBubble, 3 * 30);
    EXPECT_TRUE(closedForm({ .kind = ScheduleKind::VHalf, .ranks = 4, .microbatches = 8 }, 1, 1, 1, 3).expression.empty());
}

TEST(ClosedForm, NumbersBeyondTheClockGiveNoForm)
{
    constexpr Nanoseconds huge = std::numeric_limits<Nanoseconds>::max();
    EXPECT_TRUE(closedForm({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 20 }, huge, huge, huge, huge)
                    .expression.empty());
    EXPECT_TRUE(closedForm({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 20 }, -5, 1, 1, 1).expression.empty());
}

TEST(ClosedForm, ZeroBubbleFormsNeedEnoughMicrobatchesAndEqualDurations)
{
    for (const ScheduleKind kind : { ScheduleKind::ZeroBubbleH2, ScheduleKind::ZeroBubbleV }) {
        const auto form = [kind](int microbatches, Nanoseconds bi) {
            return closedForm({ .kind = kind, .ranks = 4, .microbatches = microbatches }, 10, bi, 10, 30);
        };
        EXPECT_TRUE(form(7, 10).holds) << name(kind);
        EXPECT_FALSE(form(6, 10).holds) << name(kind) << ": 2P-1 = 7 are enough, 6 are not";
        EXPECT_FALSE(form(6, 10).shown()) << name(kind);
        EXPECT_FALSE(form(7, 12).shown()) << name(kind) << ": nothing is known for unequal durations";
        // Beside a simulated makespan stands what the makespan holds, not the zero inside a rank's span.
        ASSERT_TRUE(form(7, 10).shown());
        EXPECT_EQ(form(7, 10).shown()->bubble, 3 * 10) << name(kind);
        const ScheduleRequest request{ .kind = kind, .ranks = 4, .microbatches = 7 };
        EXPECT_EQ(worstIdle(run(request, { 10, 10, 10, 30 })), 3 * 10) << name(kind);
    }
}

TEST(ClosedForm, OnlyAFormThatEqualsTheSimulationIsShown)
{
    const std::vector<Times> times = { { 1, 1, 1, 3 }, { 10, 11, 9, 24 }, { 10, 8, 12, 26 }, { 10, 20, 5, 28 }, { 6, 6, 5, 17 } };
    int shown = 0;
    for (const ScheduleKind kind : allScheduleKinds()) {
        for (const int ranks : { 2, 4, 6 }) {
            for (const int microbatches : { 1, 3, 4, 7, 12, 16 }) {
                for (const int group : { ranks, ranks + 1 }) {
                    const ScheduleRequest request{ kind, ranks, microbatches, 2, group };
                    if (checkSchedule(request))
                        continue;
                    for (const Times &t : times) {
                        const ClosedForm form = closedForm(request, t.f, t.bi, t.w, t.pair);
                        if (!form.shown())
                            continue;
                        ++shown;
                        EXPECT_EQ(form.shown()->bubble, worstIdle(run(request, t))) << fmt::format(
                            "{} P{} M{} group {} F{} Bi{} W{}", name(kind), ranks, microbatches, group, t.f, t.bi, t.w);
                    }
                }
            }
        }
    }
    EXPECT_GT(shown, 300);
}

TEST(ClosedForm, APublishedFormThatIsOffGivesWayToTheExactOneAndSaysWhenItHolds)
{
    const ScheduleRequest request{ .kind = ScheduleKind::DualPipe, .ranks = 4, .microbatches = 10 };
    const ClosedForm off = closedForm(request, 10, 20, 5, 28);
    EXPECT_FALSE(off.holds);
    EXPECT_STREQ(off.condition, "F = Bi, W ≤ F");
    EXPECT_FALSE(off.shown()->published);
    EXPECT_EQ(off.shown()->bubble, 28);
    const ClosedForm right = closedForm(request, 6, 6, 5, 17);
    EXPECT_TRUE(right.holds);
    EXPECT_TRUE(right.shown()->published);
    EXPECT_EQ(right.shown()->expression, "(P/2-1)(FB+B-3W)");
}

} // namespace pipeloom
