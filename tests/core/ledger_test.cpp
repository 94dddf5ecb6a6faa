// SPDX-License-Identifier: GPL-3.0-or-later
// The ledger explains every byte: its rows add up to what the stack, the curve and the instants show, whatever the plan.
#include "core/memory/breakdown.h"
#include "core/memory/ledger.h"
#include "core/memory/rankmemory.h"
#include "core/memory/states.h"
#include "core/planner/levers.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace pipeloom
{
namespace
{

Scenario scenarioFrom(const std::string &text)
{
    Expected<LoadedScenario> loaded = parseScenario(text);
    EXPECT_TRUE(loaded) << (loaded ? "" : pipeloom::text(loaded.errors()));
    return loaded ? loaded->scenario : Scenario{};
}

/// DeepSeek-V3 or Llama under a plan of all kinds of parallelism.
Scenario randomScenario(std::mt19937 &random)
{
    const auto pick = [&random](auto... values) {
        const std::array list{ values... };
        return list[random() % list.size()];
    };
    const bool moe = random() % 3 != 0;
    Scenario s = scenarioFrom(
        moe ? R"({"format":"pipeloom-scenario","schema":1,"model":"deepseek-v3","cluster":"h800","plan":{"gpus":1024,"global_batch":1024}})"
            : R"({"format":"pipeloom-scenario","schema":1,"model":"llama-3.1-70b","cluster":"h100","plan":{"gpus":256,"global_batch":256}})");
    s.plan.tp = pick(1, 2, 4, 8);
    s.plan.pp = pick(1, 2, 4, 8, 16);
    s.plan.cp = pick(1, 2, 4);
    s.plan.ep = moe ? pick(1, 4, 8, 16, 32, 64) : 1;
    s.plan.etp = moe ? pick(1, 2) : 1;
    s.plan.microBatch = pick(1, 2);
    s.plan.zero = pick(0, 1, 2, 3);
    s.plan.fsdp = random() % 5 == 0;
    s.plan.optimizerOffload = random() % 5 == 0;
    s.plan.sequenceParallel = random() % 3 != 0;
    s.plan.schedule = pick(ScheduleKind::OneForwardOneBackward, ScheduleKind::DualPipe, ScheduleKind::GPipe,
                           ScheduleKind::ZeroBubbleH1, ScheduleKind::ZeroBubbleV, ScheduleKind::Interleaved);
    s.plan.vpp = s.plan.schedule == ScheduleKind::Interleaved ? 2 : 1;
    s.plan.globalBatch = 64 * s.plan.gpus / s.plan.tp / s.plan.cp / s.plan.pp * s.plan.microBatch;
    s.precision = *precisionPreset(pick("megatron-bf16", "megatron-bf16-grads", "deepseek-v3-fp8", "fsdp2-fp32"));
    s.recompute = *recomputePreset(pick("none", "full", "selective", "deepseek-v3"));
    if (s.recompute.full) {
        s.recompute.fullBlock = random() % 2 == 0;
        s.recompute.fullLayers = pick(1, 2, 3);
    }
    s.runtime.lossFusion = pick("te", "native", "unfused");
    s.routing.sigma = pick(0.0, 0.1, 0.7);
    return s;
}

std::string describe(const Scenario &s)
{
    return fmt::format("{} tp {} pp {} cp {} ep {} etp {} zero {} fsdp {} {} {}", s.model.name, s.plan.tp, s.plan.pp, s.plan.cp,
                       s.plan.ep, s.plan.etp, s.plan.zero, s.plan.fsdp, name(s.plan.schedule), s.recompute.name);
}

TEST(Ledger, SumsOfRowsAreTheTotalsToTheByteWhateverThePlan)
{
    std::mt19937 random(7);
    int valid = 0;
    for (int round = 0; round < 400; ++round) {
        const Scenario s = randomScenario(random);
        const auto e = evaluate(s);
        if (!e->valid)
            continue;
        ++valid;
        SCOPED_TRACE(describe(s));
        for (const RankMemory &rank : e->memory.ranks) {
            std::array<ByteCount, memoryClassCount> sums{};
            std::vector<ByteCount> activation(e->layout.stages.size(), 0);
            ByteCount moments = 0;
            ByteCount host = 0;
            for (const LedgerRow &row : rank.tensors) {
                ASSERT_GT(row.bytes, 0) << row.name;
                ASSERT_GT(row.count, 0) << row.name;
                if (row.host) {
                    host += row.total();
                    continue;
                }
                sums[static_cast<std::size_t>(row.memoryClass)] += row.total();
                if (row.memoryClass == MemoryClass::Activations)
                    activation[static_cast<std::size_t>(row.stage)] += row.total();
                if (row.lifetime == Lifetime::FirstStep)
                    moments += row.total();
            }
            const auto stack = rank.stackAtPeak();
            for (const MemoryClass c : { MemoryClass::ParametersDense, MemoryClass::ParametersExpert, MemoryClass::Gradients,
                                         MemoryClass::Optimizer, MemoryClass::Buffers })
                EXPECT_EQ(sums[static_cast<std::size_t>(c)], stack[static_cast<std::size_t>(c)]) << name(c);
            EXPECT_EQ(moments, rank.moments);
            EXPECT_EQ(host, rank.hostOptimizer);
            EXPECT_EQ(host > 0, s.plan.optimizerOffload);
            ByteCount inFlight = 0;
            for (std::size_t c = 0; c < rank.stages.size(); ++c) {
                EXPECT_EQ(activation[static_cast<std::size_t>(rank.stages[c])], rank.activationPerMicrobatch[c]);
                inFlight += rank.activationPerMicrobatch[c] * rank.chunksAtPeak[c];
            }
            EXPECT_EQ(inFlight, rank.activationsPeak);
            // The transient of the peak is some of the transient rows, and never more than all of them.
            EXPECT_LE(rank.transientPeak, sums[static_cast<std::size_t>(MemoryClass::Transient)]);
        }
    }
    EXPECT_GT(valid, 100);
}

TEST(Ledger, TheCurvesMaximumIsThePeakAndNothingIsNegative)
{
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        const Scenario s = randomScenario(random);
        const auto e = evaluate(s);
        if (!e->valid)
            continue;
        SCOPED_TRACE(describe(s));
        for (const RankMemory &rank : e->memory.ranks) {
            ByteCount highest = 0;
            for (const MemoryPoint &point : rank.curve) {
                ASSERT_GE(point.activations, 0);
                ASSERT_GE(point.transient, 0);
                ASSERT_GE(point.inFlight, 0);
                highest = std::max(highest, point.activations + point.transient);
            }
            EXPECT_EQ(rank.curve.back().activations, 0) << "every activation is freed by the end of the step";
            if (rank.phase != PeakPhase::OptimizerStep)
                EXPECT_EQ(rank.states() + highest, rank.peakAllocated);
            else
                EXPECT_LT(rank.states() + highest, rank.peakAllocated);
            const ByteCount later = rank.at(Instant::LaterPeak).allocated;
            EXPECT_EQ(later, rank.peakAllocated);
            EXPECT_EQ(rank.at(Instant::FirstStepPeak).allocated, later - rank.moments);
            EXPECT_LE(rank.at(Instant::AfterInit).allocated, rank.at(Instant::AfterOptimizer).allocated);
            EXPECT_EQ(rank.at(Instant::AfterOptimizer).allocated, rank.states());
            EXPECT_GE(rank.at(Instant::BadRoutingPeak).allocated, later);
        }
    }
}

/// Parameters of the whole model, from the weights' rows of every pipeline rank and its share of the groups.
double globalParameters(const Evaluation &e)
{
    double sum = 0;
    std::set<int> seen;
    for (const RankMemory &rank : e.memory.ranks) {
        for (const LedgerRow &row : rank.tensors) {
            const bool weight =
                row.memoryClass == MemoryClass::ParametersDense || row.memoryClass == MemoryClass::ParametersExpert;
            if (!weight || seen.contains(row.stage))
                continue;
            const double shape = row.rows * row.cols;
            // count holds what one rank has; experts are spread over the expert-parallel ranks.
            sum += shape * static_cast<double>(row.count)
                * (row.split.cut == TensorSplit::Cut::Expert ? static_cast<double>(row.split.ways) : 1.0);
        }
        for (const int stage : rank.stages)
            seen.insert(stage);
    }
    return sum;
}

TEST(Ledger, ParallelismNeverChangesTheParametersOfTheModel)
{
    std::mt19937 random(13);
    int valid = 0;
    for (int round = 0; round < 300; ++round) {
        Scenario s = randomScenario(random);
        s.model.mtpDepth = 0;
        s.runtime.vocabMultiple = 1;
        const auto e = evaluate(s);
        if (!e->valid || e->scenario.model.vocab % s.plan.tp != 0)
            continue;
        ++valid;
        SCOPED_TRACE(describe(s));
        EXPECT_DOUBLE_EQ(globalParameters(*e), static_cast<double>(e->parameters.total));
    }
    EXPECT_GT(valid, 60);
}

TEST(Ledger, ShardedStatesAddUpOverTheirGroupToTheWholeTensor)
{
    std::mt19937 random(17);
    for (int round = 0; round < 100; ++round) {
        Scenario s = randomScenario(random);
        s.plan.zero = 3;
        s.plan.fsdp = false;
        const auto sharded = evaluate(s);
        s.plan.zero = 0;
        const auto whole = evaluate(s);
        if (!sharded->valid || !whole->valid)
            continue;
        SCOPED_TRACE(describe(s));
        const auto states = [](const Evaluation &e) {
            Ledger rows;
            for (const LedgerRow &row : e.memory.ranks.front().tensors) {
                if ((row.lifetime == Lifetime::Run || row.lifetime == Lifetime::FirstStep) && row.stage >= 0)
                    rows.push_back(row);
            }
            return rows;
        };
        const Ledger a = states(*sharded);
        const Ledger b = states(*whole);
        ASSERT_EQ(a.size(), b.size());
        std::size_t compared = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            ASSERT_EQ(a[i].name, b[i].name);
            // Rounding to bytes: half a byte a shard.
            EXPECT_NEAR(static_cast<double>(a[i].bytes * a[i].split.shards), static_cast<double>(b[i].bytes),
                        static_cast<double>(a[i].split.shards) / 2 + 1)
                << a[i].name;
            ++compared;
        }
        EXPECT_GT(compared, 20U);
    }
}

