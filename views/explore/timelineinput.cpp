// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/timelineinput.h"

#include <QGuiApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

using Zone = TimelineHit::Zone;
constexpr double dragDistance = 4;

} // namespace

TimelineInput::TimelineInput(TimelinePlot *plot, ViewState *state, FrameClock *clock)
    : QObject(plot)
    , m_plot(plot)
    , m_state(state)
    , m_clock(clock)
{
    connect(plot, &QCustomPlot::mousePress, this, &TimelineInput::press);
    connect(plot, &QCustomPlot::mouseMove, this, &TimelineInput::move);
    connect(plot, &QCustomPlot::mouseRelease, this, &TimelineInput::release);
    connect(plot, &QCustomPlot::mouseDoubleClick, this, &TimelineInput::doubleClick);
    connect(plot, &QCustomPlot::mouseWheel, this, &TimelineInput::wheel);
    connect(plot, &PlotWidget::pointerLeft, this, &TimelineInput::leave);
}

Nanoseconds TimelineInput::timeAt(double x, int plan) const { return m_plot->mapOf(plan).time(x); }

void TimelineInput::press(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    emit interacted();
    const TimelineHit hit = m_plot->hit(event->position());
    m_pressed = m_last = event->position();
    m_dragPlan = hit.plan >= 0 ? hit.plan : static_cast<int>(m_plot->pictures().size()) - 1;
    m_anchor = timeAt(event->position().x(), m_dragPlan);
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    const bool alt = (event->modifiers() & Qt::AltModifier) != 0;
    switch (hit.zone) {
    case Zone::Ruler:
    case Zone::Flag:
        if (alt) {
            m_measuredBefore = m_state->measured();
            m_drag = Drag::Range;
            break;
        }
        m_drag = Drag::Playhead;
        emit playheadGrabbed();
        if (hit.zone == Zone::Ruler)
            m_playheadX = event->position().x();
        m_clock->request();
        break;
    case Zone::Gutter:
        if (hit.rank >= 0)
            m_state->setRank(hit.rank);
        break;
    case Zone::Lanes:
    case Zone::Strip:
        if (shift) {
            m_anchor = snapped(event->position());
            m_drag = Drag::Measure;
        } else if (alt) {
            m_measuredBefore = m_state->measured();
            m_drag = Drag::Range;
        } else {
            m_drag = Drag::Pending;
        }
        break;
    case Zone::None:
        break;
    }
}

void TimelineInput::move(QMouseEvent *event)
{
    const QPointF position = event->position();
    switch (m_drag) {
    case Drag::None:
        hoverAt(position);
        break;
    case Drag::Pending:
        if ((position - m_pressed).manhattanLength() < dragDistance)
            return;
        m_drag = Drag::Pan;
        m_plot->setCursor(Qt::ClosedHandCursor);
        emit opHovered(std::nullopt);
        emit bubbleHovered(std::nullopt);
        [[fallthrough]];
    case Drag::Pan:
        panPixels(m_last.x() - position.x(), m_dragPlan);
        break;
    case Drag::Playhead:
        m_playheadX = position.x();
        m_clock->request();
        break;
    case Drag::Measure:
    case Drag::Range:
        measureTo(position);
        break;
    }
    m_last = position;
}

void TimelineInput::measureTo(const QPointF &position)
{
    const Nanoseconds time = m_drag == Drag::Measure ? snapped(position) : timeAt(position.x(), m_dragPlan);
    m_state->setMeasured(
        TimeRange{ std::max<Nanoseconds>(0, std::min(m_anchor, time)), std::max<Nanoseconds>(0, std::max(m_anchor, time)) });
}

void TimelineInput::release(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const Drag drag = m_drag;
    m_drag = Drag::None;
    if (drag == Drag::Pending) {
        const TimelineHit hit = m_plot->hit(event->position());
        if (hit.zone == Zone::Strip)
            m_state->setPlayhead(timeAt(event->position().x(), m_dragPlan));
        else {
            if (hit.rank >= 0)
                m_state->setRank(hit.rank);
            emit opClicked(hit.op);
        }
    } else if (drag == Drag::Range) {
        const std::optional<TimeRange> range = m_state->measured();
        m_state->setMeasured(m_measuredBefore);
        if (range && (event->position() - m_pressed).manhattanLength() >= dragDistance)
            emit zoomTo(m_dragPlan, *range);
    } else if (drag == Drag::Measure && (event->position() - m_pressed).manhattanLength() < dragDistance) {
        m_state->setMeasured(std::nullopt);
    }
    updateCursor(m_plot->hit(event->position()));
}

void TimelineInput::doubleClick(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_drag = Drag::None;
    const TimelineHit hit = m_plot->hit(event->position());
    if (!hit.op)
        return;
    const Timeline &timeline = m_plot->pictures()[static_cast<std::size_t>(hit.plan)]->evaluation->timeline;
    const Nanoseconds length = timeline.end[hit.op->op] - timeline.start[hit.op->op];
    emit zoomTo(hit.plan, { timeline.start[hit.op->op] - length, timeline.end[hit.op->op] + length });
}

