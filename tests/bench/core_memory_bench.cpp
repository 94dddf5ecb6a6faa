// SPDX-License-Identifier: GPL-3.0-or-later
// The whole ledger of the production run: every tensor of every rank, curves and instants.
#include "core/memory/rankmemory.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <benchmark/benchmark.h>

namespace pipeloom
{

namespace
{

void ledgerOfTheProductionRun(benchmark::State &state)
{
    const Scenario scenario = parseScenario(samples().at(1).text)->scenario;
    const auto e = evaluate(scenario);
    const std::vector<WeightMatrix> matrices = weightMatrices(scenario.model);
    const std::vector<StageLoad> asked(e->layout.stages.size(), { e->routing.rankMaxOverMean, e->routing.rankMaxOverMean });
    const std::vector<StageLoad> bad(e->layout.stages.size(), { e->memory.badRouting, e->memory.badRouting });
    const MemoryImbalance imbalance{ asked, bad };
    std::size_t rows = 0;
    std::size_t points = 0;
    for (auto _ : state) {
        const MemoryResult memory = computeMemory(scenario, matrices, e->groups, e->layout, imbalance, e->schedule, e->timeline);
        rows = 0;
        points = 0;
        for (const RankMemory &rank : memory.ranks) {
            rows += rank.tensors.size();
            points += rank.curve.size();
        }
        benchmark::DoNotOptimize(rows);
    }
    state.counters["rows"] = static_cast<double>(rows);
    state.counters["curve_points"] = static_cast<double>(points);
}
BENCHMARK(ledgerOfTheProductionRun)->Unit(benchmark::kMicrosecond);

} // namespace

} // namespace pipeloom