const char *const cutV3 = R"({"format":"pipeloom-scenario","schema":1,
    "model":{"preset":"deepseek-v3","layers":4,"dense_layers":1,"mtp_depth":0},"cluster":"b200",
    "plan":{"gpus":8,"ep":8,"global_batch":64,"schedule":"1f1b"},"precision":"megatron-bf16","recompute":"none",
    "routing":{"family":"uniform"},"runtime":{"moe":"megatron-alltoall"}})";

TEST(Ledger, EveryTensorSaysItsShapeSplitAndLife)
{
    const auto e = evaluate(scenarioFrom(cutV3));
    ASSERT_TRUE(e->valid);
    const Ledger &rows = e->memory.ranks.front().tensors;
    const auto find = [&](std::string_view name, MemoryClass c, LedgerPlace place) {
        const auto it = std::ranges::find_if(
            rows, [&](const LedgerRow &row) { return row.name == name && row.memoryClass == c && row.place == place; });
        EXPECT_NE(it, rows.end()) << name;
        return it == rows.end() ? LedgerRow{} : *it;
    };
    const LedgerRow up = find("W_UQ", MemoryClass::ParametersDense, LedgerPlace::AnyLayer);
    EXPECT_EQ(shapeText(up), "[16384, 1536]");
    EXPECT_EQ(up.bytes, 2 * 16384 * 1536);
    EXPECT_EQ(up.count, 4);
    EXPECT_EQ(up.dtype, "bf16");
    const LedgerRow expert = find("expert.gate", MemoryClass::ParametersExpert, LedgerPlace::MoeLayer);
    EXPECT_EQ(splitText(expert), "EP 8");
    EXPECT_EQ(expert.count, 3 * 32);
    const LedgerRow moments = find("expert.gate", MemoryClass::Optimizer, LedgerPlace::MoeLayer);
    EXPECT_EQ(name(moments.lifetime), std::string("the whole run")) << "the master weights come first";
    const LedgerRow dispatched = find("dispatched expert input", MemoryClass::Activations, LedgerPlace::MoeLayer);
    EXPECT_EQ(shapeText(dispatched), "[32768, 7168]");
    EXPECT_EQ(dispatched.bytes, 448 * (1 << 20));
    EXPECT_EQ(splitText(dispatched), "EP 8");
    EXPECT_EQ(keptByText(dispatched), "F to B or W of a microbatch; dropped by moe");
    const LedgerRow input = find("layer input", MemoryClass::Activations, LedgerPlace::DenseLayer);
    EXPECT_EQ(keptByText(input), "F to B or W of a microbatch; kept by every recompute mode");
    // 2.89 GiB of dummy weight gradients for V3 with its head at TP 1, as measured runs need.
    ByteCount dummy = 0;
    for (const LedgerRow &row : rows)
        dummy += row.lifetime == Lifetime::FirstBackward ? row.total() : 0;
    EXPECT_NEAR(static_cast<double>(dummy) / bytesPerGiB, 2.89, 0.005);
}

