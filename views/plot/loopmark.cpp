// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/loopmark.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

constexpr double barHeight = 3;
constexpr double endHeight = 8;
constexpr double endWidth = 2;

} // namespace

LoopMark::LoopMark(QCustomPlot *plot)
    : OverlayItem(plot)
{
}

void LoopMark::setRange(const QRectF &axis, const TimeMap &map, const std::optional<TimeRange> &range)
{
    m_axis = axis;
    m_map = map;
    m_range = range;
}

QRectF LoopMark::bar() const
{
    if (!m_range || m_axis.isEmpty())
        return {};
    const double left = std::max(m_axis.left(), m_map.crispX(static_cast<double>(m_range->begin)));
    const double right = std::min(m_axis.right(), m_map.crispX(static_cast<double>(m_range->end)) + 1);
    return right > left ? QRectF(left, m_axis.top(), right - left, barHeight) : QRectF();
}

void LoopMark::draw(QCPPainter *painter)
{
    const QRectF shown = bar();
    if (shown.isEmpty())
        return;
    painter->setAntialiasing(false);
    painter->fillRect(shown, m_theme.accent);
    // An end stands only where the range ends, not where the view does.
    if (m_map.x(static_cast<double>(m_range->begin)) >= m_axis.left() - 1)
        painter->fillRect(QRectF(shown.left(), shown.top(), endWidth, endHeight), m_theme.accent);
    if (m_map.x(static_cast<double>(m_range->end)) <= m_axis.right() + 1)
        painter->fillRect(QRectF(shown.right() - endWidth, shown.top(), endWidth, endHeight), m_theme.accent);
}

} // namespace pipeloom
