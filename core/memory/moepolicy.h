// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/routing.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace pipeloom
{

/// How a framework runs an MoE block, as far as memory depends on it. Symbols: T tokens that the rank feeds to the router, k
/// experts a token, E experts, C slots an expert has for one source rank, H hidden, F expert width; rows are token copies of H
/// numbers.
struct MoePolicy
{
    /// Slots of an expert for one source rank, under a capacity factor c.
    enum class CapacityRule : std::uint8_t
    {
        Megatron, ///< ceil(T k / E c)
        DeepSpeed, ///< max(4, ceil(T / E c k))
        Tutel, ///< k floor(c ceil(T / E))
    };
    /// Whether the buffers hold every slot, filled or not.
    enum class Padding : std::uint8_t
    {
        Never, ///< packed rows: a capacity only drops
        OnRequest, ///< runtime.pad_to_capacity
        Always, ///< without a capacity factor, to the load of the hottest expert
    };
    /// Which expert-tensor-parallel size the framework can run.
    enum class ExpertTensor : std::uint8_t
    {
        Any,
        One, ///< whole experts
        AsTensor, ///< experts are cut as attention is: ETP = TP
    };
    /// What the combine keeps for the gradient of the gate weights.
    enum class Combine : std::uint8_t
    {
        Nothing, ///< the weights multiply the activation before the last matmul
        ExpertOutput, ///< the experts' output, in the layout of the buffers
        ExpertOutputWide, ///< the same in fp32 where the kernels have no 16-bit path: on ROCm, and for BF16 everywhere
        GatheredRows, ///< k rows a token, gathered from the slots
    };

    const char *name = ""; ///< runtime.moe
    const char *title = "";
    const char *source = "";
    bool megatron = false; ///< Megatron-Core on Transformer Engine; else Megatron-DeepSpeed
    CapacityRule capacity = CapacityRule::Megatron;
    Padding padding = Padding::Never;
    ExpertTensor expertTensor = ExpertTensor::Any;
    bool tokensSharded = false; ///< each tensor-parallel rank routes its own share of the tokens
    Combine combine = Combine::Nothing;
    double maskBytes = 0; ///< kept, an element of the one-hot [T, E, C] tensors
    double transientMask = 0; ///< alive beside them while the block runs, bytes an element of [T, E, C]
    double transientRows = 0; ///< bytes alive while the block's backward runs, a row and hidden unit
    double transientTokens = 0; ///< the same, a routed token copy before padding
    bool gathersTokens = false; ///< every expert rank sees every token
    bool timed = false; ///< the cost model knows its exchange
};

/// Every policy, in the order that lists show.
[[nodiscard]] std::span<const MoePolicy> moePolicies();

/// The policy of a name, or nullptr.
[[nodiscard]] const MoePolicy *findMoePolicy(std::string_view name);

/// The policy of a scenario. Precondition: runtime.moe is one of moePolicies(), as the reader makes sure.
[[nodiscard]] const MoePolicy &moePolicy(const Scenario &scenario);

/// Whether the run is Megatron-Core's: a dense model's always.
[[nodiscard]] bool onMegatron(const Scenario &scenario);

/// What stands for the exchange of a policy whose times are not modelled.
inline constexpr const char *standInExchange = "megatron-alltoall";

/// Slots of one expert for one source rank that routes `tokens`; factor > 0.
[[nodiscard]] double expertCapacity(MoePolicy::CapacityRule rule, double tokens, const MoeSpec &moe, double factor);

/// What capacity makes of the router's choice.
struct BufferLoad
{
    double rowsOverMean = 1; ///< rows of the hottest rank's buffers, filled or not, over k T
    double droppedFraction = 0; ///< of the k T routes
};

/// Rows of a rank's buffers over k T, filled or not, when its experts receive `rankOverMean` (>= 0) of the mean.
[[nodiscard]] double bufferRows(const Scenario &scenario, const RoutingLoad &routing, double rankOverMean);

/// Rows of the buffers and dropped routes under the scenario's policy, capacity factor and routing. Dropped: every expert's load
/// from one source rank is binomial around its share, and what exceeds the capacity is lost (normal approximation). Padded
/// buffers hold C slots for every expert whatever the router does; packed ones what is left of the hottest rank's load.
[[nodiscard]] BufferLoad bufferLoad(const Scenario &scenario, const RoutingLoad &routing);

/// The scenario as its framework runs it: Megatron-DeepSpeed has neither sequence parallelism nor
/// Transformer Engine's dummy gradients, and recomputes core attention or whole layers.
[[nodiscard]] Scenario asRun(Scenario scenario);

} // namespace pipeloom
