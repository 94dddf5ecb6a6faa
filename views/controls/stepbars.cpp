// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/stepbars.h"

#include "views/controls/format.h"
#include "views/planshape.h"
#include "views/plot/paint.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

constexpr int left = 38;
constexpr int right = 11;
constexpr int pitch = 23;
constexpr int barHeight = 17;

struct Part
{
    const char *label;
    double (*read)(const StepTime &);
};

const std::array<Part, 4> parts = { {
    { QT_TRANSLATE_NOOP("StepBars", "compute"), [](const StepTime &t) { return t.compute; } },
    { QT_TRANSLATE_NOOP("StepBars", "exposed comm."), [](const StepTime &t) { return t.exposedComm; } },
    { QT_TRANSLATE_NOOP("StepBars", "bubble"), [](const StepTime &t) { return t.bubble; } },
    { QT_TRANSLATE_NOOP("StepBars", "opt."), [](const StepTime &t) { return t.optimizer; } },
} };

QColor fillOf(std::size_t part, const Theme &theme)
{
    return part == 0 ? theme.memory[1]
        : part == 1  ? (theme.dark ? theme.inputGradient.fill : theme.inputGradient.edge)
        : part == 2  ? theme.hatchBg
                     : theme.optimizer.fill;
}

void fillPart(QPainter &painter, const QRect &box, std::size_t part, const Theme &theme)
{
    if (part == 2) {
        drawHatch(painter, box, 0, theme.hatch, theme.hatchBg);
    } else {
        painter.fillRect(box, fillOf(part, theme));
    }
}

QColor labelOf(std::size_t part, const Theme &theme)
{
    if (part == 1 && theme.dark) {
        return theme.inputGradient.label;
    }
    return part == 2 ? theme.text : QColor(Qt::white);
}

} // namespace

StepBars::StepBars(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(QCoreApplication::translate("StepBars", "Where the step goes"));
}

void StepBars::setPlans(const std::vector<ShownPlan> &plans)
{
    const bool resized = plans.size() != m_plans.size();
    m_plans = plans;
    if (m_plans.size() > 2) {
        m_plans.resize(2);
    }
    QString spoken;
    for (const ShownPlan &plan : m_plans) {
        if (!plan.shown) {
            continue;
        }
        const QString valid = lastValidText(plan);
        spoken += valid.isEmpty() ? plan.letter + QStringLiteral(": ") : QStringLiteral("%1, %2: ").arg(plan.letter, valid);
        for (const Part &part : parts) {
            spoken += QStringLiteral("%1 %2 s, ")
                          .arg(QCoreApplication::translate("StepBars", part.label), fixedText(part.read(plan.shown->time), 2));
        }
    }
    setAccessibleDescription(spoken);
    setToolTip(spoken);
    if (resized) {
        updateGeometry();
    }
    update();
}

void StepBars::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

QSize StepBars::sizeHint() const { return { 260, static_cast<int>(std::max<std::size_t>(1, m_plans.size())) * pitch + 22 }; }

void StepBars::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    double longest = 0;
    for (const ShownPlan &plan : m_plans) {
        longest = std::max(longest, plan.shown ? plan.shown->time.step : 0);
    }
    const double scale = longest > 0 ? (width() - left - right) / longest : 0;
    int top = 0;
    for (const ShownPlan &plan : m_plans) {
        drawPlanBadge(painter, QRectF(14, top, 18, 18), plan.letter, m_theme);
        if (plan.shown) {
            paintBar(painter, plan, top, scale);
        } else if (plan.latest) {
            painter.setFont(uiFont(11));
            painter.setPen(m_theme.text3);
            painter.drawText(QRect(left, top, width() - left - right, barHeight), Qt::AlignLeft | Qt::AlignVCenter,
                             QCoreApplication::translate("StepBars", "no figures, the plan is not valid"));
        }
        top += pitch;
    }
    paintLegend(painter, top);
}

void StepBars::paintBar(QPainter &painter, const ShownPlan &plan, int top, double pixelsPerSecond) const
{
    const bool stale = plan.stale();
    double sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double seconds = parts.at(i).read(plan.shown->time);
        const int from = left + qRound(sum * pixelsPerSecond);
        sum += seconds;
        const int to = left + qRound(sum * pixelsPerSecond);
        const QRect box(from, top, std::max(0, to - from - 1), barHeight);
        painter.setOpacity(stale ? 0.3 : 1);
        fillPart(painter, box, i, m_theme);
        painter.setOpacity(1);
        const QString text = fixedText(seconds, 2);
        painter.setFont(uiFont(11));
        const int needed = painter.fontMetrics().horizontalAdvance(text) + 6;
        if (box.width() >= needed) {
            if (i == 2 && !stale) { // the number needs calm ground on the hatch
                painter.fillRect(QRect(box.center().x() - needed / 2, box.top(), needed, box.height()), m_theme.hatchBg);
            }
            painter.setPen(stale ? m_theme.text3 : labelOf(i, m_theme));
            painter.drawText(box, Qt::AlignCenter, text);
        }
    }
}

void StepBars::paintLegend(QPainter &painter, int top) const
{
    painter.setFont(uiFont(11));
    int x = 14;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        fillPart(painter, QRect(x, top + 4, 10, 10), i, m_theme);
        if (i == 2) {
            painter.setPen(m_theme.line);
            painter.drawRect(x, top + 4, 9, 9);
        }
        const QString label = QCoreApplication::translate("StepBars", parts.at(i).label);
        painter.setPen(m_theme.text2);
        painter.drawText(QRect(x + 14, top, 120, 18), Qt::AlignLeft | Qt::AlignVCenter, label);
        x += 14 + painter.fontMetrics().horizontalAdvance(label) + 10;
    }
}

} // namespace pipeloom
