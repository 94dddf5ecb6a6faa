// SPDX-License-Identifier: GPL-3.0-or-later
// Where things stand on the timelines: areas, ops under a point, lanes that scroll.
#include "views/explore/timelineplot.h"

#include "core/schedule/bubbles.h"

#include <QScrollBar>

#include <algorithm>

namespace pipeloom
{

QRectF TimelinePlot::lanesArea(int plan) const
{
    const std::size_t slot = planSlot(plan);
    const LaneLayout &layout = m_layouts[slot];
    return { m_maps[slot].left, layout.top, m_maps[slot].width, std::max(0.0, layout.pitch * layout.count - LaneLayout::gap) };
}

QRectF TimelinePlot::opRect(const OpRef &op) const
{
    const auto plan = static_cast<std::size_t>(op.plan);
    if (op.plan < 0 || plan >= m_pictures.size() || !m_pictures[plan]->hasLanes())
        return {};
    const Timeline &timeline = m_pictures[plan]->evaluation->timeline;
    if (op.op >= timeline.start.size())
        return {};
    return laneRect(op.plan, op.rank, timeline.start[op.op], timeline.end[op.op]);
}

QRectF TimelinePlot::bubbleRect(const BubbleRef &bubble) const
{
    const auto plan = static_cast<std::size_t>(bubble.plan);
    if (bubble.plan < 0 || plan >= m_pictures.size() || !m_pictures[plan]->hasLanes())
        return {};
    const Evaluation &e = *m_pictures[plan]->evaluation;
    const auto found = bubbleAt(e.schedule, e.timeline, e.times.durations, bubble.rank, bubble.time);
    return found ? laneRect(bubble.plan, bubble.rank, found->start, found->end) : QRectF();
}

/// The visible part of a lane between two times.
QRectF TimelinePlot::laneRect(int plan, int rank, Nanoseconds start, Nanoseconds end) const
{
    const std::size_t slot = planSlot(plan);
    const TimeMap &map = m_maps[slot];
    const QRectF lane = m_layouts[slot].laneRect(rank, map);
    if (lane.isEmpty())
        return {};
    const double left = std::max(lane.left(), map.crispX(static_cast<double>(start)));
    const double right = std::min(lane.right(), map.crispX(static_cast<double>(end)));
    if (right < lane.left() || left > lane.right())
        return {};
    return { left, lane.top(), std::max(1.0, right - left), lane.height() };
}

TimelineHit TimelinePlot::hit(const QPointF &position) const
{
    using Zone = TimelineHit::Zone;
    TimelineHit result;
    if (m_playhead->hitsFlag(position)) {
        result.zone = Zone::Flag;
        return result;
    }
    if (position.y() >= m_ruler.top()) {
        result.zone = position.y() <= m_ruler.bottom() ? Zone::Ruler : Zone::None;
        return result;
    }
    if (position.y() >= m_strip.top()) {
        result.zone = Zone::Strip;
        return result;
    }
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const std::size_t slot = planSlot(plan);
        const PlanPicture &picture = *m_pictures[static_cast<std::size_t>(plan)];
        const int rank = m_layouts[slot].rankAt(position.y());
        if (rank < 0)
            continue;
        result.plan = plan;
        result.rank = picture.hasLanes() && rank < picture.ranks ? rank : -1;
        const TimeMap &map = m_maps[slot];
        result.zone = position.x() < map.left ? Zone::Gutter : Zone::Lanes;
        if (result.zone != Zone::Lanes || result.rank < 0 || position.x() > map.left + map.width)
            return result;
        const auto index = picture.shownLanes().spanAt(static_cast<std::size_t>(rank), map.time(position.x()));
        if (index) {
            const std::uint32_t source = picture.shownLanes().span(*index).source;
            if (source != Span::noSource)
                result.op = OpRef{ plan, rank, source };
        }
        const Nanoseconds time = map.time(position.x());
        // Ops that the legend hides are no bubbles.
        if (picture.bubbles && time >= 0 && time < picture.makespan
            && !picture.lanes.spanAt(static_cast<std::size_t>(rank), time))
            result.bubble = BubbleRef{ plan, rank, time };
        return result;
    }
    return result;
}

void TimelinePlot::revealRank(int rank)
{
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const std::size_t slot = planSlot(plan);
        const LaneLayout &layout = m_layouts[slot];
        if (rank >= m_pictures[static_cast<std::size_t>(plan)]->ranks)
            continue;
        if (rank < layout.first)
            m_firstLane[slot] = rank;
        else if (rank >= layout.first + layout.count)
            m_firstLane[slot] = rank - layout.count + 1;
    }
}

bool TimelinePlot::scrollLanes(int plan, int lanes)
{
    if (plan < 0 || plan >= static_cast<int>(m_pictures.size()))
        return false;
    QScrollBar &bar = *m_scrollBars[planSlot(plan)];
    if (bar.maximum() == 0)
        return false;
    bar.setValue(bar.value() + lanes);
    return true;
}

} // namespace pipeloom
