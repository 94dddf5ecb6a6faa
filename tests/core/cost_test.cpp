// SPDX-License-Identifier: GPL-3.0-or-later
// Durations and throughput against DeepSeek's public training trace, the DeepEP tables and published runs.
#include "core/cost/communication.h"
#include "core/cost/layertimes.h"
#include "core/cost/measured.h"
#include "core/cost/memorybound.h"
#include "core/cost/optimes.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pipeloom
{
namespace
{

Scenario sampleNamed(const std::string &part)
{
    for (const Sample &sample : samples()) {
        if (sample.name.find(part) != std::string::npos) {
            Expected<LoadedScenario> loaded = parseScenario(sample.text);
            EXPECT_TRUE(loaded) << (loaded ? "" : text(loaded.errors()));
            return loaded ? loaded->scenario : Scenario{};
        }
    }
    ADD_FAILURE() << "no sample " << part;
    return {};
}

Scenario story()
{
    Expected<LoadedScenario> loaded = parseScenario(samples().front().text);
    EXPECT_TRUE(loaded);
    return loaded ? loaded->scenario : Scenario{};
}

// Trace: F 8.97, Bi 14.65 (recompute included), W 7.45 ms a layer on the 112 SM that communication leaves; attention 1.24 + 3.78,
// memory-bound 8.9 ms.
TEST(Cost, AV3LayerBesideCommunicationTakesWhatTheTraceShows)
{
    const Scenario s = story();
    const LayerCompute c = layerCompute(s, LayerKind::Moe, GpuShare::BesideCommunication, rankTokens(s.model, s.plan, 1.0));
    EXPECT_NEAR(c.f * 1e3 / 8.97, 1.0, 0.03);
    EXPECT_NEAR(c.bi * 1e3 / 14.65, 1.0, 0.03);
    EXPECT_NEAR(c.w * 1e3 / 7.45, 1.0, 0.03);
    EXPECT_NEAR(c.attention * 1e3 / (1.237 + 3.779), 1.0, 0.02);
    EXPECT_NEAR(c.memoryBound * 1e3 / 8.9, 1.0, 0.05);
    EXPECT_NEAR(c.routedShare, 13.5 / 31.1, 0.03); // 13.5 of 31.1 ms scale with routed rows
    EXPECT_NEAR(c.f + c.bi + c.w, c.matmul + c.attention + c.memoryBound, 1e-12);
}

TEST(Cost, RecomputeAddsItsForwardPartToTheInputBackward)
{
    Scenario s = story();
    const RankTokens tokens = rankTokens(s.model, s.plan, 1.0);
    s.recompute = *recomputePreset("none");
    const LayerCompute none = layerCompute(s, LayerKind::Moe, GpuShare::Alone, tokens);
    EXPECT_EQ(none.recompute, 0);
    s.recompute = *recomputePreset("full");
    const LayerCompute full = layerCompute(s, LayerKind::Moe, GpuShare::Alone, tokens);
    EXPECT_NEAR(full.recompute, none.f, 1e-12);
    EXPECT_NEAR(full.bi, none.bi + none.f, 1e-12);
    EXPECT_EQ(full.w, none.w);
    s.recompute = *recomputePreset("deepseek-v3");
    const LayerCompute own = layerCompute(s, LayerKind::Moe, GpuShare::Alone, tokens);
    EXPECT_GT(own.recompute, 0);
    EXPECT_LT(own.recompute, full.recompute);
}

struct DeepEpCase
{
    int ep;
    double dispatchMicroseconds, combineMicroseconds;
};

// DeepEP's table (4,096 tokens, hidden 7,168, top-4 groups, FP8 dispatch, BF16 combine on H800), as times.
TEST(Cost, TheAllToAllIsWithinEightAndAHalfPercentOfDeepEp)
{
    const DeepEpCase cases[] = { { 8, 1048.0, 1968.2 }, { 16, 1403.3, 2721.6 }, { 32, 1889.7, 3729.3 }, { 64, 2357.6, 4663.6 } };
    for (const DeepEpCase &c : cases) {
        Scenario s = story();
        s.routing.family = RoutingFamily::Uniform;
        s.plan.ep = c.ep;
        const Groups groups = checkPlan(s.model, s.cluster, s.plan).groups;
        // The tables limit a token to as many groups as there are nodes, four at most.
        s.routing.nodeLimit = std::min(4, groups.expertNodes);
        const RoutingLoad routing = routingLoad(s.model, s.routing, s.plan.ep, groups.expertNodes);
        const AllToAll a = expertAllToAll(s, groups, routing);
        EXPECT_NEAR(a.dispatchF * 1e6 / c.dispatchMicroseconds, 1.0, 0.085) << "EP" << c.ep;
        EXPECT_NEAR(a.combineF * 1e6 / c.combineMicroseconds, 1.0, 0.085) << "EP" << c.ep;
        EXPECT_EQ(a.combineF, a.dispatchB);
        EXPECT_EQ(a.dispatchF, a.combineB);
    }
}

// The model's pair of four V3 layers: 129.0 ms measured.
TEST(Cost, TheModelledPairOfFourLayersIsNearTheTrace)
{
    Scenario s = sampleNamed("production");
    s.timing = {};
    s.routing.family = RoutingFamily::Uniform;
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    EXPECT_NEAR(e->time.pair / 0.129012, 1.0, 0.05);
}

// The profile's own numbers come back: four layers F 77.3, Bi 97.7, W 29.8 ms, the pair 129.0.
TEST(Cost, TheCalibratedProfileGivesTheTraceDurations)
{
    Scenario s = sampleNamed("production");
    ASSERT_EQ(s.timing.source, TimingSource::Calibrated);
    s.routing.family = RoutingFamily::Uniform;
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    EXPECT_NEAR(e->time.f * 1e3, 77.3, 0.1);
    EXPECT_NEAR(e->time.bi * 1e3, 97.7, 0.1);
    EXPECT_NEAR(e->time.w * 1e3, 29.8, 0.1);
    EXPECT_NEAR(e->time.pair * 1e3, 129.0, 0.1);
}

// ISCA'25 Table 4: 19.926 s. A replay of the trace alone is 9 % short; the stages of the real model and its P2P close part of
// that.
TEST(Cost, TheProductionRunIsPredictedWithinItsBandAndTheDifferenceIsSplit)
{
    const auto e = evaluate(sampleNamed("production"));
    ASSERT_TRUE(e->valid);
    EXPECT_NEAR(e->time.step / 19.926, 1.0, 0.10);
    const std::vector<MeasuredRow> rows = compareMeasured(*e);
    ASSERT_GE(rows.size(), 7U);
    EXPECT_EQ(rows.front().measured, 19.926);
    double parts = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
        parts += rows[i].measured - rows[i].ours;
    EXPECT_NEAR(parts, rows.front().measured - rows.front().ours, 1e-9);
    double ours = 0;
    for (std::size_t i = 1; i + 1 < rows.size(); ++i)
        ours += rows[i].ours;
    EXPECT_NEAR(ours, rows.front().ours, 1e-6);
}

// V3 report table 1: 2,664 K GPU-hours for 14.8 T tokens; ISCA'25: 1,541.7 tokens/s/GPU, 38.94 % MFU.
TEST(Cost, MfuAndMoneyFollowFromThroughput)
{
    const Scenario s = sampleNamed("production");
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    const Throughput &t = e->throughput;
    EXPECT_NEAR(t.tokensPerSecondPerGpu, 15360.0 * 4096 / e->time.step / 2048, 1e-6);
    EXPECT_NEAR(t.mfu, 250.45e9 * t.tokensPerSecondPerGpu / 989.5e12, 1e-4);
    EXPECT_NEAR(e->cost.gpuHoursPerTrillionTokens * t.tokensPerSecondPerGpu * 3600, 1e12, 1);
    EXPECT_NEAR(e->cost.usdPerTrillionTokens, 2.0 * e->cost.gpuHoursPerTrillionTokens, 1e-6);
    EXPECT_LT(t.low, t.tokensPerSecondPerGpu);
    EXPECT_GT(t.high, t.tokensPerSecondPerGpu);
}

TEST(Cost, ThePartsOfTheStepSumToIt)
{
    for (const Sample &sample : samples()) {
        const auto e = evaluate(parseScenario(sample.text)->scenario);
        ASSERT_TRUE(e->valid) << sample.name;
        const StepTime &t = e->time;
        EXPECT_NEAR(t.compute + t.exposedComm + t.bubble + t.optimizer, t.step, 1e-6) << sample.name;
        EXPECT_GE(t.bubble, 0);
        EXPECT_GE(t.exposedComm, 0);
        EXPECT_GT(t.compute, 0);
        EXPECT_LT(e->throughput.mfu, 0.7) << sample.name;
        EXPECT_GT(e->throughput.mfu, 0.15) << sample.name;
    }
}

TEST(Cost, ManualDurationsAreUsedUnchanged)
{
    Scenario s = story();
    s.timing.source = TimingSource::Manual;
    s.timing.manual = { 1.0, 2.0, 1.0, 3.0, 0.0 };
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    EXPECT_EQ(e->timeline.makespan, 66'000'000'000); // golden: DualPipe P8 M20 at F = Bi = W = 1
    EXPECT_EQ(e->time.exposedComm, 0);
    EXPECT_EQ(e->throughput.low, e->throughput.high);
}

TEST(Cost, OverlapOffMakesAPairAsLongAsItsHalves)
{
    Scenario s = story();
    const auto on = evaluate(s);
    s.runtime.overlap = false;
    const auto off = evaluate(s);
    EXPECT_NEAR(off->time.pair, off->time.f + off->time.b, 1e-9);
    EXPECT_LT(on->time.pair, off->time.pair);
    EXPECT_LT(on->time.step, off->time.step);
}

TEST(Cost, MoreTensorParallelismSplitsComputeAndAddsCollectives)
{
    Scenario s = sampleNamed("llama");
    s.plan.tp = 1;
    const LayerCompute one = layerCompute(s, LayerKind::Dense, GpuShare::Alone, rankTokens(s.model, s.plan, 1.0));
    EXPECT_EQ(layerCollectives(s, LayerKind::Dense).f, 0);
    s.plan.tp = 4;
    const LayerCompute four = layerCompute(s, LayerKind::Dense, GpuShare::Alone, rankTokens(s.model, s.plan, 1.0));
    EXPECT_LT(four.f, one.f / 2);
    EXPECT_GT(four.f, one.f / 4.5);
    EXPECT_GT(layerCollectives(s, LayerKind::Dense).f, 0);
}

// ZeRO 2 reduces gradients and ZeRO 3 gathers weights for every microbatch: smaller states are paid for in time.
/// Seconds of half an all-reduce of `width` bf16 numbers a token over TP ranks of one node.
double halfRing(const Scenario &s, double width)
{
    const double tp = s.plan.tp;
    return s.plan.microBatch * s.plan.seq * width * 2 * (tp - 1) / tp / s.cluster.scaleUpBandwidth
        + (tp - 1) * s.cluster.scaleUpLatency;
}

// arXiv 2205.05198, 4.2.2: an all-reduce is a reduce-scatter and an all-gather, so sequence parallelism moves the same bytes.
TEST(Cost, SequenceParallelismMovesTheSameBytesOfAGroupedQueryLayer)
{
    Scenario s = sampleNamed("llama");
    ASSERT_GT(s.plan.tp, 1);
    s.recompute = *recomputePreset("none");
    for (const bool sequenceParallel : { true, false }) {
        s.plan.sequenceParallel = sequenceParallel;
        const LayerCollectives c = layerCollectives(s, LayerKind::Dense);
        EXPECT_DOUBLE_EQ(c.f, 4 * halfRing(s, s.model.hidden));
        EXPECT_DOUBLE_EQ(c.bi, 4 * halfRing(s, s.model.hidden));
    }
}

TEST(Cost, SequenceParallelLatentAttentionGathersTheLatents)
{
    Scenario s = story();
    s.plan.tp = 4;
    s.plan.ep = 1;
    s.recompute = *recomputePreset("none");
    const double hidden = halfRing(s, 7168);
    const double latents = halfRing(s, 1536 + 512 + 64);
    s.plan.sequenceParallel = true;
    EXPECT_DOUBLE_EQ(layerCollectives(s, LayerKind::Moe).f, latents + 3 * hidden);
    EXPECT_DOUBLE_EQ(layerCollectives(s, LayerKind::Moe).bi, latents + 3 * hidden);
    s.plan.sequenceParallel = false;
    EXPECT_DOUBLE_EQ(layerCollectives(s, LayerKind::Moe).f, 4 * hidden);
    EXPECT_DOUBLE_EQ(layerCollectives(s, LayerKind::Moe).bi, 2 * latents + 2 * hidden);
}

TEST(Cost, WithoutSequenceParallelismTheEmbeddingReducesForwardAndTheHeadBackward)
{
    Scenario s = sampleNamed("llama");
    const double half = halfRing(s, s.model.hidden);
    s.plan.sequenceParallel = true;
    EXPECT_DOUBLE_EQ(embeddingCollectives(s).f, half);
    EXPECT_DOUBLE_EQ(embeddingCollectives(s).bi, half);
    EXPECT_DOUBLE_EQ(headCollectives(s).f + headCollectives(s).bi, 2 * half);
    s.plan.sequenceParallel = false;
    EXPECT_DOUBLE_EQ(embeddingCollectives(s).f, 2 * half);
    EXPECT_DOUBLE_EQ(embeddingCollectives(s).bi, 0);
    EXPECT_DOUBLE_EQ(headCollectives(s).f, 0);
    EXPECT_DOUBLE_EQ(headCollectives(s).bi, 2 * half);
    s.plan.tp = 1;
    EXPECT_EQ(headCollectives(s).bi, 0);
}

TEST(Cost, WithoutSequenceParallelismEveryRankRepeatsTheNormsOfAllTokens)
{
    Scenario s = sampleNamed("llama");
    s.recompute = *recomputePreset("none");
    const auto memory = [&s](bool sequenceParallel) {
        s.plan.sequenceParallel = sequenceParallel;
        return memoryBoundSeconds(s, LayerKind::Dense, rankTokens(s.model, s.plan, 1.0));
    };
    EXPECT_NEAR(memory(false).norms, s.plan.tp * memory(true).norms, 1e-12);
    EXPECT_GT(memory(false).f, memory(true).f);
    EXPECT_LT(memory(false).f, s.plan.tp * memory(true).f) << "what attention cuts by heads stays cut";
    const auto step = [&s](bool sequenceParallel) {
        s.plan.sequenceParallel = sequenceParallel;
        const auto e = evaluate(s);
        EXPECT_TRUE(e->valid);
        return std::pair(e->time.step, e->times.durations.p2p);
    };
    EXPECT_GT(step(false).first, step(true).first);
    EXPECT_GT(step(false).second, step(true).second) << "a pipeline hop carries all tokens";
}

TEST(Cost, ShardingGradientsAndWeightsCostsTimeEveryMicrobatch)
{
    Scenario s = sampleNamed("production");
    s.plan.schedule = ScheduleKind::OneForwardOneBackward;
    s.plan.zero = 1;
    double last = evaluate(s)->time.step;
    for (const int zero : { 2, 3 }) {
        s.plan.zero = zero;
        const auto e = evaluate(s);
        ASSERT_TRUE(e->valid);
        EXPECT_GT(e->time.step, last * 1.05) << "ZeRO " << zero;
        last = e->time.step;
    }
}

// A tensor- or context-parallel rank holds a part of the tokens or heads that the trace's rank held: its recorded durations
// shrink with it.
TEST(Cost, ACalibratedPlanScalesWithTheWorkOfARank)
{
    Scenario s = sampleNamed("production");
    const double one = evaluate(s)->time.f;
    s.plan.cp = 4;
    const auto split = evaluate(s);
    ASSERT_TRUE(split->valid);
    EXPECT_LT(split->time.f, one / 3);
    EXPECT_TRUE(std::ranges::any_of(split->diagnostics, [](const Diagnostic &d) { return d.code == "profile-conditions"; }));
    s.plan.cp = 1;
    s.plan.seq = 8192;
    const auto twice = evaluate(s);
    ASSERT_TRUE(twice->valid);
    EXPECT_GT(twice->time.f, 2.05 * one); // attention grows faster than tokens
    s.plan.seq = 4096;
    s.precision = *precisionPreset("megatron-bf16");
    const auto other = evaluate(s);
    EXPECT_TRUE(std::ranges::any_of(other->diagnostics, [](const Diagnostic &d) { return d.code == "profile-conditions"; }));
}

TEST(Cost, EveryTermHasFormulaSourceAndUniqueId)
{
    for (const Sample &sample : samples()) {
        const auto e = evaluate(parseScenario(sample.text)->scenario);
        std::set<std::string> ids;
        for (const Term &term : e->terms) {
            EXPECT_TRUE(ids.insert(term.id).second) << term.id;
            EXPECT_FALSE(term.formula.empty()) << term.id;
            EXPECT_FALSE(term.source.empty()) << term.id;
            EXPECT_TRUE(std::isfinite(term.value)) << term.id;
        }
        ASSERT_NE(findTerm(e->terms, "time.step"), nullptr);
        EXPECT_EQ(findTerm(e->terms, "time.step")->value, e->time.step);
    }
}

} // namespace
} // namespace pipeloom
