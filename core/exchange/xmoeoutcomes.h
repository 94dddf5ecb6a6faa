// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// One cell of X-MoE's figure 9, figure 10b or table 5: did a model train under a system, and would it by this program's memory
/// model.
struct TrainingOutcome
{
    std::string model; ///< preset
    std::string policy; ///< runtime.moe
    int gpus = 0;
    bool trained = false; ///< published
    ByteCount capacity = 0; ///< what the device reports
    ByteCount peak = 0; ///< least over the sweep, context and reserve for the communication library included
    int tp = 0, ep = 0, zero = 0; ///< of that least

    [[nodiscard]] bool fits() const { return peak <= capacity; }
    [[nodiscard]] bool agrees() const { return fits() == trained; }
    /// Part of the capacity that is left; negative when it is exceeded.
    [[nodiscard]] double margin() const { return 1 - static_cast<double>(peak) / static_cast<double>(capacity); }
    [[nodiscard]] std::string plan() const; ///< "TP 8, EP 256, ZeRO 2"
};

/// Every published cell, each evaluated over the parallel sizes that its authors tried: EP 8 to 256, TP 1 to 8 where the system
/// has it, ZeRO 1 and 2, micro-batch 1, capacity factor 1.25. A cell counts as trainable when the best of them fits, which is
/// lenient: only Medium and the A100 cells are close. Several hundred evaluations, a fraction of a second.
[[nodiscard]] std::vector<TrainingOutcome> xmoeOutcomes();

} // namespace pipeloom
