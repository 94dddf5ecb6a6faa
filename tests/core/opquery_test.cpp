// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/opquery.h"

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

std::size_t countOf(const char *text, const Schedule &schedule)
{
    const Expected<OpQuery> query = parseOpQuery(text);
    EXPECT_TRUE(query.hasValue()) << text;
    return query ? matchingOps(*query, schedule).ops.size() : 0;
}

Error errorOf(const char *text)
{
    const Expected<OpQuery> query = parseOpQuery(text);
    EXPECT_FALSE(query.hasValue()) << text;
    return query ? Error{} : query.error();
}

} // namespace

TEST(OpQuery, ReadsKeysListsAndRanges)
{
    const Expected<OpQuery> query =
        parseOpQuery("  Kind:w,fb mb:3,5 rank:0-3\tstage:4 chunk:1 plan:b step:4 phase:cool-down mb:7-9 ");
    ASSERT_TRUE(query.hasValue());
    OpQuery expected;
    expected.kinds = (1U << 3U) | (1U << 4U);
    expected.phases = 1U << 2U;
    expected.microbatches = { { 3, 3 }, { 5, 5 }, { 7, 9 } };
    expected.ranks = { { 0, 3 } };
    expected.stages = { { 4, 4 } };
    expected.chunks = { { 1, 1 } };
    expected.steps = { { 4, 4 } };
    expected.plans = { "B" };
    EXPECT_EQ(*query, expected);
    EXPECT_TRUE(query->takesPlan("B"));
    EXPECT_FALSE(query->takesPlan("A"));
    EXPECT_TRUE(OpQuery{}.takesPlan("C"));
}

TEST(OpQuery, SaysWhatIsWrongAndWhatWouldWork)
{
    EXPECT_EQ(errorOf("kin:B").text(), "unknown key 'kin'; did you mean kind?");
    EXPECT_EQ(errorOf("kind:X").message, "unknown kind 'X'");
    EXPECT_EQ(errorOf("kind:X").code, ErrorCode::UnknownName);
    EXPECT_EQ(errorOf("phase:cooldown").message, "unknown phase 'cooldown'");
    EXPECT_NE(errorOf("phase:cooldown").hint.find("\"cool-down\""), std::string::npos);
    EXPECT_EQ(errorOf("mb:three").hint, "use mb:3, mb:3,5 or mb:0-3");
    EXPECT_EQ(errorOf("rank:5-2").hint, "use rank:2-5");
    EXPECT_EQ(errorOf("rank:5-2").code, ErrorCode::OutOfRange);
    EXPECT_EQ(errorOf("mb:").message, "mb: has no value");
    EXPECT_EQ(errorOf("mb:3,").message, "mb: has no value");
    EXPECT_EQ(errorOf("mb:-1").message, "'-1' is no number for mb");
    EXPECT_EQ(errorOf("mb:99999999999").message, "'99999999999' is no number for mb");
    EXPECT_EQ(errorOf("plan:AB").hint, "use the letter of a plan, as in plan:B");
    EXPECT_EQ(errorOf("w").hint, "did you mean kind:W?");
    EXPECT_EQ(errorOf("7").hint, "did you mean mb:7?");
    EXPECT_EQ(errorOf("steady").hint, "did you mean phase:steady?");
    EXPECT_EQ(errorOf("   ").message, "nothing to search for");
    EXPECT_EQ(errorOf("mb:1\x01").message, "'1?' is no number for mb");
}

TEST(OpQuery, FindsTheOpsOfOneForwardOneBackward)
{
    const Schedule schedule = made(ScheduleKind::OneForwardOneBackward, 4, 8);
    EXPECT_EQ(countOf("kind:F", schedule), 32U);
    EXPECT_EQ(countOf("kind:B", schedule), 32U);
    EXPECT_EQ(countOf("kind:Bi", schedule), 0U);
    EXPECT_EQ(countOf("mb:3", schedule), 8U);
    EXPECT_EQ(countOf("mb:3,5 rank:0-1 kind:F", schedule), 4U);
    EXPECT_EQ(countOf("mb:900", schedule), 0U);
    // Rank r warms up with P - r forwards and cools down with the backwards that answer P - 1 - r of them.
    EXPECT_EQ(countOf("phase:warm-up rank:0", schedule), 4U);
    EXPECT_EQ(countOf("phase:warm-up rank:3", schedule), 1U);
    EXPECT_EQ(countOf("phase:cool-down rank:0", schedule), 4U);
    EXPECT_EQ(countOf("phase:warm-up,steady,cool-down", schedule), schedule.ops.size());
}

TEST(OpQuery, ListsMatchesRankAfterRankInTheirOrder)
{
    const Schedule schedule = made(ScheduleKind::OneForwardOneBackward, 4, 8);
    const OpMatches found = matchingOps(*parseOpQuery("kind:B rank:1,3"), schedule);
    EXPECT_EQ(found.begin, (std::vector<std::size_t>{ 0, 0, 8, 8, 16 }));
    EXPECT_TRUE(std::ranges::is_sorted(found.ops));
    for (const std::uint32_t op : found.ops)
        EXPECT_EQ(schedule.ops[op].kind, OpKind::B);
}

TEST(OpQuery, OneHalfOfAPairMeetsAllItsConditions)
{
    Schedule schedule;
    schedule.ranks = 1;
    schedule.ops.push_back(
        { .kind = OpKind::FB, .chunk = 0, .chunkB = 1, .step = 4, .stage = 2, .stageB = 5, .microbatch = 3, .microbatchB = 1 });
    schedule.begin = { 0, 1 };
    EXPECT_EQ(countOf("mb:3 stage:2 chunk:0", schedule), 1U);
    EXPECT_EQ(countOf("mb:1 stage:5 chunk:1 step:4", schedule), 1U);
    EXPECT_EQ(countOf("mb:3 stage:5", schedule), 0U);
    EXPECT_EQ(countOf("kind:FB step:3", schedule), 0U);
}

TEST(OpQuery, FindsBackwardsForTheInputUnderBAndAlone)
{
    const Schedule schedule = made(ScheduleKind::ZeroBubbleH1, 4, 8);
    EXPECT_EQ(countOf("kind:Bi", schedule), 32U);
    EXPECT_EQ(countOf("kind:B", schedule), 32U);
    EXPECT_EQ(countOf("kind:W", schedule), 32U);
}
