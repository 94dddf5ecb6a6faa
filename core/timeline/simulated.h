// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"
#include "core/timeline/lanes.h"

#include <cstdint>

namespace pipeloom
{

/// What an op of a simulated step is drawn as: Span::classId of simulatedLanes().
enum class OpClass : std::uint8_t
{
    Forward,
    InputGradient, ///< also the B half of a full backward
    WeightGradient, ///< also the W half of a full backward
    Pair,
    Optimizer,
};
inline constexpr std::size_t opClassCount = 5;

/// One bit for each OpClass.
using OpClassMask = std::uint8_t;
inline constexpr OpClassMask allOpClasses = (1U << opClassCount) - 1U;
[[nodiscard]] constexpr bool contains(OpClassMask mask, OpClass opClass)
{
    return ((static_cast<unsigned>(mask) >> static_cast<unsigned>(opClass)) & 1U) != 0;
}

/// The lanes of one step, rank by rank. A full backward is two spans, B then W, in the ratio bi : w of its stage (one B span when
/// both are 0: a drawing convention, frameworks interleave them layer by layer). After the makespan every lane has the optimizer
/// when it takes time. Span::source is the op's index in schedule.ops. Classes outside `mask` are left out. O(ops).
[[nodiscard]] Lanes simulatedLanes(const Schedule &schedule, const Timeline &timeline, const OpDurations &durations,
                                   Nanoseconds optimizer, OpClassMask mask = allOpClasses);

} // namespace pipeloom
