// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/memory.h"

#include <algorithm>

namespace pipeloom
{

const char *name(MemoryClass memoryClass)
{
    switch (memoryClass) {
    case MemoryClass::ParametersDense:
        return "Parameters, dense";
    case MemoryClass::ParametersExpert:
        return "Parameters, expert";
    case MemoryClass::Gradients:
        return "Gradients";
    case MemoryClass::Optimizer:
        return "Optimizer states";
    case MemoryClass::Activations:
        return "Activations in flight";
    case MemoryClass::Transient:
        return "Transient";
    case MemoryClass::Buffers:
        return "Buffers, context";
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

} // namespace pipeloom
