// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/planbadge.h"

#include "views/plot/paint.h"

#include <QPainter>

namespace pipeloom
{

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
    drawPlanBadge(painter, rect(), m_letter, m_theme);
}

} // namespace pipeloom
