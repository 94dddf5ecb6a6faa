// SPDX-License-Identifier: GPL-3.0-or-later
// Arrows of the hovered op, else of the selected one: what it takes from other ops and who takes its result.
#include "views/explore/timelineplot.h"

#include "core/timeline/navigation.h"
#include "views/plot/linksitem.h"

#include <algorithm>

namespace pipeloom
{

void TimelinePlot::updateLinks()
{
    std::vector<LinksItem::Arrow> arrows;
    const std::optional<OpRef> &focus = m_state->hover() ? m_state->hover() : m_state->selection();
    const auto plan = focus ? static_cast<std::size_t>(focus->plan) : m_pictures.size();
    if (plan < m_pictures.size() && m_pictures[plan]->hasLanes()
        && focus->op < m_pictures[plan]->evaluation->schedule.ops.size()) {
        const Evaluation &e = *m_pictures[plan]->evaluation;
        const LaneLayout &layout = m_layouts[planSlot(focus->plan)];
        const TimeMap &map = m_maps[planSlot(focus->plan)];
        const QRectF area = lanesArea(focus->plan);
        const auto point = [&](std::size_t op, Nanoseconds time) {
            const double y = layout.top + layout.pitch * (rankOf(e.schedule, op) - layout.first + 0.5) - LaneLayout::gap / 2;
            return QPointF(map.x(static_cast<double>(time)), y);
        };
        const auto add = [&](std::size_t from, std::size_t to, bool input) {
            const QPointF begin = point(from, e.timeline.end[from]), end = point(to, e.timeline.start[to]);
            LinksItem::Arrow arrow;
            arrow.fromShown = area.contains(begin);
            arrow.toShown = area.contains(end);
            if (!arrow.fromShown && !arrow.toShown)
                return;
            const auto inside = [&area](const QPointF &p) {
                return QPointF(std::clamp(p.x(), area.left(), area.right()), std::clamp(p.y(), area.top(), area.bottom()));
            };
            arrow.from = inside(begin);
            arrow.to = inside(end);
            arrow.area = area;
            arrow.input = input;
            arrows.push_back(arrow);
        };
        // Made when an op of an evaluation is first pointed at.
        if (m_linksOf != m_pictures[plan]->evaluation) {
            m_linksOf = m_pictures[plan]->evaluation;
            m_links.emplace(m_linksOf->schedule);
        }
        for (const std::size_t from : m_links->inputs(focus->op))
            add(from, focus->op, true);
        for (const std::size_t to : m_links->outputs(focus->op))
            add(focus->op, to, false);
    }
    m_arrows->setArrows(std::move(arrows));
}

} // namespace pipeloom
