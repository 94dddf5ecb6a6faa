// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"
#include "core/plan/groups.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace pipeloom
{

/// What one stage puts into memory besides its states, in bytes on the hottest expert-parallel position.
struct StageMemory
{
    double activation = 0; ///< kept from forward to backward, one microbatch
    double backward =
        0; ///< extra while a backward runs: gradients in transit, or the head's tensors if larger, and what recompute brings back
    double forward = 0; ///< extra while a forward runs: the head's logits on the last stage
    std::vector<TensorRow> tensors; ///< the activation's rows and the transients'
};

/// Transients (memory facts 2.6): dense 6 T f / TP + 2 T h (+ 2 T h gather under TP); MoE 5 x 2 d h, one constant fitted on six
/// B200 runs with the all-to-all dispatcher. Head: final-norm and head inputs, logits (bf16; + fp32 softmax without fused loss),
/// once more for each MTP module. `imbalance`: token copies on the hottest expert rank over the mean.
[[nodiscard]] StageMemory stageMemory(const Scenario &scenario, const StageContent &stage, double imbalance);

} // namespace pipeloom
