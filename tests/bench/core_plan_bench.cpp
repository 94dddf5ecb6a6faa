// SPDX-License-Identifier: GPL-3.0-or-later
// The plan is checked on every slider tick, and thousands of times by the search for the nearest plan that fits.
#include "core/plan/groups.h"
#include "core/scenario/scenariofile.h"

#include <benchmark/benchmark.h>

namespace pipeloom
{

namespace
{

ParallelPlan storyPlan()
{
    ParallelPlan plan;
    plan.gpus = 1024;
    plan.pp = 8;
    plan.ep = 64;
    plan.globalBatch = 2560;
    plan.schedule = ScheduleKind::DualPipe;
    return plan;
}

void checkValidPlan(benchmark::State &state)
{
    const ModelSpec model = *modelPreset("deepseek-v3");
    const Cluster cluster = *clusterPreset("h800");
    const ParallelPlan plan = storyPlan();
    for (auto _ : state)
        benchmark::DoNotOptimize(checkPlan(model, cluster, plan).groups.dp);
}
BENCHMARK(checkValidPlan)->Unit(benchmark::kMicrosecond);

void checkBrokenPlan(benchmark::State &state)
{
    const ModelSpec model = *modelPreset("deepseek-v3");
    const Cluster cluster = *clusterPreset("h800");
    ParallelPlan plan = storyPlan();
    plan.pp = 7;
    plan.tp = 3;
    for (auto _ : state)
        benchmark::DoNotOptimize(checkPlan(model, cluster, plan).diagnostics.size());
}
BENCHMARK(checkBrokenPlan)->Unit(benchmark::kMicrosecond);

void askWhetherAPlanRuns(benchmark::State &state)
{
    const ModelSpec model = *modelPreset("deepseek-v3");
    const Cluster cluster = *clusterPreset("h800");
    const ParallelPlan plan = storyPlan();
    for (auto _ : state)
        benchmark::DoNotOptimize(planRuns(model, cluster, plan));
}
BENCHMARK(askWhetherAPlanRuns)->Unit(benchmark::kMicrosecond);

} // namespace

} // namespace pipeloom
