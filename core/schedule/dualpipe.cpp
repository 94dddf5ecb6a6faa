// SPDX-License-Identifier: GPL-3.0-or-later
// DualPipe and DualPipeV: eight steps of two phases. In DualPipe a phase is a direction through the ranks, in DualPipeV the
// way down or up the folded model.
#include "core/schedule/generators.h"
#include "core/schedule/orderbuilder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeloom
{

namespace
{

/// How the steps look from one rank. Phase 0 is the one that enters the pipeline near this rank.
struct RankView
{
    int depth = 0; ///< distance to the entry of phase 0
    int width = 1; ///< ranks a phase crosses until the two meet
    int perPhase = 0; ///< microbatches
    std::array<int, 2> chunk{}; ///< of each phase
    std::array<int, 2> stage{};
    std::array<int, 2> firstMicrobatch{};
};

class EightSteps
{
public:
    EightSteps(OrderBuilder &order, std::vector<ChunkStep> &deferred, const RankView &view)
        : m_order(order)
        , m_deferred(deferred)
        , m_view(view)
    {
        m_deferred.clear();
    }

    void write()
    {
        fill();
        steady();
        drain();
    }

private:
    ChunkStep next(std::array<int, 2> &counters, std::size_t phase)
    {
        return { m_view.firstMicrobatch[phase] + counters[phase]++, m_view.chunk[phase], m_view.stage[phase] };
    }
    void forward(std::size_t phase) { m_order.forward(next(m_forwards, phase)); }
    void backward(std::size_t phase) { m_order.backward(OpKind::B, next(m_backwards, phase)); }
    void inputOnly(std::size_t phase)
    {
        m_deferred.push_back(next(m_backwards, phase));
        m_order.backward(OpKind::Bi, m_deferred.back());
    }
    void weight() { m_order.backward(OpKind::W, m_deferred[m_weights++]); }
    void pair(std::size_t forwardPhase)
    {
        const ChunkStep f = next(m_forwards, forwardPhase);
        m_order.pair(f, next(m_backwards, 1 - forwardPhase));
    }

    void fill()
    {
        const int toMiddle = m_view.width - 1 - m_view.depth;
        m_order.setStep(1);
        for (int i = 0; i < 2 * toMiddle; ++i)
            forward(0);
        m_order.setStep(2);
        for (int i = 0; i <= m_view.depth; ++i) {
            forward(0);
            forward(1);
        }
        m_order.setStep(3);
        for (int i = 0; i < toMiddle; ++i) {
            inputOnly(1);
            weight();
            forward(1);
        }
    }

    void steady()
    {
        const int toMiddle = m_view.width - 1 - m_view.depth;
        m_order.setStep(4);
        for (int i = 0; i < m_view.perPhase - 2 * m_view.width + m_view.depth + 1; ++i) {
            if (i == 0 && toMiddle == 0) {
                // Where the phases meet the first backward depends on this very forward: they cannot overlap.
                forward(0);
                backward(1);
            } else {
                pair(0);
            }
            pair(1);
        }
        m_order.setStep(5);
        for (int i = 0; i < toMiddle; ++i) {
            backward(1);
            pair(1);
        }
    }

    void drain()
    {
        const int toMiddle = m_view.width - 1 - m_view.depth;
        // The second half of these backwards puts its weight gradients off: they fill the bubbles of the drain.
        const int backwards = 2 * (m_view.depth + 1);
        m_order.setStep(6);
        for (int i = 0; i < backwards; ++i) {
            const std::size_t phase = i % 2 == 0 ? 1 : 0;
            if (i >= backwards / 2)
                inputOnly(phase);
            else
                backward(phase);
        }
        m_order.setStep(7);
        for (int i = 0; i < toMiddle; ++i) {
            weight();
            inputOnly(0);
        }
        m_order.setStep(8);
        while (m_weights < m_deferred.size())
            weight();
    }

    OrderBuilder &m_order;
    std::vector<ChunkStep> &m_deferred; ///< every input-only backward, in order; the first m_weights have their W
    RankView m_view;
    std::array<int, 2> m_forwards{}, m_backwards{};
    std::size_t m_weights = 0;
};

RankView mirroredView(const ScheduleRequest &request, int rank)
{
    const int mirror = request.ranks - 1 - rank;
    const int half = request.microbatches / 2;
    const bool second = rank >= request.ranks / 2;
    RankView view{ .depth = second ? mirror : rank, .width = request.ranks / 2, .perPhase = half };
    view.chunk = second ? std::array{ 1, 0 } : std::array{ 0, 1 };
    view.stage = second ? std::array{ mirror, rank } : std::array{ rank, mirror };
    view.firstMicrobatch = second ? std::array{ half, 0 } : std::array{ 0, half };
    return view;
}

RankView foldedView(const ScheduleRequest &request, int rank)
{
    return { .depth = rank,
             .width = request.ranks,
             .perPhase = request.microbatches,
             .chunk = { 0, 1 },
             .stage = { rank, 2 * request.ranks - 1 - rank },
             .firstMicrobatch = { 0, 0 } };
}

} // namespace

Schedule generateDualPipe(const ScheduleRequest &request)
{
    const bool mirrored = request.kind == ScheduleKind::DualPipe;
    // Every microbatch makes at most F + B a chunk pass, and one more op for each deferred W: 2 (P+1) at most.
    OrderBuilder order(request, std::int64_t{ mirrored ? 2 : 4 } * request.microbatches + std::int64_t{ 2 } * request.ranks + 2);
    std::vector<ChunkStep> deferred;
    deferred.reserve(static_cast<std::size_t>(2 * request.ranks + 2));
    for (int rank = 0; rank < request.ranks; ++rank) {
        EightSteps(order, deferred, mirrored ? mirroredView(request, rank) : foldedView(request, rank)).write();
        order.endRank();
    }
    return order.take();
}

} // namespace pipeloom
