// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of MoE runtimes against the formulas and tables of X-MoE (arXiv:2508.13337) and of the code it compares.
#include "core/memory/deepspeedtensors.h"
#include "core/memory/layertensors.h"
#include "core/memory/moepolicy.h"
#include "core/memory/moetensors.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

namespace pipeloom
{
namespace
{

nlohmann::json goldenFile(const std::string &folder, const char *name)
{
    std::ifstream file(folder + "/golden/xmoe/" + name);
    return nlohmann::json::parse(file);
}

/// One MoE layer as X-MoE's scripts train it: FP16, capacity factor 1.25, micro-batch 1, balanced routing.
Scenario xmoeScenario(const std::string &preset, const std::string &policy, int tp = 1)
{
    Scenario s;
    s.model = *modelPreset(preset);
    s.cluster = *clusterPreset("mi250x-frontier");
    s.precision = *precisionPreset("deepspeed-fp16");
    s.plan.gpus = 256;
    s.plan.ep = 8;
    s.plan.tp = tp;
    s.plan.etp = findMoePolicy(policy)->expertTensor == MoePolicy::ExpertTensor::AsTensor ? tp : 1;
    s.plan.seq = preset == "xmoe-small-sr" ? 1024 : preset.starts_with("xmoe-small") ? 2048 : 4096;
    s.plan.globalBatch = 1024;
    s.plan.sequenceParallel = false;
    s.runtime.moe = policy;
    s.runtime.capacityFactor = 1.25;
    s.runtime.lossFusion = "unfused";
    s.routing.family = RoutingFamily::Uniform;
    return s;
}

RankTokens tokensOf(const Scenario &s)
{
    const RoutingLoad routing = routingLoad(s.model, s.routing, s.plan.ep, 1);
    return rankTokens(s, bufferLoad(s, routing).rowsOverMean);
}

double bytesOf(const std::vector<LayerTensor> &tensors, std::string_view name)
{
    const auto found = std::ranges::find(tensors, name, &LayerTensor::name);
    return found == tensors.end() ? 0 : found->bytes();
}

std::vector<LayerTensor> experts(const Scenario &s)
{
    std::vector<LayerTensor> tensors;
    addDeepSpeedExperts(tensors, s, tokensOf(s));
    return tensors;
}

/// The paper's four tensors and the masks, MiB.
double expertMiB(const Scenario &s) { return keptBytes(experts(s), Recompute{}) / bytesPerMiB; }

TEST(MoePolicy, KnowsTheNamesOfTheContractAndNoOther)
{
    std::vector<std::string> names;
    for (const MoePolicy &policy : moePolicies()) {
        names.emplace_back(policy.name);
        EXPECT_EQ(findMoePolicy(policy.name), &policy);
        EXPECT_FALSE(std::string_view(policy.source).empty()) << policy.name;
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{ "deepep", "megatron-alltoall", "megatron-allgather", "deepspeed-moe-0.15",
                                         "deepspeed-moe", "deepspeed-ted", "tutel", "x-moe", "x-moe-rbd", "x-moe-ssmb" }));
    EXPECT_EQ(findMoePolicy("tutell"), nullptr);
}

// Table 4, GiB a layer of Large at micro-batch 1.
TEST(MoePolicy, TableFourOfXMoeIsMetWithinHalfAPercent)
{
    EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario("xmoe-large", "deepspeed-moe-0.15")), 2880);
    EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario("xmoe-large", "tutel")), 2000);
    EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario("xmoe-large", "x-moe")), 1152);
    EXPECT_NEAR(2880 / 1024.0 / 2.81, 1, 0.005);
    EXPECT_NEAR(2000 / 1024.0 / 1.95, 1, 0.005);
    EXPECT_NEAR(1152 / 1024.0 / 1.125, 1, 0.005);
    // On CUDA the FP16 kernels keep 16 bits; for BF16 they do not.
    Scenario cuda = xmoeScenario("xmoe-large", "tutel");
    cuda.cluster = *clusterPreset("a100-80g");
    EXPECT_DOUBLE_EQ(expertMiB(cuda), 1440);
    cuda.precision = *precisionPreset("megatron-bf16");
    EXPECT_DOUBLE_EQ(expertMiB(cuda), 2000);
    // From August 2026: padded slots for the experts, 4,096 x 8 rows gathered for the combine, no mask.
    EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario("xmoe-large", "deepspeed-moe")), 1.25 * (448 + 256) + 448);
}

