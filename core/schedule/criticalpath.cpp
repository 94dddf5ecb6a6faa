// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/criticalpath.h"

#include "core/schedule/needs.h"

#include <algorithm>
#include <optional>

namespace pipeloom
{

namespace
{

int rankOf(const Schedule &schedule, std::size_t op)
{
    return static_cast<int>(std::ranges::upper_bound(schedule.begin, op) - schedule.begin.begin()) - 1;
}

/// The first rank's op that ends the step.
std::optional<CriticalOp> lastOp(const Schedule &schedule, const Timeline &timeline)
{
    for (int r = 0; r < schedule.ranks; ++r) {
        const auto rank = static_cast<std::size_t>(r);
        const std::size_t end = schedule.begin[rank + 1];
        if (end != schedule.begin[rank] && timeline.end[end - 1] == timeline.makespan)
            return CriticalOp{ end - 1, r, CriticalLink::Start };
    }
    return std::nullopt;
}

} // namespace

std::vector<CriticalOp> criticalPath(const Schedule &schedule, const Timeline &timeline, Nanoseconds p2p)
{
    std::vector<CriticalOp> path;
    const Producers producers(schedule);
    std::optional<CriticalOp> at = lastOp(schedule, timeline);
    while (at) {
        const Nanoseconds start = timeline.start[at->op];
        std::optional<CriticalOp> before;
        if (start > 0) {
            const bool first = at->op == schedule.begin[static_cast<std::size_t>(at->rank)];
            if (!first && timeline.end[at->op - 1] == start) {
                at->link = CriticalLink::RankBusy;
                before = CriticalOp{ at->op - 1, at->rank, CriticalLink::Start };
            } else {
                const Needs needs(schedule.ops[at->op], schedule.stages);
                for (const Need &need : needs.all()) {
                    const std::size_t producer = producers.of(need);
                    const int rank = rankOf(schedule, producer);
                    const bool sent = rank != at->rank;
                    if (timeline.end[producer] + (sent ? p2p : 0) != start || (before && sent))
                        continue;
                    at->link = sent ? CriticalLink::ResultSent : CriticalLink::Result;
                    before = CriticalOp{ producer, rank, CriticalLink::Start };
                }
            }
        }
        path.push_back(*at);
        at = before;
    }
    std::ranges::reverse(path);
    return path;
}

} // namespace pipeloom
