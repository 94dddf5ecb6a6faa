// SPDX-License-Identifier: GPL-3.0-or-later
// V-Half, V-Min and 1F1B-V: list scheduling under the memory limit of a building block.
#include "core/schedule/generators.h"
#include "core/schedule/orderbuilder.h"
#include "core/schedule/slotgrid.h"

#include <cstdint>

namespace pipeloom
{

Schedule generateMemoryLimited(const ScheduleRequest &request)
{
    const BuildingBlock block = buildingBlock(request.kind, request.ranks);
    const bool split = block.backwardSlots == 1;
    SlotGrid grid(block, request.microbatches);
    grid.repeatBlock();
    grid.pull();
    if (split) {
        grid.squeeze();
        grid.pullTail();
    }
    OrderBuilder order(request, std::int64_t{ split ? 6 : 4 } * request.microbatches);
    for (int rank = 0; rank < request.ranks; ++rank) {
        grid.writeRank(rank, order);
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
