// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/slotgrid.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// Lanes of a power of two apart would share cache sets: an odd number of cache lines keeps 128 of them in the first cache.
std::size_t laneLength(std::size_t slots)
{
    constexpr std::size_t cacheLine = 64;
    const std::size_t lines = slots / cacheLine + 1;
    return (lines | 1) * cacheLine;
}

} // namespace

// In every period two backwards come and two slots stay free, so that at most a period's weights are left at the end.
SlotGrid::SlotGrid(const BuildingBlock &block, int microbatches)
    : m_block(block)
    , m_ranks(static_cast<int>(block.slots.size()))
    , m_microbatches(microbatches)
    , m_length(laneLength(static_cast<std::size_t>(block.lastSlot())
                          + std::size_t{ blockPeriod } * (static_cast<std::size_t>(microbatches) + 2)))
    , m_cells(m_length * block.slots.size())
    , m_held(m_cells.size())
    , m_slots(block.slots.size() * legCount * static_cast<std::size_t>(microbatches))
{
}

void SlotGrid::repeatBlock()
{
    for (int r = 0; r < m_ranks; ++r) {
        std::uint8_t *const cells = lane(r);
        for (int l = 0; l < legCount; ++l) {
            const Leg leg = static_cast<Leg>(l);
            for (int m = 0; m < m_microbatches; ++m) {
                const Slot slot = m_block.slot(r, leg) + blockPeriod * m;
                slotOf(r, leg, m) = slot;
                cells[slot] = cellOf(leg);
                if (l >= 2 && m_block.backwardSlots == 2)
                    cells[slot + 1] = SecondHalf;
            }
        }
        if (m_block.backwardSlots == 2)
            continue;
        int owed = 0;
        for (std::size_t i = 0; i < m_length; ++i) {
            if (isBackward(cells[i])) {
                ++owed;
            } else if (cells[i] == Free && owed > 0) {
                cells[i] = Weight;
                --owed;
            }
        }
    }
    countHeld();
}

void SlotGrid::countHeld()
{
    m_limit = 0;
    for (int r = 0; r < m_ranks; ++r) {
        const std::uint8_t *const cells = lane(r);
        std::int16_t *const counts = held(r);
        int alive = 0;
        for (std::size_t i = 0; i < m_length; ++i) {
            if (isForward(cells[i]))
                ++alive;
            else if (cells[i] == Weight || cells[i] == SecondHalf)
                --alive;
            counts[i] = static_cast<std::int16_t>(alive);
            m_limit = std::max(m_limit, alive);
        }
    }
}

/// The first slot at which the input of the leg is there.
SlotGrid::Slot SlotGrid::endOfInput(int rank, Leg leg, int microbatch)
{
    const int last = m_ranks - 1;
    switch (leg) {
    case Leg::ForwardDown:
        return rank == 0 ? 0 : slotOf(rank - 1, leg, microbatch) + 1;
    case Leg::ForwardUp:
        return (rank == last ? slotOf(rank, Leg::ForwardDown, microbatch) : slotOf(rank + 1, leg, microbatch)) + 1;
    case Leg::BackwardDown:
        return rank == 0 ? slotOf(rank, Leg::ForwardUp, microbatch) + 1
                         : slotOf(rank - 1, leg, microbatch) + m_block.backwardSlots;
    case Leg::BackwardUp:
        return (rank == last ? slotOf(rank, Leg::BackwardDown, microbatch) : slotOf(rank + 1, leg, microbatch))
            + m_block.backwardSlots;
    }
    return 0;
}

/// Behind the input and behind the same leg of the microbatch before.
SlotGrid::Slot SlotGrid::earliest(int rank, Leg leg, int microbatch)
{
    const Slot input = endOfInput(rank, leg, microbatch);
    return microbatch == 0 ? input : std::max(input, slotOf(rank, leg, microbatch - 1) + 1);
}

void SlotGrid::pull()
{
    std::vector<Weights> weights(static_cast<std::size_t>(m_ranks));
    const auto end = static_cast<Slot>(m_length);
    // Between the first backward that has come all the way and the last forward that sets out nothing is left to gain.
    const Slot full = m_block.slot(0, Leg::BackwardUp);
    const Slot lastStart = m_block.slot(0, Leg::ForwardDown) + blockPeriod * (m_microbatches - 1);
    const bool steady = m_block.backwardSlots == 1 && lastStart >= full;
    if (!steady) {
        for (Slot slot = 0; slot < end; ++slot)
            pullSlot(slot, 0, weights);
        return;
    }
    for (Slot slot = 0; slot < full; ++slot)
        pullSlot(slot, 0, weights);
    for (int r = 0; r < m_ranks; ++r)
        passOver(r, full, r == 0 ? lastStart + 1 : lastStart, weights[static_cast<std::size_t>(r)]);
    pullSlot(lastStart, 1, weights);
    for (Slot slot = lastStart + 1; slot < end; ++slot)
        pullSlot(slot, 0, weights);
}

