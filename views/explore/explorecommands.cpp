// SPDX-License-Identifier: GPL-3.0-or-later
// What the user can do in Explore: playback, steps, zoom, selection, cards, keys.
#include "views/explore/exploreview.h"

#include "views/explore/hovercard.h"
#include "views/explore/opdetails.h"
#include "views/explore/playback.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineinput.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double speedStep = 1.2589254117941673; // a tenth of a decade
constexpr double panStep = 0.1;

} // namespace

bool ExploreView::isPlaying() const { return m_playback->isPlaying(); }

bool ExploreView::loops() const { return m_playback->loops(); }

bool ExploreView::follows() const { return m_transport->follows(); }

double ExploreView::speed() const { return m_playback->speed(); }

void ExploreView::play() { m_playback->setPlaying(true); }

void ExploreView::pause() { m_playback->setPlaying(false); }

void ExploreView::togglePlay() { m_playback->setPlaying(!m_playback->isPlaying()); }

void ExploreView::setLoop(bool loop) { m_playback->setLoop(loop); }

void ExploreView::setFollow(bool follow) { m_transport->setFollow(follow); }

void ExploreView::setSpeed(double speed) { m_playback->setSpeed(speed); }

void ExploreView::faster() { m_playback->setSpeed(m_playback->speed() * speedStep); }

void ExploreView::slower() { m_playback->setSpeed(m_playback->speed() / speedStep); }

void ExploreView::toStart() { m_state->setPlayhead(0); }

void ExploreView::toEnd() { m_state->setPlayhead(m_state->extent()); }

/// Where a step on the selected rank can land, in both plans.
std::vector<Nanoseconds> ExploreView::stops(StepUnit unit) const
{
    std::vector<Nanoseconds> all;
    for (const auto &shown : m_pictures) {
        if (!shown->hasLanes())
            continue;
        const Evaluation &evaluation = *shown->evaluation;
        const std::vector<Nanoseconds> own =
            stepTimes(evaluation.schedule, evaluation.timeline, evaluation.times.optimizer, m_state->rank(), unit);
        all.insert(all.end(), own.begin(), own.end());
    }
    std::ranges::sort(all);
    const auto repeats = std::ranges::unique(all);
    all.erase(repeats.begin(), repeats.end());
    return all;
}

void ExploreView::step(StepUnit unit, int direction)
{
    pause();
    const std::vector<Nanoseconds> times = stops(unit);
    const Nanoseconds now = m_state->playhead();
    if (direction > 0) {
        const auto next = std::ranges::upper_bound(times, now);
        if (next != times.end())
            m_state->setPlayhead(*next);
    } else {
        const auto here = std::ranges::lower_bound(times, now);
        if (here != times.begin())
            m_state->setPlayhead(*std::prev(here));
    }
    const TimeRange range = m_state->range();
    const Nanoseconds playhead = m_state->playhead();
    if (playhead < range.begin || playhead > range.end) {
        const Nanoseconds length = range.end - range.begin;
        moveRange(static_cast<int>(m_pictures.size()) - 1, { playhead - length / 2, playhead - length / 2 + length });
    }
}

void ExploreView::stepForward() { step(m_transport->stepUnit(), 1); }

void ExploreView::stepBack() { step(m_transport->stepUnit(), -1); }

void ExploreView::zoomIn() { m_input->zoom(1); }

void ExploreView::zoomOut() { m_input->zoom(-1); }

void ExploreView::panLeft() { m_input->panShare(-panStep); }

void ExploreView::panRight() { m_input->panShare(panStep); }

void ExploreView::fitAll()
{
    const TimeRange before = m_state->range();
    m_timelines->showAll();
    const TimeRange all = m_state->range();
    invalidate(Timelines);
    if (before == all || m_reduceMotion || !m_timelines->isLinked())
        return;
    m_state->setRange(before);
    moveRange(static_cast<int>(m_pictures.size()) - 1, all);
}

void ExploreView::fitSelection()
{
    const std::optional<OpRef> op = m_state->selection() ? m_state->selection() : m_state->hover();
    if (op) {
        if (const PlanPicture *shown = picture(op->plan); shown != nullptr && shown->hasLanes()) {
            const Timeline &timeline = shown->evaluation->timeline;
            const Nanoseconds length = timeline.end[op->op] - timeline.start[op->op];
            moveRange(op->plan, { timeline.start[op->op] - length, timeline.end[op->op] + length });
        }
    } else if (m_state->measured()) {
        moveRange(static_cast<int>(m_pictures.size()) - 1, *m_state->measured());
    }
}

void ExploreView::selectRank(int direction)
{
    int ranks = 1;
    for (const auto &shown : m_pictures)
        ranks = std::max(ranks, shown->ranks);
    m_state->setRank(std::clamp(m_state->rank() + direction, 0, ranks - 1));
}

