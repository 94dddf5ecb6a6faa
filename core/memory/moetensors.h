// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"

#include <vector>

namespace pipeloom
{

/// Appends what the MoE block of a layer keeps: the norm's output, router, shared experts, routed experts.
void addMoeTensors(std::vector<LayerTensor> &out, const ModelSpec &model, const ParallelPlan &plan, const Precision &precision,
                   const RankTokens &tokens);

} // namespace pipeloom
