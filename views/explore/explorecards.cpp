// SPDX-License-Identifier: GPL-3.0-or-later
// The cards of Explore: what is under the pointer, and the details of the selected op.
#include "views/explore/exploreview.h"

#include "views/explore/hovercard.h"
#include "views/explore/legendrow.h"
#include "views/explore/opdetails.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QWheelEvent>

#include <algorithm>

namespace pipeloom
{

void ExploreView::clearSelection()
{
    m_state->setSelection(std::nullopt);
    m_state->setMeasured(std::nullopt);
    m_state->setHover(std::nullopt);
    m_hoverCard->hide();
}

bool ExploreView::copySelection()
{
    // Marked text in the card comes first.
    if (const QString marked = m_detailCard->selectedText(); !marked.isEmpty()) {
        QGuiApplication::clipboard()->setText(marked);
        return true;
    }
    if (!m_state->selection())
        return false;
    const PlanPicture *shown = picture(m_state->selection()->plan);
    const auto details = shown != nullptr ? opDetails(*shown, *m_state->selection(), m_theme) : std::nullopt;
    if (!details)
        return false;
    QGuiApplication::clipboard()->setText(tr("Plan %1, %2").arg(shown->letter, shown->name) + QLatin1Char('\n')
                                          + details->text());
    return true;
}

void ExploreView::hoverOp(const std::optional<OpRef> &op)
{
    if (op == m_state->hover())
        return;
    m_state->setHover(op);
    m_hoverCard->hide();
    // The same rank stands out among the stacks.
    m_stacks->bars().setHoveredRank(op ? op->rank : -1);
    invalidate(Stacks);
    if (op)
        m_hoverTimer.start();
    else if (m_hoveredRank < 0)
        m_hoverTimer.stop();
}

void ExploreView::hoverBubble(const std::optional<BubbleRef> &bubble)
{
    const PlanPicture *shown = bubble ? picture(bubble->plan) : nullptr;
    // Another place in the same bubble says the same: the card stays where it is.
    const bool same = bubble && m_hoveredBubble && bubble->plan == m_hoveredBubble->plan && bubble->rank == m_hoveredBubble->rank
        && shown != nullptr && m_hoverCard->isVisible()
        && bubbleDetails(*shown, bubble->rank, bubble->time, m_theme) == m_hoverCard->content();
    if (bubble == m_hoveredBubble || same)
        return;
    const bool before = m_hoveredBubble.has_value();
    m_hoveredBubble = bubble;
    if (bubble) {
        m_hoverCard->hide();
        m_hoverTimer.start();
    } else if (before && !m_state->hover() && m_hoveredRank < 0) {
        m_hoverCard->hide();
        m_hoverTimer.stop();
    }
}

void ExploreView::hoverRank(int rank)
{
    if (rank == m_hoveredRank)
        return;
    m_hoveredRank = rank;
    m_stacks->bars().setHoveredRank(rank);
    m_hoverCard->hide();
    invalidate(Stacks);
    if (rank >= 0)
        m_hoverTimer.start();
    else
        m_hoverTimer.stop();
}

void ExploreView::showHoverCard()
{
    if (m_hoveredRank >= 0) {
        // Where the table stands beside the stacks, the selected rank is told there.
        const bool told = m_stacks->table().isVisible() && m_hoveredRank == m_state->rank();
        const auto details = told ? std::nullopt : rankDetails(m_pictures, m_hoveredRank, m_state->playhead(), m_theme);
        if (!details) {
            m_hoverCard->hide();
            return;
        }
        m_hoverCard->setContent(*details);
        m_hoverCard->showBeside(inView(m_stacks->plot(), m_stacks->bars().rankRect(m_hoveredRank)));
        return;
    }
    if (m_hoveredBubble) {
        const PlanPicture *shown = picture(m_hoveredBubble->plan);
        const auto details =
            shown != nullptr ? bubbleDetails(*shown, m_hoveredBubble->rank, m_hoveredBubble->time, m_theme) : std::nullopt;
        const QRectF rect = m_timelines->bubbleRect(*m_hoveredBubble);
        if (!details || rect.isEmpty()) {
            m_hoverCard->hide();
            return;
        }
        m_hoverCard->setContent(*details);
        m_hoverCard->showBeside(inView(*m_timelines, rect));
        return;
    }
    const std::optional<OpRef> &hover = m_state->hover();
    const PlanPicture *shown = hover ? picture(hover->plan) : nullptr;
    const auto details = shown != nullptr ? opDetails(*shown, *hover, m_theme) : std::nullopt;
    const QRectF rect = hover ? m_timelines->opRect(*hover) : QRectF();
    if (!details || rect.isEmpty() || (m_state->selection() == hover && m_detailCard->isVisible())) {
        m_hoverCard->hide();
        return;
    }
    m_hoverCard->setContent(*details);
    m_hoverCard->showBeside(inView(*m_timelines, rect));
}

void ExploreView::placeDetailCard()
{
    const std::optional<OpRef> &selection = m_state->selection();
    const PlanPicture *shown = selection ? picture(selection->plan) : nullptr;
    const auto details = shown != nullptr ? opDetails(*shown, *selection, m_theme) : std::nullopt;
    const QRectF rect = selection ? m_timelines->opRect(*selection) : QRectF();
    if (!details || rect.isEmpty()) {
        m_detailCard->hide();
        return;
    }
    if (m_state->hover() == selection)
        m_hoverCard->hide();
    m_detailCard->setContent(*details);
    m_detailCard->showWhereItHidesLeast(inView(*m_timelines, rect), worthSeeing(*selection));
}

/// What a card that stays should leave free: controls first, then the lane of the op, the other lanes, and what follows the
/// playhead.
std::vector<Covered> ExploreView::worthSeeing(const OpRef &op) const
{
    std::vector<Covered> areas;
    areas.push_back({ inView(*m_legend, m_legend->rect()), 8 });
    areas.push_back({ inView(*m_transport, m_transport->rect()), 8 });
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        // Nothing is drawn behind the end of the step.
        QRectF lanes = m_timelines->lanesArea(plan);
        const PlanPicture &shown = *m_pictures[static_cast<std::size_t>(plan)];
        lanes.setRight(std::clamp(m_timelines->mapOf(plan).x(static_cast<double>(shown.end)), lanes.left(), lanes.right()));
        areas.push_back({ inView(*m_timelines, lanes), 3 });
        // The names of the ranks and the idle shares beside the lanes, the figures above them.
        const QRectF band = m_timelines->lanesArea(plan);
        areas.push_back({ inView(*m_timelines, QRectF(0, band.top(), band.left(), band.height())), 2 });
        areas.push_back(
            { inView(*m_timelines, QRectF(band.right(), band.top(), m_timelines->width() - band.right(), band.height())), 2 });
        areas.push_back(
            { inView(*m_timelines, QRectF(0, band.top() - PlanHeader::height, m_timelines->width(), PlanHeader::height)), 2 });
    }
    areas.push_back(
        { inView(*m_timelines, m_timelines->lanes(op.plan).layout().laneRect(op.rank, m_timelines->mapOf(op.plan))), 3 });
    areas.push_back({ inView(*m_timelines, m_timelines->stripArea()), 1 });
    areas.push_back({ inView(*m_timelines, m_timelines->rulerArea()), 4 });
    areas.push_back({ inView(*m_stacks, m_stacks->rect()), 1 });
    return areas;
}

/// The wheel over a card belongs to what is below it.
bool ExploreView::passWheel(QWheelEvent *event)
{
    const QPoint at = mapFromGlobal(event->globalPosition()).toPoint();
    for (QWidget *plot : { static_cast<QWidget *>(m_timelines), static_cast<QWidget *>(&m_stacks->plot()) }) {
        if (!inView(*plot, plot->rect()).contains(at))
            continue;
        QWheelEvent passed(plot->mapFromGlobal(event->globalPosition()), event->globalPosition(), event->pixelDelta(),
                           event->angleDelta(), event->buttons(), event->modifiers(), event->phase(), event->inverted(),
                           event->source());
        QCoreApplication::sendEvent(plot, &passed);
        break;
    }
    event->accept();
    return true;
}

} // namespace pipeloom
