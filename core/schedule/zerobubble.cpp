// SPDX-License-Identifier: GPL-3.0-or-later
// Split backwards on one stage a rank (ZB-H1, ZB-H2) or on looped chunks (interleaved zero bubble).
#include "core/schedule/generators.h"
#include "core/schedule/virtualorder.h"

#include <algorithm>
#include <cstdint>

namespace pipeloom
{

Schedule generateZeroBubbleH1(const ScheduleRequest &request)
{
    const int chunks = chunksPerRank(request.kind, request.vpp);
    const VirtualOrder visits(request, request.ranks);
    const int total = visits.size();
    OrderBuilder order(request, std::int64_t{ 3 } * total);
    for (int rank = 0; rank < request.ranks; ++rank) {
        const std::int64_t distance = std::int64_t{ chunks - 1 } * request.ranks + (request.ranks - 1 - rank);
        const int warmUp = static_cast<int>(std::min<std::int64_t>(distance, total));
        for (int i = 0; i < warmUp; ++i)
            order.forward(visits.forward(i, rank));
        // Weight gradients trail by `rank` backwards: they fill the drain exactly where a rank waits longest.
        for (int i = 0; i < total; ++i) {
            if (i < total - warmUp)
                order.forward(visits.forward(warmUp + i, rank));
            order.backward(OpKind::Bi, visits.backward(i, rank));
            if (i >= rank)
                order.backward(OpKind::W, visits.backward(i - rank, rank));
        }
        for (int i = std::max(0, total - rank); i < total; ++i)
            order.backward(OpKind::W, visits.backward(i, rank));
        order.endRank();
    }
    return order.take();
}

Schedule generateZeroBubbleH2(const ScheduleRequest &request)
{
    const int ranks = request.ranks;
    const int microbatches = request.microbatches;
    OrderBuilder order(request, std::int64_t{ 3 } * microbatches);
    for (int rank = 0; rank < ranks; ++rank) {
        int forwards = std::min(microbatches, 2 * (ranks - rank) - 1);
        int weights = 0;
        for (int i = 0; i < forwards; ++i)
            order.forward({ i, 0, rank });
        for (int backward = 0; backward < microbatches; ++backward) {
            order.backward(OpKind::Bi, { backward, 0, rank });
            if (forwards < microbatches) {
                if (forwards - weights >= 2 * ranks - 1) // the memory of 2P-1 microbatches is all there is
                    order.backward(OpKind::W, { weights++, 0, rank });
                order.forward({ forwards++, 0, rank });
            } else if (backward + 1 - weights > 2 * rank) {
                order.backward(OpKind::W, { weights++, 0, rank });
            }
        }
        while (weights < microbatches)
            order.backward(OpKind::W, { weights++, 0, rank });
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
