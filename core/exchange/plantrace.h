// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"

#include <functional>
#include <optional>
#include <string>

namespace pipeloom
{

/// Called now and then with the share that is done, 0 to 1, from the thread that writes; false = stop.
using WriteProgress = std::function<bool(double share)>;

/// The simulated step of a plan as Chrome trace events for Perfetto, in the plan's own times: a track for each rank, arrows for
/// what one rank sends another (up to mostOpsWithFlows), the critical path marked, the optimizer at the end. Nothing when
/// `progress` said stop. Precondition: evaluation.valid. O(ops).
[[nodiscard]] std::optional<std::string> planChromeTrace(const Evaluation &evaluation, const WriteProgress &progress = {});

} // namespace pipeloom
