// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <gtest/gtest.h>

#include <set>

namespace pipeloom
{
namespace
{

LoadedScenario loaded(const Sample &sample)
{
    auto result = parseScenario(sample.text, sample.name, {}, { .strict = true });
    EXPECT_TRUE(result) << (result ? std::string() : text(result.errors()));
    return result ? *result : LoadedScenario{};
}

TEST(Samples, OpenWithTheStoryAndReadWithoutAWarning)
{
    ASSERT_EQ(samples().size(), 4U);
    EXPECT_EQ(samples().front().title, "DeepSeek-V3 on 1,024 H800");
    std::set<std::string> titles;
    for (const Sample &sample : samples()) {
        const LoadedScenario scenario = loaded(sample);
        EXPECT_TRUE(scenario.warnings.empty()) << text(scenario.warnings);
        EXPECT_EQ(scenario.scenario.name, sample.title);
        titles.insert(sample.title);
    }
    EXPECT_EQ(titles.size(), 4U);
}

TEST(Samples, HoldTheStoryOfTheDesign)
{
    const Scenario story = loaded(samples()[0]).scenario;
    EXPECT_EQ(story.model.name, "deepseek-v3");
    EXPECT_EQ(story.cluster.hbmBytes, 84'943'110'144);
    EXPECT_EQ(story.plan.gpus, 1024);
    EXPECT_EQ(story.plan.pp, 8);
    EXPECT_EQ(story.plan.ep, 64);
    EXPECT_EQ(story.plan.schedule, ScheduleKind::DualPipe);
    EXPECT_EQ(story.plan.globalBatch / (story.plan.gpus / story.plan.pp), 20);
    EXPECT_EQ(story.precision.name, "deepseek-v3-fp8");
    EXPECT_TRUE(story.recompute.drops(Recompute::MlaUpProjection));
    ASSERT_EQ(story.alternatives.size(), 2U);
    const auto b = planScenario(story, 1);
    const auto c = planScenario(story, 2);
    ASSERT_TRUE(b && c);
    EXPECT_EQ(b->plan.schedule, ScheduleKind::OneForwardOneBackward);
    EXPECT_EQ(b->plan.pp, 8);
    EXPECT_EQ(c->plan.schedule, ScheduleKind::DualPipe);
    EXPECT_EQ(c->plan.pp, 16);
    EXPECT_FALSE(planScenario(story, 3));
}

TEST(Samples, HoldTheProductionRunWithItsMeasuredProfile)
{
    const Scenario run = loaded(samples()[1]).scenario;
    EXPECT_EQ(run.plan.gpus, 2048);
    EXPECT_EQ(run.plan.globalBatch / (run.plan.gpus / run.plan.pp), 120);
    EXPECT_EQ(run.timing.source, TimingSource::Calibrated);
    const TimingProfile &p = run.timing.profile;
    // Four layers of the trace, in ms: F 77.3, Bi 97.7, W 29.8, the overlapped pair 129.0.
    EXPECT_NEAR(4e3 * (p.f + p.dispatchF + p.combineF), 77.3, 0.05);
    EXPECT_NEAR(4e3 * (p.bi + p.dispatchB + p.combineB), 97.7, 0.05);
    EXPECT_NEAR(4e3 * p.w, 29.8, 0.05);
    EXPECT_NEAR(1e3 * p.pair, 129.012, 1e-9);
    EXPECT_EQ(p.pairLayers, 4);
    EXPECT_EQ(p.quantities.size(), 8U);
    for (const auto &quantity : p.quantities)
        EXPECT_EQ(quantity.tag, Provenance::Measured) << quantity.name;
}

TEST(Samples, AreValidPlansWithAllTheirLayers)
{
    for (const Sample &sample : samples()) {
        const Scenario scenario = loaded(sample).scenario;
        for (std::size_t i = 0; i <= scenario.alternatives.size(); ++i) {
            const auto plan = planScenario(scenario, i);
            ASSERT_TRUE(plan) << text(plan.errors());
            const auto evaluation = evaluate(*plan);
            EXPECT_TRUE(evaluation->valid) << sample.name << " plan " << i << ": "
                                           << (evaluation->diagnostics.empty() ? "" : evaluation->diagnostics.front().message);
            EXPECT_FALSE(hasError(evaluation->diagnostics)) << sample.name << " plan " << i;
            EXPECT_EQ(evaluation->layout.layersBuilt, plan->model.layers) << sample.name << " plan " << i;
        }
    }
}

TEST(Samples, RoundTrip)
{
    for (const Sample &sample : samples()) {
        const Scenario scenario = loaded(sample).scenario;
        const auto again = parseScenario(toJson(scenario), "again", {}, { .strict = true });
        ASSERT_TRUE(again) << text(again.errors());
        EXPECT_EQ(again->scenario, scenario) << sample.name;
    }
}

} // namespace
} // namespace pipeloom