TEST(Ledger, TheOptimizerOnTheHostLeavesTheGpuAndFillsTheNode)
{
    Scenario s = scenarioFrom(cutV3);
    const auto gpu = evaluate(s);
    s.plan.optimizerOffload = true;
    const auto host = evaluate(s);
    ASSERT_TRUE(gpu->valid && host->valid);
    const RankMemory &a = gpu->memory.ranks.front();
    const RankMemory &b = host->memory.ranks.front();
    EXPECT_GT(a.optimizer, 0);
    EXPECT_EQ(b.optimizer, 0);
    EXPECT_EQ(b.hostOptimizer, a.optimizer);
    EXPECT_EQ(a.peakAllocated - b.peakAllocated, a.optimizer);
    EXPECT_EQ(host->memory.hostPerNode, 8 * a.optimizer);
    EXPECT_TRUE(std::ranges::any_of(host->diagnostics, [](const Diagnostic &d) { return d.code == "optimizer-offload"; }));
}

// FSDP shards all states over its group, and holds the running layer and the next one gathered.
TEST(Ledger, FsdpGathersTwoLayersAndShardsTheRest)
{
    const char *llama = R"({"format":"pipeloom-scenario","schema":1,"model":"llama-3.1-8b","cluster":"h100",
        "plan":{"gpus":8,"global_batch":16,"micro_batch":2,"seq":8192,"schedule":"1f1b","fsdp":true},
        "precision":"fsdp2-fp32","recompute":"none","runtime":{"loss_fusion":"unfused","dummy_wgrad":false}})";
    const auto e = evaluate(scenarioFrom(llama));
    ASSERT_TRUE(e->valid);
    const RankMemory &rank = e->memory.ranks.front();
    const double parameters = 8030261248.0;
    // 16 bytes a parameter over 8 ranks: fp32 weights, gradients and two moments.
    EXPECT_NEAR(static_cast<double>(rank.states()), parameters * 16 / 8, 4096);
    const double layer = 2 * 4096.0 + 4096.0 * (4096 + 1024 + 1024 + 4096) + 3 * 4096.0 * 14336;
    const double head = 4096.0 + 128256.0 * 4096;
    const auto rowBytes = [&](std::string_view name) {
        for (const LedgerRow &row : rank.tensors)
            if (row.name == name)
                return static_cast<double>(row.total());
        return 0.0;
    };
    EXPECT_DOUBLE_EQ(rowBytes("gathered weights"), 2 * (layer + head));
    EXPECT_DOUBLE_EQ(rowBytes("gradients before their reduce-scatter"), 4 * head);
}

