// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/linksitem.h"

#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double headLength = 7;
constexpr double headHalf = 3.5;
constexpr double dotRadius = 2.5;

/// Leaves and arrives along the axis of time; between them it swings over to the other lane.
QPainterPath curve(const QPointF &from, const QPointF &to)
{
    const double bend = std::clamp(std::abs(to.x() - from.x()) / 2, 10.0, 60.0);
    QPainterPath path(from);
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
    return path;
}

QPolygonF head(const QPointF &tip)
{
    return QPolygonF({ tip, tip + QPointF(-headLength, -headHalf), tip + QPointF(-headLength, headHalf) });
}

} // namespace

LinksItem::LinksItem(QCustomPlot *plot)
    : OverlayItem(plot)
{
}

void LinksItem::draw(QCPPainter *painter)
{
    if (m_arrows.empty())
        return;
    painter->save();
    painter->setAntialiasing(true);
    for (const Arrow &arrow : m_arrows) {
        painter->setClipRect(arrow.area);
        // What it takes comes along a whole line, who takes its result along a dashed one: told without colour, too.
        const QColor colour = arrow.input ? m_theme.text : m_theme.accent;
        const QPainterPath path = curve(arrow.from, arrow.toShown ? arrow.to - QPointF(headLength - 1, 0) : arrow.to);
        painter->setBrush(Qt::NoBrush);
        // The ground of the panel keeps the line readable on every op's fill.
        painter->setPen(QPen(m_theme.panel, 4, Qt::SolidLine, Qt::RoundCap));
        painter->drawPath(path);
        QPen pen(colour, 1.6, Qt::SolidLine, Qt::FlatCap);
        if (!arrow.input)
            pen.setDashPattern({ 4, 2 });
        painter->setPen(pen);
        painter->drawPath(path);
        painter->setPen(QPen(m_theme.panel, 1));
        painter->setBrush(colour);
        if (arrow.fromShown)
            painter->drawEllipse(arrow.from, dotRadius, dotRadius);
        if (arrow.toShown)
            painter->drawPolygon(head(arrow.to));
    }
    painter->restore();
}

} // namespace pipeloom
