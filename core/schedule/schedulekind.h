// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// The pipeline schedules of the scenario file. Not all of them can be generated yet: see canGenerate().
enum class ScheduleKind
{
    GPipe,
    OneForwardOneBackward,
    Interleaved,
    LoopedBfs,
    CombinedAllToAll,
    ZeroBubbleH1,
    InterleavedZeroBubble,
    ZeroBubbleH2,
    ZeroBubbleV,
    VHalf,
    VMin,
    OneForwardOneBackwardV,
    DualPipe,
    DualPipeV,
    Chimera,
    Custom,
};

/// All kinds, in the order a list shows them.
[[nodiscard]] std::span<const ScheduleKind> allScheduleKinds();

/// The name of the scenario file and command line: "1f1b", "dualpipe".
[[nodiscard]] std::string_view name(ScheduleKind kind);
/// The name people say: "1F1B", "DualPipe".
[[nodiscard]] std::string_view title(ScheduleKind kind);
[[nodiscard]] std::optional<ScheduleKind> scheduleKind(std::string_view name);

/// True when generate() makes this schedule's orders.
[[nodiscard]] bool canGenerate(ScheduleKind kind);
/// The names of the schedules that generate() makes, in the order a list shows them: what messages offer.
[[nodiscard]] std::vector<std::string> generatedScheduleNames();

/// True when vpp says how many chunks a rank holds; the other schedules hold a number of their own.
[[nodiscard]] bool takesChunks(ScheduleKind kind);
/// True when the order depends on ScheduleRequest::group.
[[nodiscard]] bool takesGroup(ScheduleKind kind);
/// True when the order holds overlapped pairs (OpKind::FB).
[[nodiscard]] bool hasPairs(ScheduleKind kind);

/// How many model chunks a rank holds: 2 for DualPipe, DualPipeV, Chimera and the V family, vpp for the interleaved
/// family, 1 otherwise.
[[nodiscard]] int chunksPerRank(ScheduleKind kind, int vpp);

/// How many pipeline stages the model is cut into: pp for 1F1B and DualPipe (whose ranks hold two stages each, every
/// stage twice), pp x chunks for the interleaved and V families.
[[nodiscard]] int stageCount(ScheduleKind kind, int pp, int vpp);

/// The stage that chunk `chunk` of rank `rank` holds (facts: interleaved c P + r; DualPipe r and P-1-r; V r and 2P-1-r).
[[nodiscard]] int stageOf(ScheduleKind kind, int pp, int rank, int chunk);

} // namespace pipeloom
