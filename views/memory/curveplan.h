// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"

#include <QString>

#include <array>
#include <memory>

namespace pipeloom
{

/// A plan's memory as the curves show it.
struct CurvePlan
{
    QString letter; ///< "A", "B"..
    std::shared_ptr<const MemoryResult> memory; ///< nullptr before the first result
    Nanoseconds end = 0; ///< of the step, optimizer included
    bool stale = false; ///< a newer result is not valid: drawn faint

    /// A rank that has a curve; nullptr when the plan has none of that number.
    [[nodiscard]] const RankMemory *rank(int number) const
    {
        const auto r = static_cast<std::size_t>(number);
        if (number < 0 || !memory || r >= memory->ranks.size() || memory->ranks[r].curve.empty())
            return nullptr;
        return &memory->ranks[r];
    }
};

/// The classes that do not move during the step and are not buffers: the bottom of every stack.
inline constexpr std::size_t stateClassCount = static_cast<std::size_t>(MemoryClass::Activations);
[[nodiscard]] inline std::array<ByteCount, stateClassCount> statesOf(const RankMemory &memory)
{
    return { memory.weightsDense, memory.weightsExpert, memory.gradients, memory.optimizer };
}

} // namespace pipeloom
