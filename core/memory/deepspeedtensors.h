// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"

#include <vector>

namespace pipeloom
{

/// What Megatron-DeepSpeed keeps of one layer, for the policies that run on it. Nothing is dropped by Megatron's recompute
/// modules: DeepSpeed checkpoints whole layers.

/// Attention: 8 T H for the two norm inputs, the projection input and two dropout masks, which every tensor-parallel rank holds,
/// and 12 T H / TP for q, k, v, the rotated q and k, and the output; beside it what the kernel keeps.
void addDeepSpeedAttention(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens);

/// The MoE block around the routed experts: the fp32 copy that the gate reads, its probabilities, shared experts, what the router
/// hands to the exchange.
void addDeepSpeedGate(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens);

/// The four tensors of X-MoE's table 2 in the layout of the policy (dispatched rows, both intermediates, rows to combine), and
/// the one-hot masks where there are any. With c = C E / (k T): c 4 k T (H + F) for padded slots and two matrices; Tutel's
/// combine doubles in fp32.
void addDeepSpeedExperts(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens);

} // namespace pipeloom