void TimelineInput::wheel(QWheelEvent *event)
{
    emit interacted();
    const TimelineHit hit = m_plot->hit(event->position());
    const int plan = hit.plan >= 0 ? hit.plan : static_cast<int>(m_plot->pictures().size()) - 1;
    const QPoint pixels = event->pixelDelta();
    const QPoint angle = event->angleDelta();
    const bool ctrl = (event->modifiers() & Qt::ControlModifier) != 0;
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    const bool touchpad = !pixels.isNull();
    if (hit.zone == Zone::Gutter && !ctrl && !shift) {
        // Over the rank names the wheel scrolls lanes, where there are more than fit.
        m_scrollRest += touchpad ? -pixels.y() / m_plot->lanes(plan).layout().pitch : -angle.y() / 40.0;
        const int lanes = static_cast<int>(m_scrollRest);
        m_scrollRest -= lanes;
        if (lanes == 0 || m_plot->scrollLanes(plan, lanes))
            return;
    }
    // Alt turns the wheel sideways on some platforms.
    const double across = touchpad ? pixels.x() : angle.x();
    const double along = touchpad ? pixels.y() : angle.y();
    if (shift && !ctrl) {
        panPixels(touchpad ? -(across != 0 ? across : along) : -(across != 0 ? across : along) * 60 / 120.0, plan);
        return;
    }
    if (!ctrl && std::abs(across) > std::abs(along)) {
        panPixels(touchpad ? -across : -across * 60 / 120.0, plan);
        return;
    }
    m_inputPlan = plan;
    zoom(touchpad ? along / 50.0 : along / 120.0, event->position().x());
}

void TimelineInput::leave()
{
    if (m_drag != Drag::None)
        return;
    emit opHovered(std::nullopt);
    emit bubbleHovered(std::nullopt);
    emit hint({});
}

void TimelineInput::hoverAt(const QPointF &position)
{
    const TimelineHit hit = m_plot->hit(position);
    if (hit.plan >= 0)
        m_pointerPlan = hit.plan;
    updateCursor(hit);
    emit opHovered(hit.op);
    emit bubbleHovered(hit.bubble);
    switch (hit.zone) {
    case Zone::Lanes:
        if (const QString part = hit.op ? m_plot->lanes(hit.plan).partAt(position) : QString(); !part.isEmpty())
            emit hint(part);
        else
            emit hint(hit.op ? tr("Double click zooms to the op, [ and ] walk its dependencies")
                             : tr("Wheel zooms at the cursor, drag pans, Shift+drag measures a range, Space plays"));
        break;
    case Zone::Gutter:
        emit hint(tr("Click selects a rank"));
        break;
    case Zone::Strip:
        emit hint(tr("Memory of the selected rank; click moves the playhead, drag pans"));
        break;
    case Zone::Ruler:
    case Zone::Flag:
        emit hint(tr("Drag moves the playhead, Alt+drag zooms to a range"));
        break;
    case Zone::None:
        emit hint({});
        break;
    }
}

void TimelineInput::updateCursor(const TimelineHit &hit)
{
    switch (hit.zone) {
    case Zone::Ruler:
    case Zone::Flag:
        m_plot->setCursor(Qt::SizeHorCursor);
        break;
    case Zone::Gutter:
        m_plot->setCursor(Qt::PointingHandCursor);
        break;
    default:
        m_plot->setCursor(Qt::ArrowCursor);
        break;
    }
}

/// The edge of the op nearest to the pointer in the lane under it, within reach; else the time at the pointer.
Nanoseconds TimelineInput::snapped(const QPointF &position) const
{
    const TimelineHit hit = m_plot->hit(position);
    const int plan = hit.plan >= 0 ? hit.plan : m_dragPlan;
    const Nanoseconds time = timeAt(position.x(), plan);
    if (plan < 0 || plan >= static_cast<int>(m_plot->pictures().size()))
        return time;
    const PlanPicture &picture = *m_plot->pictures()[static_cast<std::size_t>(plan)];
    const int rank = hit.rank >= 0 ? hit.rank : m_state->rank();
    if (!picture.hasLanes() || rank >= picture.ranks)
        return time;
    const std::optional<Nanoseconds> edge = picture.shownLanes().nearestEdge(static_cast<std::size_t>(rank), time);
    if (!edge)
        return time;
    const TimeMap &map = m_plot->mapOf(plan);
    return std::abs(map.x(static_cast<double>(*edge)) - position.x()) <= snapPixels ? *edge : time;
}

void TimelineInput::zoom(double steps, std::optional<double> x)
{
    emit interacted();
    m_zoomRest += steps;
    if (x) {
        m_zoomX = *x;
    } else {
        m_inputPlan = m_pointerPlan;
        const TimeMap &map = m_plot->mapOf(m_inputPlan);
        const double playhead = map.x(static_cast<double>(m_state->playhead()));
        m_zoomX = playhead >= map.left && playhead <= map.left + map.width ? playhead : map.left + map.width / 2;
    }
    m_clock->request();
}

void TimelineInput::panPixels(double pixels, int plan)
{
    emit interacted();
    m_inputPlan = plan;
    m_panRest += pixels;
    m_clock->request();
}

void TimelineInput::panShare(double share) { panPixels(share * m_plot->axisMap().width, m_pointerPlan); }

void TimelineInput::flush()
{
    if (m_playheadX) {
        const TimeMap &map = m_plot->axisMap();
        const double x = std::clamp(*m_playheadX, map.left, map.left + map.width);
        m_state->setPlayhead(map.time(x));
        m_playheadX.reset();
    }
    if (m_zoomRest != 0) {
        m_plot->setRangeOf(m_inputPlan, m_plot->mapOf(m_inputPlan).zoomed(m_plot->rangeOf(m_inputPlan), m_zoomX, m_zoomRest));
        m_zoomRest = 0;
    }
    if (m_panRest != 0) {
        // Whole device pixels only: the columns of the picture stay what they are.
        const TimeMap &map = m_plot->mapOf(m_inputPlan);
        const double columns = std::trunc(m_panRest * map.ratio);
        if (columns != 0) {
            m_plot->setRangeOf(m_inputPlan, map.panned(m_plot->rangeOf(m_inputPlan), static_cast<std::int64_t>(columns)));
            m_panRest -= columns / map.ratio;
        }
        if (m_drag != Drag::Pan)
            m_panRest = 0;
    }
}

} // namespace pipeloom
