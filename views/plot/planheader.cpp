// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/planheader.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

namespace pipeloom
{

PlanHeader::PlanHeader(QCustomPlot *plot)
    : QCPLayoutElement(plot)
    , m_theme(lightTheme())
{
    setMinimumSize(0, height);
    setMaximumSize(QWIDGETSIZE_MAX, height);
    setSizeConstraintRect(scrOuterRect);
}

QRect PlanHeader::clipRect() const { return mParentPlot->viewport(); }

void PlanHeader::applyDefaultAntialiasingHint(QCPPainter *painter) const { painter->setAntialiasing(false); }

void PlanHeader::draw(QCPPainter *painter)
{
    const QRectF area = outerRect();
    m_free = QRectF();
    if (area.isEmpty() || !m_picture)
        return;
    if (m_lineAbove)
        painter->fillRect(QRectF(area.left(), area.top() - 4, area.width(), 1), m_theme.grid);
    drawPlanBadge(*painter, QRectF(area.left() + 12, area.top() + 4, 17, 17), m_picture->letter, m_theme);

    const bool updating = m_updating >= showsLineAfter;
    const QFont title = uiFont(14, QFont::Bold);
    const QString name = updating ? QStringLiteral("%1, updating").arg(m_picture->name) : m_picture->name;
    const double nameLeft = area.left() + 37;
    const double nameWidth = textWidth(title, name);
    const double numbersLeft = drawNumbers(*painter, area);
    drawLine(*painter, QRectF(nameLeft, area.top(), std::max(0.0, numbersLeft - nameLeft - 8), 25),
             Qt::AlignLeft | Qt::AlignVCenter, title, m_theme.text, name);
    const double subtitle = nameLeft + nameWidth + 12;
    if (!m_picture->problem && numbersLeft - subtitle > 60)
        drawLine(*painter, QRectF(subtitle, area.top(), numbersLeft - subtitle - 12, 25), Qt::AlignLeft | Qt::AlignVCenter,
                 uiFont(12), m_theme.text2, m_picture->subtitle);
    const double wordsEnd = subtitle + (m_picture->problem ? 0 : textWidth(uiFont(12), m_picture->subtitle) + 18);
    if (numbersLeft - 18 > wordsEnd)
        m_free = QRectF(wordsEnd, area.top(), numbersLeft - 18 - wordsEnd, 25);
    if (updating)
        painter->fillRect(QRectF(nameLeft, area.bottom() - 3, nameWidth, 2), m_theme.accent);
}

/// Right-aligned, from the right to the left; returns where they begin.
double PlanHeader::drawNumbers(QCPPainter &painter, const QRectF &area) const
{
    const QFont label = uiFont(12);
    const QFont value = uiFont(12.5, QFont::Bold);
    double right = area.right() - m_right - 8;
    const auto put = [&](const QString &text, const QFont &font, const QColor &colour) {
        const double width = textWidth(font, text);
        drawLine(painter, QRectF(right - width, area.top(), width, 25), Qt::AlignLeft | Qt::AlignVCenter, font, colour, text);
        right -= width;
    };
    if (m_updating >= showsAgeAfter) {
        right = area.right() - 8;
        put(QStringLiteral("last result, %1 s old").arg(m_updating / 1000), label, m_theme.text3);
        return right;
    }
    if (m_picture->problem || !m_picture->evaluation)
        return right;
    const Evaluation &evaluation = *m_picture->evaluation;
    const QFont caption = uiFont(11);
    const QString idle = QStringLiteral("idle %");
    drawLine(painter, QRectF(area.right() - 7 - textWidth(caption, idle), area.top(), textWidth(caption, idle), 25),
             Qt::AlignRight | Qt::AlignVCenter, caption, m_theme.text3, idle);
    right = std::min(right, area.right() - 7 - textWidth(caption, idle) - 8);

    const QString step = QStringLiteral("%1 s").arg(fixedNumber(evaluation.time.step, 2));
    const QString bubble = QStringLiteral("%1 %").arg(percent(evaluation.time.bubbleFractionWorst));
    put(inFlightText(evaluation.timeline), value, m_theme.text);
    right -= 5;
    put(QStringLiteral("in flight"), label, m_theme.text2);
    right -= 18;
    put(bubble, value, m_theme.text);
    right -= 5;
    put(QStringLiteral("bubble"), label, m_theme.text2);
    right -= 18;
    put(step, value, m_theme.text);
    right -= 5;
    put(QStringLiteral("step"), label, m_theme.text2);
    return right;
}

} // namespace pipeloom
