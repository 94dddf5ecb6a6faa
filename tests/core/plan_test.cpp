// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of a plan, each with the message and the repairs it gives. Rules: Megatron-Core parallel_state, arguments and
// transformer_config, deepseek-ai/DualPipe, Megatron's interleaved schedule.
#include "tests/core/plan_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <functional>
#include <set>

namespace pipeloom
{

namespace
{

struct Broken
{
    const char *name;
    std::function<void(Scenario &)> change;
    const char *code, *field, *message, *fixes;
};

const std::vector<Broken> &brokenPlans()
{
    static const std::vector<Broken> cases = {
        { "ten microbatches", [](Scenario &s) { s.plan.globalBatch = 1280; }, "schedule-microbatches", "plan.global_batch",
          "M = 10 is too small: DualPipe on 8 ranks needs an even M ≥ 16. Global batch 2,048 gives M 16.",
          "Use global batch 2,048; Use 1F1B instead" },
        { "odd microbatches", [](Scenario &s) { s.plan.globalBatch = 128 * 19; }, "schedule-microbatches", "plan.global_batch",
          "M = 19 does not work: DualPipe on 8 ranks needs an even M ≥ 16. Global batch 2,304 gives M 18.",
          "Use global batch 2,304; Use global batch 2,560; Use 1F1B instead" },
        { "odd ranks",
          [](Scenario &s) {
              s.plan.gpus = 896;
              s.plan.pp = 7;
              s.plan.ep = 64;
          },
          "schedule-ranks-even", "plan.pp",
          "DualPipe pairs stage i with stage P−1−i: it needs an even number of ranks (7 given).", nullptr },
        { "DualPipe on one rank", [](Scenario &s) { s.plan.pp = 1; }, "schedule-ranks-even", "plan.pp",
          "DualPipe pairs stage i with stage P−1−i: it needs an even number of ranks (1 given).", nullptr },
        { "a batch that does not divide",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::OneForwardOneBackward;
              s.plan.gpus = 128;
              s.plan.ep = 16;
              s.plan.globalBatch = 1000;
          },
          "global-batch", "plan.global_batch",
          "Global batch 1,000 does not divide by micro-batch 1 × DP 16 = 16. 992 or 1,008 work.",
          "Use global batch 992; Use global batch 1,008" },
        { "no microbatch",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::OneForwardOneBackward;
              s.plan.gpus = 512;
              s.plan.microBatch = 2;
              s.plan.globalBatch = 64;
          },
          "global-batch-small", "plan.global_batch", "No microbatch: DP 64 × 2 exceeds global batch 64.", nullptr },
        { "EP that does not divide", [](Scenario &s) { s.plan.ep = 24; }, "ep-experts", "plan.ep",
          "EP 24 does not divide 256 routed experts. 16 or 32 work.", "Use EP 16; Use EP 32" },
        { "too few GPUs for the expert group",
          [](Scenario &s) {
              s.plan.gpus = 128;
              s.plan.ep = 32;
          },
          "ep-mesh", "plan.ep", "The expert groups need a multiple of 256 GPUs (EP 32 · PP 8), 128 given.", nullptr },
        { "GPUs that do not divide",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::OneForwardOneBackward;
              s.plan.gpus = 100;
              s.plan.tp = 4;
              s.plan.ep = 1;
          },
          "gpus-mesh", "plan.gpus", "100 GPUs do not divide by TP 4 · PP 8 = 32. 64 or 128 work.", nullptr },
        { "EP on a dense model", [](Scenario &s) { s = withModel(s, "llama-3.1-70b"); }, "ep-dense", "plan.ep",
          "EP 64 has no experts to spread: Llama-3.1-70B is dense.", "Use EP 1" },
        { "TP that does not divide the heads", [](Scenario &s) { s.plan.tp = 3; }, "tp-heads", "plan.tp",
          "TP 3 does not divide 128 attention heads.", nullptr },
        { "TP against key-value heads",
          [](Scenario &s) {
              s = withModel(s, "qwen3-235b-a22b");
              s.plan.tp = 6;
          },
          "tp-kv-heads", "plan.tp", "TP 6 and 4 key-value heads: one must divide the other.", nullptr },
        { "CP against the sequence", [](Scenario &s) { s.plan.cp = 3; }, "cp-sequence", "plan.cp",
          "CP 3 needs a sequence that divides by 6, 4,096 does not.", nullptr },
        { "TP with EP and no sequence parallelism",
          [](Scenario &s) {
              s.plan.tp = 2;
              s.plan.sequenceParallel = false;
          },
          "sequence-parallel", "plan.sequence_parallel",
          "TP 2 with EP 64 needs sequence parallelism: without it every TP rank dispatches the same tokens.", nullptr },
        { "more stages than layers",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::OneForwardOneBackward;
              s.plan.pp = 64;
              s.plan.ep = 16;
          },
          "stages-layers", "plan.pp", "PP 64 makes 64 stages, the model has 61 layers.", nullptr },
        { "more chunks than layers",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::Interleaved;
              s.plan.vpp = 8;
              s.plan.globalBatch = 2048;
          },
          "stages-layers", "plan.vpp", "PP 8 × VPP 8 makes 64 stages, the model has 61 layers.", nullptr },
        { "interleaving without chunks",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::Interleaved;
              s.plan.globalBatch = 2048;
          },
          "schedule-chunks", "plan.vpp", "Interleaved 1F1B needs at least 2 chunks a rank (1 given).",
          "Use VPP 2; Use 1F1B instead" },
        { "interleaving without chunks and with the wrong batch",
          [](Scenario &s) { s.plan.schedule = ScheduleKind::Interleaved; }, "schedule-chunks", "plan.vpp",
          "Interleaved 1F1B needs at least 2 chunks a rank (1 given).",
          "Use VPP 2 and global batch 2,048; Use VPP 2 and global batch 3,072; Use 1F1B instead" },
        { "a micro-batch that does not divide", [](Scenario &s) { s.plan.microBatch = 3; }, "global-batch", "plan.global_batch",
          "Global batch 2,560 does not divide by micro-batch 3 × DP 128 = 384. 6,144 works.", "Use global batch 6,144" },
        { "interleaving with three microbatches on six ranks",
          [](Scenario &s) {
              s.plan = {};
              s.plan.gpus = 6;
              s.plan.pp = 6;
              s.plan.vpp = 2;
              s.plan.globalBatch = 3;
              s.plan.schedule = ScheduleKind::Interleaved;
          },
          "schedule-microbatches", "plan.global_batch",
          "M = 3 is too small: Interleaved 1F1B on 6 ranks needs a multiple of 6. Global batch 6 gives M 6.",
          "Use global batch 6; Use 1F1B instead" },
        { "a group below the ranks",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::Interleaved;
              s.plan.vpp = 2;
              s.plan.globalBatch = 2048;
              s.plan.interleaveGroup = 4;
          },
          "schedule-group", "plan.interleave_group",
          "A group of 4 microbatches does not work: it must lie between P = 8 and M = 16.",
          "Use groups of PP microbatches; Use 1F1B instead" },
        { "a schedule that cannot be generated", [](Scenario &s) { s.plan.schedule = ScheduleKind::Custom; },
          "schedule-not-modelled", "plan.schedule", "Custom order is not modelled yet.",
          "Use 1F1B instead; Use DualPipe instead" },
        { "overlap without an all-to-all",
          [](Scenario &s) {
              s.plan.schedule = ScheduleKind::CombinedAllToAll;
              s.plan.vpp = 2;
              s.plan.ep = 1;
              s.plan.globalBatch = 2048;
          },
          "overlap-ep", "plan.schedule", "1F1B with all-to-all overlap needs EP > 1: with EP 1 there is no all-to-all to hide.",
          "Use Interleaved 1F1B instead; Use 1F1B instead" },
        { "ETP that does not divide the width", [](Scenario &s) { s.plan.etp = 3; }, "etp-width", "plan.etp",
          "ETP 3 does not divide the expert width 2,048.", nullptr },
        { "TP 0", [](Scenario &s) { s.plan.tp = 0; }, "range-tp", "plan.tp", "TP 0 is too small. It goes from 1 to 4,096.",
          "Use TP 1" },
        { "too many GPUs", [](Scenario &s) { s.plan.gpus = INT64_MAX; }, "range-gpus", "plan.gpus",
          "GPU count 9,223,372,036,854,775,807 is too large. It goes from 1 to 1,000,000.", nullptr },
        { "ZeRO 4", [](Scenario &s) { s.plan.zero = 4; }, "range-zero", "plan.zero", "ZeRO 4 is too large. It goes from 0 to 3.",
          "Use ZeRO 3" },
        { "tokens beyond the model",
          [](Scenario &s) {
              s.plan.microBatch = 65536;
              s.plan.seq = 4096;
          },
          "range-tokens", "plan.micro_batch", "268,435,456 tokens a microbatch are too many. At most 8,388,608 are modelled.",
          nullptr },
    };
    return cases;
}

} // namespace