TEST(MoePolicy, EveryReferenceLayerIsMetToTheByte)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the folder with the published numbers is absent";
    const nlohmann::json golden = goldenFile(*shared, "memory_per_layer.json")["per_config"];
    ASSERT_EQ(golden.size(), 6U);
    for (const auto &[name, layer] : golden.items()) {
        std::string preset = "xmoe-" + name;
        std::ranges::replace(preset, '_', '-');
        const auto simple = [&](const std::string &key) { return layer[key]["simple"].get<double>(); };
        // Read from the code instead: eight bytes a mask element, and the fp32 copy that the gate reads.
        const auto code = [&](const Scenario &s) {
            const std::vector<LayerTensor> all = layerTensors(s, LayerKind::Moe, tokensOf(s));
            return expertMiB(s) + (bytesOf(all, "gate input") - bytesOf(all, "one-hot mask")) / bytesPerMiB;
        };
        EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario(preset, "x-moe")), simple("theory_tp1")) << preset;
        EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario(preset, "x-moe-rbd")), simple("theory_tp1")) << preset;
        EXPECT_DOUBLE_EQ(expertMiB(xmoeScenario(preset, "tutel")), simple("tutel_tp1")) << preset;
        const Scenario oneHot = xmoeScenario(preset, "deepspeed-moe-0.15");
        EXPECT_DOUBLE_EQ(expertMiB(oneHot), simple("ds_moe_tp1")) << preset;
        EXPECT_DOUBLE_EQ(code(oneHot), layer["ds_moe_tp1"]["code"].get<double>()) << preset;
        for (const int tp : { 2, 4, 8 }) {
            const std::string suffix = "_tp" + std::to_string(tp);
            const Scenario sharded = xmoeScenario(preset, "x-moe-ssmb", tp);
            EXPECT_DOUBLE_EQ(expertMiB(sharded), simple("ssmb" + suffix)) << preset << suffix;
            EXPECT_DOUBLE_EQ(code(sharded), layer["ssmb" + suffix]["code"].get<double>()) << preset << suffix;
            const Scenario cut = xmoeScenario(preset, "deepspeed-ted", tp);
            EXPECT_DOUBLE_EQ(expertMiB(cut), simple("ted" + suffix)) << preset << suffix;
            EXPECT_DOUBLE_EQ(code(cut), layer["ted" + suffix]["code"].get<double>()) << preset << suffix;
        }
        for (const int tp : { 1, 2, 4, 8 }) {
            Scenario megatron = xmoeScenario(preset, "megatron-alltoall", tp);
            megatron.runtime.capacityFactor.reset();
            megatron.plan.sequenceParallel = true;
            const std::vector<LayerTensor> all = layerTensors(megatron, LayerKind::Moe, tokensOf(megatron));
            const double ours = bytesOf(all, "dispatched expert input") + bytesOf(all, "expert fc1 output")
                + bytesOf(all, "expert activation output");
            EXPECT_DOUBLE_EQ(ours / bytesPerMiB, simple("megatron_tp" + std::to_string(tp))) << preset << tp;
        }
        const double seq = xmoeScenario(preset, "x-moe").plan.seq;
        const MoeSpec moe = modelPreset(preset)->moe;
        const auto &capacity = layer["capacity"];
        EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::DeepSpeed, seq, moe, 1.25), capacity["ds_xmoe"].get<double>());
        EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Tutel, seq, moe, 1.25), capacity["tutel"].get<double>());
        EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Megatron, seq, moe, 1.25), capacity["megatron"].get<double>());
        EXPECT_EQ(seq * moe.experts * capacity["ds_xmoe"].get<double>(), capacity["mask_elements_SEC"].get<double>());
    }
}

