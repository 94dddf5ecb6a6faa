// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/orderbuilder.h"

#include <cstddef>
#include <vector>

namespace pipeloom
{

/// The order in which an interleaved rank visits (microbatch, chunk): groups of `group` microbatches, chunk after chunk inside
/// a group; the last group may be short. The backward visits the same table with the chunks reversed.
class VirtualOrder
{
public:
    VirtualOrder(const ScheduleRequest &request, int group);

    [[nodiscard]] int size() const { return static_cast<int>(m_table.size()); }
    [[nodiscard]] ChunkStep forward(int index, int rank) const
    {
        return at(index, rank, m_table[static_cast<std::size_t>(index)].chunk);
    }
    [[nodiscard]] ChunkStep backward(int index, int rank) const
    {
        return at(index, rank, m_lastChunk - m_table[static_cast<std::size_t>(index)].chunk);
    }

private:
    struct Visit
    {
        int microbatch = 0;
        int chunk = 0;
    };
    [[nodiscard]] ChunkStep at(int index, int rank, int chunk) const
    {
        return { m_table[static_cast<std::size_t>(index)].microbatch, chunk, chunk * m_ranks + rank };
    }

    std::vector<Visit> m_table;
    int m_ranks = 1;
    int m_lastChunk = 0;
};

} // namespace pipeloom
