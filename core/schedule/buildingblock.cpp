// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/buildingblock.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// Every leg moves on by one rank a slot. With a multiple of three ranks the way back would meet the way there: it starts later.
BuildingBlock leastMemory(int ranks)
{
    const int pause = ranks % 3 == 0 ? 2 : 0;
    BuildingBlock block;
    for (int r = 0; r < ranks; ++r)
        block.slots.push_back({ r, 2 * ranks - 1 - r, 2 * ranks + pause + r, 4 * ranks + pause - 1 - r });
    return block;
}

/// The legs down take two slots a rank, those up one: half the memory of 1F1B, with room to keep every slot filled.
BuildingBlock halfMemory(int ranks)
{
    const int pause = ranks % 2 == 0 ? 3 : 0;
    BuildingBlock block;
    for (int r = 0; r < ranks; ++r)
        block.slots.push_back({ 2 * r, 3 * ranks - 2 - r, 3 * ranks + pause - 1 + 2 * r, 6 * ranks + pause - 2 - r });
    return block;
}

/// The slots of a period that a rank has filled.
class Period
{
public:
    void take(int slot, int length)
    {
        for (int i = 0; i < length; ++i)
            m_taken[static_cast<std::size_t>((slot + i) % blockPeriod)] = true;
    }
    [[nodiscard]] bool hasRoom(int slot, int length) const
    {
        for (int i = 0; i < length; ++i) {
            if (m_taken[static_cast<std::size_t>((slot + i) % blockPeriod)])
                return false;
        }
        return true;
    }
    /// True when some two neighbouring slots are left.
    [[nodiscard]] bool hasRoomForTwo() const
    {
        for (int slot = 0; slot < blockPeriod; ++slot) {
            if (hasRoom(slot, 2))
                return true;
        }
        return false;
    }

private:
    std::array<bool, blockPeriod> m_taken{};
};

/// Full backwards of two slots; each takes the first place in its rank's period that leaves room for the other one.
BuildingBlock fullBackwards(int ranks)
{
    BuildingBlock block;
    block.backwardSlots = 2;
    std::vector<Period> periods(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
        block.slots.push_back({ r, 2 * ranks - 1 - r, 0, 0 });
        periods[static_cast<std::size_t>(r)].take(r, 1);
        periods[static_cast<std::size_t>(r)].take(2 * ranks - 1 - r, 1);
    }
    // With a multiple of three ranks the first place on rank 0 makes every later rank wait longer than the second does.
    int next = 2 * ranks + (ranks % 3 == 0 ? 2 : 0);
    for (int r = 0; r < ranks; ++r, next += 2) {
        Period &period = periods[static_cast<std::size_t>(r)];
        const auto fits = [&period](int slot) {
            if (!period.hasRoom(slot, 2))
                return false;
            Period with = period;
            with.take(slot, 2);
            return with.hasRoomForTwo();
        };
        while (!fits(next))
            ++next;
        period.take(next, 2);
        block.slots[static_cast<std::size_t>(r)][static_cast<std::size_t>(Leg::BackwardDown)] = next;
    }
    for (int r = ranks - 1; r >= 0; --r, next += 2) {
        while (!periods[static_cast<std::size_t>(r)].hasRoom(next, 2))
            ++next;
        block.slots[static_cast<std::size_t>(r)][static_cast<std::size_t>(Leg::BackwardUp)] = next;
    }
    return block;
}

} // namespace

int BuildingBlock::lastSlot() const
{
    int last = 0;
    for (const auto &rank : slots)
        last = std::max(last, *std::ranges::max_element(rank));
    return last + backwardSlots - 1;
}

BuildingBlock buildingBlock(ScheduleKind kind, int ranks)
{
    if (kind == ScheduleKind::VMin)
        return leastMemory(ranks);
    return kind == ScheduleKind::VHalf ? halfMemory(ranks) : fullBackwards(ranks);
}

} // namespace pipeloom
