// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter and FLOP counts against the published figures.
#include "core/model/counts.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace pipeloom
{
namespace
{

ModelSpec preset(const std::string &name)
{
    Expected<ModelSpec> model = modelPreset(name);
    EXPECT_TRUE(model) << name;
    return model ? *model : ModelSpec{};
}

struct TotalCase
{
    const char *model;
    std::int64_t total, attention, denseLayer, moeLayer;
};

// Recounted from the released configs; V3's total is the 671 B of its report.
TEST(Counts, ParametersOfTheDeepSeekFamilyAreExact)
{
    const TotalCase cases[] = {
        {"deepseek-v3", 671'026'404'352, 187'105'280, 583'483'392, 11'507'286'016},
        {"deepseek-v2", 235'741'434'880, 149'225'472, 337'981'440, 3'972'116'480},
        {"deepseek-v2-lite", 15'706'484'224, 13'762'560, 81'007'104, 584'847'872},
    };
    for (const TotalCase &c : cases) {
        const ParameterCounts counts = countParameters(preset(c.model));
        EXPECT_EQ(counts.total, c.total) << c.model;
        EXPECT_EQ(counts.attentionPerLayer, c.attention) << c.model;
        EXPECT_EQ(counts.denseLayer, c.denseLayer) << c.model;
        EXPECT_EQ(counts.moeLayer, c.moeLayer) << c.model;
    }
}

TEST(Counts, DeepSeekV3HasThreeActiveConventionsAndAnMtpModule)
{
    const ParameterCounts counts = countParameters(preset("deepseek-v3"));
    EXPECT_EQ(counts.mtp, 11'610'067'968);
    EXPECT_EQ(counts.activeWithHead, 36'625'603'584); // the published 36.7 B
    EXPECT_EQ(counts.activeWithBoth, 37'552'282'624); // Megatron-LM's own 37.55 B
    EXPECT_EQ(counts.activeBlocks, 36'625'603'584 - 926'679'040);
    EXPECT_EQ(counts.scoreBias, 58 * 256);
    EXPECT_EQ(counts.routedExpert, 44'040'192);
    EXPECT_EQ(counts.embedding, 926'679'040);
}

TEST(Counts, TheRowsAddUpToTheTotal)
{
    for (const std::string &name : modelPresetNames()) {
        const ModelSpec model = preset(name);
        const ParameterCounts counts = countParameters(model);
        std::int64_t sum = 0;
        for (const WeightMatrix &m : weightMatrices(model)) {
            const int dense = model.moe.experts == 0 ? model.layers : model.denseLayers;
            switch (m.place) {
            case WeightPlace::EveryLayer:
                sum += model.layers * m.parameters();
                break;
            case WeightPlace::DenseLayer:
                sum += dense * m.parameters();
                break;
            case WeightPlace::MoeLayer:
                sum += (model.layers - dense) * m.parameters();
                break;
            case WeightPlace::Embedding:
            case WeightPlace::Head:
                sum += m.parameters();
                break;
            case WeightPlace::Mtp:
                break;
            }
        }
        EXPECT_EQ(sum, counts.total) << name;
        EXPECT_LE(counts.activeWithHead, counts.total) << name;
    }
}

// Published totals in billions: model cards.
TEST(Counts, OtherPresetsMatchTheirPublishedTotals)
{
    const std::map<std::string, double> published = {{"mixtral-8x22b", 140.6}, {"qwen3-235b-a22b", 235.0}, {"qwen3-30b-a3b", 30.5},
                                                     {"kimi-k2", 1026.0},     {"llama-3.1-70b", 70.6},    {"llama-3.1-405b", 405.9}};
    for (const auto &[name, billions] : published) {
        const double ours = static_cast<double>(countParameters(preset(name)).total) / 1e9;
        EXPECT_NEAR(ours / billions, 1.0, 0.005) << name << ": " << ours;
    }
}

// ISCA'25 Table 2: 250 and 155 GFLOP a token; NVIDIA's ratios for Qwen3 and Kimi-K2.
TEST(Counts, TrainingFlopsPerTokenMatchPublishedFigures)
{
    const std::map<std::string, double> gigaflops = {{"deepseek-v3", 250.45},     {"deepseek-v2", 155.30}, {"qwen3-235b-a22b", 148.33},
                                                     {"qwen3-30b-a3b", 23.08}, {"kimi-k2", 205.47}};
    for (const auto &[name, expected] : gigaflops)
        EXPECT_NEAR(countFlops(preset(name), 4096).trainPerToken / 1e9, expected, 0.005) << name;
    const FlopCounts v3 = countFlops(preset("deepseek-v3"), 4096);
    EXPECT_NEAR(v3.trainPerTokenNonCausal / 1e9, 281.15, 0.01);
    EXPECT_NEAR(v3.trainPerTokenWithMtp / 1e9, 260.64, 0.01);
    EXPECT_NEAR(v3.attentionCore / 1e6, 167.77, 0.01);
}

TEST(Counts, ATiedHeadIsCountedOnce)
{
    ModelSpec model = preset("llama-3.1-8b");
    const ParameterCounts apart = countParameters(model);
    model.tiedEmbeddings = true;
    const ParameterCounts tied = countParameters(model);
    EXPECT_EQ(apart.total - tied.total, apart.head);
    EXPECT_EQ(tied.activeWithHead, apart.activeWithHead);
    EXPECT_EQ(countFlops(model, 4096).head, countFlops(preset("llama-3.1-8b"), 4096).head);
}

} // namespace
} // namespace pipeloom
