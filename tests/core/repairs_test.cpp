// SPDX-License-Identifier: GPL-3.0-or-later
// What is offered for a broken plan: every fix is applied through the scenario reader, as a click and `--set` apply it.
#include "tests/core/plan_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <set>

namespace pipeloom
{

namespace
{

std::set<std::string> errorCodes(const PlanCheck &checked)
{
    std::set<std::string> out;
    for (const Diagnostic &d : checked.diagnostics) {
        if (d.severity == Severity::Error)
            out.insert(d.code);
    }
    return out;
}

std::string describe(const Scenario &s)
{
    const ParallelPlan &p = s.plan;
    return fmt::format("{} on {}: {} GPUs TP{} PP{} VPP{} EP{} ETP{} CP{} micro {} batch {} seq {} {}{}", s.model.name,
                       s.cluster.name, p.gpus, p.tp, p.pp, p.vpp, p.ep, p.etp, p.cp, p.microBatch, p.globalBatch, p.seq,
                       name(p.schedule), p.sequenceParallel ? "" : " no SP");
}

struct Counts
{
    int errors = 0, fixes = 0, running = 0, withoutFix = 0;
};

/// Applies every fix of every error: it leads to a plan without errors or, where several faults are left apart, to one whose
/// errors are a proper part of those before, its own not among them.
void applyEveryFix(const Scenario &broken, Counts &counts)
{
    const PlanCheck before = check(broken);
    const std::set<std::string> codesBefore = errorCodes(before);
    for (const Diagnostic &d : before.diagnostics) {
        if (d.severity != Severity::Error)
            continue;
        ++counts.errors;
        counts.withoutFix += d.fixes.empty() ? 1 : 0;
        for (const Fix &fix : d.fixes) {
            ++counts.fixes;
            const Expected<Scenario> repaired = applySettings(broken, fix.set);
            ASSERT_TRUE(repaired) << describe(broken) << ": " << fix.label << ": " << text(repaired.errors());
            if (planRuns(repaired->model, repaired->cluster, repaired->plan)) {
                ++counts.running;
                continue;
            }
            const std::set<std::string> left = errorCodes(check(*repaired));
            EXPECT_TRUE(std::ranges::includes(codesBefore, left)) << describe(broken) << ": " << d.code << ": " << fix.label;
            EXPECT_FALSE(left.contains(d.code)) << describe(broken) << ": " << d.code << ": " << fix.label;
        }
    }
}

/// Random plans over all presets, from one seed.
class RandomPlans
{
    template<class List>
    auto pick(const List &list)
    {
        return list[m_random() % list.size()];
    }

public:
    Scenario next()
    {
        Scenario s;
        s.precision = *precisionPreset("megatron-bf16");
        s.modelChoice.preset = pick(modelPresetNames());
        s.model = *modelPreset(s.modelChoice.preset);
        s.clusterChoice.preset = pick(clusterPresetNames());
        s.cluster = *clusterPreset(s.clusterChoice.preset);
        ParallelPlan &p = s.plan;
        p.pp = pick(std::array{ 1, 2, 4, 8, 16 });
        p.tp = pick(std::array{ 1, 1, 2, 4, 8 });
        p.ep = s.model.moe.experts > 0 ? pick(std::array{ 1, 4, 8, 16, 64 }) : 1;
        p.cp = pick(std::array{ 1, 1, 1, 2 });
        p.gpus = p.pp * p.tp * p.cp * pick(std::array{ 1, 4, 8, 16, 64 });
        p.vpp = pick(std::array{ 1, 2, 3 });
        p.microBatch = pick(std::array{ 1, 1, 2 });
        p.schedule = pick(std::array{ ScheduleKind::OneForwardOneBackward, ScheduleKind::DualPipe, ScheduleKind::DualPipeV,
                                      ScheduleKind::Interleaved, ScheduleKind::ZeroBubbleH1, ScheduleKind::Chimera,
                                      ScheduleKind::CombinedAllToAll });
        p.globalBatch = p.microBatch * p.gpus / (p.pp * p.tp * p.cp) * pick(std::array{ 4, 8, 16, 32, 48, 64 });
        return s;
    }

    Scenario nextThatRuns()
    {
        for (;;) {
            Scenario s = next();
            if (planRuns(s.model, s.cluster, s.plan))
                return s;
        }
    }

