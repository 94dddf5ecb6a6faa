// SPDX-License-Identifier: GPL-3.0-or-later
// Orders in full for small pipelines, as the reference implementations emit them (deepseek-ai/DualPipe @3da1bbe,
// NVIDIA/Megatron-LM @d98e8a6), and the constraints of every schedule.
#include "core/schedule/schedule.h"
#include "tests/core/schedule_text.h"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <set>

namespace pipeloom
{

namespace
{

void expectOrder(const ScheduleRequest &request, const std::vector<std::string> &ranks)
{
    const Expected<Schedule> schedule = generate(request);
    ASSERT_TRUE(schedule) << text(schedule.errors());
    ASSERT_EQ(schedule->ranks, static_cast<int>(ranks.size()));
    for (int r = 0; r < schedule->ranks; ++r)
        EXPECT_EQ(compactRank(*schedule, r), ranks[static_cast<std::size_t>(r)]) << "rank " << r;
}

} // namespace

TEST(ScheduleOrder, DualPipeOnFourRanksWithEightMicrobatchesIsDeepSeeks)
{
    expectOrder({ .kind = ScheduleKind::DualPipe, .ranks = 4, .microbatches = 8 },
                { "F0.0 F1.0 F2.0 F4.1 I4.1 W4.1 F5.1 (F3.0&B5.1) (F6.1&B0.0) B6.1 (F7.1&B1.0) B7.1 I2.0 W2.0 I3.0 W3.0",
                  "F0.0 F4.1 F1.0 F5.1 F2.0 B4.1 (F6.1&B0.0) (F3.0&B5.1) (F7.1&B1.0) B6.1 B2.0 I7.1 I3.0 W7.1 W3.0",
                  "F4.1 F0.0 F5.1 F1.0 F6.1 B0.0 (F2.0&B4.1) (F7.1&B1.0) (F3.0&B5.1) B2.0 B6.1 I3.0 I7.1 W3.0 W7.1",
                  "F4.1 F5.1 F6.1 F0.0 I0.0 W0.0 F1.0 (F7.1&B1.0) (F2.0&B4.1) B2.0 (F3.0&B5.1) B3.0 I6.1 W6.1 I7.1 W7.1" });
}

TEST(ScheduleOrder, OneForwardOneBackwardOnFourRanksWithEightMicrobatchesIsMegatrons)
{
    expectOrder({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 4, .microbatches = 8 },
                { "F0.0 F1.0 F2.0 F3.0 B0.0 F4.0 B1.0 F5.0 B2.0 F6.0 B3.0 F7.0 B4.0 B5.0 B6.0 B7.0",
                  "F0.0 F1.0 F2.0 B0.0 F3.0 B1.0 F4.0 B2.0 F5.0 B3.0 F6.0 B4.0 F7.0 B5.0 B6.0 B7.0",
                  "F0.0 F1.0 B0.0 F2.0 B1.0 F3.0 B2.0 F4.0 B3.0 F5.0 B4.0 F6.0 B5.0 F7.0 B6.0 B7.0",
                  "F0.0 B0.0 F1.0 B1.0 F2.0 B2.0 F3.0 B3.0 F4.0 B4.0 F5.0 B5.0 F6.0 B6.0 F7.0 B7.0" });
}

TEST(ScheduleOrder, OneForwardOneBackwardWithFewerMicrobatchesThanRanksOnlyFillsAndDrains)
{
    expectOrder({ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 3, .microbatches = 2 },
                { "F0.0 F1.0 B0.0 B1.0", "F0.0 F1.0 B0.0 B1.0", "F0.0 B0.0 F1.0 B1.0" });
}

TEST(ScheduleOrder, DualPipeNamesItsEightSteps)
{
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 20 });
    ASSERT_TRUE(schedule);
    std::string steps;
    for (const Op &op : schedule->rank(1))
        steps += static_cast<char>('0' + op.step);
    // Rank 1 of 8: H-1-h = 2, h+1 = 2, n-P+h+1 = 4.
    EXPECT_EQ(steps,
              "1111"
              "2222"
              "333333"
              "44444444"
              "5555"
              "6666"
              "7777"
              "88");
}