TEST(Ledger, TheHeadHoldsThePeakOfAStageWithTheLossUnfused)
{
    Scenario s = scenarioFrom(cutV3);
    s.runtime.lossFusion = "unfused";
    s.plan.seq = 8192;
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    EXPECT_EQ(e->memory.ranks.front().phase, PeakPhase::Head);
    s.runtime.lossFusion = "te";
    EXPECT_EQ(evaluate(s)->memory.ranks.front().phase, PeakPhase::BackwardTransient);
}

// Two savings do not add up: with the head holding the peak, what a backward brings back costs nothing, and once the activations
// are small enough the backward of the last layer holds it.
TEST(Ledger, SavingsOfRecomputeDoNotAddUpWhenThePeakMoves)
{
    Scenario s = scenarioFrom(cutV3);
    const auto peakWith = [&s](std::uint32_t modules) {
        s.recompute = Recompute{};
        s.recompute.modules = modules;
        return evaluate(s)->memory.ranks.front().peakAllocated;
    };
    const ByteCount none = peakWith(0);
    const ByteCount first = none - peakWith(Recompute::Moe);
    const ByteCount second = none - peakWith(Recompute::MoeActivation);
    const ByteCount both = none - peakWith(Recompute::Moe | Recompute::MoeActivation);
    EXPECT_GT(first, 0);
    EXPECT_GT(second, 0);
    EXPECT_LT(both, first + second);
}