void SlotGrid::passOver(int rank, Slot from, Slot to, Weights &weights) const
{
    const std::uint8_t *const cells = lane(rank);
    for (Slot slot = from; slot < to; ++slot) {
        if (cells[slot] == Weight) {
            ++weights.placed;
            weights.last = slot;
        }
    }
}

void SlotGrid::pullSlot(Slot slot, int fromRank, std::vector<Weights> &weights)
{
    for (int r = fromRank; r < m_ranks; ++r) {
        const std::uint8_t cell = lane(r)[slot];
        if (isForward(cell)) {
            pullForward(r, legOf(cell), blockMicrobatch(r, legOf(cell), slot), slot);
        } else if (isBackward(cell)) {
            pullBackward(r, legOf(cell), blockMicrobatch(r, legOf(cell), slot), slot, weights[static_cast<std::size_t>(r)]);
        } else if (cell == Weight) {
            pullWeight(r, slot, weights[static_cast<std::size_t>(r)]);
        }
    }
}

void SlotGrid::pullForward(int rank, Leg leg, int microbatch, Slot slot)
{
    std::uint8_t *const cells = lane(rank);
    std::int16_t *const counts = held(rank);
    const Slot least = earliest(rank, leg, microbatch);
    Slot to = slot;
    while (to > least && counts[to - 1] < m_limit)
        --to;
    while (to < slot && cells[to] != Free)
        ++to;
    if (to == slot)
        return;
    cells[slot] = Free;
    cells[to] = cellOf(leg);
    slotOf(rank, leg, microbatch) = to;
    for (Slot i = to; i < slot; ++i)
        ++counts[i];
}

void SlotGrid::pullBackward(int rank, Leg leg, int microbatch, Slot slot, Weights &weights)
{
    std::uint8_t *const cells = lane(rank);
    const bool full = m_block.backwardSlots == 2;
    Slot to = earliest(rank, leg, microbatch);
    while (to < slot && (cells[to] != Free || (full && cells[to + 1] != Free)))
        ++to;
    if (to >= slot)
        return;
    cells[slot] = Free;
    cells[to] = cellOf(leg);
    slotOf(rank, leg, microbatch) = to;
    if (full) {
        cells[slot + 1] = Free;
        cells[to + 1] = SecondHalf;
        std::int16_t *const counts = held(rank);
        for (Slot i = to + 1; i <= slot; ++i)
            --counts[i];
    } else if (to <= weights.cursor) {
        ++weights.backwards;
    }
}

void SlotGrid::pullWeight(int rank, Slot slot, Weights &weights)
{
    std::uint8_t *const cells = lane(rank);
    // The n-th weights belong to the n-th backward of the lane as it now stands.
    while (weights.backwards <= weights.placed)
        weights.backwards += isBackward(cells[++weights.cursor]) ? 1 : 0;
    while (weights.backwards > weights.placed + 1 || !isBackward(cells[weights.cursor]))
        weights.backwards -= isBackward(cells[weights.cursor--]) ? 1 : 0;
    Slot to = std::max(weights.cursor, weights.last) + 1;
    while (to < slot && cells[to] != Free)
        ++to;
    if (to < slot) {
        cells[slot] = Free;
        cells[to] = Weight;
        std::int16_t *const counts = held(rank);
        for (Slot i = to; i < slot; ++i)
            --counts[i];
    }
    weights.last = to;
    ++weights.placed;
}

void SlotGrid::squeeze()
{
    std::vector<Slot> freeAt(static_cast<std::size_t>(m_ranks));
    std::vector<std::array<int, legCount>> next(static_cast<std::size_t>(m_ranks));
    for (std::size_t i = 0; i < m_length; ++i) {
        for (int r = 0; r < m_ranks; ++r) {
            std::uint8_t *const cells = lane(r);
            const std::uint8_t cell = cells[i];
            if (cell == Free)
                continue;
            const auto rank = static_cast<std::size_t>(r);
            cells[i] = Free;
            if (cell == Weight) {
                ++freeAt[rank];
                continue;
            }
            const Leg leg = legOf(cell);
            const int microbatch = next[rank][static_cast<std::size_t>(leg)]++;
            const Slot start = std::max(freeAt[rank], endOfInput(r, leg, microbatch));
            slotOf(r, leg, microbatch) = start;
            cells[start] = cell;
            freeAt[rank] = start + 1;
        }
    }
}

void SlotGrid::countOwed()
{
    m_owed.resize(m_cells.size());
    m_limit = 0;
    for (int r = 0; r < m_ranks; ++r) {
        const std::uint8_t *const cells = lane(r);
        int alive = 0;
        int owing = 0;
        for (std::size_t i = 0; i < m_length; ++i) {
            if (isForward(cells[i])) {
                ++alive;
            } else if (isBackward(cells[i])) {
                ++owing;
            } else if (owing > 0) {
                --owing;
                --alive;
            }
            held(r)[i] = static_cast<std::int16_t>(alive);
            owed(r)[i] = static_cast<std::int16_t>(owing);
            m_limit = std::max(m_limit, alive);
        }
    }
}