TEST(MoePolicy, CapacityRulesDifferWhereTheyRoundDifferently)
{
    MoeSpec moe;
    moe.experts = 48;
    moe.topK = 3;
    // 1000 tokens: T / E = 20.8, T k / E = 62.5.
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Megatron, 1000, moe, 1.1), 69); // ceil(68.75)
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::DeepSpeed, 1000, moe, 1.1), 69);
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Tutel, 1000, moe, 1.1), 69); // 3 floor(1.1 x 21)
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Tutel, 1000, moe, 1.25), 78); // 3 floor(26.25)
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Megatron, 1000, moe, 1.25), 79); // ceil(78.1)
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::DeepSpeed, 16, moe, 1.0), 4); // the least that DeepSpeed gives
    EXPECT_EQ(expertCapacity(MoePolicy::CapacityRule::Megatron, 16, moe, 1.0), 1);
}

// 8 T H on every tensor-parallel rank, 12 T H cut over them, the gate's 4 T H.
TEST(MoePolicy, DeepSpeedAttentionKeepsEightAndTwelveBytes)
{
    for (const int tp : { 1, 2, 4 }) {
        const Scenario s = xmoeScenario("xmoe-large", "x-moe-ssmb", tp);
        const double th = 4096.0 * 7168;
        const std::vector<LayerTensor> all = layerTensors(s, LayerKind::Moe, tokensOf(s));
        const auto gate = std::ranges::find(all, std::string_view("gate input"), &LayerTensor::name);
        ASSERT_NE(gate, all.end());
        double attention = 0;
        for (auto tensor = all.begin(); tensor != gate; ++tensor)
            attention += tensor->bytes();
        EXPECT_DOUBLE_EQ(attention - bytesOf(all, "softmax log-sum-exp"), (8 + 12.0 / tp) * th) << tp;
        EXPECT_DOUBLE_EQ(gate->bytes(), 4 * th / tp) << tp;
        EXPECT_STREQ(all.front().dtype, "fp16");
    }
}

TEST(MoePolicy, MasksTakeTheShareThatThePaperBlames)
{
    const auto share = [](const char *preset, int microBatch) {
        Scenario s = xmoeScenario(preset, "deepspeed-moe-0.15");
        s.plan.microBatch = microBatch;
        const std::vector<LayerTensor> tensors = experts(s);
        // By the code's eight bytes.
        const double mask =
            bytesOf(tensors, "one-hot slots of the routes") + bytesOf(tensors, "one-hot mask and gate weights, cast");
        return mask / (keptBytes(tensors, Recompute{}) - bytesOf(tensors, "one-hot mask"));
    };
    EXPECT_NEAR(share("xmoe-small", 1), 0.5423728813559322, 1e-12);
    EXPECT_NEAR(share("xmoe-small", 2), 0.7032967032967034, 1e-12);
    EXPECT_NEAR(share("xmoe-small", 4), 0.8258064516129032, 1e-12);
    EXPECT_NEAR(share("xmoe-medium", 1), 0.5517241379310345, 1e-12);
    EXPECT_NEAR(share("xmoe-large", 1), 0.47058823529411764, 1e-12);
}

