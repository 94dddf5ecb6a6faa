// SPDX-License-Identifier: GPL-3.0-or-later
// Layers over stages: published splits (DeepSeek-V3 61 over 16, 8, 12; Qwen3-235B 94; GLM 46) and every way to write one.
#include "tests/core/plan_fixture.h"
#include "tests/shared.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>

namespace pipeloom
{

namespace
{

/// A dense 1F1B plan on as many GPUs as stages, of so many layers.
Scenario layered(int layers, int pp, LayoutRequest layout = {}, int mtp = 0)
{
    Scenario s = withModel(deepseekStory(), "deepseek-v3");
    s.model.layers = layers;
    s.model.denseLayers = std::min(3, layers);
    s.model.mtpDepth = mtp;
    s.plan = {};
    s.plan.gpus = pp;
    s.plan.pp = pp;
    s.plan.globalBatch = 64;
    s.plan.layout = std::move(layout);
    return s;
}

std::vector<int> layersPerStage(const PlanCheck &checked)
{
    std::vector<int> out;
    for (const StageContent &stage : checked.layout.stages)
        out.push_back(stage.layers);
    return out;
}

std::string built(const Scenario &s)
{
    const PlanCheck checked = check(s);
    const Diagnostic *line = find(checked, "layers-built");
    return line != nullptr ? line->message : codes(checked);
}

} // namespace

TEST(Layout, NothingGivenTakesTheSmallestRepairAndSaysWhatIsBuilt)
{
    EXPECT_EQ(built(layered(61, 8)), "61 of 61 layers built: 7 stages of 8, last of 5");
    EXPECT_EQ(built(layered(61, 16)), "61 of 61 layers built: 15 stages of 4, last of 1");
    EXPECT_EQ(built(layered(64, 8)), "64 of 64 layers built: 8 stages of 8");
    EXPECT_EQ(built(layered(46, 4)), "46 of 46 layers built: 3 stages of 12, last of 10");
    EXPECT_EQ(built(layered(61, 1)), "61 of 61 layers built: 1 stage of 61");
    // 12 stages of 6 would need 66 layers with a last stage of -5: counts that differ by one, the ends light.
    EXPECT_EQ(layersPerStage(check(layered(61, 12))), (std::vector{ 5, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 }));
    EXPECT_EQ(built(layered(40, 16)), "40 of 40 layers built: 16 stages of 2 to 3");
}

TEST(Layout, NeverDropsALayerForAnyLayersAndStages)
{
    for (int layers = 1; layers <= 130; ++layers) {
        for (int pp = 1; pp <= 40; ++pp) {
            const PlanCheck checked = check(layered(layers, pp));
            if (pp > layers) {
                EXPECT_NE(find(checked, "stages-layers"), nullptr);
                continue;
            }
            const std::vector<int> counts = layersPerStage(checked);
            ASSERT_EQ(counts.size(), static_cast<std::size_t>(pp));
            EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), layers);
            EXPECT_GE(*std::ranges::min_element(counts), 1);
            EXPECT_EQ(checked.layout.layersBuilt, layers);
            EXPECT_EQ(*std::ranges::max_element(counts), (layers + pp - 1) / pp);
            EXPECT_EQ(checked.layout.even, layers % pp == 0);
        }
    }
}

TEST(Layout, DenseLayersEmbeddingHeadAndMtpSitWhereTheModelHasThem)
{
    const PlanCheck checked = check(layered(61, 16, {}, 1));
    const std::vector<StageContent> &stages = checked.layout.stages;
    ASSERT_EQ(stages.size(), 16U);
    EXPECT_EQ(stages[0],
              (StageContent{ .stage = 0,
                             .firstLayer = 0,
                             .layers = 4,
                             .denseLayers = 3,
                             .moeLayers = 1,
                             .embedding = true,
                             .head = false,
                             .mtpModules = 0 }));
    EXPECT_EQ(stages[1],
              (StageContent{ .stage = 1,
                             .firstLayer = 4,
                             .layers = 4,
                             .denseLayers = 0,
                             .moeLayers = 4,
                             .embedding = false,
                             .head = false,
                             .mtpModules = 0 }));
    EXPECT_EQ(stages[15],
              (StageContent{ .stage = 15,
                             .firstLayer = 60,
                             .layers = 1,
                             .denseLayers = 0,
                             .moeLayers = 1,
                             .embedding = false,
                             .head = true,
                             .mtpModules = 1 }));
}

TEST(Layout, AMegatronStringPlacesLayersAndMtp)
{
    const PlanCheck checked = check(layered(61, 16, std::string("Et*4|(tttt|)*14tmL"), 1));
    EXPECT_EQ(codes(checked), "");
    EXPECT_EQ(checked.layout.stages[15].mtpModules, 1);

    // MTP on a stage of its own, the loss behind it: 32 chunks, PP16 VPP2.
    Scenario standalone = layered(61, 16, std::string("Et*3|(tt|)*29,m|L"), 1);
    standalone.plan.schedule = ScheduleKind::Interleaved;
    standalone.plan.vpp = 2;
    const PlanCheck apart = check(standalone);
    EXPECT_EQ(codes(apart), "");
    ASSERT_EQ(apart.layout.stages.size(), 32U);
    EXPECT_EQ(apart.layout.stages[30].mtpModules, 1);
    EXPECT_FALSE(apart.layout.stages[30].head);
    EXPECT_TRUE(apart.layout.stages[31].head);
    EXPECT_EQ(apart.layout.stages[31].layers, 0);
}

