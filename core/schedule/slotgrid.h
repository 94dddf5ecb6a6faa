// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/buildingblock.h"
#include "core/schedule/orderbuilder.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeloom
{

/// A schedule on a grid of ranks and slots, one op a slot: a list scheduler whose priorities are the slots of a building block.
/// Ops go through in the order of their slots, rank 0 first, and each moves to the first free slot behind its inputs that keeps
/// every rank within the largest number of chunk activations the block itself holds. Nothing ever moves to a later slot, so the
/// inputs of an op stay before it and no order can deadlock. The full steady state has no free slot, so that it costs a glance an
/// op; the ways in and out are a few periods per rank long.
class SlotGrid
{
public:
    SlotGrid(const BuildingBlock &block, int microbatches);

    /// Repeats the block for every microbatch; with split backwards the weights take the slots that stay free, first in, first
    /// out.
    void repeatBlock();
    /// Pulls the ops of the way in and the way out (with full backwards: all) to earlier slots, weights included.
    void pull();
    /// Split backwards: starts every op as soon as its rank is free and its inputs are there, and takes the weights out again.
    void squeeze();
    /// After squeeze(): pulls what the way out has left once more. The weights are not placed but take what stays free, which
    /// gives the other ops the choice.
    void pullTail();
    /// Appends the ops of a rank in slot order. Split: weights in the free slots, those of chunk 1 first, the rest at the end.
    void writeRank(int rank, OrderBuilder &order) const;

private:
    using Slot = std::int32_t;
    enum Cell : std::uint8_t
    {
        Free = 0, ///< 1..4 are the legs
        Weight = 5,
        SecondHalf = 6, ///< of a full backward
    };
    /// Where a rank's weights stand.
    struct Weights
    {
        Slot last = -1; ///< slot of the one before
        std::int64_t placed = 0;
        Slot cursor = -1; ///< a slot, with the number of backwards up to it
        std::int64_t backwards = 0;
    };

    [[nodiscard]] static Cell cellOf(Leg leg) { return static_cast<Cell>(static_cast<int>(leg) + 1); }
    [[nodiscard]] static Leg legOf(std::uint8_t cell) { return static_cast<Leg>(cell - 1); }
    [[nodiscard]] static bool isLeg(std::uint8_t cell) { return cell >= 1 && cell <= legCount; }
    [[nodiscard]] static bool isForward(std::uint8_t cell) { return cell == 1 || cell == 2; }
    [[nodiscard]] static bool isBackward(std::uint8_t cell) { return cell == 3 || cell == 4; }
    [[nodiscard]] std::uint8_t *lane(int rank) { return m_cells.data() + static_cast<std::size_t>(rank) * m_length; }
    [[nodiscard]] const std::uint8_t *lane(int rank) const { return m_cells.data() + static_cast<std::size_t>(rank) * m_length; }
    [[nodiscard]] std::int16_t *held(int rank) { return m_held.data() + static_cast<std::size_t>(rank) * m_length; }
    [[nodiscard]] std::int16_t *owed(int rank) { return m_owed.data() + static_cast<std::size_t>(rank) * m_length; }
    [[nodiscard]] Slot &slotOf(int rank, Leg leg, int microbatch)
    {
        return m_slots[(static_cast<std::size_t>(rank) * legCount + static_cast<std::size_t>(leg))
                           * static_cast<std::size_t>(m_microbatches)
                       + static_cast<std::size_t>(microbatch)];
    }
    [[nodiscard]] int blockMicrobatch(int rank, Leg leg, Slot slot) const
    {
        return (slot - m_block.slot(rank, leg)) / blockPeriod;
    }
    [[nodiscard]] Slot endOfInput(int rank, Leg leg, int microbatch);
    [[nodiscard]] Slot earliest(int rank, Leg leg, int microbatch);
    void countHeld();
    void countOwed();
    void pullSlot(Slot slot, int fromRank, std::vector<Weights> &weights);
    void pullForward(int rank, Leg leg, int microbatch, Slot slot);
    void pullBackward(int rank, Leg leg, int microbatch, Slot slot, Weights &weights);
    void pullWeight(int rank, Slot slot, Weights &weights);
    void passOver(int rank, Slot from, Slot to, Weights &weights) const;
    [[nodiscard]] bool fits(int rank, Slot from, Slot to) const;
    void recount(int rank, Slot from, Slot to);

    const BuildingBlock &m_block;
    int m_ranks;
    int m_microbatches;
    std::size_t m_length; ///< slots of a lane
    std::vector<std::uint8_t> m_cells; ///< lane after lane
    std::vector<std::int16_t> m_held; ///< chunk activations after each slot
    std::vector<std::int16_t> m_owed; ///< backwards whose weights are not done after each slot
    std::vector<Slot> m_slots; ///< [rank][leg][microbatch]
    int m_limit = 0;
};

} // namespace pipeloom