/// The selected op, else the one under the playhead (or the next one) on the selected rank.
std::optional<OpRef> ExploreView::currentOp() const
{
    if (m_state->selection())
        return m_state->selection();
    const int preferred = std::clamp(m_input->planAtPointer(), 0, std::max(0, static_cast<int>(m_pictures.size()) - 1));
    const PlanPicture *shown = picture(preferred);
    if (shown == nullptr || !shown->hasLanes() || m_state->rank() >= shown->ranks)
        return std::nullopt;
    const Schedule &schedule = shown->evaluation->schedule;
    const auto rank = static_cast<std::size_t>(m_state->rank());
    for (std::size_t i = schedule.begin[rank]; i < schedule.begin[rank + 1]; ++i) {
        if (shown->evaluation->timeline.end[i] > m_state->playhead())
            return OpRef{ preferred, m_state->rank(), i };
    }
    return std::nullopt;
}

void ExploreView::selectNeighbour(int direction)
{
    const std::optional<OpRef> op = currentOp();
    if (!op)
        return;
    if (!m_state->selection()) {
        selectOp(*op);
        return;
    }
    const Schedule &schedule = picture(op->plan)->evaluation->schedule;
    const auto rank = static_cast<std::size_t>(op->rank);
    if (direction < 0 && op->op > schedule.begin[rank])
        selectOp({ op->plan, op->rank, op->op - 1 });
    else if (direction > 0 && op->op + 1 < schedule.begin[rank + 1])
        selectOp({ op->plan, op->rank, op->op + 1 });
}

void ExploreView::selectDependency(int direction)
{
    const std::optional<OpRef> op = currentOp();
    if (!op)
        return;
    const Evaluation &evaluation = *picture(op->plan)->evaluation;
    const std::optional<std::size_t> other = direction < 0 ? dependency(evaluation.schedule, evaluation.timeline, op->op)
                                                           : dependent(evaluation.schedule, evaluation.timeline, op->op);
    if (other)
        selectOp({ op->plan, rankOf(evaluation.schedule, *other), *other });
}

void ExploreView::selectOp(const OpRef &op)
{
    m_state->setSelection(op);
    m_state->setRank(op.rank);
    reveal(op);
}

/// Moves the range so that the op is in view, with its neighbours.
void ExploreView::reveal(const OpRef &op)
{
    const Timeline &timeline = picture(op.plan)->evaluation->timeline;
    const TimeRange range = m_timelines->rangeOf(op.plan);
    if (timeline.start[op.op] >= range.begin && timeline.end[op.op] <= range.end)
        return;
    const Nanoseconds length = range.end - range.begin;
    const Nanoseconds middle = (timeline.start[op.op] + timeline.end[op.op]) / 2;
    moveRange(op.plan, { middle - length / 2, middle - length / 2 + length });
}

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
    m_detailCard->showBeside(inView(*m_timelines, rect));
}

bool ExploreView::eventFilter(QObject *watched, QEvent *event)
{
    // Keys go on working while text in the card is marked.
    if (watched == m_detailCard && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        keyPressed(key);
        return key->isAccepted();
    }
    // The focused plot takes its letters before any shortcut of the window does.
    if ((watched == m_timelines || watched == &m_stacks->plot()) && event->type() == QEvent::ShortcutOverride) {
        auto *key = static_cast<QKeyEvent *>(event);
        if ((key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0 && key->key() != Qt::Key_Tab
            && key->key() != Qt::Key_Escape && !key->text().isEmpty() && key->text().front().isPrint())
            key->accept();
    }
    return QWidget::eventFilter(watched, event);
}

/// Keys of a focused plot. Accepts what it uses.
void ExploreView::keyPressed(QKeyEvent *event)
{
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    event->accept();
    if (event->matches(QKeySequence::Copy)) {
        if (!copySelection())
            event->ignore();
        return;
    }
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        const StepUnit unit = (modifiers & Qt::ControlModifier) != 0 ? StepUnit::Phase
            : (modifiers & Qt::ShiftModifier) != 0                   ? StepUnit::Microbatch
                                                                     : m_transport->stepUnit();
        step(unit, event->key() == Qt::Key_Right ? 1 : -1);
        return;
    }
    if ((modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0 || !keyMoves(event))
        event->ignore();
}

bool ExploreView::keyMoves(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Space:
        if (!event->isAutoRepeat())
            togglePlay();
        return true;
    case Qt::Key_L:
        setLoop(!loops());
        return true;
    case Qt::Key_W:
        zoomIn();
        return true;
    case Qt::Key_S:
        zoomOut();
        return true;
    case Qt::Key_A:
        panLeft();
        return true;
    case Qt::Key_D:
        panRight();
        return true;
    case Qt::Key_F:
        fitSelection();
        return true;
    case Qt::Key_Home:
        fitAll();
        return true;
    case Qt::Key_Up:
        selectRank(-1);
        return true;
    case Qt::Key_Down:
        selectRank(1);
        return true;
    case Qt::Key_Comma:
        selectNeighbour(-1);
        return true;
    case Qt::Key_Period:
        selectNeighbour(1);
        return true;
    case Qt::Key_BracketLeft:
        selectDependency(-1);
        return true;
    case Qt::Key_BracketRight:
        selectDependency(1);
        return true;
    case Qt::Key_Minus:
        slower();
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        faster();
        return true;
    case Qt::Key_Escape:
        if (!m_state->selection() && !m_state->measured() && !m_state->hover())
            return false;
        clearSelection();
        return true;
    default:
        return false;
    }
}

} // namespace pipeloom
