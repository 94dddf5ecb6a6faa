// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/memory/memory.h"
#include "core/scenario/scenario.h"

#include <stop_token>
#include <string>
#include <vector>

namespace pipeloom
{

/// One change of the plan and the peak of the whole plan with it. Never a sum of savings: the plan is evaluated again, because
/// the peak moves to another rank or phase.
struct MemoryLever
{
    std::string label; ///< "Recompute moe"
    std::string note; ///< "drops expert inputs, replays the all-to-all"
    std::vector<Setting> set; ///< applies it
    ByteCount peak = 0; ///< of the worst rank, allocated + buffers
    int peakRank = 0;
    PeakPhase phase = PeakPhase::Steady;
    Verdict verdict = Verdict::Invalid;
    double step = 0; ///< s
    bool stepModelled = true; ///< false: the change costs time that the model does not know
};

/// Changes that lower the peak of a valid scenario: plans that fit first, then the shorter step. Empty for an invalid scenario or
/// on stop. Some twenty evaluations.
[[nodiscard]] std::vector<MemoryLever> memoryLevers(const Scenario &scenario, const std::stop_token &stop = {});

} // namespace pipeloom
