// SPDX-License-Identifier: GPL-3.0-or-later
// Routing loads stand in every evaluation: at most 100 us for 384 experts. The fan-out under a node limit is sampled once per
// shape.
#include "core/routing/fanout.h"
#include "core/routing/routing.h"

#include <benchmark/benchmark.h>

namespace pipeloom
{

namespace
{

ModelSpec moeModel(int experts)
{
    ModelSpec model;
    model.moe = {
        .experts = experts, .topK = 8, .expertWidth = 2048, .sharedWidth = 0, .groups = 8, .topGroups = 4, .scoreBias = false
    };
    return model;
}

void routingLoads(benchmark::State &state)
{
    const ModelSpec model = moeModel(static_cast<int>(state.range(0)));
    RoutingRequest request;
    request.sigma = 0.25;
    benchmark::DoNotOptimize(routingLoad(model, request, 64, 8).rankMaxOverMean);
    for (auto _ : state)
        benchmark::DoNotOptimize(routingLoad(model, request, 64, 8).rankMaxOverMean);
}
BENCHMARK(routingLoads)->Arg(64)->Arg(256)->Arg(384)->Unit(benchmark::kMicrosecond);

void firstFanOut(benchmark::State &state)
{
    const MoeSpec moe = moeModel(256).moe;
    MoeSpec fresh = moe;
    for (auto _ : state) {
        fresh.experts += 64; // a shape that was not asked for before
        benchmark::DoNotOptimize(fanOut(fresh, 4, 64, 8).nodes);
    }
}
BENCHMARK(firstFanOut)->Unit(benchmark::kMillisecond)->Iterations(4);

} // namespace

} // namespace pipeloom
