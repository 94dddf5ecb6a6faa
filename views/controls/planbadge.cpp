// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/planbadge.h"

namespace pipeloom
{

void paintPlanBadge(QPainter &painter, const QRectF &box, const QString &letter, const Theme &theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ink = theme.text;
    if (letter == QLatin1String("A")) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.text);
        ink = theme.panel;
    } else if (letter == QLatin1String("B")) {
        painter.setPen(QPen(theme.text, 1.5));
        painter.setBrush(theme.panel);
    } else if (letter == QLatin1String("C")) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.planGrey);
        ink = theme.panel;
    } else {
        painter.setPen(QPen(theme.planGrey, 1.5));
        painter.setBrush(theme.panel);
        ink = theme.text2;
    }
    const double inset = painter.pen().style() == Qt::NoPen ? 0.5 : 1;
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 3, 3);
    painter.setPen(ink);
    painter.setFont(uiFont(std::round(box.height() * 0.62), QFont::Bold));
    painter.drawText(box, Qt::AlignCenter, letter);
    painter.restore();
}

PlanBadge::PlanBadge(const QString &letter, bool small, QWidget *parent)
    : QWidget(parent)
    , m_letter(letter)
{
    const int side = small ? 14 : 18;
    setFixedSize(side, side);
    setAccessibleName(tr("Plan %1").arg(letter));
}

void PlanBadge::setLetter(const QString &letter)
{
    if (letter != m_letter) {
        m_letter = letter;
        setAccessibleName(tr("Plan %1").arg(letter));
        update();
    }
}

void PlanBadge::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void PlanBadge::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paintPlanBadge(painter, rect(), m_letter, m_theme);
}

} // namespace pipeloom
