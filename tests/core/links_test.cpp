// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/links.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace pipeloom;

namespace
{

Schedule made(ScheduleKind kind, int ranks, int microbatches)
{
    const Expected<Schedule> schedule = generate({ .kind = kind, .ranks = ranks, .microbatches = microbatches });
    EXPECT_TRUE(schedule.hasValue());
    return schedule ? *schedule : Schedule{};
}

std::size_t find(const Schedule &schedule, OpKind kind, int stage, int microbatch)
{
    const auto found = std::ranges::find_if(
        schedule.ops, [&](const Op &op) { return op.kind == kind && op.stage == stage && op.microbatch == microbatch; });
    return static_cast<std::size_t>(found - schedule.ops.begin());
}

} // namespace

TEST(OpLinks, FollowAMicrobatchUpAndDownTheStages)
{
    const Schedule schedule = made(ScheduleKind::OneForwardOneBackward, 4, 8);
    const OpLinks links(schedule);
    const std::size_t f1 = find(schedule, OpKind::F, 1, 2), f2 = find(schedule, OpKind::F, 2, 2);
    const std::size_t b1 = find(schedule, OpKind::B, 1, 2), b2 = find(schedule, OpKind::B, 2, 2);
    EXPECT_EQ(links.outputs(f1), (std::vector<std::size_t>{ b1, f2 }));
    EXPECT_EQ(links.inputs(f2), (std::vector<std::size_t>{ f1 }));
    EXPECT_EQ(links.inputs(b1), (std::vector<std::size_t>{ f1, b2 }));
    EXPECT_EQ(links.outputs(b2), (std::vector<std::size_t>{ b1 }));
    EXPECT_TRUE(links.inputs(find(schedule, OpKind::F, 0, 0)).empty());
    EXPECT_TRUE(links.outputs(find(schedule, OpKind::B, 0, 0)).empty());
}

TEST(OpLinks, WeightGradientsTakeTheBackwardOfTheirInput)
{
    const Schedule schedule = made(ScheduleKind::ZeroBubbleH1, 4, 8);
    const OpLinks links(schedule);
    const std::size_t bi = find(schedule, OpKind::Bi, 0, 3), w = find(schedule, OpKind::W, 0, 3);
    EXPECT_EQ(links.outputs(bi), (std::vector<std::size_t>{ w }));
    EXPECT_EQ(links.inputs(w), (std::vector<std::size_t>{ bi }));
    EXPECT_TRUE(links.outputs(w).empty());
}

TEST(OpLinks, BothWaysSayTheSameForEveryOp)
{
    for (const ScheduleKind kind :
         { ScheduleKind::OneForwardOneBackward, ScheduleKind::ZeroBubbleH1, ScheduleKind::ZeroBubbleV, ScheduleKind::DualPipe }) {
        const Schedule schedule = made(kind, 4, 8);
        const OpLinks links(schedule);
        for (std::size_t op = 0; op < schedule.ops.size(); ++op) {
            for (const std::size_t input : links.inputs(op))
                EXPECT_TRUE(std::ranges::binary_search(links.outputs(input), op)) << op;
            for (const std::size_t output : links.outputs(op))
                EXPECT_TRUE(std::ranges::binary_search(links.inputs(output), op)) << op;
        }
    }
}
