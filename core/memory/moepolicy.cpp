// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/moepolicy.h"

#include "core/memory/layertensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pipeloom
{

namespace
{

using Rule = MoePolicy::CapacityRule;
using Padding = MoePolicy::Padding;
using ExpertTensor = MoePolicy::ExpertTensor;
using Combine = MoePolicy::Combine;

/// Copies of the dispatched tokens alive in an MoE backward of Megatron-Core, at two bytes: the only fitted constant of the
/// memory model, from six runs on B200 with the all-to-all dispatcher.
constexpr double megatronCopies = 5.0;
constexpr double megatronTransient = megatronCopies * 2;

/// Nine bytes for each element of [T, E, C]: fp32 one-hot positions, mask and weights cast to 16 bits, the bool mask. Autograd
/// asks for eight of them; with the ninth the sum is what the authors of X-MoE measured (their table 4, 2.81 GiB a layer).
constexpr double oneHotBytes = 9;

constexpr std::array<MoePolicy, 10> policies{ {
    { .name = "deepep",
      .title = "Megatron-Core, DeepEP",
      .source = "Megatron-Core, flex dispatcher: packed rows, gate weights applied before the last matmul",
      .megatron = true,
      .padding = Padding::OnRequest,
      .tokensSharded = true,
      .transientRows = megatronTransient,
      .timed = true },
    { .name = "megatron-alltoall",
      .title = "Megatron-Core, all-to-all",
      .source = "Megatron-Core, all-to-all dispatcher: packed rows, gate weights applied before the last matmul",
      .megatron = true,
      .padding = Padding::OnRequest,
      .tokensSharded = true,
      .transientRows = megatronTransient,
      .timed = true },
    { .name = "megatron-allgather",
      .title = "Megatron-Core, all-gather",
      .source = "Megatron-Core, all-gather dispatcher: each expert rank gathers the hidden states of its whole EP x ETP group",
      .megatron = true,
      .padding = Padding::OnRequest,
      .tokensSharded = true,
      .transientRows = megatronTransient,
      .gathersTokens = true },
    { .name = "deepspeed-moe-0.15",
      .title = "DeepSpeed-MoE 0.15, one-hot masks",
      .source =
          "DeepSpeed up to 0.19.3, sharded_moe.py: one-hot [T, E, C] masks, slots [E, C, H]; with TP the slots are cut for the "
          "exchange and gathered after it",
      .capacity = Rule::DeepSpeed,
      .padding = Padding::Always,
      .expertTensor = ExpertTensor::One,
      .combine = Combine::ExpertOutput,
      .maskBytes = oneHotBytes,
      .transientMask = 5,
      .transientRows = 2 },
    { .name = "deepspeed-moe",
      .title = "DeepSpeed-MoE, slots",
      .source =
          "DeepSpeed from 0.19.4 (August 2026), sharded_moe.py: slots without masks, k gathered rows a token for the combine",
      .capacity = Rule::DeepSpeed,
      .padding = Padding::Always,
      .expertTensor = ExpertTensor::One,
      .combine = Combine::GatheredRows,
      .transientRows = 2,
      .transientTokens = 4 },
    { .name = "deepspeed-ted",
      .title = "DeepSpeed-TED, one-hot masks",
      .source = "DeepSpeed 0.15 with expert tensor parallelism: masks and slots whole on every TP rank, experts cut over TP",
      .capacity = Rule::DeepSpeed,
      .padding = Padding::Always,
      .expertTensor = ExpertTensor::AsTensor,
      .combine = Combine::ExpertOutput,
      .maskBytes = oneHotBytes,
      .transientMask = 5,
      .transientRows = 4 },
    { .name = "tutel",
      .title = "Tutel",
      .source = "Tutel's sparse encode and decode: slots without masks; fp32 rows on ROCm and for BF16 (fast_dispatch.py)",
      .capacity = Rule::Tutel,
      .padding = Padding::Always,
      .expertTensor = ExpertTensor::One,
      .combine = Combine::ExpertOutputWide,
      .transientRows = 8 },
    { .name = "x-moe",
      .title = "X-MoE, padding-free",
      .source =
          "X-MoE (arXiv:2508.13337) 4.1 and its code: packed rows, capacity only drops; with TP every rank routes all tokens and "
          "the experts are cut over TP",
      .capacity = Rule::DeepSpeed,
      .expertTensor = ExpertTensor::AsTensor,
      .combine = Combine::ExpertOutput,
      .transientRows = 6 },
    { .name = "x-moe-rbd",
      .title = "X-MoE, redundancy-bypassing dispatch",
      .source = "X-MoE (arXiv:2508.13337) 4.2: packed rows as in x-moe, sent once to each node and copied there",
      .capacity = Rule::DeepSpeed,
      .expertTensor = ExpertTensor::AsTensor,
      .combine = Combine::ExpertOutput,
      .transientRows = 6 },
    { .name = "x-moe-ssmb",
      .title = "X-MoE, sequence-sharded blocks",
      .source = "X-MoE (arXiv:2508.13337) 4.3: packed rows; each TP rank routes its share of the tokens to whole experts",
      .capacity = Rule::DeepSpeed,
      .expertTensor = ExpertTensor::One,
      .tokensSharded = true,
      .combine = Combine::ExpertOutput,
      .transientRows = 6 },
} };

/// E[max(0, X - C)] / E[X] of a binomial X over `tokens` with the given mean.
double excessShare(double mean, double tokens, double capacity)
{
    const double variance = mean * std::max(0.0, 1 - mean / tokens);
    if (variance <= 0)
        return std::max(0.0, mean - capacity) / mean;
    const double sd = std::sqrt(variance);
    const double z = (capacity + 0.5 - mean) / sd;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
    return std::clamp(sd * (density - z * tail) / mean, 0.0, 1.0);
}

/// Mean over the experts, each weighted with its load.
double droppedShare(const RoutingLoad &routing, double tokens, double meanLoad, double capacity)
{
    double dropped = 0;
    for (const double load : routing.expertLoads) {
        if (load > 0)
            dropped += load * excessShare(load * meanLoad, tokens, capacity);
    }
    return routing.expertLoads.empty() ? 0 : dropped / static_cast<double>(routing.expertLoads.size());
}

} // namespace

std::span<const MoePolicy> moePolicies() { return policies; }

const MoePolicy *findMoePolicy(std::string_view name)
{
    const auto found = std::ranges::find(policies, name, &MoePolicy::name);
    return found == policies.end() ? nullptr : &*found;
}

const MoePolicy &moePolicy(const Scenario &scenario)
{
    const MoePolicy *policy = findMoePolicy(scenario.runtime.moe);
    return policy ? *policy : policies.front();
}

bool onMegatron(const Scenario &scenario) { return scenario.model.moe.experts == 0 || moePolicy(scenario).megatron; }

double expertCapacity(MoePolicy::CapacityRule rule, double tokens, const MoeSpec &moe, double factor)
{
    const double experts = moe.experts;
    switch (rule) {
    case Rule::Megatron:
        return std::ceil(tokens * moe.topK / experts * factor);
    case Rule::DeepSpeed: {
        constexpr double least = 4; // DeepSpeed's min_capacity
        return std::max(least, std::ceil(tokens / experts * (factor * moe.topK)));
    }
    case Rule::Tutel:
        return moe.topK * std::floor(factor * std::ceil(tokens / experts));
    }
    return 0;
}

double bufferRows(const Scenario &scenario, const RoutingLoad &routing, double rankOverMean)
{
    const MoeSpec &moe = scenario.model.moe;
    if (moe.experts < 1 || moe.topK < 1)
        return rankOverMean;
    const MoePolicy &policy = moePolicy(scenario);
    const Runtime &runtime = scenario.runtime;
    const double tokens = rankTokens(scenario, 1.0).router;
    const double meanLoad = tokens * moe.topK / moe.experts;
    const bool padded = policy.padding == Padding::Always || (policy.padding == Padding::OnRequest && runtime.padToCapacity);
    if (!runtime.capacityFactor)
        return padded ? std::ceil(meanLoad * routing.expertMaxOverMean) / meanLoad : rankOverMean;
    const double capacity = expertCapacity(policy.capacity, tokens, moe, *runtime.capacityFactor) / meanLoad;
    return padded ? capacity : std::min(rankOverMean, capacity);
}

BufferLoad bufferLoad(const Scenario &scenario, const RoutingLoad &routing)
{
    BufferLoad out{ bufferRows(scenario, routing, routing.rankMaxOverMean), routing.droppedFraction };
    const MoeSpec &moe = scenario.model.moe;
    if (moe.experts < 1 || moe.topK < 1 || !scenario.runtime.capacityFactor)
        return out;
    const double tokens = rankTokens(scenario, 1.0).router;
    const double capacity = expertCapacity(moePolicy(scenario).capacity, tokens, moe, *scenario.runtime.capacityFactor);
    out.droppedFraction = droppedShare(routing, tokens, tokens * moe.topK / moe.experts, capacity);
    return out;
}

Scenario asRun(Scenario scenario)
{
    if (!onMegatron(scenario)) {
        scenario.plan.sequenceParallel = false;
        scenario.runtime.dummyWeightGradients = false;
        scenario.recompute.modules &= Recompute::CoreAttention;
    }
    return scenario;
}

} // namespace pipeloom
