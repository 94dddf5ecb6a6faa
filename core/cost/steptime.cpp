// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/steptime.h"

#include "core/schedule/bubblesplit.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

Nanoseconds exposedIn(const Schedule &schedule, const OpTimes &times, int rank, const Op &op)
{
    const StageTimes &stage = times.stages[static_cast<std::size_t>(op.stage)];
    switch (op.kind) {
    case OpKind::F:
        return stage.exposedF;
    case OpKind::B:
    case OpKind::Bi:
        return stage.exposedBi;
    case OpKind::W:
        return 0;
    case OpKind::FB:
        break;
    }
    const std::size_t i = pairIndex(schedule, rank, op);
    if (i < times.exposedPair.size())
        return times.exposedPair[i];
    return stage.exposedF + times.stages[static_cast<std::size_t>(op.stageB)].exposedBi;
}

void addTypicalStage(StepTime &out, const Schedule &schedule, const OpTimes &times)
{
    const auto middle = static_cast<std::size_t>(schedule.stages / 2);
    const StageTimes &stage = times.stages[middle];
    out.f = toSeconds(stage.f);
    out.b = toSeconds(stage.b);
    out.bi = toSeconds(stage.bi);
    out.w = toSeconds(stage.w);
    out.dispatch = toSeconds(stage.dispatchF);
    out.combine = toSeconds(stage.combineF);
    const auto pair = std::ranges::find_if(
        schedule.ops, [&](const Op &op) { return op.kind == OpKind::FB && op.stage == schedule.stages / 2; });
    if (pair == schedule.ops.end())
        return;
    const auto index = static_cast<std::size_t>(pair - schedule.ops.begin());
    const auto rank = static_cast<int>(std::ranges::upper_bound(schedule.begin, index) - schedule.begin.begin()) - 1;
    const std::size_t i = pairIndex(schedule, rank, *pair);
    out.pair = i < times.durations.pair.size() ? toSeconds(times.durations.pair[i]) : out.f + out.b;
}

} // namespace

StepTime computeStepTime(const Schedule &schedule, const Timeline &timeline, const OpTimes &times)
{
    StepTime out;
    double exposed = 0;
    double busy = 0;
    Nanoseconds worstIdle = 0;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
        for (const Op &op : schedule.rank(rank))
            exposed += toSeconds(exposedIn(schedule, times, rank, op));
        busy += toSeconds(timeline.busy[static_cast<std::size_t>(rank)]);
        worstIdle = std::max(worstIdle, timeline.idle(rank));
    }
    out.pipeline = toSeconds(timeline.makespan);
    out.optimizer = toSeconds(times.optimizer);
    out.step = out.pipeline + out.optimizer;
    out.exposedComm = exposed / schedule.ranks;
    out.compute = busy / schedule.ranks - out.exposedComm;
    out.bubble = out.pipeline - busy / schedule.ranks;
    out.bubbleOfSchedule = toSeconds(splitBubble(schedule, timeline, times.durations).schedule) / schedule.ranks;
    out.bubbleOfImbalance = out.bubble - out.bubbleOfSchedule;
    if (out.pipeline > 0) {
        out.bubbleFractionMean = out.bubble / out.pipeline;
        out.bubbleFractionWorst = toSeconds(worstIdle) / out.pipeline;
    }
    addTypicalStage(out, schedule, times);
    return out;
}

Throughput computeThroughput(const Scenario &s, const FlopCounts &flops, const StepTime &time)
{
    Throughput out;
    out.flopsPerToken = flops.trainPerToken;
    out.mfuPeakTflops = s.cluster.bf16Flops / 1e12;
    if (time.step <= 0)
        return out;
    const double tokens = static_cast<double>(s.plan.globalBatch) * s.plan.seq;
    out.tokensPerSecondPerGpu = tokens / time.step / static_cast<double>(s.plan.gpus);
    out.modelTflopsPerGpu = flops.trainPerToken * out.tokensPerSecondPerGpu / 1e12;
    out.mfu = out.modelTflopsPerGpu / out.mfuPeakTflops;
    const double band = s.timing.source == TimingSource::Manual ? 0 : modelBand;
    out.low = out.tokensPerSecondPerGpu * (1 - band);
    out.high = out.tokensPerSecondPerGpu * (1 + band);
    return out;
}

MoneyCost computeCost(const Scenario &s, const Throughput &throughput)
{
    MoneyCost out;
    out.usdPerGpuHour = s.usdPerGpuHour;
    if (throughput.tokensPerSecondPerGpu <= 0)
        return out;
    out.gpuHoursPerTrillionTokens = 1e12 / (throughput.tokensPerSecondPerGpu * 3600);
    out.usdPerTrillionTokens = out.gpuHoursPerTrillionTokens * s.usdPerGpuHour;
    return out;
}

} // namespace pipeloom
