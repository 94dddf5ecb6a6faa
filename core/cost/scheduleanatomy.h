// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/cost.h"

#include <cstddef>
#include <optional>

namespace pipeloom
{

/// What an op of a simulated step consists of, with the P2P that follows it where its result goes to another rank. A pair of a
/// calibrated profile may last longer than its parts (OpTimes::pairGap). Nothing for durations typed by hand, which have no parts.
/// Precondition: `op` is an index into schedule.ops, in the order of `rank`, and `times` were made for this schedule. O(layers).
[[nodiscard]] std::optional<OpAnatomy> opAnatomy(const Schedule &schedule, const OpTimes &times, int rank, std::size_t op);

} // namespace pipeloom
