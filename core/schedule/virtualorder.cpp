// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/virtualorder.h"

#include <algorithm>

namespace pipeloom
{

VirtualOrder::VirtualOrder(const ScheduleRequest &request, int group)
    : m_ranks(request.ranks)
{
    const int chunks = chunksPerRank(request.kind, request.vpp);
    m_lastChunk = chunks - 1;
    m_table.reserve(static_cast<std::size_t>(request.microbatches) * static_cast<std::size_t>(chunks));
    for (int first = 0; first < request.microbatches;) {
        const int last = first + std::min(group, request.microbatches - first);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int microbatch = first; microbatch < last; ++microbatch)
                m_table.push_back({ microbatch, chunk });
        }
        first = last;
    }
}

} // namespace pipeloom