TEST(Plan, TheStoryOfTheDesignIsValidAndSaysWhatHolds)
{
    const PlanCheck checked = check(deepseekStory());
    EXPECT_EQ(codes(checked), "");
    EXPECT_EQ(checked.groups.dp, 128);
    EXPECT_EQ(checked.groups.edp, 2);
    EXPECT_EQ(checked.groups.microbatches, 20);
    EXPECT_EQ(checked.groups.nodes, 128);
    EXPECT_EQ(checked.groups.expertRanksPerNode, 8);
    EXPECT_EQ(checked.groups.expertNodes, 8);
    EXPECT_TRUE(checked.groups.pipelineCrossesNodes);
    ASSERT_NE(find(checked, "meshes"), nullptr);
    EXPECT_EQ(find(checked, "meshes")->message, "Both meshes: 8·128 = 64·8·2 = 1,024");
    EXPECT_EQ(find(checked, "layers-built")->message, "61 of 61 layers built: 7 stages of 8, last of 5");
    EXPECT_EQ(find(checked, "microbatches")->message, "M = 20. DualPipe needs an even number of microbatches ≥ 16");
    EXPECT_EQ(find(checked, "ep-nodes")->message, "EP 64 spans 8 nodes: 3.47 of 4 destinations are remote.");
    EXPECT_EQ(find(checked, "ep-nodes")->severity, Severity::Warning);
}

