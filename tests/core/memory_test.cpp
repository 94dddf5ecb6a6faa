// SPDX-License-Identifier: GPL-3.0-or-later
// The memory model against exact layer sums and allocator peaks measured on GPUs.
#include "core/memory/layertensors.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

namespace pipeloom
{
namespace
{

constexpr double miB = bytesPerMiB;

Scenario scenarioFrom(const nlohmann::json &json)
{
    Expected<LoadedScenario> loaded = parseScenario(json.dump());
    EXPECT_TRUE(loaded) << (loaded ? "" : text(loaded.errors()));
    return loaded ? loaded->scenario : Scenario{};
}

Scenario sample(std::size_t index)
{
    Expected<LoadedScenario> loaded = parseScenario(samples().at(index).text);
    EXPECT_TRUE(loaded) << (loaded ? "" : text(loaded.errors()));
    return loaded ? loaded->scenario : Scenario{};
}

double layerMiB(const std::string &precision, std::uint32_t modules, LayerKind kind = LayerKind::Moe, bool full = false)
{
    Scenario s;
    s.model = *modelPreset("deepseek-v3");
    s.plan.ep = 64;
    Precision p = *precisionPreset("megatron-bf16");
    if (precision == "fp8")
        p.fp8Activations = true;
    else
        p = *precisionPreset(precision);
    Recompute recompute;
    recompute.modules = modules;
    recompute.full = full;
    s.precision = p;
    return keptBytes(layerTensors(s, kind, rankTokens(s, 1.0)), recompute) / miB;
}

// DeepSeek-V3, s = 4096, b = 1, TP1; equal to NVIDIA's own script once probabilities are applied before fc2.
TEST(Memory, AMoeLayerKeepsTheTabledBytesUnderEveryRecomputeMode)
{
    using R = Recompute;
    struct Case
    {
        std::uint32_t modules;
        double bf16, fp8;
    };
    const Case cases[] = {
        {0, 1788, 1520},
        {R::CoreAttention, 1788, 1520},
        {R::MoeActivation, 1660, 1456},
        {R::LayerNorm, 1676, 1436},
        {R::MlaUpProjection, 1260, 1000},
        {R::SharedExperts, 1740, 1480},
        {R::Moe, 898, 926},
        {R::MlaUpProjection | R::MoeActivation | R::LayerNorm, 1020, 852},
    };
    for (const Case &c : cases) {
        EXPECT_DOUBLE_EQ(layerMiB("megatron-bf16", c.modules), c.bf16) << c.modules;
        EXPECT_DOUBLE_EQ(layerMiB("fp8", c.modules), c.fp8) << c.modules;
    }
    EXPECT_DOUBLE_EQ(layerMiB("megatron-bf16", 0, LayerKind::Moe, true), 56);
    EXPECT_DOUBLE_EQ(layerMiB("megatron-bf16", 0, LayerKind::Dense), 1330);
    EXPECT_DOUBLE_EQ(layerMiB("megatron-bf16", R::Mlp, LayerKind::Dense), 898);
}

// V3 report 3.2.3 and 3.3.3: norms, MLA up-projections and SwiGLU recomputed, FP8 tiles, E5M6 attention output.
TEST(Memory, DeepSeeksOwnPolicyKeeps610MiBALayer)
{
    EXPECT_DOUBLE_EQ(layerMiB("deepseek-v3-fp8", Recompute::LayerNorm | Recompute::MlaUpProjection | Recompute::MoeActivation), 610.25);
}

struct Measured
{
    const char *model;
    int layers, denseLayers, gpus, tp, pp, cp, ep, seq;
    int rank; ///< 0 first, -1 last
    double gib;
};

// Allocator peaks of Megatron-Core on B200, printed by the SimuMax project; forced balance, BF16, no recompute, micro-batch 1.
TEST(Memory, PeaksAgreeWithAllocatorsMeasuredOnB200)
{
    const Measured cases[] = {
        {"deepseek-v3", 4, 1, 8, 1, 1, 1, 8, 4096, 0, 104.30},  {"deepseek-v3", 4, 1, 8, 1, 2, 1, 4, 4096, -1, 114.00},
        {"deepseek-v2", 4, 1, 8, 1, 1, 1, 8, 4096, 0, 45.63},   {"deepseek-v2", 4, 1, 8, 1, 2, 1, 4, 4096, -1, 44.70},
        {"llama-3.1-70b", 12, -1, 8, 1, 2, 1, 1, 4096, 0, 66.55}, {"llama-3.1-70b", 12, -1, 8, 1, 2, 1, 1, 4096, -1, 62.97},
    };
    for (const Measured &c : cases) {
        nlohmann::json model = {{"preset", c.model}, {"layers", c.layers}};
        if (c.denseLayers >= 0)
            model.update({{"dense_layers", c.denseLayers}, {"mtp_depth", 0}});
        const int dp = c.gpus / (c.tp * c.pp * c.cp);
        const Scenario s = scenarioFrom(
            {{"format", "pipeloom-scenario"},
             {"schema", 1},
             {"name", c.model},
             {"model", model},
             {"cluster", "b200"},
             {"plan", {{"gpus", c.gpus}, {"tp", c.tp}, {"pp", c.pp}, {"cp", c.cp}, {"ep", c.ep}, {"etp", 1}, {"micro_batch", 1}, {"global_batch", 8 * dp},
                       {"seq", c.seq}, {"schedule", "1f1b"}, {"zero", 1}}},
             {"precision", "megatron-bf16"},
             {"recompute", "none"},
             {"routing", {{"family", "uniform"}}},
             {"runtime", {{"moe", "megatron-alltoall"}, {"loss_fusion", "te"}, {"dummy_wgrad", true}}}});
        const auto e = evaluate(s);
        ASSERT_TRUE(e->valid) << (e->diagnostics.empty() ? "" : e->diagnostics.front().message);
        const RankMemory &rank = c.rank == 0 ? e->memory.ranks.front() : e->memory.ranks.back();
        EXPECT_NEAR(static_cast<double>(rank.peakAllocated) / bytesPerGiB / c.gib, 1.0, 0.015) << c.model << " rank " << c.rank;
    }
}

TEST(Memory, AllGoldenB200PeaksAreWithinOneAndAHalfPercent)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "../shared is absent";
    std::ifstream file(*shared + "/golden/memory/validation_b200.json");
    const auto cases = nlohmann::json::parse(file);
    ASSERT_GE(cases.size(), 14U);
    for (const auto &c : cases) {
        const auto &u = c["setup"];
        nlohmann::json model = {{"preset", u["model"]}, {"layers", u["layers"]}};
        if (u.contains("dense_layers"))
            model.update({{"dense_layers", u["dense_layers"]}, {"mtp_depth", 0}});
        const int dp = u["gpus"].get<int>() / (u["tp"].get<int>() * u["pp"].get<int>() * u["cp"].get<int>());
        const Scenario s = scenarioFrom(
            {{"format", "pipeloom-scenario"},
             {"schema", 1},
             {"name", c["case"]},
             {"model", model},
             {"cluster", "b200"},
             {"plan", {{"gpus", u["gpus"]}, {"tp", u["tp"]}, {"pp", u["pp"]}, {"cp", u["cp"]}, {"ep", u["ep"]}, {"etp", 1}, {"micro_batch", 1},
                       {"global_batch", 8 * dp}, {"seq", u["seq"]}, {"schedule", "1f1b"}, {"zero", 1}}},
             {"precision", "megatron-bf16"},
             {"recompute", "none"},
             {"routing", {{"family", "uniform"}}},
             {"runtime", {{"moe", "megatron-alltoall"}}}});
        const auto e = evaluate(s);
        ASSERT_TRUE(e->valid) << c["case"];
        const RankMemory &rank = u["stage"] == "last" ? e->memory.ranks.back() : e->memory.ranks.front();
        const double measured = c["measured_alloc_GiB"];
        EXPECT_NEAR(static_cast<double>(rank.peakAllocated) / bytesPerGiB / measured, 1.0, 0.015) << c["case"];
    }
}

// DeepSeek-V3, PP16 EP64 on 2,048 GPUs, 1F1B, Megatron BF16: states and peak of stage 1 from the reference accounting.
TEST(Memory, StatesShardOverTheirOwnGroups)
{
    Scenario s = scenarioFrom({{"format", "pipeloom-scenario"},
                               {"schema", 1},
                               {"name", "V3"},
                               {"model", {{"preset", "deepseek-v3"}, {"mtp_depth", 0}}},
                               {"cluster", "h800"},
                               {"plan", {{"gpus", 2048}, {"pp", 16}, {"ep", 64}, {"global_batch", 15360}, {"schedule", "1f1b"}}},
                               {"precision", "megatron-bf16"},
                               {"recompute", "none"},
                               {"routing", {{"family", "uniform"}}}});
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    const RankMemory &stage1 = e->memory.ranks[1];
    const double dense = 931'987'456.0, expert = 704'643'072.0;
    EXPECT_NEAR(static_cast<double>(stage1.weights()), 2 * (dense + expert), 1);
    EXPECT_NEAR(static_cast<double>(stage1.optimizer), 12 * (dense / 128 + expert / 2), 1);
    EXPECT_EQ(stage1.inFlightAtPeak, 15);
    EXPECT_NEAR(static_cast<double>(stage1.activationsPeak) / bytesPerGiB, 104.765625, 1e-6);
    EXPECT_NEAR(static_cast<double>(stage1.peakAllocated) / bytesPerGiB, 120.548, 0.001);
    EXPECT_EQ(e->memory.peakRank, 1);
    EXPECT_EQ(e->memory.verdict, Verdict::Over);
    // Each ZeRO stage only moves what it shards.
    ByteCount last = stage1.states();
    for (int zero = 2; zero <= 3; ++zero) {
        s.plan.zero = zero;
        const ByteCount states = evaluate(s)->memory.ranks[1].states();
        EXPECT_LT(states, last);
        last = states;
    }
    s.plan.zero = 0;
    EXPECT_NEAR(static_cast<double>(evaluate(s)->memory.ranks[1].optimizer), 12 * (dense + expert), 1);
}

// DeepSeek-V3 report table 2: DualPipe holds P + 1 microbatches and twice the parameters; optimizer states are shared by both copies.
TEST(Memory, DualPipeHoldsTwoStagesARank)
{
    Scenario s = sample(0);
    ASSERT_EQ(s.plan.schedule, ScheduleKind::DualPipe);
    const auto dual = evaluate(s);
    s.plan.schedule = ScheduleKind::OneForwardOneBackward;
    const auto plain = evaluate(s);
    ASSERT_TRUE(dual->valid);
    ASSERT_TRUE(plain->valid);
    for (const int rank : {2, 3}) {
        const RankMemory &two = dual->memory.ranks[static_cast<std::size_t>(rank)];
        const RankMemory &one = plain->memory.ranks[static_cast<std::size_t>(rank)];
        const RankMemory &mirror = plain->memory.ranks[static_cast<std::size_t>(7 - rank)];
        EXPECT_EQ(two.stages, (std::vector<int>{rank, 7 - rank}));
        EXPECT_EQ(two.weights(), one.weights() + mirror.weights());
        EXPECT_NEAR(static_cast<double>(two.optimizer), static_cast<double>(one.optimizer + mirror.optimizer) / 2, 2);
        EXPECT_EQ(dual->timeline.peakInFlight[static_cast<std::size_t>(rank)], 9);
    }
}

TEST(Memory, TheCurveStartsAndEndsEmptyAndItsMaximumIsThePeak)
{
    for (std::size_t i = 0; i < samples().size(); ++i) {
        const auto e = evaluate(sample(i));
        ASSERT_TRUE(e->valid) << i;
        for (const RankMemory &rank : e->memory.ranks) {
            ASSERT_FALSE(rank.curve.empty());
            EXPECT_EQ(rank.curve.front().time, 0);
            EXPECT_EQ(rank.curve.back().activations, 0);
            EXPECT_EQ(rank.curve.back().inFlight, 0);
            EXPECT_EQ(rank.curve.back().transient, 0);
            ByteCount highest = 0;
            for (std::size_t k = 0; k < rank.curve.size(); ++k) {
                highest = std::max(highest, rank.curve[k].activations + rank.curve[k].transient);
                if (k > 0) {
                    EXPECT_LT(rank.curve[k - 1].time, rank.curve[k].time);
                }
            }
            EXPECT_EQ(rank.states() + highest, rank.peakAllocated);
            EXPECT_EQ(rank.at(rank.peakTime).activations, rank.activationsPeak);
            ByteCount stack = 0;
            for (const ByteCount bytes : rank.stackAtPeak())
                stack += bytes;
            EXPECT_EQ(stack, rank.peak);
        }
    }
}

TEST(Memory, SkewRaisesOnlyTheRoutedPart)
{
    Scenario s = sample(0);
    s.routing.family = RoutingFamily::Uniform;
    const auto even = evaluate(s);
    s.routing.family = RoutingFamily::Lognormal;
    s.routing.sigma = 0.5;
    const auto skewed = evaluate(s);
    ASSERT_TRUE(even->valid && skewed->valid);
    const double gamma = skewed->routing.rankMaxOverMean;
    EXPECT_GT(gamma, 1.1);
    // 231 + 132 MiB of the 610.25 of an MoE layer follow the routed tokens.
    const double expected = 8 * (gamma - 1) * 363 * miB;
    const ByteCount before = even->memory.ranks[3].activationPerMicrobatch[0];
    const ByteCount after = skewed->memory.ranks[3].activationPerMicrobatch[0];
    EXPECT_NEAR(static_cast<double>(after - before), expected, expected * 1e-6);
    EXPECT_EQ(even->memory.ranks[3].states(), skewed->memory.ranks[3].states());
    EXPECT_GT(skewed->time.step, even->time.step);
}

TEST(Memory, TheVerdictFollowsUsableAndCapacity)
{
    Scenario s = sample(0);
    const auto e = evaluate(s);
    const ByteCount peak = e->memory.ranks[static_cast<std::size_t>(e->memory.peakRank)].peak;
    const auto verdictAt = [&](double capacity) {
        Scenario changed = s;
        changed.cluster.hbmBytes = static_cast<ByteCount>(capacity);
        return evaluate(changed)->memory.verdict;
    };
    const double needed = static_cast<double>(peak);
    EXPECT_EQ(verdictAt(needed * 1.06), Verdict::Fits);
    EXPECT_EQ(verdictAt(needed * 1.02), Verdict::Tight);
    EXPECT_EQ(verdictAt(needed * 0.98), Verdict::Over);
    s.cluster.hbmBytes = static_cast<ByteCount>(needed * 0.98);
    EXPECT_FALSE(evaluate(s)->memory.blame.empty());
}

} // namespace
} // namespace pipeloom
