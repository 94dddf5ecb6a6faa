// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/layoutstring.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>
#include <string>

namespace pipeloom
{

namespace
{

std::vector<int> layersOf(std::string_view text)
{
    const Expected<std::vector<LayoutStage>> stages = parseLayout(text);
    EXPECT_TRUE(stages) << text;
    std::vector<int> out;
    if (stages) {
        for (const LayoutStage &stage : *stages)
            out.push_back(stage.layers);
    }
    return out;
}

} // namespace

TEST(LayoutString, DeepSeekV3OverSixteenStagesIsFourEachAndOneLast)
{
    std::vector<int> expected(16, 4);
    expected.back() = 1;
    EXPECT_EQ(layersOf("Et*4|(tttt|)*14tmL"), expected);
    const Expected<std::vector<LayoutStage>> stages = parseLayout("Et*4|(tttt|)*14tmL");
    EXPECT_EQ(stages->front().embeddings, 1);
    EXPECT_EQ(stages->back().mtpModules, 1);
    EXPECT_EQ(stages->back().losses, 1);
}

TEST(LayoutString, LetterCountsBracketsCommasAndEmptyStagesAreUnderstood)
{
    EXPECT_EQ(layersOf("Et*2|(t*2|)*2,t*3|L"), (std::vector{ 2, 2, 2, 3, 0 }));
    EXPECT_EQ(layersOf("Et||ttL"), (std::vector{ 1, 0, 2 }));
    EXPECT_EQ(layersOf(" E t , t | ( t ( t )*2 | )*2 L "), (std::vector{ 2, 3, 3, 0 }));
    EXPECT_EQ(layersOf(""), (std::vector{ 0 }));
}

TEST(LayoutString, WhatIsWrongIsNamedWithItsPlace)
{
    struct Case
    {
        const char *text, *where, *message;
    };
    for (const Case &c : { Case{ "Et|tx|L", "character 5", "'x' is not a layout letter" }, Case{ "Et|(tt|)*3", "", "" },
                           Case{ "Et|(tt|L", "character 4", "a bracket is not closed" },
                           Case{ "Et|tt)L", "character 6", "a closing bracket has no opening one" },
                           Case{ "Et*|L", "character 3", "'*' needs a count from 1 to 4,096" },
                           Case{ "Et*0|L", "character 3", "'*' needs a count from 1 to 4,096" },
                           Case{ "Et*99999999999|L", "character 3", "'*' needs a count from 1 to 4,096" },
                           Case{ "*3", "character 1", "'*' is not a layout letter" },
                           Case{ "((((((((((t))))))))))", "character 9", "brackets nest deeper than 8" } }) {
        const Expected<std::vector<LayoutStage>> stages = parseLayout(c.text);
        if (*c.message == 0) {
            EXPECT_TRUE(stages) << c.text;
            continue;
        }
        ASSERT_FALSE(stages) << c.text;
        EXPECT_EQ(stages.error().where, c.where) << c.text;
        EXPECT_EQ(stages.error().message, c.message) << c.text;
    }
}

TEST(LayoutString, NestedRepeatsCannotExhaustMemory)
{
    EXPECT_FALSE(parseLayout("((((t*4096)*4096)*4096)*4096)*4096"));
    EXPECT_FALSE(parseLayout("((|)*4096)*4096"));
    EXPECT_FALSE(parseLayout("(|*4096)*9")); // 36,865 stages
}

TEST(GoldenLayouts, EveryPublishedLayoutStringCountsAsItsSourceSays)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden layouts are not beside the source tree";
    std::ifstream file(*sharedFolder() + "/golden/layout_vectors.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    int compared = 0;
    for (const auto &row : golden.at("layouts")) {
        const auto text = row.at("layout").get<std::string>();
        const Expected<std::vector<LayoutStage>> stages = parseLayout(text);
        ASSERT_TRUE(stages) << text;
        EXPECT_EQ(layersOf(text), row.at("per_stage_decoders").get<std::vector<int>>()) << text;
        LayoutStage sum;
        int empty = 0;
        for (const LayoutStage &stage : *stages) {
            sum.layers += stage.layers;
            sum.mtpModules += stage.mtpModules;
            sum.losses += stage.losses;
            empty += stage == LayoutStage{} ? 1 : 0;
        }
        EXPECT_EQ(stages->size(), row.at("stages").get<std::size_t>()) << text;
        EXPECT_EQ(sum.layers, row.at("decoders").get<int>()) << text;
        EXPECT_EQ(sum.mtpModules, row.at("mtp").get<int>()) << text;
        EXPECT_EQ(sum.losses, row.at("losses").get<int>()) << text;
        EXPECT_EQ(empty, row.at("empty_stages").get<int>()) << text;
        ++compared;
    }
    EXPECT_EQ(compared, 18);
}

} // namespace pipeloom
