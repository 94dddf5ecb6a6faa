// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's schedule CSV: every generated order comes back as it was written, and what is wrong is named with its place.
#include "core/schedule/schedulecsv.h"

#include "tests/fuzz/fuzz.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace pipeloom
{
namespace
{

TEST(ScheduleCsv, everyGeneratedOrderComesBack)
{
    for (const ScheduleKind kind : allScheduleKinds()) {
        if (!canGenerate(kind))
            continue;
        const auto schedule = generate({ kind, 4, 16, 2 });
        ASSERT_TRUE(schedule) << name(kind);
        const std::string csv = scheduleCsv(*schedule);
        const auto order = parseScheduleCsv(csv, "x.csv");
        ASSERT_TRUE(order) << name(kind) << ": " << text(order.errors());
        const Schedule &read = order->schedule;
        EXPECT_EQ(read.kind, ScheduleKind::Custom);
        EXPECT_EQ(read.ranks, schedule->ranks);
        EXPECT_EQ(read.stages, schedule->stages);
        EXPECT_EQ(read.microbatches, schedule->microbatches);
        EXPECT_EQ(read.chunks, schedule->chunks);
        EXPECT_EQ(read.begin, schedule->begin);
        EXPECT_EQ(order->skipped, 0U);
        EXPECT_EQ(scheduleCsv(read), csv);
        const auto before = simulate(*schedule, uniformDurations(*schedule, 10, 21, 9, 0, 1));
        const auto after = simulate(read, uniformDurations(read, 10, 21, 9, 0, 1));
        ASSERT_TRUE(before && after) << name(kind);
        EXPECT_EQ(after->start, before->start) << name(kind);
        EXPECT_EQ(after->peakInFlight, before->peakInFlight) << name(kind);
    }
}

TEST(ScheduleCsv, communicationIdleCellsAndForeignLineEndsAreNoHindrance)
{
    const auto order =
        parseScheduleCsv("\xef\xbb\xbf"
                         "0UNSHARD,0F0,0SEND_F0,,\"0RECV_B0\", 0B0 ,0REDUCE_GRAD\r\n,1RECV_F0,1F0,1B0,1SEND_B0\r\n\n",
                         "x.csv");
    ASSERT_TRUE(order) << text(order.errors());
    EXPECT_EQ(order->skipped, 6U);
    EXPECT_EQ(scheduleCsv(order->schedule), "0F0,0B0\n1F0,1B0\n");
    const auto timeline = simulate(order->schedule, uniformDurations(order->schedule, 1, 2, 1, 0, 0));
    ASSERT_TRUE(timeline);
    EXPECT_EQ(timeline->makespan, 6);
}

TEST(ScheduleCsv, whatIsWrongIsNamedWithItsPlace)
{
    struct Case
    {
        const char *csv;
        const char *where;
        const char *says;
    };
    const Case cases[] = {
        { "", "", "holds no order" },
        { "\n\n", "", "holds no order" },
        { "0F0,0B0,x", "line 1, cell 3", "\"x\" is no action" },
        { "0F0,0B", "line 1, cell 2", "\"0B\" is no action" },
        { "-1F0", "line 1, cell 1", "\"-1F0\" is no action" },
        { "0F0x,0B0", "line 1, cell 1", "is no action" },
        { "(0F0;0B0),0B0", "line 1, cell 1", "is no action" },
        { "(0B0;0F0)OVERLAP_F_B", "line 1, cell 1", "is no action" },
        { "99999999999F0", "line 1, cell 1", "is no action" },
        { "32767F0", "line 1, cell 1", "too large" },
        { "0F1000000", "line 1, cell 1", "too large" },
        { "0F0,0B0\n\n1F0,1B0", "line 2, cell 1", "runs nothing" },
        { "0F0,0F0,0B0", "line 1, cell 2", "F of microbatch 0 on stage 0 stands twice" },
        { "0F0,0B0\n0F0,0B0", "line 2, cell 1", "F of microbatch 0 on stage 0 stands twice" },
        { "0F0,0I0", "", "W of microbatch 0 on stage 0 is missing" },
        { "0F0,0W0", "", "Bi of microbatch 0 on stage 0 is missing" },
        { "0F0", "", "B of microbatch 0 on stage 0 is missing" },
        { "0F0,0B0,0F2,0B2", "", "F of microbatch 1 on stage 0 is missing" },
        { "0F0,0B0\n2F0,2B0", "", "F of microbatch 0 on stage 1 is missing" },
        { "0F0,0B0,0I0", "line 1, cell 3", "B of microbatch 0 on stage 0 runs whole and in halves" },
        { "0F0\n1F0,1B0,0B0", "line 2, cell 3", "B of microbatch 0 on stage 0 runs on rank 1, its forward on rank 0" },
    };
    for (const Case &c : cases) {
        const auto order = parseScheduleCsv(c.csv, "x.csv");
        ASSERT_FALSE(order) << c.csv;
        const Error &error = order.error();
        EXPECT_EQ(error.file, "x.csv");
        EXPECT_EQ(error.where, c.where) << c.csv;
        EXPECT_NE(error.message.find(c.says), std::string::npos) << c.csv << ": " << error.message;
        EXPECT_FALSE(error.hint.empty()) << c.csv;
    }
}

TEST(ScheduleCsv, aDeadlockNamesTheOpThatWaits)
{
    const auto order = parseScheduleCsv("0B0,0F0\n1F0,1B0", "x.csv");
    ASSERT_TRUE(order) << text(order.errors());
    const auto timeline = simulate(order->schedule, uniformDurations(order->schedule, 1, 2, 1, 0, 0));
    ASSERT_FALSE(timeline);
    EXPECT_NE(timeline.error().message.find("microbatch 0 on stage"), std::string::npos) << timeline.error().message;
}

// A short run of the fuzz target on every test run.
TEST(ScheduleCsv, noMutationBreaksAPromise)
{
    std::mt19937 random(4);
    for (int i = 0; i < 4000; ++i) {
        const auto kind = allScheduleKinds()[static_cast<std::size_t>(i) % allScheduleKinds().size()];
        const auto schedule = generate({ kind, 2, 8, 2 });
        const std::string csv = mutated(schedule ? scheduleCsv(*schedule) : "0F0,0B0", random);
        fuzzOne(csv); // aborts when a promise is broken
    }
}

} // namespace
} // namespace pipeloom
