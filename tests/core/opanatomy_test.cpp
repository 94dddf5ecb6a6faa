// SPDX-License-Identifier: GPL-3.0-or-later
// What an op consists of: the pair of DeepSeek's published training profile, and properties that every anatomy has.
#include "core/cost/opanatomy.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace pipeloom
{
namespace
{

LayerParts partsOf(const nlohmann::json &j, double nanoseconds)
{
    const auto at = [&](const char *key) { return std::llround(j.at(key).get<double>() * nanoseconds); };
    LayerParts l;
    l.attentionF = at("attnF");
    l.dispatchF = at("dispF");
    l.mlpF = at("mlpF");
    l.combineF = at("combF");
    l.combineB = at("combB");
    l.mlpB = at("mlpB");
    l.mlpW = at("mlpW");
    l.dispatchB = at("dispB");
    l.attentionB = at("attnB");
    l.attentionW = at("attnW");
    return l;
}

/// Components of DeepSeek's profile-data train.json, microseconds: means of the four layer pairs, and pair by pair.
/// Order: ATTN(F) DISP(F) MLP(F) COMB(F) COMB(B) MLP(B) MLP(W) DISP(B) ATTN(B) ATTN(W).
LayerParts profileMean()
{
    return { 0, 4598750, 6737500, 4641250, 8695750, 5784000, 0, 5363000, 5072750, 7558250, 9540250, 2395750, 0, 0 };
}

StageParts fourMeanLayers()
{
    StageParts stage;
    for (int i = 0; i < 4; ++i) {
        stage.layers.push_back(profileMean());
        stage.layers.back().layer = i;
    }
    return stage;
}

// Measured 129.0 ms, one part after the other 241.5 ms.
TEST(OpAnatomy, ThePairOfTheProfileTakes127Point6InMeansAnd241Point5InSeries)
{
    const StageParts stage = fourMeanLayers();
    const PairHalf half{ stage, stage };
    EXPECT_EQ(pairAnatomy(half, half, PairOrder::DeepSeek).duration, 127'632'250);
    EXPECT_EQ(pairAnatomy(half, half, PairOrder::Serial).duration, 241'549'000);
    EXPECT_EQ(forwardAnatomy(stage).duration + backwardAnatomy(stage, true, true).duration, 241'549'000);
}

TEST(OpAnatomy, EqualsTheGoldenPairPartForPart)
{
    const std::optional<std::string> shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the golden pair is not here";
    std::ifstream in(*shared + "/golden/schedules/overlap.json");
    const nlohmann::json golden = nlohmann::json::parse(in);
    // Layer pair by layer pair, as they were measured. The backward runs from the last layer to the first.
    StageParts forward, backward;
    for (const auto &layer : golden["per_layer"]) {
        forward.layers.push_back(partsOf(layer, 1000));
        backward.layers.insert(backward.layers.begin(), partsOf(layer, 1000));
    }
    EXPECT_EQ(pairAnatomy({ forward, forward }, { backward, backward }, PairOrder::DeepSeek).duration,
              golden["model_us"].get<Nanoseconds>() * 1000);

    const StageParts mean = fourMeanLayers();
    const PairHalf half{ mean, mean };
    const OpAnatomy anatomy = pairAnatomy(half, half, PairOrder::DeepSeek);
    const std::map<OpPart, std::string> keys{
        { OpPart::AttentionF, "attnF" }, { OpPart::DispatchF, "dispF" }, { OpPart::MlpF, "mlpF" },
        { OpPart::CombineF, "combF" },   { OpPart::CombineB, "combB" },  { OpPart::MlpB, "mlpB" },
        { OpPart::MlpW, "mlpW" },        { OpPart::DispatchB, "dispB" }, { OpPart::AttentionB, "attnB" },
        { OpPart::AttentionW, "attnW" },
    };
    ASSERT_EQ(anatomy.parts.size(), golden["timeline_mean"].size());
    std::map<OpPart, int> seen;
    for (const AnatomyPart &part : anatomy.parts) {
        const std::string key = keys.at(part.part) + "." + std::to_string(seen[part.part]++);
        const auto &expected = golden["timeline_mean"].at(key);
        EXPECT_EQ(part.start, std::llround(expected[0].get<double>() * 1000)) << key;
        EXPECT_EQ(part.end, std::llround(expected[1].get<double>() * 1000)) << key;
    }
}

// Without delayed weight gradients a backward's result leaves after its weight gradients.
TEST(OpAnatomy, MegatronsOrderIsNeverFasterThanDeepSeeks)
{
    const StageParts stage = fourMeanLayers();
    const PairHalf half{ stage, stage };
    const OpAnatomy deepSeek = pairAnatomy(half, half, PairOrder::DeepSeek);
    const OpAnatomy megatron = pairAnatomy(half, half, PairOrder::Megatron);
    EXPECT_GT(megatron.duration, deepSeek.duration);
    EXPECT_EQ(megatron.compute, deepSeek.compute);
    EXPECT_LT(megatron.duration, 241'549'000);
}

void expectWhole(const OpAnatomy &anatomy, const std::string &what)
{
    std::map<GpuStream, Nanoseconds> end;
    Nanoseconds last = 0, compute = 0;
    for (const AnatomyPart &part : anatomy.parts) {
        EXPECT_LT(part.start, part.end) << what;
        EXPECT_GE(part.start, end[part.stream]) << what << ' ' << name(part.part);
        end[part.stream] = part.end;
        last = std::max(last, part.end);
        if (part.stream == GpuStream::Compute)
            compute += part.end - part.start;
    }
    EXPECT_EQ(last, anatomy.duration) << what;
    EXPECT_EQ(compute, anatomy.compute) << what;
    EXPECT_GE(anatomy.exposed(), 0) << what;
}

// Every op of every sample: streams do not overlap themselves, parts sum to the op that the simulator ran.
TEST(OpAnatomy, ExplainsTheDurationOfEveryStageOfTheSamples)
{
    int pairs = 0;
    for (const Sample &sample : samples()) {
        const auto e = evaluate(parseScenario(sample.text)->scenario);
        ASSERT_TRUE(e->valid) << sample.name;
        const OpTimes &t = e->times;
        if (t.alone.empty()) {
            EXPECT_EQ(e->scenario.timing.source, TimingSource::Manual);
            continue;
        }
        for (std::size_t s = 0; s < t.alone.size(); ++s) {
            const std::string what = sample.name + " stage " + std::to_string(s);
            const OpAnatomy f = forwardAnatomy(t.alone[s]);
            const OpAnatomy bi = backwardAnatomy(t.alone[s], true, false);
            const OpAnatomy w = backwardAnatomy(t.alone[s], false, true);
            const OpAnatomy b = backwardAnatomy(t.alone[s], true, true);
            for (const OpAnatomy *anatomy : { &f, &bi, &w, &b })
                expectWhole(*anatomy, what);
            EXPECT_EQ(f.duration, t.durations.f[s]) << what;
            EXPECT_EQ(bi.duration, t.durations.bi[s]) << what;
            EXPECT_EQ(w.duration, t.durations.w[s]) << what;
            EXPECT_EQ(b.duration, t.durations.b[s]) << what;
            EXPECT_EQ(f.exposed(), t.stages[s].exposedF) << what;
            EXPECT_EQ(bi.exposed(), t.stages[s].exposedBi) << what;
            EXPECT_EQ(w.exposed(), 0) << what;
            const OpAnatomy pair = pairAnatomy({ t.beside[s], t.alone[s] }, { t.beside[s], t.alone[s] }, PairOrder::DeepSeek);
            expectWhole(pair, what);
            // Two streams never take longer than one.
            EXPECT_LE(pair.duration, forwardAnatomy(t.beside[s]).duration + backwardAnatomy(t.beside[s], true, true).duration)
                << what;
            ++pairs;
        }
    }
    EXPECT_GT(pairs, 10);
}

// Schedule facts, the overlapped pair: Megatron's combined 1F1B holds no multiprocessors back, DualPipe 20 of 132.
TEST(OpAnatomy, MegatronsPairsComputeOnTheWholeGpu)
{
    Scenario s = parseScenario(samples().front().text)->scenario;
    s.plan.vpp = 2;
    s.plan.schedule = ScheduleKind::CombinedAllToAll;
    s.plan.globalBatch = 128 * 24;
    const auto megatron = evaluatePlain(s);
    ASSERT_TRUE(megatron->valid);
    EXPECT_EQ(megatron->times.pairOrder, PairOrder::Megatron);
    s.plan.vpp = 1;
    s.plan.schedule = ScheduleKind::DualPipe;
    const auto dualPipe = evaluatePlain(s);
    ASSERT_TRUE(dualPipe->valid);
    const auto middle = [](const std::vector<StageParts> &stages) { return stages[stages.size() / 2].layers.front(); };
    const LayerParts whole = middle(megatron->times.alone), paired = middle(megatron->times.beside);
    EXPECT_EQ(paired.mlpF, whole.mlpF);
    EXPECT_EQ(paired.attentionB, whole.attentionB);
    EXPECT_GT(paired.dispatchF, whole.dispatchF); // contention stays
    EXPECT_GT(middle(dualPipe->times.beside).mlpF, middle(dualPipe->times.alone).mlpF);
}

// A stage of three layers beside one of two: the third finds no partner and hides nothing.
TEST(OpAnatomy, ALayerWithoutPartnerRunsByItself)
{
    StageParts longer = fourMeanLayers(), shorter = fourMeanLayers();
    longer.layers.resize(3);
    shorter.layers.resize(2);
    const OpAnatomy two = pairAnatomy({ shorter, shorter }, { shorter, shorter }, PairOrder::DeepSeek);
    StageParts one = longer;
    one.layers.resize(1);
    const OpAnatomy alone = forwardAnatomy(one);
    const OpAnatomy uneven = pairAnatomy({ longer, longer }, { shorter, shorter }, PairOrder::DeepSeek);
    EXPECT_EQ(uneven.duration, two.duration + alone.duration);
    EXPECT_EQ(uneven.exposed(), two.exposed() + alone.exposed());
}

} // namespace
} // namespace pipeloom