TEST(Plan, TheProductionRunOf2048GpusHas120Microbatches)
{
    Scenario s = deepseekStory();
    s.plan.gpus = 2048;
    s.plan.pp = 16;
    s.plan.globalBatch = 15360;
    const PlanCheck checked = check(s);
    EXPECT_EQ(codes(checked), "");
    EXPECT_EQ(checked.groups.microbatches, 120);
    EXPECT_EQ(checked.groups.edp, 2);
    EXPECT_EQ(checked.layout.layersBuilt, 61);
}

TEST(Plan, EveryBrokenRuleHasItsMessageFieldAndRepairs)
{
    for (const Broken &b : brokenPlans()) {
        Scenario s = deepseekStory();
        b.change(s);
        const PlanCheck checked = check(s);
        const Diagnostic *found = find(checked, b.code);
        ASSERT_NE(found, nullptr) << b.name << " gave " << codes(checked);
        EXPECT_EQ(found->severity, Severity::Error) << b.name;
        EXPECT_EQ(found->field, b.field) << b.name;
        EXPECT_EQ(found->message, b.message) << b.name;
        EXPECT_FALSE(found->fixes.empty()) << b.name;
        if (b.fixes != nullptr) {
            EXPECT_EQ(labels(*found), b.fixes) << b.name;
        }
        EXPECT_FALSE(planRuns(s.model, s.cluster, s.plan)) << b.name;
    }
}

TEST(Plan, AnyIntegersEndInFindings)
{
    const std::array<int, 7> numbers = { INT_MIN, -1, 0, 1, 7, 4096, INT_MAX };
    const Scenario base = deepseekStory();
    for (const int a : numbers) {
        for (const int b : numbers) {
            for (const int c : numbers) {
                for (int which = 0; which < 5; ++which) {
                    Scenario s = base;
                    ParallelPlan &p = s.plan;
                    p.schedule = which % 2 == 0 ? ScheduleKind::Interleaved : ScheduleKind::DualPipe;
                    if (which == 0) {
                        p.pp = a;
                        p.vpp = b;
                        p.gpus = c;
                    } else if (which == 1) {
                        p.tp = a;
                        p.cp = b;
                        p.ep = c;
                    } else if (which == 2) {
                        p.microBatch = a;
                        p.globalBatch = b;
                        p.seq = c;
                    } else if (which == 3) {
                        p.etp = a;
                        p.zero = b;
                        p.interleaveGroup = c;
                        p.layout = FirstLastLayout{ a, c };
                    } else {
                        p.layout = std::vector{ a, b, c };
                        p.pp = 3;
                        s.model.layers = a;
                        s.model.denseLayers = b;
                        s.model.mtpDepth = c;
                        s.model.moe.experts = b;
                        s.cluster.gpusPerNode = c;
                        s.cluster.scaleUpDomain = a;
                    }
                    const PlanCheck checked = check(s);
                    EXPECT_FALSE(checked.diagnostics.empty());
                    EXPECT_EQ(hasError(checked.diagnostics), !planRuns(s.model, s.cluster, s.plan));
                }
            }
        }
    }
}

