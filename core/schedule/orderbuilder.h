// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <cstdint>

namespace pipeloom
{

/// A microbatch on one chunk of the rank that is being written.
struct ChunkStep
{
    int microbatch = 0;
    int chunk = 0;
    int stage = 0;
};

/// Appends ops to the flat order, rank after rank.
class OrderBuilder
{
public:
    /// `opsPerRank` is an upper bound; the order is allocated once.
    OrderBuilder(const ScheduleRequest &request, std::int64_t opsPerRank);

    void forward(ChunkStep at) { m_schedule.ops.push_back(op(OpKind::F, at)); }
    /// kind: B, Bi or W.
    void backward(OpKind kind, ChunkStep at) { m_schedule.ops.push_back(op(kind, at)); }
    void pair(ChunkStep forward, ChunkStep backward)
    {
        Op paired = op(OpKind::FB, forward);
        paired.chunkB = static_cast<std::uint8_t>(backward.chunk);
        paired.stageB = static_cast<std::int16_t>(backward.stage);
        paired.microbatchB = backward.microbatch;
        m_schedule.ops.push_back(paired);
    }
    /// Names the step the next ops belong to.
    void setStep(int step) { m_step = static_cast<std::uint8_t>(step); }
    /// The current rank's list is complete.
    void endRank() { m_schedule.begin.push_back(m_schedule.ops.size()); }

    [[nodiscard]] Schedule take() { return std::move(m_schedule); }

private:
    [[nodiscard]] Op op(OpKind kind, ChunkStep at) const
    {
        return { .kind = kind,
                 .chunk = static_cast<std::uint8_t>(at.chunk),
                 .chunkB = 0,
                 .step = m_step,
                 .stage = static_cast<std::int16_t>(at.stage),
                 .stageB = -1,
                 .microbatch = at.microbatch,
                 .microbatchB = -1 };
    }

    Schedule m_schedule;
    std::uint8_t m_step = 0;
};

} // namespace pipeloom
