// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedulekind.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeloom
{

/// The four times a microbatch passes a rank of a folded (V) pipeline, in the order it does: down and up the V forward, down and
/// up again backward.
enum class Leg : std::uint8_t
{
    ForwardDown, ///< F on chunk 0, rank after rank
    ForwardUp, ///< F on chunk 1, from the last rank back
    BackwardDown, ///< backward on chunk 1: it starts where the model ends, on rank 0
    BackwardUp, ///< backward on chunk 0
};

inline constexpr int legCount = 4;
/// Slots a microbatch occupies on a rank: six ops of one slot each. A new microbatch starts every period.
inline constexpr int blockPeriod = 6;

/// When microbatch 0 passes each rank, in slots of one op; microbatch m follows m periods later. The shorter the way from a
/// rank's F to its backward, the fewer activations it holds: that is what the three V schedules differ in.
struct BuildingBlock
{
    std::vector<std::array<int, legCount>> slots; ///< [rank][leg]
    int backwardSlots = 1; ///< 1: the input part, weights fill what is left over; 2: the full backward

    [[nodiscard]] int slot(int rank, Leg leg) const
    {
        return slots[static_cast<std::size_t>(rank)][static_cast<std::size_t>(leg)];
    }
    [[nodiscard]] int lastSlot() const;
};

/// The block of V-Half, V-Min or 1F1B-V (Qi et al., Pipeline Parallelism with Controllable Memory, 2024). No two ops of a rank
/// meet, in any period. Precondition: one of these kinds, ranks >= 1.
[[nodiscard]] BuildingBlock buildingBlock(ScheduleKind kind, int ranks);

} // namespace pipeloom
