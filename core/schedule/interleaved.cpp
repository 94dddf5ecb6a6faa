// SPDX-License-Identifier: GPL-3.0-or-later
// Looped placement, full backwards: interleaved 1F1B, its form with overlapped pairs, and looped BFS.
#include "core/schedule/generators.h"
#include "core/schedule/virtualorder.h"

#include <algorithm>
#include <cstdint>

namespace pipeloom
{

Schedule generateInterleaved(const ScheduleRequest &request)
{
    const bool merged = request.kind == ScheduleKind::CombinedAllToAll;
    const int group = request.group.value_or(request.ranks);
    const int chunks = chunksPerRank(request.kind, request.vpp);
    const VirtualOrder visits(request, group);
    const int total = visits.size();
    OrderBuilder order(request, std::int64_t{ 2 } * total);
    for (int rank = 0; rank < request.ranks; ++rank) {
        const std::int64_t distance = std::int64_t{ 2 } * (request.ranks - 1 - rank) + std::int64_t{ chunks - 1 } * group;
        // A merged pair needs one more forward in flight: its two halves belong to different microbatches.
        const int warmUp = static_cast<int>(std::min<std::int64_t>(distance + (merged ? 1 : 0), total));
        for (int i = 0; i < warmUp; ++i)
            order.forward(visits.forward(i, rank));
        for (int i = warmUp; i < total; ++i) {
            const ChunkStep forward = visits.forward(i, rank);
            const ChunkStep backward = visits.backward(i - warmUp, rank);
            if (merged) {
                order.pair(forward, backward);
            } else {
                order.forward(forward);
                order.backward(OpKind::B, backward);
            }
        }
        for (int i = total - warmUp; i < total; ++i)
            order.backward(OpKind::B, visits.backward(i, rank));
        order.endRank();
    }
    return order.take();
}

Schedule generateLoopedBfs(const ScheduleRequest &request)
{
    const int chunks = chunksPerRank(request.kind, request.vpp);
    OrderBuilder order(request, std::int64_t{ 2 } * request.microbatches * chunks);
    for (int rank = 0; rank < request.ranks; ++rank) {
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int microbatch = 0; microbatch < request.microbatches; ++microbatch)
                order.forward({ microbatch, chunk, chunk * request.ranks + rank });
        }
        for (int chunk = chunks - 1; chunk >= 0; --chunk) {
            for (int microbatch = request.microbatches - 1; microbatch >= 0; --microbatch)
                order.backward(OpKind::B, { microbatch, chunk, chunk * request.ranks + rank });
        }
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
