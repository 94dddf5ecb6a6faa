// SPDX-License-Identifier: GPL-3.0-or-later
// What a search found, on the timelines: outlines of the matches in view and ticks on the axis. Cost follows the pixels.
#include "views/explore/timelineplot.h"

#include "views/plot/matchesitem.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

/// Matches that begin within this many pixels of the one before share its outline when one of them is as narrow.
constexpr double nearest = 3;

/// Calls use(left, right) for the matches of a rank in view, left to right in logical pixels. After each match those that end
/// within its last pixel are skipped: at most one call for every pixel.
template<class Use>
void visitMatches(const OpMatches &matches, const Timeline &timeline, int rank, const TimeMap &map, Use use)
{
    const auto r = static_cast<std::size_t>(rank);
    if (r + 1 >= matches.begin.size())
        return;
    const auto last = matches.ops.begin() + static_cast<std::ptrdiff_t>(matches.begin[r + 1]);
    auto at = matches.ops.begin() + static_cast<std::ptrdiff_t>(matches.begin[r]);
    double from = map.start();
    for (;;) {
        at = std::partition_point(at, last, [&](std::uint32_t op) { return static_cast<double>(timeline.end[op]) <= from; });
        if (at == last || static_cast<double>(timeline.start[*at]) >= map.end())
            return;
        const double left = std::max(map.left, map.crispX(static_cast<double>(timeline.start[*at])));
        const double right =
            std::max(left + 1, std::min(map.left + map.width, map.crispX(static_cast<double>(timeline.end[*at]))));
        use(left, right);
        from = std::max(static_cast<double>(timeline.end[*at]),
                        std::max(from, static_cast<double>(timeline.start[*at])) + map.nsPerPixel());
        ++at;
    }
}

} // namespace

void TimelinePlot::setMatches(std::vector<std::shared_ptr<const OpMatches>> matches) { m_found = std::move(matches); }

void TimelinePlot::updateMatches()
{
    std::vector<QRectF> rects;
    std::vector<bool> ticked(static_cast<std::size_t>(std::ceil(m_maps[lastSlot].width)) + 1);
    for (std::size_t plan = 0; plan < std::min(m_found.size(), m_pictures.size()); ++plan) {
        const PlanPicture &picture = *m_pictures[plan];
        if (!m_found[plan] || !picture.hasLanes())
            continue;
        const std::size_t slot = planSlot(static_cast<int>(plan));
        const LaneLayout &layout = m_layouts[slot];
        const Timeline &timeline = picture.evaluation->timeline;
        for (int rank = 0; rank < picture.ranks; ++rank) {
            const QRectF lane = layout.laneRect(rank, m_maps[slot]);
            std::optional<QRectF> run;
            visitMatches(*m_found[plan], timeline, rank, m_maps[slot], [&](double left, double right) {
                if (lane.isEmpty())
                    return;
                if (run && left - run->right() < nearest && (right - left < nearest || run->width() < nearest)) {
                    run->setRight(std::max(right, run->right()));
                    return;
                }
                if (run)
                    rects.push_back(*run);
                run = QRectF(left, lane.top(), right - left, lane.height());
            });
            if (run)
                rects.push_back(*run);
            // Ticks stand where matches begin, those of lanes out of view included.
            visitMatches(*m_found[plan], timeline, rank, m_maps[lastSlot], [&](double left, double) {
                const auto pixel = static_cast<std::size_t>(std::max(0.0, left - m_maps[lastSlot].left));
                if (pixel < ticked.size())
                    ticked[pixel] = true;
            });
        }
    }
    std::vector<double> ticks;
    for (std::size_t pixel = 0; pixel < ticked.size(); ++pixel) {
        if (ticked[pixel])
            ticks.push_back(m_maps[lastSlot].left + static_cast<double>(pixel));
    }
    m_matches->setMatches(std::move(rects));
    m_matches->setTicks(std::move(ticks), m_ruler);
}

} // namespace pipeloom
