// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/overlay.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double lineWidth = 2;
constexpr double flagWidth = 11;
constexpr double flagHeight = 7;

/// The crisp x of the playhead's line in a band; nothing when it is out of view.
std::optional<double> lineX(const PlayheadItem::Band &band, Nanoseconds time, double ratio)
{
    const double x = crisp(band.map.x(static_cast<double>(time)), ratio);
    if (band.area.isEmpty() || x < band.area.left() - 0.5 || x > band.area.right() + 0.5)
        return std::nullopt;
    return x;
}

} // namespace

OverlayItem::OverlayItem(QCustomPlot *plot, const QString &layer)
    : QCPAbstractItem(plot)
    , m_theme(lightTheme())
{
    setLayer(layer);
    setClipToAxisRect(false);
    setParentLayerable(nullptr); // else it is hidden with the plot's first axis rect, which stands empty with fewer plans
    setSelectable(false);
    setAntialiased(false);
}

PlayheadItem::PlayheadItem(QCustomPlot *plot)
    : OverlayItem(plot)
{
}

void PlayheadItem::setAxis(const QRectF &axis, Nanoseconds extent)
{
    m_axis = axis;
    m_extent = extent;
}

bool PlayheadItem::hitsFlag(const QPointF &position) const
{
    return std::ranges::any_of(m_bands, [&](const Band &band) {
        const std::optional<double> x = lineX(band, m_time, 1);
        return x && band.flag && std::abs(position.x() - *x) <= flagWidth / 2 + 2
            && position.y() >= band.area.top() - flagHeight - 4 && position.y() < band.area.top();
    });
}

void PlayheadItem::draw(QCPPainter *painter)
{
    const double ratio = drawsVectors(*painter) ? 1 : deviceRatio(*painter);
    for (const Band &band : m_bands) {
        const std::optional<double> x = lineX(band, m_time, ratio);
        if (!x)
            continue;
        painter->setAntialiasing(false);
        painter->fillRect(QRectF(*x - lineWidth / 2, band.area.top(), lineWidth, band.area.height()), m_theme.play);
        if (!band.flag)
            continue;
        painter->setAntialiasing(true);
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme.play);
        const double top = band.area.top() - flagHeight + 1;
        painter->drawPolygon(
            QPolygonF({ QPointF(*x - flagWidth / 2, top), QPointF(*x + flagWidth / 2, top), QPointF(*x, top + flagHeight) }));
    }
    if (m_bands.empty() || m_axis.isEmpty())
        return;
    const std::optional<double> x = lineX(m_bands.back(), m_time, ratio);
    if (!x)
        return;
    const TimeUnit unit = TimeUnit::forView(m_extent, m_bands.back().map.nsPerPixel());
    const QString text = unit.text(static_cast<double>(m_time));
    const QFont font = uiFont(12, QFont::Bold);
    // Wide enough for the longest time of the step, so that it does not jitter.
    const double width = std::max(42.0, textWidth(font, unit.text(static_cast<double>(std::max(m_extent, m_time)))) + 14);
    const double left = std::clamp(*x - width / 2, m_axis.left() - 20, std::max(m_axis.left() - 20, m_axis.right() + 20 - width));
    const QRectF box(crisp(left, ratio), m_axis.top() + 1, width, std::min(18.0, m_axis.height() - 2));
    painter->setAntialiasing(true);
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_theme.play);
    painter->drawRoundedRect(box, 3, 3);
    drawLine(*painter, box, Qt::AlignCenter, font, m_theme.panel, text);
}

MarksItem::MarksItem(QCustomPlot *plot)
    : OverlayItem(plot)
{
}

void MarksItem::draw(QCPPainter *painter)
{
    painter->setAntialiasing(false);
    // The colour of an op's numbers stands out on its fill in both themes.
    for (const auto &[rect, colour] : m_current)
        drawFrame(*painter, rect, 1, colour);
    // Two rings, one dark and one light, stand out on every op colour of both themes.
    for (const QRectF &rect : m_related) {
        drawFrame(*painter, rect.adjusted(-1, -1, 1, 1), 1, m_theme.play);
        drawFrame(*painter, rect, 1, m_theme.panel);
    }
    for (const QRectF &rect : m_selected) {
        drawFrame(*painter, rect.adjusted(-2, -2, 2, 2), 2, m_theme.accent);
        drawFrame(*painter, rect, 1, m_theme.panel);
    }
    for (const QRectF &rect : m_hovered) {
        drawFrame(*painter, rect.adjusted(-2, -2, 2, 2), 2, m_theme.play);
        drawFrame(*painter, rect, 1, m_theme.panel);
    }
    drawMeasure(*painter);
}

void MarksItem::drawMeasure(QCPPainter &painter) const
{
    if (!m_measure || m_measure->areas.empty())
        return;
    QColor tint = m_theme.accent;
    tint.setAlphaF(0.14F);
    for (const QRectF &area : m_measure->areas) {
        painter.fillRect(area, tint);
        painter.fillRect(QRectF(area.left(), area.top(), 1, area.height()), m_theme.accent);
        painter.fillRect(QRectF(area.right() - 1, area.top(), 1, area.height()), m_theme.accent);
    }
    const QRectF &first = m_measure->areas.front();
    const QFont font = uiFont(12, QFont::Medium);
    const double width = textWidth(font, m_measure->text) + 16;
    const QRectF view(mParentPlot->viewport());
    const double left =
        std::clamp(first.center().x() - width / 2, view.left() + 2, std::max(view.left() + 2, view.right() - width - 2));
    const QRectF box(std::round(left), std::round(first.top() + 6), width, 20);
    painter.setAntialiasing(true);
    painter.setPen(QPen(m_theme.accent, 1));
    painter.setBrush(m_theme.panel);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    drawLine(painter, box, Qt::AlignCenter, font, m_theme.text, m_measure->text);
}

} // namespace pipeloom
