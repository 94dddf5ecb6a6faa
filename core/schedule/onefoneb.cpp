// SPDX-License-Identifier: GPL-3.0-or-later
// GPipe and 1F1B: one stage a rank, full backwards.
#include "core/schedule/generators.h"
#include "core/schedule/orderbuilder.h"

#include <algorithm>
#include <cstdint>

namespace pipeloom
{

Schedule generateGPipe(const ScheduleRequest &request)
{
    OrderBuilder order(request, std::int64_t{ 2 } * request.microbatches);
    for (int rank = 0; rank < request.ranks; ++rank) {
        for (int microbatch = 0; microbatch < request.microbatches; ++microbatch)
            order.forward({ microbatch, 0, rank });
        for (int microbatch = 0; microbatch < request.microbatches; ++microbatch)
            order.backward(OpKind::B, { microbatch, 0, rank });
        order.endRank();
    }
    return order.take();
}

Schedule generateOneForwardOneBackward(const ScheduleRequest &request)
{
    OrderBuilder order(request, std::int64_t{ 2 } * request.microbatches);
    for (int rank = 0; rank < request.ranks; ++rank) {
        // One forward for every stage still below: the first backward comes back just then.
        const int warmUp = std::min(request.ranks - 1 - rank, request.microbatches);
        for (int microbatch = 0; microbatch < warmUp; ++microbatch)
            order.forward({ microbatch, 0, rank });
        for (int microbatch = warmUp; microbatch < request.microbatches; ++microbatch) {
            order.forward({ microbatch, 0, rank });
            order.backward(OpKind::B, { microbatch - warmUp, 0, rank });
        }
        for (int microbatch = request.microbatches - warmUp; microbatch < request.microbatches; ++microbatch)
            order.backward(OpKind::B, { microbatch, 0, rank });
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
