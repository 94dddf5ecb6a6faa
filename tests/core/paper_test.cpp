// SPDX-License-Identifier: GPL-3.0-or-later
// The accounting of arXiv:2502.07846, and what corrects it.
#include "core/memory/paper.h"
#include "core/reference/papercorrections.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace pipeloom
{
namespace
{

/// The paper's plan with other sizes.
ParallelPlan plan(int tp, int pp, int ep, int gpus, int microBatch = 1, int seq = 4096, bool sp = true)
{
    ParallelPlan out;
    out.tp = tp;
    out.pp = pp;
    out.ep = ep;
    out.gpus = gpus;
    out.microBatch = microBatch;
    out.seq = seq;
    out.sequenceParallel = sp;
    return out;
}

PaperMemory paperOf(const char *model, const ParallelPlan &p)
{
    const auto result = paperMemory(*modelPreset(model), p);
    EXPECT_TRUE(result) << (result ? "" : text(result.errors()));
    return result ? *result : PaperMemory{};
}

TEST(Paper, theDeviceHoldsThePublishedParameters)
{
    const PaperMemory m = paperOf("deepseek-v3", plan(2, 16, 8, 1024));
    EXPECT_EQ(m.parameters, (PaperParameters{ 429'654'016, 65'536, 5'637'144'576, 176'160'768, 7'340'032 }));
    EXPECT_EQ(m.parameters.total(), 6'250'364'928);
    EXPECT_EQ(m.parameters.dense(), 429'719'552);
    EXPECT_EQ(m.parameters.moe(), 5'820'645'376);
    EXPECT_EQ(m.layers, 4);
    EXPECT_EQ(m.dp, 32);
    EXPECT_EQ(m.edp, 8);
    EXPECT_EQ(m.zero[0].parameters, 12'500'729'856);
    EXPECT_EQ(m.shard(), 741'009'408);
}

TEST(Paper, theZeroRowsAreThePublishedOnes)
{
    const PaperMemory m = paperOf("deepseek-v3", plan(2, 16, 8, 1024));
    struct Case
    {
        double parameters, gradients, optimizer, total; ///< GiB, exact
    };
    const Case cases[] = { { 11.6422119140625, 23.284423828125, 46.56884765625, 81.4954833984375 },
                           { 11.6422119140625, 23.284423828125, 5.5209503173828125, 40.44758605957031 },
                           { 11.6422119140625, 2.7604751586914062, 5.5209503173828125, 19.92363739013672 },
                           { 1.3802375793457031, 2.7604751586914062, 5.5209503173828125, 9.661663055419922 } };
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_DOUBLE_EQ(m.zero[i].parameters / bytesPerGiB, cases[i].parameters) << i;
        EXPECT_DOUBLE_EQ(m.zero[i].gradients / bytesPerGiB, cases[i].gradients) << i;
        EXPECT_DOUBLE_EQ(m.zero[i].optimizer / bytesPerGiB, cases[i].optimizer) << i;
        EXPECT_DOUBLE_EQ(m.zero[i].total() / bytesPerGiB, cases[i].total) << i;
    }
}

/// The published closed forms for four layers at TP2, SP2 and EP8, in the letters of the paper, against the sum of the tensors.
TEST(Paper, theTensorsAddUpToTheClosedForms)
{
    const double h = 7168, n = 256, nr = 8, hE = 2048, dcq = 1536, dc = 512, dh = 128, dhr = 64, nh = 128;
    for (const double b : { 1.0, 2.0, 4.0, 3.0 }) {
        for (const double s : { 4096.0, 1024.0, 131072.0 }) {
            const PaperActivations a =
                paperOf("deepseek-v3", plan(2, 16, 8, 1024, static_cast<int>(b), static_cast<int>(s))).activations;
            EXPECT_EQ(a.attentionBytes(),
                      10 * b * s * h + 8 * b * s * (dcq + dc) + 16 * b * s * dh * nh + 8 * b * s * dhr * nh
                          + 10 * b * nh * s * s);
            EXPECT_EQ(a.moeBytes(),
                      20 * b * s * h + 16 * b * s * n + 8 * b * s * nr + 4 * b * s * nr / n * (96 * h + 256 * hE)
                          + 32 * b * s * hE);
            EXPECT_EQ(a.fullBytes(), 8 * b * s * h + 8 * b * s * nr);
            EXPECT_EQ(a.scoreBytes(), 10 * b * nh * s * s);
            EXPECT_EQ(a.routedBytes(), 4 * b * s * nr / n * (96 * h + 256 * hE));
        }
    }
}

TEST(Paper, theActivationsAreThePublishedOnes)
{
    struct Case
    {
        int microBatch;
        double attention, moe, total, full; ///< bytes
    };
    const Case cases[] = { { 1, 23'177'723'904, 1'493'434'368, 24'671'158'272, 235'143'168 },
                           { 2, 46'355'447'808, 2'986'868'736, 49'342'316'544, 470'286'336 },
                           { 4, 92'710'895'616, 5'973'737'472, 98'684'633'088, 940'572'672 } };
    for (const Case &c : cases) {
        const PaperActivations a = paperOf("deepseek-v3", plan(2, 16, 8, 1024, c.microBatch)).activations;
        EXPECT_EQ(a.attentionBytes(), c.attention);
        EXPECT_EQ(a.moeBytes(), c.moe);
        EXPECT_EQ(a.total(), c.total);
        EXPECT_EQ(a.fullBytes(), c.full);
    }
}

/// Other models and plans: worked out by hand from the same rules.
TEST(Paper, otherModelsAndPlansFollowTheSameRules)
{
    // V2-Lite at TP1, PP27: one layer of 13,762,560 MLA, no query latent; EP64 leaves one of 64 experts.
    const PaperMemory lite = paperOf("deepseek-v2-lite", plan(1, 27, 64, 27 * 64));
    EXPECT_EQ(lite.parameters, (PaperParameters{ 13'762'560, 2 * 2048 + 512, 8'650'752, 2 * 8'650'752, 131'072 }));
    EXPECT_EQ(lite.dp, 64);
    EXPECT_EQ(lite.edp, 1);
    // The latents of V2-Lite are the key and value latent alone: 4 b s d_c.
    EXPECT_EQ(lite.activations.attention[3].bytes, 4.0 * 4096 * 512);
    // V2 at TP4 without SP: norms' tensors are whole, the heads are cut.
    const PaperMemory v2 = paperOf("deepseek-v2", plan(4, 15, 32, 15 * 128, 1, 4096, false));
    EXPECT_EQ(v2.layers, 4);
    EXPECT_EQ(v2.activations.attention[0].bytes, 2.0 * 4096 * 5120);
    EXPECT_EQ(v2.activations.attention[4].bytes, 2.0 * 4096 * 128 * 128 / 4);
    // A layer that does not fill the stages evenly: 61 over 8 is rounded up.
    EXPECT_EQ(paperOf("deepseek-v3", plan(1, 8, 64, 512)).layers, 8);
}

TEST(Paper, whatTheFormulasDoNotKnowIsRefusedWithItsField)
{
    struct Case
    {
        const char *model;
        ParallelPlan plan;
        const char *where;
    };
    ParallelPlan context = plan(2, 16, 8, 1024);
    context.cp = 2;
    ParallelPlan experts = plan(2, 16, 8, 1024);
    experts.etp = 2;
    const Case cases[] = { { "llama-3.1-8b", plan(1, 1, 1, 8), "/model/attention/kind" },
                           { "mixtral-8x7b", plan(1, 1, 8, 8), "/model/attention/kind" },
                           { "deepseek-v3", context, "/plan/cp" },
                           { "deepseek-v3", experts, "/plan/etp" },
                           { "deepseek-v3", plan(3, 16, 8, 48 * 8), "/plan/tp" },
                           { "deepseek-v3", plan(2, 16, 48, 1536), "/plan/ep" },
                           { "deepseek-v3", plan(2, 16, 8, 1000), "/plan/gpus" },
                           { "deepseek-v3", plan(2, 0, 8, 1024), "/plan" } };
    for (const Case &c : cases) {
        const auto result = paperMemory(*modelPreset(c.model), c.plan);
        ASSERT_FALSE(result) << c.model << ' ' << c.where;
        EXPECT_EQ(result.error().where, c.where);
        EXPECT_FALSE(result.error().hint.empty());
    }
}

std::map<std::string, PaperCorrection> correctionsOf(const Scenario &scenario)
{
    const auto comparison = comparePaper(scenario);
    EXPECT_TRUE(comparison) << (comparison ? "" : text(comparison.errors()));
    std::map<std::string, PaperCorrection> out;
    if (comparison) {
        for (const PaperCorrection &row : comparison->corrections)
            EXPECT_TRUE(out.emplace(row.id, row).second) << "twice: " << row.id;
    }
    return out;
}

TEST(PaperCorrections, theCountedOnesAreExact)
{
    struct Case
    {
        const char *id;
        double paper, corrected;
    };
    constexpr double giB = bytesPerGiB;
    const Case cases[] = {
        { "paper.parameters.w_qr", 50'331'648, 25'165'824 },
        { "paper.parameters.shared", 176'160'768, 88'080'384 },
        { "paper.parameters.device", 6'250'364'928, 6'137'118'720 },
        { "paper.weights.device", 12'500'729'856 / giB, 12'274'237'440 / giB },
        { "paper.weights.unit", 12'500'729'856 / giB, 12.500729856 },
        { "paper.shard.groups", 22'937'600, 5'734'400 },
        { "paper.zero.none", 81.4954833984375, 6'137'118'720.0 * 14 / giB },
        { "paper.zero.os", 40.44758605957031, (6'137'118'720.0 * 6 + 720'267'264.0 * 8) / giB },
        { "paper.zero.os+g", 19.92363739013672, (6'137'118'720.0 * 2 + 720'267'264.0 * 12) / giB },
        { "paper.zero.os+g+params", 9.661663055419922, 720'267'264.0 * 14 / giB },
        { "paper.optimizer.moments", 5.5209503173828125, 8.049613952636719 },
        { "paper.routed.copies", 4'096, 16'384 },
        { "paper.routed.bytes", 0.578125, 2.3125 },
        { "paper.attention.scores", 20, 4 * 4096 * 64 * 4 / giB },
        { "paper.activations.microbatch", 22.976806640625, 52.3828125 / 15 },
        { "paper.activations.unit", 22.976806640625, 24.671158272 },
        { "paper.activations.full", 0.218994140625, 4 * 28 / 1024.0 },
        { "paper.in-flight.device", 1, 15 },
        { "paper.in-flight.first", 1, 16 },
        { "paper.in-flight.dualpipe", 1, 17 },
        { "paper.in-flight.form", 22.976806640625, 344.652099609375 },
        { "paper.in-flight.form-flash", 22.976806640625, 44.652099609375 },
        { "paper.in-flight.form-full", 0.218994140625, 3.284912109375 },
        { "paper.activations.peak", 22.976806640625, 52.3828125 },
    };
    const auto rows = correctionsOf(paperScenario());
    for (const Case &c : cases) {
        ASSERT_TRUE(rows.contains(c.id)) << c.id;
        EXPECT_DOUBLE_EQ(rows.at(c.id).paper, c.paper) << c.id;
        EXPECT_DOUBLE_EQ(rows.at(c.id).corrected, c.corrected) << c.id;
    }
    for (const auto &[id, row] : rows) {
        EXPECT_FALSE(row.what.empty() || row.unit.empty() || row.cause.empty() || row.source.empty()) << id;
        EXPECT_NE(row.paper, row.corrected) << id << ": no correction";
    }
}

TEST(PaperCorrections, theEvaluatedOnesAgreeWithTheEvaluation)
{
    const auto comparison = comparePaper(paperScenario());
    ASSERT_TRUE(comparison) << text(comparison.errors());
    EXPECT_EQ(comparison->rank, 1);
    ASSERT_EQ(comparison->evaluation->memory.ranks.size(), 16U);
    const auto rows = correctionsOf(paperScenario());
    const RankMemory &device = comparison->evaluation->memory.ranks[1];
    EXPECT_DOUBLE_EQ(rows.at("paper.peak.device").corrected, static_cast<double>(device.peakAllocated) / bytesPerGiB);
    EXPECT_DOUBLE_EQ(rows.at("paper.peak.device").paper, 40.44758605957031 + 22.976806640625);
    const auto heaviest = std::ranges::max(comparison->evaluation->memory.ranks, {}, &RankMemory::peakAllocated);
    EXPECT_DOUBLE_EQ(rows.at("paper.peak.heaviest").corrected, static_cast<double>(heaviest.peakAllocated) / bytesPerGiB);
    EXPECT_GT(rows.at("paper.imbalance.rank").corrected, 1);
    EXPECT_GT(rows.at("paper.imbalance.peak").corrected, rows.at("paper.activations.peak").corrected);
    // Fifteen checkpoints of 0.109 GiB, and a layer of 894 MiB that comes back without the 28 MiB of its checkpoint.
    EXPECT_GE(rows.at("paper.activations.full-peak").corrected, 15 * 0.109375 + (894.0 - 28) / 1024);
}

TEST(PaperCorrections, aScenarioOfOnesOwnIsCompared)
{
    const Scenario four =
        *applySettings(paperScenario(), std::vector<Setting>{ { "plan.micro_batch", "4" }, { "plan.global_batch", "4096" } });
    const auto rows = correctionsOf(four);
    EXPECT_DOUBLE_EQ(rows.at("paper.activations.peak").paper, 91.9072265625);
    EXPECT_DOUBLE_EQ(rows.at("paper.activations.peak").corrected, 209.53125);
    // TP1 and EP64: the factor of the routed tokens is EP / SP = 64, and nothing is cut over TP any more.
    const std::vector<Setting> wide{ { "plan.tp", "1" }, { "plan.ep", "64" }, { "plan.gpus", "1024" } };
    const auto wideRows = correctionsOf(*applySettings(paperScenario(), wide));
    EXPECT_DOUBLE_EQ(wideRows.at("paper.routed.copies").corrected / wideRows.at("paper.routed.copies").paper, 64);
    EXPECT_DOUBLE_EQ(wideRows.at("paper.parameters.device").paper, wideRows.at("paper.parameters.device").corrected);
    const auto dense = parseScenario(
        R"({"format":"pipeloom-scenario","schema":1,"name":"x","model":"llama-3.1-8b","cluster":"h100","plan":{"gpus":8,"global_batch":8}})");
    ASSERT_TRUE(dense) << text(dense.errors());
    EXPECT_FALSE(comparePaper(dense->scenario));
    const auto broken = applySettings(paperScenario(), std::vector<Setting>{ { "plan.global_batch", "1000" } });
    ASSERT_TRUE(broken);
    const auto refused = comparePaper(*broken);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "plan.global_batch");
}

} // namespace
} // namespace pipeloom
