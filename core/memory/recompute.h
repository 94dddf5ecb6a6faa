// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace pipeloom
{

/// What is dropped in the forward and computed again in the backward. The modules are Megatron-Core's.
struct Recompute
{
    enum Module : std::uint32_t
    {
        CoreAttention = 1U << 0U, ///< no effect under fused attention
        MoeActivation = 1U << 1U, ///< expert activation output
        LayerNorm = 1U << 2U, ///< outputs of both norms
        MlaUpProjection = 1U << 3U, ///< q, k, v and the latents' norm outputs
        Mlp = 1U << 4U, ///< dense MLP
        Moe = 1U << 5U, ///< the whole MoE block; replays the all-to-all
        SharedExperts = 1U << 6U,
    };

    std::string name = "none"; ///< preset name, or "custom"
    std::uint32_t modules = 0;
    bool full = false; ///< only the layer inputs are kept
    int fullLayers = 1; ///< uniform: layers per checkpoint; block: layers recomputed per stage
    bool fullBlock = false; ///< method block instead of uniform
    bool operator==(const Recompute &) const = default;

    [[nodiscard]] bool drops(Module module) const { return (modules & module) != 0; }
};

} // namespace pipeloom
