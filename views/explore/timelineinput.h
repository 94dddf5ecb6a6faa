// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/bubbleref.h"
#include "views/explore/timelineplot.h"
#include "views/frameclock.h"

#include <QObject>
#include <QPointF>

#include <optional>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace pipeloom
{

/// Mouse, wheel and touchpad on the timelines. Gathers what events want and hands it to the view state once per frame.
class TimelineInput : public QObject
{
    Q_OBJECT
public:
    TimelineInput(TimelinePlot *plot, ViewState *state, FrameClock *clock);

    /// Applies what was gathered since the last frame.
    void flush();

    /// Zoom by steps (positive = closer) at a plot x, or at the playhead or the middle of the view when it is not given.
    void zoom(double steps, std::optional<double> x = std::nullopt);
    void panPixels(double pixels, int plan);
    void panShare(double share); ///< of the visible range
    /// Plan under the pointer; the first one when the pointer is elsewhere.
    [[nodiscard]] int planAtPointer() const { return m_pointerPlan; }

    static constexpr double snapPixels = 8;

signals:
    void interacted(); ///< any input that moves the view: cancels animations
    void zoomTo(int plan, pipeloom::TimeRange range); ///< animated
    void opHovered(const std::optional<pipeloom::OpRef> &op);
    /// A bubble of a plan's rank at a time; nothing elsewhere.
    void bubbleHovered(const std::optional<pipeloom::BubbleRef> &bubble);
    void opClicked(const std::optional<pipeloom::OpRef> &op);
    void playheadGrabbed();
    void hint(const QString &text);

private:
    enum class Drag
    {
        None,
        Pending, ///< pressed on the lanes; becomes a pan or a click
        Pan,
        Playhead,
        Measure,
        Range, ///< Alt: zoom to the range
    };

    void press(QMouseEvent *event);
    void move(QMouseEvent *event);
    void release(QMouseEvent *event);
    void doubleClick(QMouseEvent *event);
    void wheel(QWheelEvent *event);
    void leave();
    void hoverAt(const QPointF &position);
    void updateCursor(const TimelineHit &hit);
    void measureTo(const QPointF &position);
    [[nodiscard]] Nanoseconds timeAt(double x, int plan) const;
    [[nodiscard]] Nanoseconds snapped(const QPointF &position) const;

    TimelinePlot *m_plot;
    ViewState *m_state;
    FrameClock *m_clock;
    Drag m_drag = Drag::None;
    int m_dragPlan = 0;
    int m_pointerPlan = 0;
    QPointF m_pressed, m_last;
    Nanoseconds m_anchor = 0; ///< fixed end of a measured or zoomed range
    std::optional<TimeRange> m_measuredBefore; ///< an Alt drag borrows the measured range for its band

    double m_panRest = 0; ///< pixels gathered
    double m_zoomRest = 0; ///< steps gathered
    double m_zoomX = 0;
    std::optional<double> m_playheadX;
    double m_scrollRest = 0; ///< lanes
    int m_inputPlan = 0;
};

} // namespace pipeloom
