// SPDX-License-Identifier: GPL-3.0-or-later
// Chimera with directly concatenated units: two pipelines in opposite directions whose ops fall into slots.
#include "core/schedule/generators.h"
#include "core/schedule/orderbuilder.h"

#include <array>
#include <cstdint>

namespace pipeloom
{

namespace
{

/// One of the four streams (forward and backward of both directions) of a rank: already sorted by slot.
struct Stream
{
    OpKind kind = OpKind::F;
    int direction = 0;
    int offset = 0; ///< slot of the stream's first op
    int done = 0;
};

/// Writes one rank by merging its streams; no two ever share a slot.
void writeRank(OrderBuilder &order, const ScheduleRequest &request, int rank)
{
    const int ranks = request.ranks;
    const int perUnit = ranks / 2;
    const int perDirection = request.microbatches / 2;
    std::array<Stream, 4> streams = { { { OpKind::F, 0, rank, 0 },
                                        { OpKind::B, 0, 2 * ranks - 1 - rank, 0 },
                                        { OpKind::F, 1, ranks - 1 - rank, 0 },
                                        { OpKind::B, 1, ranks + rank, 0 } } };
    const auto slot = [&](const Stream &stream) {
        return std::int64_t{ 2 } * ranks * (stream.done / perUnit) + std::int64_t{ 2 } * (stream.done % perUnit) + stream.offset;
    };
    for (std::int64_t op = 0; op < std::int64_t{ 4 } * perDirection; ++op) {
        Stream *first = nullptr;
        for (Stream &stream : streams) {
            if (stream.done < perDirection && (first == nullptr || slot(stream) < slot(*first)))
                first = &stream;
        }
        const int stage = first->direction == 0 ? rank : ranks - 1 - rank;
        const ChunkStep at{ first->direction * perDirection + first->done, first->direction, stage };
        if (first->kind == OpKind::F)
            order.forward(at);
        else
            order.backward(OpKind::B, at);
        ++first->done;
    }
}

} // namespace

Schedule generateChimera(const ScheduleRequest &request)
{
    OrderBuilder order(request, std::int64_t{ 2 } * request.microbatches);
    for (int rank = 0; rank < request.ranks; ++rank) {
        writeRank(order, request, rank);
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