TEST(MoePolicy, PaddedBuffersFollowTheCapacityAndPackedOnesTheRouter)
{
    RoutingLoad skewed;
    skewed.rankMaxOverMean = 1.5;
    skewed.expertMaxOverMean = 3;
    Scenario s = xmoeScenario("xmoe-large", "deepspeed-moe-0.15"); // 4,096 x 8 routes over 256 experts: 128 each
    const auto rows = [&](const char *policy, std::optional<double> factor, bool pad = false) {
        s.runtime.moe = policy;
        s.runtime.capacityFactor = factor;
        s.runtime.padToCapacity = pad;
        return bufferLoad(s, skewed).rowsOverMean;
    };
    EXPECT_DOUBLE_EQ(rows("deepspeed-moe-0.15", 1.25), 1.25);
    EXPECT_DOUBLE_EQ(rows("deepspeed-moe-0.15", 1.001), 129 / 128.0);
    EXPECT_DOUBLE_EQ(rows("deepspeed-moe-0.15", std::nullopt), 3) << "without a capacity factor to the hottest expert";
    EXPECT_DOUBLE_EQ(rows("x-moe", std::nullopt), 1.5);
    EXPECT_DOUBLE_EQ(rows("x-moe", 1.25), 1.25) << "a capacity bounds the hottest rank too";
    EXPECT_DOUBLE_EQ(rows("x-moe", 2.0), 1.5);
    EXPECT_DOUBLE_EQ(rows("megatron-alltoall", std::nullopt), 1.5);
    EXPECT_DOUBLE_EQ(rows("megatron-alltoall", 2.0), 1.5);
    EXPECT_DOUBLE_EQ(rows("megatron-alltoall", 2.0, true), 2);
}

/// Loads (mean 1) of a router that draws k of E experts without replacement by Zipf popularity, with exponential clocks.
std::vector<double> zipfLoads(int experts, int topK, double exponent)
{
    std::vector<double> weights(static_cast<std::size_t>(experts));
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
    double low = 0;
    double high = 1e9;
    for (int i = 0; i < 200; ++i) {
        const double rate = (low + high) / 2;
        double sum = 0;
        for (const double w : weights)
            sum -= std::expm1(-rate * w);
        (sum < topK ? low : high) = rate;
    }
    for (double &w : weights)
        w = -std::expm1(-low * w) * experts / topK;
    return weights;
}

TEST(MoePolicy, DropsWhatTheReferenceDrops)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the folder with the published numbers is absent";
    const nlohmann::json golden = goldenFile(*shared, "drop_rules.json")["capacity_drop"];
    ASSERT_EQ(golden.size(), 15U);
    for (const nlohmann::json &c : golden) {
        const int experts = c["E"];
        Scenario s = xmoeScenario(experts == 64 ? "xmoe-small" : experts == 128 ? "xmoe-medium" : "xmoe-large", "x-moe");
        ASSERT_EQ(s.plan.seq, c["T"]);
        RoutingLoad routing;
        routing.expertLoads = zipfLoads(experts, c["k"], c["zipf_s"]);
        const double dropped = bufferLoad(s, routing).droppedFraction;
        if (c["zipf_s"] == 0.0) {
            EXPECT_NEAR(dropped / c["drop"].get<double>(), 1, 1e-6) << c; // the same closed form
        } else {
            // The reference integrates the draw exactly and leaves fluctuations out of skewed cases.
            EXPECT_NEAR(dropped, c["drop"].get<double>(), 0.005) << c;
        }
        s.runtime.capacityFactor.reset();
        EXPECT_EQ(bufferLoad(s, routing).droppedFraction, 0);
    }
}

/// What tensor parallelism of G saves of an MoE layer: cutting tokens (SSMB) against cutting experts (TED), MiB.
struct Savings
{
    double sequence = 0;
    double tensor = 0;
};

Savings savings(ModelSpec model, int seq, int ep, int group, double factor)
{
    model.layers = 1;
    const auto scenario = [&](const char *policy, int etp) {
        Scenario s = xmoeScenario("xmoe-large", policy, group);
        s.model = model;
        s.plan.gpus = std::int64_t{ ep } * group * 4;
        s.plan.ep = ep;
        s.plan.etp = etp;
        s.plan.seq = seq;
        s.plan.globalBatch = s.plan.gpus;
        s.runtime.capacityFactor.reset();
        return s;
    };
    const auto activations = [&](const Scenario &s) { return keptBytes(experts(s), Recompute{}); };
    const auto expertStates = [&](const Scenario &s) {
        const auto e = evaluate(s);
        for (const Diagnostic &diagnostic : e->diagnostics)
            EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.message;
        if (!e->valid)
            return 0.0;
        const RankMemory &rank = e->memory.ranks.front();
        return static_cast<double>(rank.weightsExpert + rank.gradients);
    };
    const Scenario cut = scenario("x-moe", group);
    const Scenario sharded = scenario("x-moe-ssmb", 1);
    return { factor * (activations(cut) - activations(sharded)) / bytesPerMiB,
             (expertStates(sharded) - expertStates(cut)) / bytesPerMiB };
}

