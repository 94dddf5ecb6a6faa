// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <gtest/gtest.h>

namespace pipeloom
{
namespace
{

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps)
{
    EXPECT_EQ(editDistance("", ""), 0U);
    EXPECT_EQ(editDistance("", "abc"), 3U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
    EXPECT_EQ(editDistance("dualpipe", "dualpiep"), 1U);
    EXPECT_EQ(editDistance("DualPipe", "dualpipe"), 0U);
    EXPECT_EQ(editDistance("abc", "cab"), 2U);
}

TEST(EditDistance, CutsLongNamesInsteadOfTakingLong)
{
    EXPECT_EQ(editDistance(std::string(100'000, 'a'), std::string(100'000, 'b')), 64U);
}

TEST(ClosestName, FindsTheNameThatWasMeantOrNone)
{
    const std::vector<std::string> known{ "micro_batch", "global_batch", "schedule", "pp", "ep", "tp" };
    EXPECT_EQ(closestName("microbatch", known), "micro_batch");
    EXPECT_EQ(closestName("globl_batch", known), "global_batch");
    EXPECT_EQ(closestName("shedule", known), "schedule");
    EXPECT_EQ(closestName("p", known), "pp");
    EXPECT_EQ(closestName("xy", known), "") << "two edits turn any two letters into any other two";
    EXPECT_EQ(closestName("temperature", known), "");
    EXPECT_EQ(closestName("schedule", {}), "");
}

TEST(ClosestName, TakesTheBeginningOfANameOrOfAWordInIt)
{
    const std::vector<std::string> known{ "1f1b", "zb-h1", "zb-h2", "dualpipe", "dualpipev", "mixtral-8x7b" };
    EXPECT_EQ(closestName("dual", known), "dualpipe");
    EXPECT_EQ(closestName("8x7b", known), "mixtral-8x7b");
    EXPECT_EQ(closestName("zb-h2", known), "zb-h2");
    EXPECT_EQ(closestName("d", known), "") << "one letter begins too much";
    EXPECT_EQ(closestName("pipe", known), "") << "a part inside a word is no likeness";
}

TEST(NearestFirst, ThenTheOthersInTheirOwnOrder)
{
    const std::vector<std::string> known{ "gpipe", "1f1b", "zb-h1", "zb-h2", "zb-v", "dualpipe" };
    EXPECT_EQ(nearestFirst("zb-h3", known), (std::vector<std::string>{ "zb-h1", "zb-h2", "zb-v", "gpipe", "1f1b", "dualpipe" }));
    EXPECT_EQ(nearestFirst("nothing like it", known), known);
    EXPECT_EQ(nearestFirst("x", {}), std::vector<std::string>{});
}

TEST(KnownNames, NamesTheNearestAndAllOthers)
{
    const std::vector<std::string> known{ "h800", "h100", "b200" };
    EXPECT_EQ(knownNames("h880", known), "did you mean \"h800\"? Known: h800, h100 or b200");
    EXPECT_EQ(knownNames("tpu", known), "use h800, h100 or b200");
    EXPECT_EQ(knownNames("tpu", {}), "");
}

TEST(JoinOr, ReadsAsASentence)
{
    EXPECT_EQ(joinOr({}), "");
    EXPECT_EQ(joinOr(std::vector<std::string>{ "32" }), "32");
    EXPECT_EQ(joinOr(std::vector<std::string>{ "32", "64" }), "32 or 64");
    EXPECT_EQ(joinOr(std::vector<std::string>{ "16", "32", "64" }), "16, 32 or 64");
}

TEST(Printable, KeepsTextAndReplacesWhatATerminalWouldObey)
{
    EXPECT_EQ(printable("σ = 0.1"), "σ = 0.1");
    EXPECT_EQ(printable("\x1b[31mred\n"), "?[31mred?");
    EXPECT_EQ(printable("a\xff\xc3z"), "a??z");
    EXPECT_EQ(printable("\xf0\x9f\x9a"), "???");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("ééé", 3), "é...") << "a letter is never cut in half";
}

} // namespace
} // namespace pipeloom
