// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the ops: lane names, idle shares, the remark behind a plan that ends sooner, the reason for empty lanes.
#include "views/icons.h"
#include "views/plot/paint.h"
#include "views/plot/timelineplottable.h"

#include <algorithm>
#include <cstdlib>

namespace pipeloom
{

void TimelinePlottable::drawGutters(QCPPainter &painter) const
{
    if (m_picture->problem)
        return;
    const bool small = m_layout.pitch < 17;
    const QFont number = uiFont(m_layout.pitch < 12 ? 10.5 : small ? 12 : 13, QFont::Bold);
    const QFont caption = uiFont(m_layout.pitch < 12 ? 10.5 : 11);
    // At the smallest pitch text would touch its neighbours: every second lane is named.
    const int every = m_layout.pitch < 12 ? 2 : 1;
    const double left = m_layout.gutterLeft + 12;
    const double widest = textWidth(number, QString::number(std::max(0, m_picture->ranks - 1)));
    for (int rank = m_layout.first; rank < m_layout.first + m_layout.count; ++rank) {
        const QRectF lane = m_layout.laneRect(rank, m_map);
        if (rank == m_selectedRank)
            painter.fillRect(QRectF(m_layout.gutterLeft, lane.top(), m_map.left - m_layout.gutterLeft - 4, lane.height() + 1),
                             m_theme.accentBg);
        const bool besideSelected = every > 1 && std::abs(rank - m_selectedRank) == 1;
        if (rank != m_selectedRank && (rank % every != 0 || besideSelected))
            continue;
        const auto r = static_cast<std::size_t>(rank);
        drawLine(painter, QRectF(left - 2, lane.top(), widest + 4, lane.height()), Qt::AlignHCenter | Qt::AlignVCenter, number,
                 m_theme.text, QString::number(rank));
        const double stages = left + std::max(15.0, widest + 4);
        if (r < m_picture->stages.size())
            drawLine(painter, QRectF(stages, lane.top(), m_map.left - 4 - stages, lane.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, caption, m_theme.text3, m_picture->stages[r]);
        if (r < m_picture->idle.size())
            drawLine(painter, QRectF(m_layout.gutterRight - 40, lane.top(), 40, lane.height()), Qt::AlignRight | Qt::AlignVCenter,
                     caption, m_theme.text2, m_picture->idle[r]);
    }
}

void TimelinePlottable::drawRemark(QCPPainter &painter, const TimeMap &map) const
{
    if (!m_remark)
        return;
    const double right = map.left + map.width;
    const double other = map.crispX(static_cast<double>(m_remark->otherEnd));
    const double own = map.crispX(static_cast<double>(m_picture->end));
    const double top = m_layout.top;
    const double bottom = m_layout.bottom() - LaneLayout::gap;
    if (other > map.left && other < right) {
        for (double y = top; y + 2 <= bottom; y += 4)
            painter.fillRect(QRectF(other, y, 1, 2), m_theme.text3);
    }
    const QFont font = uiFont(12, QFont::Medium);
    const double width = textWidth(font, m_remark->text) + 16;
    if (own < map.left || other > right || other - own < width + 40)
        return;
    const double y = std::round((top + bottom) / 2);
    const double middle = (own + other) / 2;
    const QRectF box(middle - width / 2, y - 9, width, 18);
    painter.fillRect(QRectF(own + 4, y, other - own - 5, 1), m_theme.text3);
    painter.save();
    painter.setAntialiasing(true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.text3);
    painter.drawPolygon(QPolygonF({ QPointF(own + 4, y + 0.5), QPointF(own + 12, y - 3.5), QPointF(own + 12, y + 4.5) }));
    painter.restore();
    painter.fillRect(box, m_theme.lane);
    drawLine(painter, box, Qt::AlignCenter, font, m_theme.text2, m_remark->text);
}

void TimelinePlottable::drawProblem(QCPPainter &painter) const
{
    const PlanProblem &problem = *m_picture->problem;
    const QRectF area(m_map.left, m_layout.top, m_map.width, m_layout.bottom() - m_layout.top);
    // Icon 20, title 20, sentence 18, and room for the link below them; a low area leaves the icon out.
    const bool icon = area.height() >= 92;
    double y = area.center().y() - (icon ? 46 : 30);
    if (icon) {
        const double ratio = drawsVectors(painter) ? 2 : deviceRatio(painter);
        painter.drawPixmap(QPointF(crisp(area.center().x() - 8, ratio), crisp(y, ratio)),
                           statusPixmap(Icon::Error, m_theme, 16, ratio));
        y += 24;
    }
    drawLine(painter, QRectF(area.left(), y, area.width(), 18), Qt::AlignCenter, uiFont(13, QFont::Bold), m_theme.text,
             problem.title);
    drawLine(painter, QRectF(area.left() + 8, y + 20, area.width() - 16, 16), Qt::AlignCenter, uiFont(12), m_theme.text2,
             problem.sentence);
}

} // namespace pipeloom
