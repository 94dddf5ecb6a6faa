// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/document.h"
#include "core/memory/memory.h"

namespace pipeloom
{

/// How the numbers of a table are written.
enum class TableNumbers
{
    Readable, ///< seconds and GiB, rounded, under words
    Exact, ///< bytes and nanosecond times, under names with their unit: for CSV
};

/// A line for each point of a rank's curve: the time, every class of memory, their total, microbatches in flight. Without a rank
/// the columns alone.
[[nodiscard]] ReportTable curveTable(const RankMemory *rank, TableNumbers numbers);

/// A line for each pipeline rank: its stages, the allocated bytes and buffers of the five instants, the time and phase of the
/// peak.
[[nodiscard]] ReportTable rankTable(const MemoryResult &memory, TableNumbers numbers);

} // namespace pipeloom