TEST(ScheduleOrder, DualPipeHoldsTwoStagesARankAndSplitsTheMicrobatchesByDirection)
{
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::DualPipe, .ranks = 6, .microbatches = 14 });
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->stages, 6);
    EXPECT_EQ(schedule->chunks, 2);
    for (int r = 0; r < 6; ++r) {
        for (const Op &op : schedule->rank(r)) {
            EXPECT_EQ(op.stage, stageOf(ScheduleKind::DualPipe, 6, r, op.chunk));
            EXPECT_EQ(op.microbatch >= 7, op.chunk == 1);
        }
    }
}

TEST(ScheduleKinds, NamesAreThoseOfTheScenarioFileAndReadBack)
{
    const std::set<std::string_view> documented = { "gpipe", "1f1b",           "interleaved", "looped-bfs", "1f1b-a2a-overlap",
                                                    "zb-h1", "interleaved-zb", "zb-h2",       "zb-v",       "v-half",
                                                    "v-min", "1f1b-v",         "dualpipe",    "dualpipev",  "chimera",
                                                    "custom" };
    std::set<std::string_view> ours;
    for (const ScheduleKind kind : allScheduleKinds()) {
        ours.insert(name(kind));
        EXPECT_EQ(scheduleKind(name(kind)), kind);
        EXPECT_FALSE(title(kind).empty());
    }
    EXPECT_EQ(ours, documented);
    EXPECT_FALSE(scheduleKind("1F1B"));
    EXPECT_FALSE(scheduleKind(""));
}

TEST(ScheduleKinds, StagesFollowThePlacement)
{
    EXPECT_EQ(stageCount(ScheduleKind::OneForwardOneBackward, 8, 4), 8);
    EXPECT_EQ(stageCount(ScheduleKind::DualPipe, 8, 4), 8);
    EXPECT_EQ(stageCount(ScheduleKind::Interleaved, 8, 4), 32);
    EXPECT_EQ(stageCount(ScheduleKind::DualPipeV, 8, 1), 16);
    EXPECT_EQ(stageCount(ScheduleKind::Interleaved, INT_MAX, INT_MAX), INT_MAX);
    EXPECT_EQ(stageOf(ScheduleKind::Interleaved, 8, 3, 2), 19);
    EXPECT_EQ(stageOf(ScheduleKind::DualPipe, 8, 1, 1), 6);
    EXPECT_EQ(stageOf(ScheduleKind::DualPipeV, 8, 1, 1), 14);
    EXPECT_EQ(chunksPerRank(ScheduleKind::DualPipe, 1), 2);
    EXPECT_EQ(chunksPerRank(ScheduleKind::ZeroBubbleH1, 4), 1);
    EXPECT_EQ(chunksPerRank(ScheduleKind::InterleavedZeroBubble, 4), 4);
}

TEST(ScheduleCheck, DualPipeWithTenMicrobatchesOnEightRanksNamesTheRuleAndTheNearestNumber)
{
    const std::optional<Error> error = checkSchedule({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 10 });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message, "M = 10 is too small: DualPipe on 8 ranks needs an even M ≥ 16");
    EXPECT_EQ(error->hint, "use M 16");
}

TEST(ScheduleCheck, DualPipeNeedsEvenRanksAndEvenMicrobatches)
{
    EXPECT_EQ(checkSchedule({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 17 })->hint, "use M 16 or 18");
    EXPECT_EQ(checkSchedule({ .kind = ScheduleKind::DualPipe, .ranks = 7, .microbatches = 20 })->hint, "use P 6 or 8");
    EXPECT_EQ(checkSchedule({ .kind = ScheduleKind::DualPipe, .ranks = 1, .microbatches = 20 })->hint, "use P 2");
    EXPECT_FALSE(checkSchedule({ .kind = ScheduleKind::DualPipe, .ranks = 8, .microbatches = 16 }));
}

TEST(ScheduleCheck, DualPipeVTakesOddMicrobatchesFromTwiceTheRanksOn)
{
    EXPECT_TRUE(checkSchedule({ .kind = ScheduleKind::DualPipeV, .ranks = 8, .microbatches = 15 }));
    EXPECT_FALSE(checkSchedule({ .kind = ScheduleKind::DualPipeV, .ranks = 8, .microbatches = 17 }));
    EXPECT_FALSE(checkSchedule({ .kind = ScheduleKind::DualPipeV, .ranks = 3, .microbatches = 6 }));
}