TEST(Plan, AValidPlanCanBeGeneratedAndItsGroupsMultiplyToTheWorld)
{
    int valid = 0;
    for (const ScheduleKind kind : allScheduleKinds()) {
        for (const int pp : { 1, 2, 4, 8, 16 }) {
            for (const int ep : { 1, 8, 64, 128 }) {
                for (const int tp : { 1, 2 }) {
                    Scenario s = deepseekStory();
                    s.plan.schedule = kind;
                    s.plan.pp = pp;
                    s.plan.ep = ep;
                    s.plan.tp = tp;
                    s.plan.vpp = 2;
                    s.plan.globalBatch = 32768;
                    const PlanCheck checked = check(s);
                    if (hasError(checked.diagnostics))
                        continue;
                    ++valid;
                    EXPECT_EQ(checked.groups.dp * tp * pp, s.plan.gpus);
                    EXPECT_EQ(checked.groups.edp * ep * pp, s.plan.gpus);
                    const Expected<Schedule> schedule =
                        generate({ kind, pp, static_cast<int>(checked.groups.microbatches), s.plan.vpp, s.plan.interleaveGroup });
                    ASSERT_TRUE(schedule) << text(schedule.errors());
                    EXPECT_EQ(static_cast<std::size_t>(schedule->stages), checked.layout.stages.size());
                }
            }
        }
    }
    EXPECT_GT(valid, 100);
}

TEST(Plan, ExpertGroupsLieOnNodesAsThePlacementSays)
{
    Scenario s = deepseekStory();
    s.plan.etp = 2;
    s.plan.ep = 32;
    EXPECT_EQ(check(s).groups.expertRanksPerNode, 4);
    EXPECT_EQ(check(s).groups.expertNodes, 8);
    s.plan.etp = 1;
    s.plan.ep = 64;
    s.plan.placement = Placement::DataFirst; // two copies of each expert stand side by side
    EXPECT_EQ(check(s).groups.expertRanksPerNode, 4);
    EXPECT_EQ(check(s).groups.expertNodes, 16);
    s.plan.placement = Placement::ExpertFirst;
    s.plan.ep = 8;
    EXPECT_EQ(check(s).groups.expertNodes, 1);
    EXPECT_EQ(find(check(s), "ep-nodes"), nullptr);
    s.cluster = *clusterPreset("gb200-nvl72");
    s.plan.ep = 64;
    EXPECT_EQ(check(s).groups.expertNodes, 1);
}

TEST(Plan, WhatCostsIsAWarningAndRuns)
{
    Scenario s = withModel(deepseekStory(), "qwen3-235b-a22b");
    s.plan.schedule = ScheduleKind::OneForwardOneBackward;
    s.plan.tp = 8;
    s.plan.ep = 8;
    s.plan.globalBatch = 64;
    const PlanCheck checked = check(s);
    EXPECT_EQ(codes(checked), "");
    EXPECT_EQ(find(checked, "tp-kv-copies")->message, "TP 8 exceeds 4 key-value heads: each is kept 2 times.");
    EXPECT_EQ(find(checked, "microbatches-few")->message, "M = 4 is below the 8 ranks: no more than 4 of them work at once.");
    s.plan.gpus = 8 * 8 * 3 / 2;
    s.plan.tp = 1;
    s.plan.pp = 4;
    s.plan.ep = 1;
    s.plan.gpus = 12;
    s.plan.globalBatch = 96;
    EXPECT_EQ(find(check(s), "gpus-nodes")->message, "12 GPUs leave the last node with 4 of 8.");
    s.plan.gpus = 64;
    s.plan.tp = 16;
    EXPECT_EQ(find(check(s), "tp-nodes")->message, "TP 16 exceeds the 8 GPUs of the fast link: its collectives cross nodes.");
}

TEST(Plan, DenseModelsHaveOneMesh)
{
    Scenario s = withModel(deepseekStory(), "llama-3.1-70b");
    s.plan.schedule = ScheduleKind::OneForwardOneBackward;
    s.plan.gpus = 64;
    s.plan.tp = 8;
    s.plan.pp = 4;
    s.plan.ep = 1;
    s.plan.globalBatch = 128;
    const PlanCheck checked = check(s);
    EXPECT_EQ(codes(checked), "");
    EXPECT_EQ(find(checked, "meshes")->message, "Mesh: 8·4·2 = 64");
    EXPECT_EQ(find(checked, "layers-built")->message, "80 of 80 layers built: 4 stages of 20");
    EXPECT_EQ(checked.layout.stages[1].denseLayers, 20);
}

TEST(Plan, MessagesKeepTheHouseWords)
{
    std::set<std::string> seen;
    for (const Broken &b : brokenPlans()) {
        Scenario s = deepseekStory();
        b.change(s);
        for (const Diagnostic &d : check(s).diagnostics) {
            seen.insert(d.code);
            EXPECT_EQ(d.message.find('!'), std::string::npos) << d.message;
            EXPECT_EQ(d.message.find("lease"), std::string::npos) << d.message;
            EXPECT_EQ(d.message.find(">="), std::string::npos) << d.message;
            EXPECT_FALSE(d.field.empty());
            if (d.severity != Severity::Info) {
                EXPECT_EQ(d.message.back(), '.') << d.message;
            }
        }
    }
    EXPECT_GT(seen.size(), 20U);
}

} // namespace pipeloom
