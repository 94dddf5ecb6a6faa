// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeloom
{

/// Why an op of the critical path could not start earlier.
enum class CriticalLink : std::uint8_t
{
    Start, ///< the first: it starts at 0
    RankBusy, ///< its rank ran the op before it in the path
    Result, ///< it needs the result of the op before it in the path, which lies on the same rank
    ResultSent, ///< the same from another rank: the latency P2P lies between them
};

struct CriticalOp
{
    std::size_t op = 0; ///< index into Schedule::ops
    int rank = 0;
    CriticalLink link = CriticalLink::Start;
    bool operator==(const CriticalOp &) const = default;
};

/// The ops that make the step as long as it is, first to last. Each starts where the one before ends (ResultSent: P2P later), the
/// first at 0, and the last ends the step: their durations and the latencies between them add up to the makespan. Where several
/// ops end the step, that of the lowest rank is followed; where several things hold an op up to the same moment, the rank that is
/// busy comes first, then a result of the same rank. Empty for a schedule without ops. O(ops). Precondition: `timeline` is
/// simulate()'s for `schedule` and these durations.
[[nodiscard]] std::vector<CriticalOp> criticalPath(const Schedule &schedule, const Timeline &timeline, Nanoseconds p2p);

} // namespace pipeloom
