// SPDX-License-Identifier: GPL-3.0-or-later
// What a slider tick costs: evaluate() of each sample, and the search for the nearest plan.
#include "core/planner/nearest.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <benchmark/benchmark.h>

namespace
{

using namespace pipeloom;

void evaluateSample(benchmark::State &state)
{
    const Sample &sample = samples().at(static_cast<std::size_t>(state.range(0)));
    const Expected<LoadedScenario> loaded = parseScenario(sample.text);
    if (!loaded) {
        state.SkipWithError("the sample does not read");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluate(loaded->scenario));
    state.SetLabel(sample.name);
}
BENCHMARK(evaluateSample)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

void nearestOfTheStory(benchmark::State &state)
{
    const Expected<LoadedScenario> loaded = parseScenario(samples().front().text);
    for (auto _ : state)
        benchmark::DoNotOptimize(nearestPlans(loaded->scenario));
}
BENCHMARK(nearestOfTheStory)->Unit(benchmark::kMillisecond);

} // namespace
