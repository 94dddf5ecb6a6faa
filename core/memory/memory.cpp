// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/memory.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

const char *name(PeakPhase phase)
{
    switch (phase) {
    case PeakPhase::WarmUp:
        return "warm-up";
    case PeakPhase::Steady:
        return "steady";
    case PeakPhase::Head:
        return "head";
    case PeakPhase::BackwardTransient:
        return "backward transient";
    case PeakPhase::OptimizerStep:
        return "optimizer step";
    }
    return "";
}

const char *name(Instant instant)
{
    switch (instant) {
    case Instant::AfterInit:
        return "After init";
    case Instant::FirstStepPeak:
        return "First step, peak";
    case Instant::LaterPeak:
        return "From step 2, peak";
    case Instant::AfterOptimizer:
        return "After optimizer step";
    case Instant::BadRoutingPeak:
        return "Peak, bad routing";
    }
    return "";
}

const char *name(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits:
        return "fits";
    case Verdict::Tight:
        return "tight";
    case Verdict::Over:
        return "over";
    case Verdict::Invalid:
        return "invalid";
    }
    return "";
}

namespace
{

std::array<ByteCount, memoryClassCount> stack(const RankMemory &rank, ByteCount activations, ByteCount transient)
{
    return { rank.weightsDense, rank.weightsExpert, rank.gradients, rank.optimizer, activations, transient, rank.buffers };
}

} // namespace

const MemoryPoint &RankMemory::at(Nanoseconds time) const
{
    const auto after = std::ranges::upper_bound(curve, time, {}, &MemoryPoint::time);
    return after == curve.begin() ? curve.front() : *std::prev(after);
}

std::array<ByteCount, memoryClassCount> RankMemory::stackAt(Nanoseconds time) const
{
    const MemoryPoint &point = at(time);
    return stack(*this, point.activations, point.transient);
}

std::array<ByteCount, memoryClassCount> RankMemory::stackAtPeak() const { return stack(*this, activationsPeak, transientPeak); }

CountedBytes RankMemory::at(Instant instant) const
{
    CountedBytes out;
    switch (instant) {
    case Instant::AfterInit:
        out.allocated = states() - moments - dummyWeightGradients;
        break;
    case Instant::FirstStepPeak:
        out.allocated = peakAllocated - moments;
        break;
    case Instant::LaterPeak:
        out.allocated = peakAllocated;
        break;
    case Instant::AfterOptimizer:
        out.allocated = states();
        break;
    case Instant::BadRoutingPeak:
        out.allocated = badRoutingPeak;
        break;
    }
    out.reserved = std::llround(static_cast<double>(out.allocated) * reserve);
    out.device = out.reserved + buffers;
    return out;
}

} // namespace pipeloom
