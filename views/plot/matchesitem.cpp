// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/matchesitem.h"

#include "views/plot/paint.h"

#include <utility>

namespace pipeloom
{

MatchesItem::MatchesItem(QCustomPlot *plot)
    : OverlayItem(plot, QStringLiteral("axes"))
{
}

void MatchesItem::setTicks(std::vector<double> ticks, const QRectF &axis)
{
    m_ticks = std::move(ticks);
    m_axis = axis;
}

void MatchesItem::draw(QCPPainter *painter)
{
    painter->setAntialiasing(false);
    // In the colour of the ticks; the ring inside keeps it off the op's fill. Ops of the same microbatch are ringed in ink.
    for (const QRectF &rect : m_rects) {
        drawFrame(*painter, rect.adjusted(-1, -1, 1, 1), 2, m_theme.accent);
        if (rect.width() >= 6)
            drawFrame(*painter, rect.adjusted(1, 1, -1, -1), 1, m_theme.panel);
    }
    for (const double x : m_ticks)
        painter->fillRect(QRectF(x, m_axis.top(), 2, tickHeight), m_theme.accent);
}

} // namespace pipeloom