TEST(ScheduleCheck, InterleavingKeepsMegatronsGroupRule)
{
    const auto request = [](int ranks, int microbatches, std::optional<int> group = std::nullopt) {
        return ScheduleRequest{
            .kind = ScheduleKind::Interleaved, .ranks = ranks, .microbatches = microbatches, .vpp = 2, .group = group
        };
    };
    EXPECT_EQ(checkSchedule(request(6, 3))->hint, "use M 6");
    EXPECT_EQ(checkSchedule(request(6, 13))->hint, "use M 12 or 18");
    EXPECT_FALSE(checkSchedule(request(6, 12)));
    EXPECT_TRUE(checkSchedule(request(8, 20, 4))); // the group is smaller than P
    EXPECT_TRUE(checkSchedule(request(8, 20, 21))); // and larger than M
    EXPECT_FALSE(checkSchedule(request(8, 20, 12))); // a short last group of 8 still fills the ranks
    EXPECT_EQ(checkSchedule(request(8, 19, 12))->hint, "use M 20 or 12"); // one of 7 does not
    ScheduleRequest one = request(4, 8);
    one.vpp = 1;
    EXPECT_EQ(checkSchedule(one)->hint, "use chunks 2");
    one.vpp = 2;
    one.ranks = 1;
    EXPECT_EQ(checkSchedule(one)->hint, "use P 2");
}

TEST(ScheduleCheck, ChimeraNeedsEvenRanksThatDivideTheMicrobatches)
{
    EXPECT_TRUE(checkSchedule({ .kind = ScheduleKind::Chimera, .ranks = 3, .microbatches = 6 }));
    EXPECT_EQ(checkSchedule({ .kind = ScheduleKind::Chimera, .ranks = 4, .microbatches = 10 })->hint, "use M 8 or 12");
    EXPECT_FALSE(checkSchedule({ .kind = ScheduleKind::Chimera, .ranks = 4, .microbatches = 12 }));
}

TEST(ScheduleCheck, WhatCannotBeGeneratedSaysSo)
{
    EXPECT_FALSE(canGenerate(ScheduleKind::Custom));
    const Expected<Schedule> schedule = generate({ .kind = ScheduleKind::Custom, .ranks = 4, .microbatches = 8 });
    ASSERT_FALSE(schedule);
    EXPECT_EQ(schedule.error().code, ErrorCode::Unsupported);
    EXPECT_NE(schedule.error().message.find("not modelled yet"), std::string::npos);
}

TEST(ScheduleCheck, TheSearchedSchedulesSayOnHowManyRanks)
{
    for (const ScheduleKind kind : { ScheduleKind::VHalf, ScheduleKind::VMin, ScheduleKind::OneForwardOneBackwardV }) {
        EXPECT_FALSE(checkSchedule({ .kind = kind, .ranks = 1024, .microbatches = 2 }));
        EXPECT_EQ(checkSchedule({ .kind = kind, .ranks = 1025, .microbatches = 2 })->hint, "use P 1024");
    }
}

TEST(ScheduleCheck, AnyIntegersEndInAnAnswer)
{
    const std::array<int, 13> numbers = { INT_MIN, -1, 0, 1, 2, 3, 4, 7, 8, 255, 40000, INT_MAX - 1, INT_MAX };
    for (const ScheduleKind kind : allScheduleKinds()) {
        for (const int ranks : numbers) {
            for (const int microbatches : numbers) {
                for (const int vpp : numbers) {
                    for (const std::optional<int> group :
                         { std::optional<int>(), std::optional(0), std::optional(8), std::optional(INT_MAX) }) {
                        const ScheduleRequest request{ kind, ranks, microbatches, vpp, group };
                        if (const std::optional<Error> error = checkSchedule(request)) {
                            EXPECT_FALSE(error->message.empty());
                        } else {
                            EXPECT_LE(std::int64_t{ ranks } * microbatches, std::int64_t{ 1 } << 23);
                        }
                    }
                }
            }
        }
    }
}

TEST(ScheduleCheck, MoreOpsThanFitInMemoryAreRefusedWithANumberThatWorks)
{
    const ScheduleRequest request{ .kind = ScheduleKind::DualPipe, .ranks = 64, .microbatches = 100001 };
    const std::optional<Error> error = checkSchedule(request);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->hint, "use M 65536");
    EXPECT_FALSE(checkSchedule({ .kind = ScheduleKind::DualPipe, .ranks = 64, .microbatches = 65536 }));
}

} // namespace pipeloom
