// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/stackedarea.h"
#include "views/plot/plotwidget.h"
#include "views/viewstate.h"

#include <QPointer>
#include <QTimer>

#include <optional>

namespace pipeloom
{

class HoverCard;
class PlayheadItem;
class TimeTicker;

/// Memory over the step of one rank, as a plot that moves the playhead: press or drag asks for a time, the wheel zooms at the
/// pointer, Shift and wheel pan, Left and Right walk to the previous or next change of memory, W S A D zoom and pan, Home shows
/// everything, Ctrl+C copies the curve as CSV. A card beside the pointer reads out every class.
class StackedCurve : public PlotWidget
{
    Q_OBJECT
public:
    explicit StackedCurve(QWidget *parent = nullptr);
    ~StackedCurve() override;

    /// `main` is stacked, `other` a line. Times in view are kept, unless everything was in view.
    void setPlans(CurvePlan main, std::optional<CurvePlan> other);
    void setRank(int rank);
    void setPlayhead(Nanoseconds time);
    void setUnit(CurveUnit unit);
    void setTheme(const Theme &theme) override;
    void setRange(TimeRange range); ///< clamped to the step and 5 % more
    void showAll();

    [[nodiscard]] TimeRange range() const { return m_view.range(); }
    [[nodiscard]] const StackedAreaPlottable &area() const { return *m_area; }
    [[nodiscard]] HoverCard &card() const;
    /// time_s and the bytes of every class and their total at each point of the shown rank's curve; the header alone when there
    /// is none.
    [[nodiscard]] QString csv() const;

signals:
    void playheadRequested(Nanoseconds time); ///< within the step; the caller answers with setPlayhead()
    void rangeChanged(TimeRange range);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void layOut();
    void describe();
    void press(QMouseEvent *event);
    void move(QMouseEvent *event);
    void release(QMouseEvent *event);
    void wheel(QWheelEvent *event);
    void request(double x);
    void walk(int direction);
    void zoom(double steps, double x);
    void pan(double pixels);
    void hideCard();
    void showCard();
    [[nodiscard]] bool isOverPlot(const QPointF &position) const;

    ViewState m_view; ///< range, playhead and extent, with the clamping of the timelines
    StackedAreaPlottable *m_area = nullptr;
    PlayheadItem *m_playhead = nullptr;
    QSharedPointer<TimeTicker> m_ticker;
    QPointer<HoverCard> m_card; ///< a child of the window, so that it may leave the plot
    QTimer m_hoverTimer;
    QPointF m_pointer;
    double m_panRest = 0; ///< less than a device pixel
    bool m_dragging = false;
    bool m_drawn = false; ///< the overlay has a buffer
};

} // namespace pipeloom