    /// Another value of one field, not looking whether it fits.
    void changeOneField(Scenario &s)
    {
        ParallelPlan &p = s.plan;
        switch (pick(std::array{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })) {
        case 0:
            p.pp = pick(std::array{ 0, 3, 5, 6, 7, 12, 40, 96, 5000 });
            break;
        case 1:
            p.tp = pick(std::array{ -1, 3, 5, 7, 12, 16, 9999 });
            break;
        case 2:
            p.ep = pick(std::array{ 0, 3, 7, 24, 48, 100, 512 });
            break;
        case 3:
            p.cp = pick(std::array{ 0, 3, 5, 7, 16 });
            break;
        case 4:
            p.gpus = pick(std::array{ 0, 7, 100, 1000, 1023, 123456 });
            break;
        case 5:
            p.globalBatch = pick(std::array{ 0, 1, 7, 1000, 2049, 99999 });
            break;
        case 6:
            p.microBatch = pick(std::array{ 0, 3, 7, 1000, 65536 });
            break;
        case 7:
            p.seq = pick(std::array{ 0, 4095, 1001, 16777216 });
            break;
        case 8:
            p.vpp = pick(std::array{ 0, 1, 5, 40, 64, 65 });
            break;
        case 9:
            p.schedule = pick(std::array{ ScheduleKind::DualPipe, ScheduleKind::Interleaved, ScheduleKind::Chimera,
                                          ScheduleKind::VHalf, ScheduleKind::CombinedAllToAll });
            break;
        default:
            p.etp = pick(std::array{ 0, 3, 5, 11 });
            break;
        }
    }

private:
    std::mt19937 m_random{ 2026 };
};

} // namespace

TEST(Repairs, ASingleFaultHasAFixAndEveryFixLeadsToARunningPlan)
{
    RandomPlans plans;
    Counts counts;
    int broken = 0;
    while (broken < 300) {
        Scenario s = plans.nextThatRuns();
        plans.changeOneField(s);
        if (planRuns(s.model, s.cluster, s.plan))
            continue;
        ++broken;
        const int before = counts.withoutFix;
        applyEveryFix(s, counts);
        EXPECT_EQ(counts.withoutFix, before) << describe(s) << ": " << codes(check(s));
    }
    EXPECT_GT(counts.fixes, 500);
    EXPECT_EQ(counts.running, counts.fixes) << "a change of one field broke the plan, so one or two mend it";
}

TEST(Repairs, OfSeveralFaultsAFixMendsOneAndBreaksNoRule)
{
    RandomPlans plans;
    Counts counts;
    int broken = 0;
    while (broken < 200) {
        Scenario s = plans.nextThatRuns();
        for (int i = 0; i < 3; ++i)
            plans.changeOneField(s);
        // The reader refuses numbers out of range before any rule is asked.
        if (planRuns(s.model, s.cluster, s.plan) || check(s).groups.nodes == 0)
            continue;
        ++broken;
        applyEveryFix(s, counts);
    }
    EXPECT_GT(counts.fixes, 400);
    // Three fields at once may leave a finding that no two fields mend without breaking another rule.
    EXPECT_LT(counts.withoutFix * 20, counts.errors);
}

TEST(Repairs, AFixNeverOffersWhatAnotherRuleForbids)
{
    struct Case
    {
        const char *name;
        std::function<void(ParallelPlan &)> change;
        const char *code, *message, *fixes;
    };
    for (const Case &c : {
             // No world of 7 x 64 ranks suits DualPipe, which needs even ranks.
             Case{ "PP 7", [](ParallelPlan &p) { p.pp = 7; }, "gpus-mesh", "1,024 GPUs do not divide by PP 7.",
                   "Use PP 8; Use PP 4" },
             // 40 x 64 experts' ranks: the nearest is 2,560 GPUs, whose 64 copies would get 40 microbatches of the 80 needed.
             Case{ "PP 40", [](ParallelPlan &p) { p.pp = 40; }, "gpus-mesh", "1,024 GPUs do not divide by PP 40.", "Use PP 16" },
             Case{ "TP 3", [](ParallelPlan &p) { p.tp = 3; }, "tp-sequence",
                   "Sequence parallelism over TP 3 needs a sequence that divides by 3, 4,096 does not.", "Use TP 2; Use TP 4" },
             Case{ "PP 7, 1F1B",
                   [](ParallelPlan &p) {
                       p.pp = 7;
                       p.schedule = ScheduleKind::OneForwardOneBackward;
                   },
                   "gpus-mesh", "1,024 GPUs do not divide by PP 7. 896 or 1,792 work.", "Use 896 GPUs; Use 1,792 GPUs" },
             Case{ "1,000 GPUs", [](ParallelPlan &p) { p.gpus = 1000; }, "global-batch",
                   "Global batch 2,560 does not divide by micro-batch 1 × DP 125 = 125.", "Use 1,024 GPUs; Use 512 GPUs" },
             Case{ "EP 24 and a batch that does not divide",
                   [](ParallelPlan &p) {
                       p.ep = 24;
                       p.globalBatch = 1000;
                   },
                   "ep-experts", "EP 24 does not divide 256 routed experts. 16 or 32 work.", "Use EP 16; Use EP 32" },
         }) {
        Scenario s = deepseekStory();
        c.change(s.plan);
        const PlanCheck checked = check(s);
        const Diagnostic *found = find(checked, c.code);
        ASSERT_NE(found, nullptr) << c.name;
        EXPECT_EQ(found->message, c.message);
        EXPECT_EQ(labels(*found), c.fixes) << c.name;
    }
}

TEST(Repairs, TwoFieldsAreChangedTogetherWhereOneCannot)
{
    Scenario s = deepseekStory();
    s.plan.pp = 7;
    s.plan.globalBatch = 1000;
    const PlanCheck checked = check(s);
    const Diagnostic *found = find(checked, "gpus-mesh");
    ASSERT_NE(found, nullptr);
    ASSERT_FALSE(found->fixes.empty());
    EXPECT_EQ(found->fixes.front().label, "Use PP 8 and global batch 2,048");
    EXPECT_EQ(found->fixes.front().set, (std::vector<Setting>{ { "plan.pp", "8" }, { "plan.global_batch", "2048" } }));
}

TEST(Repairs, AWarningsFixTakesItAwayAndBreaksNothing)
{
    Scenario s = withModel(deepseekStory(), "llama-3.1-70b");
    s.plan = {};
    s.plan.gpus = 12;
    s.plan.pp = 4;
    s.plan.globalBatch = 96;
    const PlanCheck checked = check(s);
    const Diagnostic *nodes = find(checked, "gpus-nodes");
    ASSERT_NE(nodes, nullptr);
    EXPECT_EQ(labels(*nodes), "Use 8 GPUs; Use 16 GPUs; Use 24 GPUs; Use 32 GPUs");
    for (const Fix &fix : nodes->fixes) {
        const PlanCheck after = check(*applySettings(s, fix.set));
        EXPECT_EQ(codes(after), "") << fix.label;
        EXPECT_EQ(find(after, "gpus-nodes"), nullptr) << fix.label;
    }
}

TEST(Repairs, ALayoutForAnotherNumberOfStagesGoesWithThePipelineThatNeedsIt)
{
    Scenario s = deepseekStory(); // DualPipe: no number of GPUs suits 3 ranks
    s.plan.pp = 3;
    s.plan.layout = std::vector{ 20, 20, 21 };
    const PlanCheck checked = check(s);
    const Diagnostic *found = find(checked, "gpus-mesh");
    ASSERT_NE(found, nullptr);
    const auto pipeline = std::ranges::find(found->fixes, "Use PP 4 and an even split", &Fix::label);
    ASSERT_NE(pipeline, found->fixes.end()) << labels(*found);
    EXPECT_EQ(pipeline->set, (std::vector<Setting>{ { "plan.pp", "4" }, { "plan.layout", "null" } }));
}

TEST(Repairs, AMicrobatchIsLimitedByWhatItsModelKeeps)
{
    Scenario s = withModel(deepseekStory(), "llama-3.1-405b");
    s.plan = {};
    s.plan.globalBatch = 8;
    s.plan.seq = 8'388'608; // within the tokens of any model, beyond the bytes of this one
    const PlanCheck checked = check(s);
    const Diagnostic *found = find(checked, "range-tokens");
    ASSERT_NE(found, nullptr);
    ASSERT_FALSE(found->fixes.empty());
    EXPECT_TRUE(applySettings(s, found->fixes.front().set));
    s = withModel(s, "deepseek-v2-lite");
    EXPECT_EQ(codes(check(s)), "");
}

} // namespace pipeloom