/// True when the lane, changed at `from` and `to`, stays within the limit. Looks no further than to where it is as before.
bool SlotGrid::fits(int rank, Slot from, Slot to) const
{
    const std::uint8_t *const cells = lane(rank);
    const std::int16_t *const counts = m_held.data() + static_cast<std::size_t>(rank) * m_length;
    const std::int16_t *const debts = m_owed.data() + static_cast<std::size_t>(rank) * m_length;
    int alive = from > 0 ? counts[from - 1] : 0;
    int owing = from > 0 ? debts[from - 1] : 0;
    for (Slot i = from; i < static_cast<Slot>(m_length); ++i) {
        if (isForward(cells[i])) {
            ++alive;
        } else if (isBackward(cells[i])) {
            ++owing;
        } else if (owing > 0) {
            --owing;
            --alive;
        }
        if (alive > m_limit)
            return false;
        if (i >= to && alive == counts[i] && owing == debts[i])
            return true;
    }
    return true;
}

void SlotGrid::recount(int rank, Slot from, Slot to)
{
    const std::uint8_t *const cells = lane(rank);
    std::int16_t *const counts = held(rank);
    std::int16_t *const debts = owed(rank);
    int alive = from > 0 ? counts[from - 1] : 0;
    int owing = from > 0 ? debts[from - 1] : 0;
    for (Slot i = from; i < static_cast<Slot>(m_length); ++i) {
        if (isForward(cells[i])) {
            ++alive;
        } else if (isBackward(cells[i])) {
            ++owing;
        } else if (owing > 0) {
            --owing;
            --alive;
        }
        if (i >= to && alive == counts[i] && owing == debts[i])
            return;
        counts[i] = static_cast<std::int16_t>(alive);
        debts[i] = static_cast<std::int16_t>(owing);
    }
}

void SlotGrid::pullTail()
{
    countOwed();
    const Slot lastStart = slotOf(0, Leg::ForwardDown, m_microbatches - 1);
    std::vector<std::array<int, legCount>> next(static_cast<std::size_t>(m_ranks));
    for (int r = 0; r < m_ranks; ++r) {
        for (Slot slot = 0; slot < lastStart + (r == 0 ? 1 : 0); ++slot) {
            if (isLeg(lane(r)[slot]))
                ++next[static_cast<std::size_t>(r)][lane(r)[slot] - 1U];
        }
    }
    for (Slot slot = lastStart; slot < static_cast<Slot>(m_length); ++slot) {
        for (int r = slot == lastStart ? 1 : 0; r < m_ranks; ++r) {
            std::uint8_t *const cells = lane(r);
            const std::uint8_t cell = cells[slot];
            if (!isLeg(cell))
                continue;
            const Leg leg = legOf(cell);
            const int microbatch = next[static_cast<std::size_t>(r)][static_cast<std::size_t>(leg)]++;
            for (Slot to = earliest(r, leg, microbatch); to < slot; ++to) {
                if (cells[to] != Free)
                    continue;
                cells[slot] = Free;
                cells[to] = cell;
                if (fits(r, to, slot)) {
                    recount(r, to, slot);
                    slotOf(r, leg, microbatch) = to;
                    break;
                }
                cells[to] = Free;
                cells[slot] = cell;
            }
        }
    }
}

void SlotGrid::writeRank(int rank, OrderBuilder &order) const
{
    const std::array<int, 2> stage{ rank, 2 * m_ranks - 1 - rank };
    const bool split = m_block.backwardSlots == 1;
    std::array<int, legCount> next{};
    std::array<int, 2> weights{}; ///< written, per chunk
    const auto backwardsOf = [&next](int chunk) -> int & { return next[static_cast<std::size_t>(chunk == 1 ? 2 : 3)]; };
    const auto writeWeight = [&] {
        for (int chunk = 1; chunk >= 0; --chunk) {
            const auto c = static_cast<std::size_t>(chunk);
            if (weights[c] == backwardsOf(chunk))
                continue;
            order.backward(OpKind::W, { weights[c]++, chunk, stage[c] });
            return true;
        }
        return false;
    };
    const std::uint8_t *const cells = lane(rank);
    for (std::size_t i = 0; i < m_length; ++i) {
        if (isForward(cells[i])) {
            const int chunk = cells[i] - 1;
            order.forward({ next[static_cast<std::size_t>(chunk)]++, chunk, stage[static_cast<std::size_t>(chunk)] });
        } else if (isBackward(cells[i])) {
            const int chunk = cells[i] == cellOf(Leg::BackwardDown) ? 1 : 0;
            order.backward(split ? OpKind::Bi : OpKind::B,
                           { backwardsOf(chunk)++, chunk, stage[static_cast<std::size_t>(chunk)] });
        } else if (cells[i] == Free && split) {
            writeWeight();
        }
    }
    while (split && writeWeight()) { }
}

} // namespace pipeloom
