// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"
#include "core/base/term.h"
#include "core/cost/opanatomy.h"
#include "core/schedule/schedule.h"

#include <vector>

namespace pipeloom
{

/// Durations of one stage and microbatch, with the communication that stays visible in them.
struct StageTimes
{
    Nanoseconds f = 0, bi = 0, w = 0, b = 0; ///< whole ops; b = bi + w
    Nanoseconds exposedF = 0, exposedBi = 0; ///< part of f and of bi that is exposed all-to-all (and TP/CP collectives)
    Nanoseconds dispatchF = 0, combineF = 0, dispatchB = 0, combineB = 0; ///< all-to-all payload of the stage
};

/// Durations of everything the simulator runs.
struct OpTimes
{
    std::vector<StageTimes> stages;
    OpDurations durations; ///< what the simulator gets
    std::vector<Nanoseconds> exposedPair; ///< same index as durations.pair
    /// What the ops consist of, per stage: by themselves and beside the other half of a pair. Empty for durations typed by hand.
    std::vector<StageParts> alone, beside;
    PairOrder pairOrder = PairOrder::Serial;
    /// What a recorded pair lasts beyond its parts (starts of kernels, jitter), for each layer of the shorter half.
    Nanoseconds pairGap = 0;
    Nanoseconds optimizer = 0; ///< optimizer step with its exposed data-parallel communication
    Nanoseconds optimizerExposed = 0; ///< its communication part
};

/// Where the step goes. Seconds; the parts are means over the ranks and sum to step.
struct StepTime
{
    double step = 0;
    double pipeline = 0; ///< makespan
    double optimizer = 0;
    double compute = 0; ///< mean over ranks, exposed communication left out
    double exposedComm = 0; ///< mean over ranks
    double bubble = 0; ///< mean idle over ranks
    double bubbleOfSchedule = 0, bubbleOfImbalance = 0; ///< its parts, see splitBubble(); they sum to it
    double bubbleFractionMean = 0; ///< of the makespan
    double bubbleFractionWorst = 0; ///< idle of the worst rank / makespan: "the bubble"
    double f = 0, b = 0, bi = 0, w = 0, pair = 0; ///< a typical middle stage
    double dispatch = 0, combine = 0; ///< forward payload of a typical middle stage
};

struct Throughput
{
    double tokensPerSecondPerGpu = 0;
    double modelTflopsPerGpu = 0;
    double mfu = 0; ///< of the peak below
    double mfuPeakTflops = 0; ///< the denominator
    const char *mfuPeakDtype = "bf16";
    bool causal = true;
    double low = 0, high = 0; ///< band of tokensPerSecondPerGpu
    double flopsPerToken = 0;
};

struct MoneyCost
{
    double gpuHoursPerTrillionTokens = 0;
    double usdPerTrillionTokens = 0;
    double usdPerGpuHour = 0;
};

} // namespace pipeloom
