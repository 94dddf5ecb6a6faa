// SPDX-License-Identifier: GPL-3.0-or-later
// What the user can do in Explore: playback, steps, zoom, selection.
#include "views/explore/exploreview.h"

#include "views/explore/playback.h"
#include "views/explore/timelineinput.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"

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

bool ExploreView::isPlayable() const { return m_playback->isPlayable(); }

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

} // namespace pipeloom