TEST(MoePolicy, CuttingTokensSavesWhatTheReferenceSaysAgainstCuttingExperts)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the folder with the published numbers is absent";
    const nlohmann::json golden = goldenFile(*shared, "ssmb_vs_ted.json");
    int compared = 0;
    for (const auto &[name, cells] : golden["per_layer"].items()) {
        std::string preset = "xmoe-" + name;
        std::ranges::replace(preset, '_', '-');
        const int seq = preset == "xmoe-small-sr" ? 1024 : preset.starts_with("xmoe-small") ? 2048 : 4096;
        for (const auto &[key, cell] : cells.items()) {
            int group = 0;
            int ep = 0;
            ASSERT_EQ(std::sscanf(key.c_str(), "G%d_EP%d", &group, &ep), 2) << key;
            const Savings s = savings(*modelPreset(preset), seq, ep, group, 1);
            EXPECT_NEAR(s.sequence, cell["ssmb_saving_MiB"].get<double>(), 1e-6) << name << key;
            EXPECT_NEAR(s.tensor, cell["ted_saving_MiB"].get<double>(), 1e-6) << name << key;
            ++compared;
        }
    }
    EXPECT_GE(compared, 27);
}

// Figure 17 counts two matrices and E = EP, c = 1.
TEST(MoePolicy, TheBetterCutOfPublishedModelsIsThatOfFigure17)
{
    struct Case
    {
        int topK, width;
        bool sequence2k, sequence4k, sequence8k; ///< cutting tokens wins
    };
    const Case cases[] = {
        { 2, 14336, false, false, false }, // Mixtral 8x7B
        { 2, 16384, false, false, false }, // Mixtral 8x22B
        { 6, 1408, true, true, true }, // DeepSeek-MoE
        { 8, 2048, true, true, true }, // DeepSeek-V3
        { 2, 4864, false, false, true }, // Arctic
    };
    for (const Case &c : cases) {
        ModelSpec model = *modelPreset("xmoe-small");
        model.moe.topK = c.topK;
        model.moe.expertWidth = c.width;
        const auto wins = [&](int seq) {
            const Savings s = savings(model, seq, model.moe.experts, 2, 1);
            return s.sequence > s.tensor;
        };
        EXPECT_EQ(wins(2048), c.sequence2k) << c.width;
        EXPECT_EQ(wins(4096), c.sequence4k) << c.width;
        EXPECT_EQ(wins(8192), c.sequence8k) << c.width;
    }
}

TEST(MoePolicy, MaterialisedScoresTakeFiveBytesAHeadAndPairOfTokensUntilCoreAttentionIsRecomputed)
{
    Scenario s = xmoeScenario("xmoe-small", "megatron-alltoall", 2);
    s.plan.sequenceParallel = true;
    s.plan.microBatch = 3;
    const auto kept = [&](std::uint32_t modules) {
        Recompute recompute;
        recompute.modules = modules;
        return keptBytes(layerTensors(s, LayerKind::Moe, tokensOf(s)), recompute);
    };
    const double flash = kept(0);
    EXPECT_EQ(kept(Recompute::CoreAttention), flash);
    s.runtime.attention = "materialised";
    const double logSumExp = 4.0 * 3 * 2048 * 16 / 2;
    EXPECT_DOUBLE_EQ(kept(0) - flash + logSumExp, 5.0 * 3 * 16 * 2048 * 2048 / 2);
    EXPECT_DOUBLE_EQ(kept(Recompute::CoreAttention), flash - logSumExp);
    s.runtime.moe = "x-moe-ssmb";
    s.plan.sequenceParallel = false;
    const double deepspeed = kept(0);
    EXPECT_DOUBLE_EQ(deepspeed - kept(Recompute::CoreAttention), 5.0 * 3 * 16 * 2048 * 2048 / 2);
    EXPECT_EQ(kept(Recompute::CoreAttention | Recompute::Moe | Recompute::LayerNorm), kept(Recompute::CoreAttention))
        << "DeepSpeed knows none of Megatron's other modules";
}

