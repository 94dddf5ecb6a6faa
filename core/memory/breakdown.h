// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"

#include <vector>

namespace pipeloom
{

/// One tensor as the rank holds it at an instant.
struct BreakdownRow
{
    LedgerRow row;
    std::int64_t inFlight = 1; ///< microbatches whose copies are there; 1 for all but activations
    ByteCount bytes = 0; ///< row.bytes x row.count x inFlight
};

/// What fills the rank at the instant, in the order of the stack: exactly at(instant).allocated + buffers, to the byte. For
/// Instant::BadRoutingPeak the rank must come from a MemoryResult for ExpertRank::BadRouting (memoryAt()); it is then its later
/// peak.
[[nodiscard]] std::vector<BreakdownRow> breakdown(const RankMemory &rank, Instant instant);

} // namespace pipeloom
