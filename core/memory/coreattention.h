// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/layertensors.h"

#include <vector>

namespace pipeloom
{

/// Appends what attention itself keeps beside its inputs and its output. Flash: the log-sum-exp of each query and head.
/// Materialised (runtime.attention): three tensors of every query against every key, 5 bytes x heads x T x s / TP together
/// (arXiv:2205.05198, section 4.1); the recompute module core_attn drops them.
void addCoreAttention(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens);

} // namespace pipeloom