// PR-MoE: a dense MLP beside the experts and two coefficients a token.
TEST(MoePolicy, AResidualMlpAddsItsWeightsItsTensorsAndBothOutputs)
{
    const Scenario plain = xmoeScenario("xmoe-small", "x-moe-ssmb", 2);
    Scenario residual = plain;
    residual.model.moe.residualWidth = 4096;
    const double h = 2048;
    const std::int64_t added = 2 * 2048 * 4096 + 2 * 2048 + 2;
    EXPECT_EQ(countParameters(residual.model).total - countParameters(plain.model).total, 28 * added);
    EXPECT_EQ(countParameters(residual.model).activeBlocks - countParameters(plain.model).activeBlocks, 28 * added);
    EXPECT_DOUBLE_EQ(countFlops(residual.model, 2048).sharedExperts, 2.0 * (2 * 2048 * 4096 + 2 * 2048));
    const auto kept = [](const Scenario &s) { return keptBytes(layerTensors(s, LayerKind::Moe, tokensOf(s)), Recompute{}); };
    // fc1 and activation output over TP 2, both outputs whole, two coefficients.
    EXPECT_DOUBLE_EQ(kept(residual) - kept(plain), 2048 * (2 * 2 * 4096 / 2 + 2 * 2 * h + 2 * 2));
    const Expected<Scenario> read = applySettings(plain, std::vector<Setting>{ { "model.moe.residual_width", "4096" } });
    ASSERT_TRUE(read);
    EXPECT_EQ(read->model.moe, residual.model.moe);
    EXPECT_TRUE(evaluate(residual)->valid);
    residual.model.moe.residualWidth = 4095;
    EXPECT_FALSE(evaluate(residual)->valid) << "TP 2 does not divide it";
}

TEST(MoePolicy, TransientsAreThoseOfTheTable)
{
    const double t = 4096;
    const double h = 7168;
    const double rows = t * 8;
    const auto bytes = [](const Scenario &s) { return keptBytes(moeTransients(s, tokensOf(s)), Recompute{}); };
    const double slots = 256.0 * 160;
    EXPECT_DOUBLE_EQ(bytes(xmoeScenario("xmoe-large", "deepspeed-moe-0.15")), 5 * t * slots + 2 * slots * h);
    EXPECT_DOUBLE_EQ(bytes(xmoeScenario("xmoe-large", "deepspeed-ted", 2)), 5 * t * slots + 4 * slots * h);
    EXPECT_DOUBLE_EQ(bytes(xmoeScenario("xmoe-large", "tutel")), 8 * slots * h);
    EXPECT_DOUBLE_EQ(bytes(xmoeScenario("xmoe-large", "deepspeed-moe")), 2 * slots * h + 4 * rows * h);
    EXPECT_DOUBLE_EQ(bytes(xmoeScenario("xmoe-large", "x-moe")), 6 * rows * h);
    EXPECT_DOUBLE_EQ(bytes(xmoeScenario("xmoe-large", "x-moe-ssmb", 4)), 6 * rows * h / 4);
    Scenario s = xmoeScenario("xmoe-large", "megatron-alltoall");
    s.runtime.capacityFactor.reset();
    EXPECT_DOUBLE_EQ(bytes(s), 10 * rows * h);
    s.runtime.moe = "megatron-allgather";
    EXPECT_DOUBLE_EQ(bytes(s), 10 * rows * h + 2 * 8 * t * h);
}

