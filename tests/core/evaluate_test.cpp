// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planner/nearest.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

namespace pipeloom
{
namespace
{

Scenario story()
{
    Expected<LoadedScenario> loaded = parseScenario(samples().front().text);
    EXPECT_TRUE(loaded);
    return loaded ? loaded->scenario : Scenario{};
}

/// The numbers that must not depend on when or where an evaluation runs.
bool same(const Evaluation &a, const Evaluation &b)
{
    return a.diagnostics == b.diagnostics && a.timeline.start == b.timeline.start && a.timeline.end == b.timeline.end
        && a.time.step == b.time.step && a.terms == b.terms && a.memory.peakRank == b.memory.peakRank;
}

TEST(Evaluate, IsTheSameOnEveryThread)
{
    const Scenario s = story();
    const auto first = evaluate(s);
    std::vector<std::shared_ptr<const Evaluation>> results(4);
    {
        std::vector<std::jthread> threads;
        for (auto &result : results)
            threads.emplace_back([&result, &s] { result = evaluate(s); });
    }
    for (const auto &result : results)
        EXPECT_TRUE(same(*first, *result));
}

TEST(Evaluate, StopsWhenAsked)
{
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(evaluate(story(), source.get_token()), nullptr);
}

TEST(Evaluate, ABrokenPlanGivesDiagnosticsAndNoSchedule)
{
    Scenario s = story();
    s.plan.globalBatch = 1280; // M = 10
    const auto e = evaluate(s);
    EXPECT_FALSE(e->valid);
    EXPECT_TRUE(hasError(e->diagnostics));
    EXPECT_TRUE(e->schedule.ops.empty());
    EXPECT_EQ(e->memory.verdict, Verdict::Invalid);
    EXPECT_EQ(e->parameters.total, 671'026'404'352); // what can be known is known
}

TEST(Evaluate, ARuntimeWithoutTimesWarnsAndBorrowsThoseOfMegatronsAllToAll)
{
    Scenario s = story();
    s.runtime.moe = "tutel";
    const auto e = evaluate(s);
    ASSERT_TRUE(e->valid);
    const auto found = std::ranges::find(e->diagnostics, std::string("runtime-moe"), &Diagnostic::code);
    ASSERT_NE(found, e->diagnostics.end());
    EXPECT_EQ(found->severity, Severity::Warning);
    EXPECT_EQ(found->message,
              "Memory is that of Tutel. Times are those of Megatron-Core, all-to-all instead: the runtime's own are not modelled yet.");
    ASSERT_FALSE(found->fixes.empty());
    const Expected<Scenario> repaired = applySettings(s, found->fixes.front().set);
    ASSERT_TRUE(repaired);
    const auto timed = evaluate(*repaired);
    ASSERT_TRUE(timed->valid);
    EXPECT_EQ(std::ranges::find(timed->diagnostics, std::string("runtime-moe"), &Diagnostic::code), timed->diagnostics.end());
    EXPECT_EQ(e->time.step, timed->time.step);
    EXPECT_GT(e->memory.ranks.front().peak, timed->memory.ranks.front().peak);

    s.runtime.moe = "no-such-runtime";
    EXPECT_FALSE(evaluate(s)->valid);
}

// Any integers must end in a result or in diagnostics: never a crash, a hang or a NaN.
TEST(Evaluate, SurvivesRandomPlans)
{
    std::mt19937_64 random(7);
    const int values[] = {
        -1, 0, 1, 2, 3, 4, 6, 8, 16, 61, 64, 128, 1024, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()
    };
    const auto pick = [&] { return values[random() % std::size(values)]; };
    const auto likely = [&](int usual) { return random() % 4 == 0 ? pick() : usual; };
    int valid = 0;
    for (int i = 0; i < 500; ++i) {
        Scenario s = story();
        s.plan.gpus = likely(1024);
        s.plan.tp = likely(1);
        s.plan.pp = likely(8);
        s.plan.vpp = likely(1);
        s.plan.ep = likely(64);
        s.plan.etp = likely(1);
        s.plan.cp = likely(1);
        s.plan.microBatch = likely(1);
        s.plan.globalBatch = likely(2560);
        s.plan.seq = likely(4096);
        s.plan.zero = likely(1);
        const auto kinds = allScheduleKinds();
        if (random() % 2 == 0)
            s.plan.schedule = kinds[random() % kinds.size()];
        const auto e = evaluate(s);
        ASSERT_NE(e, nullptr);
        ASSERT_EQ(e->valid, !hasError(e->diagnostics));
        if (!e->valid)
            continue;
        ++valid;
        ASSERT_TRUE(std::isfinite(e->time.step) && e->time.step > 0);
        ASSERT_GT(e->memory.ranks.front().peak, 0);
    }
    EXPECT_GT(valid, 20);
}

TEST(Evaluate, AMeasurementDoesNotFollowTheScenarioToAnotherPlan)
{
    Expected<LoadedScenario> production = parseScenario(samples().at(1).text);
    ASSERT_TRUE(production && production->scenario.measured);
    const std::vector<Setting> price = { { "money.usd_per_gpu_hour", "3" } };
    const std::vector<Setting> pipeline = { { "plan.pp", "8" } };
    EXPECT_TRUE(applySettings(production->scenario, price)->measured);
    EXPECT_FALSE(applySettings(production->scenario, pipeline)->measured);
    EXPECT_FALSE(planScenario(production->scenario, 1)->measured);
}

TEST(NearestPlans, FitAndAreOrderedByStep)
{
    const Scenario s = story();
    ASSERT_NE(evaluate(s)->memory.verdict, Verdict::Fits);
    const std::vector<NearbyPlan> plans = nearestPlans(s, 4);
    ASSERT_FALSE(plans.empty());
    for (std::size_t i = 0; i < plans.size(); ++i) {
        EXPECT_EQ(plans[i].evaluation->memory.verdict, Verdict::Fits);
        EXPECT_FALSE(plans[i].label.empty());
        if (i > 0) {
            EXPECT_LE(plans[i - 1].evaluation->time.step, plans[i].evaluation->time.step);
        }
        // The settings alone reproduce the plan.
        const Expected<Scenario> applied = applySettings(s, plans[i].set);
        ASSERT_TRUE(applied) << text(applied.errors());
        EXPECT_EQ(evaluate(*applied)->time.step, plans[i].evaluation->time.step) << plans[i].label;
        EXPECT_EQ(applied->plan.gpus, s.plan.gpus);
        EXPECT_EQ(applied->plan.globalBatch, s.plan.globalBatch);
        EXPECT_EQ(applied->plan.seq, s.plan.seq);
    }
}

TEST(NearestPlans, StopWhenAsked)
{
    std::stop_source source;
    source.request_stop();
    EXPECT_TRUE(nearestPlans(story(), 4, source.get_token()).empty());
}

} // namespace
} // namespace pipeloom
