// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

namespace pipeloom
{

/// The generators, one file a family. Precondition of all: checkSchedule(request) found nothing.

[[nodiscard]] Schedule generateGPipe(const ScheduleRequest &request);
[[nodiscard]] Schedule generateOneForwardOneBackward(const ScheduleRequest &request);

/// Interleaved 1F1B, and with request.kind CombinedAllToAll its form with merged forward-backward pairs.
[[nodiscard]] Schedule generateInterleaved(const ScheduleRequest &request);
[[nodiscard]] Schedule generateLoopedBfs(const ScheduleRequest &request);

/// ZB-H1, and with request.kind InterleavedZeroBubble its form with vpp chunks.
[[nodiscard]] Schedule generateZeroBubbleH1(const ScheduleRequest &request);
[[nodiscard]] Schedule generateZeroBubbleH2(const ScheduleRequest &request);
[[nodiscard]] Schedule generateZeroBubbleV(const ScheduleRequest &request);

/// DualPipe and DualPipeV: the same eight steps.
[[nodiscard]] Schedule generateDualPipe(const ScheduleRequest &request);

/// V-Half, V-Min and 1F1B-V. The order is made for ops of equal length (F = Bi = W, no latency) and holds for any.
[[nodiscard]] Schedule generateMemoryLimited(const ScheduleRequest &request);

[[nodiscard]] Schedule generateChimera(const ScheduleRequest &request);

} // namespace pipeloom