TEST(Ledger, Fp8WeightsLeaveEmbeddingHeadRouterAndNormsInBf16)
{
    Scenario s = scenarioFrom(cutV3);
    s.precision = *precisionPreset("nvidia-fp8");
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    for (const LedgerRow &row : e->memory.ranks.front().tensors) {
        if (row.memoryClass != MemoryClass::ParametersDense && row.memoryClass != MemoryClass::ParametersExpert)
            continue;
        const bool outside = row.name == "embedding" || row.name == "head" || row.name == "router" || row.cols == 1;
        EXPECT_DOUBLE_EQ(static_cast<double>(row.bytes), row.rows * row.cols * (outside ? 2 : 4)) << row.name;
        EXPECT_EQ(row.dtype, outside ? "bf16" : "bf16 + fp8, two layouts") << row.name;
    }
}

ByteCount sum(const std::vector<BreakdownRow> &rows)
{
    ByteCount bytes = 0;
    for (const BreakdownRow &row : rows)
        bytes += row.bytes;
    return bytes;
}

TEST(Breakdown, FillsEveryInstantToTheByteWhateverThePlan)
{
    std::mt19937 random(19);
    std::set<PeakPhase> phases;
    std::set<Lifetime> transients;
    for (int round = 0; round < 300; ++round) {
        const Scenario s = randomScenario(random);
        const auto e = evaluate(s);
        if (!e->valid)
            continue;
        SCOPED_TRACE(describe(s));
        const MemoryResult bad = memoryAt(*e, ExpertRank::BadRouting);
        for (const RankMemory &rank : e->memory.ranks) {
            for (const Instant instant :
                 { Instant::AfterInit, Instant::FirstStepPeak, Instant::LaterPeak, Instant::AfterOptimizer })
                ASSERT_EQ(sum(breakdown(rank, instant)), rank.at(instant).allocated + rank.buffers) << name(instant);
            const RankMemory &worse = bad.ranks[static_cast<std::size_t>(rank.rank)];
            EXPECT_EQ(worse.peakAllocated, rank.badRoutingPeak);
            EXPECT_EQ(sum(breakdown(worse, Instant::BadRoutingPeak)), rank.badRoutingPeak + rank.buffers);
            phases.insert(rank.phase);
            transients.insert(rank.transient.lifetime);
        }
    }
    EXPECT_TRUE(phases.contains(PeakPhase::Head));
    EXPECT_TRUE(phases.contains(PeakPhase::BackwardTransient));
    EXPECT_TRUE(transients.contains(Lifetime::MlpBackward));
}

// Where the MLP is small, the attention part of the backward holds the peak, less what the MLP part has given back.
TEST(Breakdown, FollowsThePeakIntoTheAttentionPart)
{
    Scenario s = scenarioFrom(R"({"format":"pipeloom-scenario","schema":1,"model":"llama-3.1-70b","cluster":"h100",
        "plan":{"gpus":64,"pp":4,"global_batch":64,"schedule":"1f1b"},"precision":"megatron-bf16","recompute":"none"})");
    s.model.denseWidth = 1024;
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    const RankMemory &rank = e->memory.ranks[1];
    EXPECT_EQ(rank.transient.lifetime, Lifetime::AttentionBackward);
    EXPECT_EQ(rank.phase, PeakPhase::BackwardTransient);
    EXPECT_GT(rank.transient.givenBack, 0);
    EXPECT_EQ(sum(breakdown(rank, Instant::LaterPeak)), rank.peakAllocated + rank.buffers);
}

