// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/selfcheck.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace pipeloom
{

using SelfCheckRows = std::vector<SelfCheckRow>;

// The parts of selfCheck().

void addModelRows(SelfCheckRows &rows); ///< parameters and FLOPs
void addLayerMemoryRows(SelfCheckRows &rows); ///< bytes that a layer keeps
void addMeasuredMemoryRows(SelfCheckRows &rows); ///< allocators on real GPUs
void addXMoeRows(SelfCheckRows &rows); ///< X-MoE's models, layers under its policies, which runs fit
void addPaperRows(SelfCheckRows &rows); ///< the accounting of arXiv:2502.07846
void addPeerRows(SelfCheckRows &rows); ///< memory estimates of other programs
void addScheduleRows(SelfCheckRows &rows); ///< closed forms and the replay of DeepSeek's trace
void addRunRows(SelfCheckRows &rows); ///< throughput, MFU, GPU-hours, the production run

/// A scenario from JSON text that is right by construction; nullopt would be a fault of this program.
[[nodiscard]] std::optional<Scenario> builtScenario(const std::string &json);

} // namespace pipeloom
