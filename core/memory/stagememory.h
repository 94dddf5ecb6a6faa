// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"
#include "core/memory/ledger.h"
#include "core/plan/groups.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Rows of the expert buffers over their mean in the layers of a stage, on the expert-parallel rank that is looked at.
struct StageLoad
{
    double held = 1; ///< on average over the layers: what activations in flight follow
    double layer = 1; ///< in the hottest of them: what a layer's transients follow
};

/// What one stage puts into memory besides its states, on the hottest expert-parallel position. Sums of the rows, to the byte.
struct StageMemory
{
    ByteCount activation = 0; ///< kept from forward to backward, one microbatch
    ByteCount head = 0; ///< logits and loss: in the forward and at the start of the backward of the last stage
    ByteCount mlpBackward = 0; ///< extra in the MLP or MoE part of a layer's backward: gradients in transit, recomputed tensors
    ByteCount attentionBackward =
        0; ///< extra in the attention part, less what the layer's MLP part has given back; never negative
    ByteCount mlpGivenBack = 0; ///< what attentionBackward leaves out
    Ledger rows; ///< activations of one microbatch and the transients; sizes of the routed tensors follow the imbalance
};

/// Activations: the layers' tensors under the recompute setting. Backward transients (memory facts 2.6): dense
/// 6 T f / TP + 2 T h (+ 2 T h gather under TP); MoE as moeTransients() says; attention: gradients of q, k, v and the output, and
/// the fp32 accumulator of the query gradient that fused attention keeps (FlashAttention-2 backward); what the recompute setting
/// dropped comes back while its layer's part runs. Head: final-norm and head inputs, logits (bf16; + fp32 softmax without fused
/// loss), once more for each MTP module. `load`: rows on the expert rank that is looked at.
[[nodiscard]] StageMemory stageMemory(const Scenario &scenario, const StageContent &stage, const StageLoad &load);

} // namespace pipeloom
