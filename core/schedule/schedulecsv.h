// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/schedule/schedule.h"

#include <string>
#include <string_view>

namespace pipeloom
{

/// An order of a person's own, and what of its file has no place in it.
struct CustomOrder
{
    Schedule schedule; ///< kind Custom; a rank's chunks are its stages, in the order in which they first run
    std::size_t skipped = 0; ///< cells of communication and sharding: P2P follows from the simulation
};

/// Reads PyTorch's pipelining CSV: a line for each rank, cells stage, action and microbatch: 0F3, 1I3, 1W3, 0B3, pairs
/// (0F3;1B2)OVERLAP_F_B; an empty cell is idle. Every stage must run F of every microbatch once, and either B or I and then W on
/// the same rank; else the error names the op with its line and cell. Whether the order deadlocks, simulate() says. At most 2^23
/// ops, 32,767 ranks and stages, 255 stages a rank, a million microbatches. O(n log n).
[[nodiscard]] Expected<CustomOrder> parseScheduleCsv(std::string_view text, const std::string &file);

/// The same file format of any schedule.
[[nodiscard]] std::string scheduleCsv(const Schedule &schedule);

} // namespace pipeloom
