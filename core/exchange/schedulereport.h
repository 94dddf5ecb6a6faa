// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/exchange/decimalscale.h"
#include "core/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pipeloom
{

/// Durations of one op in any one unit; results come back in that unit.
struct UnitDurations
{
    double f = 1;
    double b = 2; ///< full backward
    double w = 1; ///< its weight part; the input part is b - w
    std::optional<double> pair; ///< overlapped forward and backward; default f + b
    double p2p = 0;
    bool operator==(const UnitDurations &) const = default;
};

/// A schedule that was generated and simulated on equal stages.
struct ScheduleReport
{
    ScheduleRequest request;
    UnitDurations durations;
    Schedule schedule;
    Timeline timeline; ///< in ticks of `scale`
    ClosedForm closedForm; ///< likewise
    DecimalScale scale;
};

/// Ops that runSchedule() takes on, so that a slip of the keyboard does not fill the memory.
inline constexpr std::int64_t mostScheduleOps = 4'000'000;

/// Generates and simulates. Refuses what checkSchedule() refuses, more than mostScheduleOps, and durations that are negative, not
/// finite, too large, or w > b; `where` names the member ("f", "microbatches").
[[nodiscard]] Expected<ScheduleReport> runSchedule(const ScheduleRequest &request, const UnitDurations &durations);

/// Simulates an order that was read. Refuses durations as runSchedule() does, and an order that deadlocks, naming the op.
[[nodiscard]] Expected<ScheduleReport> runOrder(Schedule order, const UnitDurations &durations);

/// "F5.0" is F of microbatch 5 on chunk 0, I stands for Bi, "(F5.0&B2.1)" is a pair.
[[nodiscard]] std::string opToken(const Op &op);

/// The keys of the command line's contract, with every op.
[[nodiscard]] std::string scheduleJson(const ScheduleReport &report);
/// Makespan, bubbles and peaks as a table; the orders too when they are short.
[[nodiscard]] std::string scheduleText(const ScheduleReport &report);
/// PyTorch's pipelining CSV: one line a rank, cells such as 0F3, 0I3, 0W3, 0B3 and (0F3;1B2)OVERLAP_F_B.
[[nodiscard]] std::string scheduleTorchCsv(const ScheduleReport &report);
/// Beyond, arrows would be most of the file and nobody could follow them.
inline constexpr std::size_t mostOpsWithFlows = 200'000;

/// Chrome trace events for Perfetto: one thread a rank; one unit of the durations is shown as 1 ms. Results that go to another
/// rank are flow events from op to op (up to mostOpsWithFlows; the file says so), ops of the critical path carry "critical".
[[nodiscard]] std::string scheduleChromeTrace(const ScheduleReport &report);

} // namespace pipeloom
