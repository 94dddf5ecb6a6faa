// SPDX-License-Identifier: GPL-3.0-or-later
// ZB-V: split backwards on two chunks a rank, the second on the way back up.
#include "core/schedule/generators.h"
#include "core/schedule/orderbuilder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pipeloom
{

namespace
{

/// Writes one rank. The pattern is made for at least 2P-1 microbatches; what lies beyond M is left out of it.
class FoldedRank
{
public:
    FoldedRank(OrderBuilder &order, const ScheduleRequest &request, int rank)
        : m_order(order)
        , m_microbatches(request.microbatches)
        , m_stage{ rank, 2 * request.ranks - 1 - rank }
    {
    }

    void forward(int chunk) { put(OpKind::F, m_forwards, chunk); }
    void input(int chunk) { put(OpKind::Bi, m_inputs, chunk); }
    void weight(int chunk) { put(OpKind::W, m_weights, chunk); }
    void flushWeights(int chunk)
    {
        const auto c = static_cast<std::size_t>(chunk);
        while (m_weights[c] < m_inputs[c])
            weight(chunk);
    }
    [[nodiscard]] int forwards(int chunk) const { return m_forwards[static_cast<std::size_t>(chunk)]; }

private:
    using Counters = std::array<int, 2>;

    void put(OpKind kind, Counters &counters, int chunk)
    {
        const auto c = static_cast<std::size_t>(chunk);
        const int microbatch = counters[c]++;
        if (microbatch >= m_microbatches)
            return;
        const ChunkStep at{ microbatch, chunk, m_stage[c] };
        if (kind == OpKind::F)
            m_order.forward(at);
        else
            m_order.backward(kind, at);
    }

    OrderBuilder &m_order;
    int m_microbatches;
    Counters m_stage;
    Counters m_forwards{}, m_inputs{}, m_weights{};
};

void writeRank(FoldedRank out, int ranks, int rank, int microbatches)
{
    const int planned = std::max(2 * ranks - 1, microbatches);
    for (int i = 0; i < 2 * (ranks - rank) - 1; ++i)
        out.forward(0);
    for (int i = 0; i < rank; ++i) {
        out.forward(1);
        out.forward(0);
    }
    for (int i = 0; i < ranks - rank; ++i) {
        out.forward(1);
        out.input(1);
        out.weight(1);
    }
    while (out.forwards(1) < out.forwards(0) || out.forwards(0) < planned) {
        if (out.forwards(0) < planned)
            out.forward(0);
        out.input(0);
        out.weight(0);
        out.forward(1);
        out.input(1);
        out.weight(1);
    }
    for (int i = 0; i < rank; ++i) {
        out.input(0);
        out.input(1);
    }
    for (int i = 0; i < ranks - rank; ++i) {
        out.input(0);
        out.weight(0);
    }
    out.flushWeights(1);
    out.flushWeights(0);
}

} // namespace

Schedule generateZeroBubbleV(const ScheduleRequest &request)
{
    OrderBuilder order(request, std::int64_t{ 6 } * request.microbatches);
    for (int rank = 0; rank < request.ranks; ++rank) {
        writeRank(FoldedRank(order, request, rank), request.ranks, rank, request.microbatches);
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