TEST(Breakdown, TheEvaluatedPositionIsTheEvaluation)
{
    const Scenario s = scenarioFrom(samples().at(0).text);
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    const MemoryResult same = memoryAt(*e, ExpertRank::Hottest);
    const MemoryResult mean = memoryAt(*e, ExpertRank::Mean);
    const MemoryResult coldest = memoryAt(*e, ExpertRank::Coldest);
    for (std::size_t i = 0; i < same.ranks.size(); ++i) {
        EXPECT_EQ(same.ranks[i].peak, e->memory.ranks[i].peak);
        EXPECT_LT(mean.ranks[i].peak, e->memory.ranks[i].peak);
        EXPECT_LT(coldest.ranks[i].peak, mean.ranks[i].peak);
    }
}

// Hot and cold layers of a rank average out in what it holds; the transients of one layer follow the hottest.
TEST(Breakdown, IndependentLayersHoldLessThanLayersThatAreAllHot)
{
    Scenario s = scenarioFrom(samples().at(0).text);
    s.routing.sigma = 0.5;
    s.alternatives.clear();
    for (const bool exact : { false, true }) {
        s.routing.exact = exact;
        s.routing.layers = LayerRouting::Alike;
        const auto alike = evaluate(s);
        s.routing.layers = LayerRouting::Independent;
        const auto independent = evaluate(s);
        ASSERT_TRUE(alike->valid && independent->valid);
        EXPECT_GT(independent->routing.layerMaxOverMean, independent->routing.rankMaxOverMean);
        EXPECT_EQ(independent->routing.hotLayer >= 0, exact);
        const MemoryResult mean = memoryAt(*independent, ExpertRank::Mean);
        const MemoryResult coldest = memoryAt(*independent, ExpertRank::Coldest);
        for (std::size_t i = 0; i < mean.ranks.size(); ++i) {
            const RankMemory &held = independent->memory.ranks[i];
            EXPECT_LT(held.activationsPeak, alike->memory.ranks[i].activationsPeak) << i;
            EXPECT_GT(held.activationsPeak, mean.ranks[i].activationsPeak) << i;
            EXPECT_LT(coldest.ranks[i].activationsPeak, mean.ranks[i].activationsPeak) << i;
            EXPECT_GE(held.transientPeak, mean.ranks[i].transientPeak) << i;
        }
    }
}

TEST(Levers, GiveThePeakOfTheWholePlanAndWhatToApply)
{
    const Scenario s = scenarioFrom(samples().at(0).text);
    const auto e = evaluate(s);
    const ByteCount peak = e->memory.ranks[static_cast<std::size_t>(e->memory.peakRank)].peak;
    const std::vector<MemoryLever> levers = memoryLevers(s);
    ASSERT_GT(levers.size(), 4U);
    bool over = false;
    for (const MemoryLever &lever : levers) {
        EXPECT_LT(lever.peak, peak) << lever.label;
        // Plans that fit come first.
        EXPECT_FALSE(over && lever.verdict == Verdict::Fits) << lever.label;
        over = over || lever.verdict != Verdict::Fits;
        const Expected<Scenario> applied = applySettings(s, lever.set);
        ASSERT_TRUE(applied) << lever.label;
        const auto again = evaluate(*applied);
        ASSERT_TRUE(again->valid) << lever.label;
        EXPECT_EQ(again->memory.ranks[static_cast<std::size_t>(again->memory.peakRank)].peak, lever.peak) << lever.label;
        EXPECT_EQ(again->memory.verdict, lever.verdict) << lever.label;
    }
    EXPECT_TRUE(std::ranges::any_of(levers, [](const MemoryLever &lever) { return lever.label == "PP 16, M 40"; }));
    EXPECT_TRUE(std::ranges::any_of(levers, [](const MemoryLever &lever) { return !lever.stepModelled; }));
    Scenario invalid = s;
    invalid.plan.pp = 7;
    EXPECT_TRUE(memoryLevers(invalid).empty());
}

} // namespace
} // namespace pipeloom