TEST(Layout, AWrongStringIsRefusedWithStageExpectationAndFinding)
{
    struct Case
    {
        const char *text;
        int mtp;
        const char *code, *message;
    };
    for (const Case &c : {
             Case{ "Et*4|(tttt|)*14tL", 1, "layout-mtp", "The layout has 0 m, the model 1 MTP module." },
             Case{ "Et*4|(tttt|)*14tmL", 0, "layout-mtp", "The layout has 1 m, the model 0 MTP modules." },
             Case{ "t*4|(tttt|)*14tL", 0, "layout-embedding", "Stage 0 must begin with the one E, the layout has 0." },
             Case{ "tE*1t*3|(tttt|)*14tL", 0, "layout-embedding",
                   "Stage 0 must begin with the one E, the layout has 1 behind other letters." },
             Case{ "t*4|E(tttt|)*14tL", 0, "layout-embedding",
                   "Stage 0 must begin with the one E, the layout has 1 on another stage." },
             Case{ "Et*4|(tttt|)*14t", 0, "layout-loss", "Stage 15 must end with L, the last stage has none." },
             Case{ "Et*4|(tttt|)*14Lt", 0, "layout-loss", "On stage 15 something follows L, the loss comes last." },
             Case{ "Et*4|(tttt|)*14L", 0, "layout-layers", "The layout builds 60 layers, the model has 61." },
             Case{ "Et*4|(tttt|)*13tttt|mtL", 1, "layout-mtp-stage", "Stage 15 holds t behind m, MTP follows the last layer." },
             Case{ "Et*4|(tttt|)*13tL", 0, "layout-stages", "The layout has 15 stages, PP 16 with 1F1B needs 16." },
             Case{ "Et*4|(tttq|)*14tL", 0, "layout-string",
                   "The layout cannot be read at character 10: 'q' is not a layout letter; use E, t, m, L, |, (...)*n and x*n." },
         }) {
        const PlanCheck checked = check(layered(61, 16, std::string(c.text), c.mtp));
        const Diagnostic *found = find(checked, c.code);
        ASSERT_NE(found, nullptr) << c.text << " gave " << codes(checked);
        EXPECT_EQ(found->message, c.message) << c.text;
        EXPECT_EQ(found->field, "plan.layout");
        EXPECT_FALSE(found->fixes.empty()) << c.text;
        EXPECT_TRUE(checked.layout.stages.empty()) << "nothing may run on a broken layout";
    }
}

TEST(Layout, MtpOnPipelineRankZeroAndOnSeveralStagesIsRefused)
{
    Scenario s = layered(8, 4, std::string("Et|t|t|t|tm|t|t|tL"), 1);
    s.plan.schedule = ScheduleKind::Interleaved;
    s.plan.vpp = 2;
    EXPECT_EQ(codes(check(s)), "layout-mtp-stage");
    s.plan.layout = std::string("Et|t|t|t|t|t|tm|tmL");
    s.model.mtpDepth = 2;
    EXPECT_EQ(codes(check(s)), "layout-mtp-stage");
    s.plan.layout = std::string("Et|t|t|t|t|t|t|tmmL");
    EXPECT_EQ(codes(check(s)), "");
}

TEST(Layout, SeveralLossesAreTakenWithAWarning)
{
    Scenario s = layered(10, 8, std::string("E|(t|)*10m*3|||LL|LL"), 3);
    s.plan.schedule = ScheduleKind::Interleaved;
    s.plan.vpp = 2;
    const PlanCheck checked = check(s);
    EXPECT_EQ(codes(checked), "");
    ASSERT_NE(find(checked, "layout-losses"), nullptr);
    EXPECT_TRUE(checked.layout.stages.back().head);
}

TEST(Layout, AMissingMtpIsAddedByItsFix)
{
    const Scenario s = layered(61, 16, std::string("Et*4|(tttt|)*14tL"), 1);
    const PlanCheck checked = check(s);
    const Diagnostic *found = find(checked, "layout-mtp");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->fixes.front().set.front(), (Setting{ "plan.layout", "\"Et*4|(tttt|)*14tmL\"" }));
}

TEST(Layout, AStringForTwoChunksOffersInterleaving)
{
    const Scenario s = layered(14, 4, std::string("Et*2|(tt|)*5t|tL"));
    const PlanCheck checked = check(s);
    const Diagnostic *found = find(checked, "layout-stages");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->fixes.front().label, "Use interleaved 1F1B with VPP 2");
}

