// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariofile.h"
#include "tests/core/temporaryfolder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace pipeloom
{
namespace
{

/// Draws scenarios over everything a file can say.
class Draw
{
public:
    explicit Draw(unsigned seed)
        : m_random(seed)
    {
    }

    int upTo(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }
    int between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(m_random); }
    double real(double least, double most) { return std::uniform_real_distribution<double>(least, most)(m_random); }
    bool coin() { return upTo(1) == 1; }
    template<class T>
    const T &oneOf(const std::vector<T> &values)
    {
        return values[static_cast<std::size_t>(upTo(static_cast<int>(values.size()) - 1))];
    }

    std::string word()
    {
        static const std::vector<std::string> parts{ "a", "Z", " ", "\"", "\\", "\n", "/", "~", "σ", "−", "😀", "{", "0" };
        std::string out;
        for (int i = upTo(6); i > 0; --i)
            out += oneOf(parts);
        return out;
    }

    Scenario scenario()
    {
        Scenario s;
        s.name = word();
        model(s);
        cluster(s);
        plan(s.plan);
        precision(s);
        recompute(s.recompute);
        s.runtime.moe =
            oneOf(std::vector<std::string>{ "deepep", "megatron-alltoall", "megatron-allgather", "tutel", "x-moe-ssmb" });
        s.runtime.attention = coin() ? "flash" : "materialised";
        s.runtime.lossFusion = oneOf(std::vector<std::string>{ "te", "native", "unfused" });
        s.runtime.dummyWeightGradients = coin();
        s.runtime.overlap = coin();
        s.runtime.vocabMultiple = between(1, 1024);
        s.routing = { coin() ? RoutingFamily::Uniform : RoutingFamily::Lognormal, real(0, 5), m_random(), upTo(16), coin() };
        if (coin()) {
            s.runtime.capacityFactor = real(0.5, 4);
            s.runtime.padToCapacity = coin();
        }
        timing(s.timing);
        s.memory = { real(1, 2), real(0, 10) };
        s.usdPerGpuHour = real(0, 10);
        if (coin()) {
            s.measured.emplace();
            s.measured->step = real(1, 100);
            s.measured->f = coin() ? real(0, 10) : 0;
            s.measured->bubble = coin() ? real(0, 10) : 0;
            s.measured->source = word();
        }
        for (int i = upTo(3); i > 0; --i)
            s.alternatives.push_back({ std::to_string(i) + word(),
                                       { { "plan.pp", std::to_string(between(1, 64)) }, { "plan.schedule", "\"1f1b\"" } } });
        return s;
    }

private:
    void model(Scenario &s)
    {
        const auto names = modelPresetNames();
        if (coin()) {
            s.modelChoice.preset = oneOf(names);
            s.model = *modelPreset(s.modelChoice.preset);
            if (coin()) {
                s.model.vocab = between(1, 300'000);
                s.modelChoice.overrides = { { "vocab", std::to_string(s.model.vocab) } };
                s.model.title += ", changed";
            }
            return;
        }
        // Written out in full.
        s.model = *modelPreset(oneOf(names));
        s.model.name = word();
        s.model.title = word();
        s.model.hidden = between(1, 20'000);
        s.model.tiedEmbeddings = coin();
        s.model.mlpMatrices = between(2, 3);
        s.model.mtpDepth = upTo(3);
        s.model.attention.qkvBias = coin();
    }

    void cluster(Scenario &s)
    {
        s.clusterChoice.preset = oneOf(clusterPresetNames());
        s.cluster = *clusterPreset(s.clusterChoice.preset);
        if (coin())
            return;
        s.clusterChoice.preset.clear();
        s.cluster.title = word();
        s.cluster.bf16Flops = real(1e12, 1e16);
        s.cluster.hbmBytes = std::uniform_int_distribution<ByteCount>(ByteCount{ 1 } << 30, ByteCount{ 1 } << 38)(m_random);
        s.cluster.hbmBandwidth = real(1e11, 1e13);
        s.cluster.gpusPerNode = between(1, 72);
        s.cluster.scaleUpDomain = between(1, 576);
        s.cluster.expertScaleOutBandwidth = real(1e9, 1e11);
        s.cluster.scaleOutLatency = real(0, 1e-4);
        s.cluster.rocm = coin();
    }

    void plan(ParallelPlan &p)
    {
        p.gpus = between(1, 1'000'000);
        p.tp = between(1, 4096);
        p.pp = between(1, 4096);
        p.vpp = between(1, 64);
        p.ep = between(1, 65'536);
        p.etp = between(1, 4096);
        p.cp = between(1, 4096);
        p.microBatch = between(1, 8);
        p.globalBatch = between(1, 10'000'000);
        p.seq = between(1, 65'536);
        const auto kinds = allScheduleKinds();
        p.schedule = kinds[static_cast<std::size_t>(upTo(static_cast<int>(kinds.size()) - 1))];
        if (coin())
            p.interleaveGroup = between(1, 1000);
        switch (upTo(3)) {
        case 0:
            p.layout = "Et|" + word() + "L";
            break;
        case 1:
            p.layout = std::vector<int>{ between(0, 100), between(0, 100) };
            break;
        case 2:
            p.layout = FirstLastLayout{ coin() ? std::optional(between(0, 9)) : std::nullopt, between(0, 9) };
            break;
        default:
            break;
        }
        p.zero = upTo(3);
        p.sequenceParallel = coin();
        p.placement = coin() ? Placement::ExpertFirst : Placement::DataFirst;
    }

    void precision(Scenario &s)
    {
        s.precisionChoice.preset = oneOf(precisionPresetNames());
        s.precision = *precisionPreset(s.precisionChoice.preset);
        if (coin())
            return;
        s.precisionChoice.preset.clear();
        s.precision.name = "custom";
        s.precision.weight = real(0.5, 8);
        s.precision.moments = real(0, 16);
        s.precision.fp8Compute = coin();
        s.precision.fp16 = coin();
    }

    void recompute(Recompute &r)
    {
        switch (upTo(2)) {
        case 0:
            r = *recomputePreset(oneOf(recomputePresetNames()));
            break;
        case 1:
            r.modules = static_cast<std::uint32_t>(between(1, 127));
            r.name = "custom";
            break;
        default:
            r.full = true;
            r.fullBlock = true;
            r.fullLayers = between(1, 60);
            r.name = "custom";
        }
    }

    void timing(Timing &t)
    {
        t.source = static_cast<TimingSource>(upTo(2));
        if (t.source == TimingSource::Calibrated || coin()) {
            t.profileName = "deepseek-v3-h800";
            t.profile = *profilePreset(t.profileName);
        }
        if (t.source == TimingSource::Manual || coin()) {
            t.manual = { real(1e-6, 1), real(1, 2), real(0, 1), coin() ? real(1e-6, 3) : 0, real(0, 1e-3) };
        }
    }

    std::mt19937 m_random;
};

TEST(RoundTrip, AnyScenarioReadsBackFromItsJson)
{
    for (unsigned seed = 0; seed < 400; ++seed) {
        const Scenario scenario = Draw(seed).scenario();
        const auto again = parseScenario(toJson(scenario), "s", {}, { .strict = true });
        ASSERT_TRUE(again) << "seed " << seed << '\n' << text(again.errors()) << toJson(scenario);
        ASSERT_TRUE(again->scenario == scenario) << "seed " << seed << '\n' << toJson(scenario) << toJson(again->scenario);
        ASSERT_TRUE(again->warnings.empty());
    }
}

TEST(RoundTrip, SettingNothingChangesNothing)
{
    for (unsigned seed = 0; seed < 100; ++seed) {
        const Scenario scenario = Draw(seed).scenario();
        const auto same = applySettings(scenario, {});
        ASSERT_TRUE(same) << text(same.errors());
        ASSERT_TRUE(*same == scenario) << "seed " << seed;
    }
}

TEST(RoundTrip, ThroughAFile)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("s.loom.json");
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Scenario scenario = Draw(seed).scenario();
        ASSERT_TRUE(writeScenario(scenario, path));
        const auto again = readScenario(path);
        ASSERT_TRUE(again) << text(again.errors());
        ASSERT_TRUE(again->scenario == scenario) << "seed " << seed;
    }
}

TEST(RoundTrip, AScenarioBuiltByHandIsWrittenOutInFull)
{
    Scenario scenario;
    scenario.model = *modelPreset("mixtral-8x7b");
    scenario.model.layers = 2;
    scenario.cluster = *clusterPreset("h100");
    const auto again = parseScenario(toJson(scenario), "s", {}, { .strict = true });
    ASSERT_TRUE(again) << text(again.errors());
    EXPECT_EQ(again->scenario, scenario);
}

TEST(RoundTrip, TheDocumentKeepsTheOrderOfTheContract)
{
    const std::string written = toJson(parseScenario(samples()[1].text)->scenario);
    std::size_t at = 0;
    for (const char *key : { "format", "schema", "name", "model", "cluster", "plan", "precision", "recompute", "runtime",
                             "routing", "timing", "memory", "money", "measured", "alternatives" }) {
        const std::size_t found = written.find(std::string("\n  \"") + key + "\":");
        ASSERT_NE(found, std::string::npos) << key;
        EXPECT_GE(found, at) << key;
        at = found;
    }
    EXPECT_EQ(written.back(), '\n');
}

} // namespace
} // namespace pipeloom
