// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"

#include <vector>

namespace pipeloom
{

/// Appends what the MoE block of a layer keeps under the scenario's policy: router, shared experts, routed experts.
void addMoeTensors(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens);

/// What is alive beside the kept tensors while the block's backward runs (memory facts 2.6, X-MoE facts 2.2).
[[nodiscard]] std::vector<LayerTensor> moeTransients(const Scenario &scenario, const RankTokens &tokens);

} // namespace pipeloom
