// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/phaselabel.h"

#include "views/plot/paint.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

QFont labelFont() { return uiFont(12, QFont::Medium); }

} // namespace

PhaseLabel::PhaseLabel(QCustomPlot *plot, const PlanHeader *header)
    : OverlayItem(plot)
    , m_header(header)
{
}

void PhaseLabel::setMoment(const std::shared_ptr<const PlanPicture> &picture, int rank, Nanoseconds time)
{
    if (!picture || !picture->hasLanes() || !picture->evaluation) {
        m_evaluation.reset();
        m_phases.clear();
        m_name.clear();
        return;
    }
    if (picture->evaluation != m_evaluation || rank != m_rank) {
        m_evaluation = picture->evaluation;
        m_rank = rank;
        m_phases = phasesOf(m_evaluation->schedule, m_evaluation->timeline, picture->end - picture->makespan, rank);
        m_prefix = tr("Rank %1: ").arg(rank);
        m_widest = 0;
        for (const Phase &phase : m_phases)
            m_widest = std::max(m_widest, textWidth(labelFont(), m_prefix + QString::fromStdString(phase.name)));
    }
    const Phase *phase = phaseAt(m_phases, time);
    m_name = phase != nullptr ? QString::fromStdString(phase->name) : QString();
}

QString PhaseLabel::text() const { return m_name.isEmpty() ? QString() : m_prefix + m_name; }

QString PhaseLabel::shownText() const
{
    const double width = m_header->freeArea().width();
    if (m_name.isEmpty() || width < leastWidth)
        return {};
    return QFontMetricsF(labelFont()).elidedText(m_widest <= width ? text() : m_name, Qt::ElideRight, width);
}

void PhaseLabel::draw(QCPPainter *painter)
{
    const QString shown = shownText();
    if (!shown.isEmpty())
        drawLine(*painter, m_header->freeArea(), Qt::AlignLeft | Qt::AlignVCenter, labelFont(), m_theme.text, shown);
}

} // namespace pipeloom