TEST(MoePolicy, ASizeOfExpertTensorParallelismThatTheRuntimeLacksIsAnErrorWithAFix)
{
    const auto finding = [](const Scenario &s, const char *code) -> std::optional<Diagnostic> {
        const auto e = evaluate(s);
        const auto found = std::ranges::find(e->diagnostics, std::string(code), &Diagnostic::code);
        return found == e->diagnostics.end() ? std::nullopt : std::optional(*found);
    };
    Scenario cut = xmoeScenario("xmoe-small", "x-moe", 2);
    EXPECT_FALSE(finding(cut, "runtime-etp"));
    cut.plan.etp = 1;
    const auto whole = finding(cut, "runtime-etp");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->severity, Severity::Error);
    ASSERT_EQ(whole->fixes.size(), 2U);
    for (const Fix &fix : whole->fixes) {
        Scenario repaired = cut;
        for (const Setting &setting : fix.set)
            (setting.path == "plan.etp" ? void(repaired.plan.etp = std::stoi(setting.json))
                                        : void(repaired.runtime.moe = "x-moe-ssmb"));
        EXPECT_TRUE(evaluate(repaired)->valid) << fix.label;
    }
    // Cutting the experts makes their group larger: EP gives way when the GPUs are too few.
    Scenario few = cut;
    few.plan.ep = 64;
    few.plan.gpus = 64;
    few.plan.globalBatch = 64;
    few.plan.sequenceParallel = false;
    for (const char *runtime : { "x-moe", "deepspeed-ted" }) {
        few.runtime.moe = runtime;
        const auto found = finding(few, "runtime-etp");
        ASSERT_TRUE(found) << runtime;
        const Fix &fix = found->fixes.at(0);
        Scenario repaired = few;
        for (const Setting &setting : fix.set) {
            ASSERT_TRUE(setting.path == "plan.etp" || setting.path == "plan.ep") << setting.path;
            (setting.path == "plan.etp" ? repaired.plan.etp : repaired.plan.ep) = std::stoi(setting.json);
        }
        EXPECT_EQ(repaired.plan.ep, 32) << runtime << ": " << fix.label;
        EXPECT_TRUE(evaluate(repaired)->valid) << runtime << ": " << fix.label;
    }
    Scenario slots = xmoeScenario("xmoe-small", "tutel", 2);
    EXPECT_FALSE(finding(slots, "runtime-etp"));
    slots.plan.etp = 2;
    EXPECT_EQ(finding(slots, "runtime-etp")->severity, Severity::Error);

    // The rule against routing a token twice is Megatron's.
    Scenario shared = xmoeScenario("xmoe-small", "x-moe-ssmb", 2);
    EXPECT_FALSE(shared.plan.sequenceParallel);
    EXPECT_TRUE(evaluate(shared)->valid);
    shared.runtime.moe = "megatron-alltoall";
    EXPECT_FALSE(evaluate(shared)->valid);

    Scenario huge = xmoeScenario("xmoe-small", "deepspeed-moe-0.15");
    huge.runtime.capacityFactor.reset();
    EXPECT_FALSE(finding(huge, "runtime-size"));
    huge.plan.seq = 1'048'576; // 2^40 tokens squared x 64 experts x 9 B x 28 layers
    EXPECT_EQ(finding(huge, "runtime-size")->severity, Severity::Error);
    huge.runtime.moe = "x-moe";
    EXPECT_FALSE(finding(huge, "runtime-size"));

    Scenario scores = xmoeScenario("xmoe-small", "megatron-alltoall");
    EXPECT_FALSE(finding(scores, "runtime-attention"));
    scores.runtime.attention = "materialised";
    EXPECT_EQ(finding(scores, "runtime-attention")->severity, Severity::Warning);
}

} // namespace
} // namespace pipeloom