TEST(Layout, ListsMustMatchStagesAndLayers)
{
    EXPECT_EQ(codes(check(layered(61, 4, std::vector{ 16, 16, 16, 13 }))), "");
    const PlanCheck shortList = check(layered(61, 4, std::vector{ 16, 16, 16 }));
    EXPECT_EQ(find(shortList, "layout-stages")->message, "The layout has 3 stages, PP 4 with 1F1B needs 4.");
    const PlanCheck dropped = check(layered(61, 4, std::vector{ 15, 15, 15, 15 }));
    EXPECT_EQ(find(dropped, "layout-layers")->message, "The layout builds 60 layers, the model has 61.");
    EXPECT_EQ(dropped.layout.layersBuilt, 60);
    EXPECT_EQ(labels(*find(dropped, "layout-layers")), "Put 16 on the last stage; Split the layers evenly");
    EXPECT_EQ(codes(check(layered(61, 4, std::vector{ 16, -16, 16, 45 }))), "layout-stages");
    EXPECT_EQ(codes(check(layered(61, 4, std::vector{ 0, 30, 31, 0 }))), ""); // empty stages are legal
    EXPECT_EQ(codes(check(layered(61, 2, std::vector{ 2147483647, 2147483647 }))), "layout-layers");
    EXPECT_EQ(codes(check(layered(61, 1, std::vector<int>{}))), "layout-stages");
}

TEST(Layout, FirstAndLastLeaveARestThatMustDivide)
{
    EXPECT_EQ(layersPerStage(check(layered(61, 12, FirstLastLayout{ std::nullopt, 6 }))),
              (std::vector{ 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6 }));
    const PlanCheck uneven = check(layered(61, 16, FirstLastLayout{ 4, 2 }));
    const Diagnostic *found = find(uneven, "layout-first-last");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->message, "After first 4 and last 2, 55 layers remain for 14 stages: they cannot be spread evenly.");
    EXPECT_EQ(labels(*found).substr(0, 23), "Use last 1; Use last 15");
    // One stage is first and last at once: Megatron would train a single layer.
    EXPECT_EQ(codes(check(layered(61, 1, FirstLastLayout{ std::nullopt, 1 }))), "layout-first-last");
    EXPECT_EQ(codes(check(layered(61, 2, FirstLastLayout{ 30, 30 }))), "layout-first-last");
    EXPECT_EQ(codes(check(layered(61, 2, FirstLastLayout{ 30, 31 }))), "");
    EXPECT_EQ(codes(check(layered(61, 4, FirstLastLayout{ -2147483647, 2147483647 }))), "layout-first-last");
}

TEST(Layout, FirstAndLastCountRanksWhenChunksAreLooped)
{
    Scenario s = layered(20, 4, FirstLastLayout{ 4, 4 });
    s.plan.schedule = ScheduleKind::Interleaved;
    s.plan.vpp = 2;
    EXPECT_EQ(layersPerStage(check(s)), (std::vector{ 2, 3, 3, 2, 2, 3, 3, 2 }));
    s.plan.layout = FirstLastLayout{ 3, 3 };
    EXPECT_EQ(codes(check(s)), "layout-first-last");
}

TEST(GoldenLayouts, UnevenSplitsOfPublicRecipesAreReproduced)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden layouts are not beside the source tree";
    std::ifstream file(*sharedFolder() + "/golden/layout_vectors.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    int compared = 0;
    for (const auto &row : golden.at("uneven")) {
        if (!row.at("ok").get<bool>() || !row.contains("first") || (row.at("first").is_null() && row.at("last").is_null()))
            continue;
        const auto number = [&](const char *key) {
            return row.at(key).is_null() ? std::nullopt : std::optional(row.at(key).get<int>());
        };
        const Scenario s =
            layered(row.at("L").get<int>(), row.at("PP").get<int>(), FirstLastLayout{ number("first"), number("last") });
        EXPECT_EQ(layersPerStage(check(s)), row.at("layers_per_rank").get<std::vector<int>>()) << row.at("source");
        ++compared;
    }
    EXPECT_EQ(compared, 8);
}

TEST(GoldenLayouts, EveryPublishedStringIsAPlanThatRuns)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden layouts are not beside the source tree";
    std::ifstream file(*sharedFolder() + "/golden/layout_vectors.json");
    const nlohmann::json golden = nlohmann::json::parse(file);
    int compared = 0;
    for (const auto &row : golden.at("layouts")) {
        if (row.at("pp").is_null())
            continue;
        Scenario s = layered(row.at("decoders").get<int>(), row.at("pp").get<int>(), row.at("layout").get<std::string>(),
                             row.at("mtp").get<int>());
        s.plan.vpp = row.at("vpp").get<int>();
        s.plan.globalBatch = 4 * s.plan.pp;
        if (s.plan.vpp > 1)
            s.plan.schedule = ScheduleKind::Interleaved;
        const PlanCheck checked = check(s);
        const bool proposal = row.at("losses").get<int>() > 1; // Megatron #5318, with its MTP on three stages
        EXPECT_EQ(codes(checked), proposal ? "layout-mtp-stage" : "") << row.at("layout");
        ++compared;
    }
    EXPECT_EQ(compared, 17);
}

} // namespace pipeloom
