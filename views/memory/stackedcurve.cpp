// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/stackedcurve.h"

#include "core/exchange/memorytables.h"

#include "views/explore/hovercard.h"
#include "views/plot/numbers.h"
#include "views/plot/overlay.h"
#include "views/plot/timeticker.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pipeloom
{

namespace
{

constexpr int hoverMilliseconds = 100;
constexpr double pixelsPerNotch = 60; ///< of the wheel, when it pans
constexpr double panShare = 0.1; ///< of the view, for one key press

} // namespace

StackedCurve::StackedCurve(QWidget *parent)
    : PlotWidget(parent)
    , m_ticker(new TimeTicker)
    , m_card(new HoverCard(this))
{
    setObjectName(QStringLiteral("stackedCurve"));
    setAccessibleName(tr("Memory over the step"));
    setMinimumSize(240, 120);
    plotLayout()->setMargins(QMargins());
    QCPAxisRect *rect = axisRect();
    rect->setAutoMargins(QCP::msNone);
    rect->setMargins(QMargins(StackedAreaPlottable::leftMargin, StackedAreaPlottable::topMargin,
                              StackedAreaPlottable::rightMargin, StackedAreaPlottable::bottomMargin));
    for (QCPAxis *axis : rect->axes())
        axis->setVisible(axis == xAxis);
    xAxis->setTicker(m_ticker);
    xAxis->setTickLabelPadding(1);
    xAxis->setTickLength(0, 5);
    xAxis->setSubTickLength(0, 3);
    m_area = new StackedAreaPlottable(xAxis, yAxis);
    m_playhead = new PlayheadItem(this);
    m_hoverTimer.setSingleShot(true);
    m_hoverTimer.setInterval(hoverMilliseconds);
    connect(&m_hoverTimer, &QTimer::timeout, this, &StackedCurve::showCard);
    connect(&m_view, &ViewState::rangeChanged, this, [this] {
        layOut();
        emit rangeChanged(m_view.range());
    });
    connect(this, &QCustomPlot::afterReplot, this, [this] { m_drawn = true; });
    connect(this, &PlotWidget::resized, this, &StackedCurve::layOut);
    connect(this, &PlotWidget::ratioChanged, this, &StackedCurve::layOut);
    connect(this, &QCustomPlot::mousePress, this, &StackedCurve::press);
    connect(this, &QCustomPlot::mouseMove, this, &StackedCurve::move);
    connect(this, &QCustomPlot::mouseRelease, this, &StackedCurve::release);
    connect(this, &QCustomPlot::mouseWheel, this, &StackedCurve::wheel);
    connect(this, &PlotWidget::pointerLeft, this, &StackedCurve::hideCard);
    StackedCurve::setTheme(lightTheme());
    layOut();
}

StackedCurve::~StackedCurve() { delete m_card; }

HoverCard &StackedCurve::card() const { return *m_card; }

void StackedCurve::setPlans(CurvePlan main, std::optional<CurvePlan> other)
{
    const Nanoseconds extent = std::max(main.end, other ? other->end : 0);
    m_area->setPlans(std::move(main), std::move(other));
    m_view.setExtent(extent);
    hideCard();
    describe();
    layOut();
}

void StackedCurve::setRank(int rank)
{
    m_area->setRank(rank);
    hideCard();
    describe();
    layOut();
}

void StackedCurve::setUnit(CurveUnit unit)
{
    m_area->setUnit(unit);
    describe();
    layOut();
}

void StackedCurve::setTheme(const Theme &theme)
{
    PlotWidget::setTheme(theme);
    styleAxis(*xAxis, theme);
    m_area->setTheme(theme);
    m_playhead->setTheme(theme);
    m_card->setTheme(theme);
    replot(rpQueuedReplot);
}

void StackedCurve::setPlayhead(Nanoseconds time)
{
    m_view.setPlayhead(time);
    if (m_view.playhead() == m_playhead->time())
        return;
    m_playhead->setTime(m_view.playhead());
    // Out of sight the next picture brings it; so a running playhead costs nothing there.
    if (m_drawn && isVisible())
        m_playhead->layer()->replot();
}

void StackedCurve::showEvent(QShowEvent *event)
{
    PlotWidget::showEvent(event);
    replot(rpQueuedReplot);
}

void StackedCurve::setRange(TimeRange range) { m_view.setRange(range); }

void StackedCurve::showAll() { m_view.showAll(); }

void StackedCurve::layOut()
{
    const QRectF area(StackedAreaPlottable::leftMargin, StackedAreaPlottable::topMargin,
                      std::max(20, width() - StackedAreaPlottable::leftMargin - StackedAreaPlottable::rightMargin),
                      std::max(20, height() - StackedAreaPlottable::topMargin - StackedAreaPlottable::bottomMargin));
    const TimeMap map = TimeMap::fit(m_view.range(), area.left(), area.width(), bufferDevicePixelRatio());
    m_area->setArea(area);
    m_area->setTimeMap(map);
    m_ticker->setExtent(m_view.extent());
    m_ticker->setWidth(area.width());
    xAxis->setRange(map.start(), map.end());
    m_playhead->setBands({ { .area = area, .map = map, .flag = true } });
    m_playhead->setAxis(QRectF(area.left(), area.bottom(), area.width(), StackedAreaPlottable::bottomMargin), m_view.extent());
    m_playhead->setTime(m_view.playhead());
    replot(rpQueuedReplot);
}

void StackedCurve::describe()
{
    QStringList sentences{ tr("Rank %1.").arg(m_area->rank()) };
    const auto tell = [&](const CurvePlan &plan) {
        if (const RankMemory *memory = plan.rank(m_area->rank()))
            sentences.append(tr("Plan %1 peaks at %2 at %3, usable %4.")
                                 .arg(plan.letter, gibWithUnit(memory->peak), durationText(memory->peakTime),
                                      gibWithUnit(plan.memory->usable)));
    };
    tell(m_area->plan());
    if (m_area->other())
        tell(*m_area->other());
    setAccessibleDescription(sentences.join(QLatin1Char(' ')));
}

QString StackedCurve::csv() const
{
    return QString::fromStdString(toCsv(curveTable(m_area->plan().rank(m_area->rank()), TableNumbers::Exact)));
}

bool StackedCurve::isOverPlot(const QPointF &position) const
{
    const QRectF &area = m_area->area();
    return area.adjusted(0, -StackedAreaPlottable::topMargin, 0, StackedAreaPlottable::bottomMargin).contains(position);
}

void StackedCurve::request(double x)
{
    const TimeMap &map = m_area->timeMap();
    const Nanoseconds time = map.time(std::clamp(x, map.left, map.left + map.width));
    emit playheadRequested(std::clamp<Nanoseconds>(time, 0, m_view.extent()));
}

void StackedCurve::press(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !isOverPlot(event->position()))
        return;
    m_dragging = true;
    hideCard();
    request(event->position().x());
}

void StackedCurve::move(QMouseEvent *event)
{
    m_pointer = event->position();
    if (m_dragging) {
        request(m_pointer.x());
        return;
    }
    const bool reads = m_area->area().contains(m_pointer);
    setCursor(isOverPlot(m_pointer) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    if (!reads)
        hideCard();
    else if (m_card->isVisible())
        showCard();
    else if (!m_hoverTimer.isActive())
        m_hoverTimer.start();
}

void StackedCurve::release(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        m_dragging = false;
}

void StackedCurve::hideCard()
{
    m_hoverTimer.stop();
    m_card->hide();
}

void StackedCurve::showCard()
{
    const Nanoseconds time = m_area->timeMap().time(m_pointer.x());
    std::vector<PlanRank> plans;
    const auto add = [&](const CurvePlan &plan) {
        const RankMemory *memory = plan.rank(m_area->rank());
        if (memory != nullptr && time >= 0 && time <= plan.end)
            plans.push_back({ plan.letter, memory });
    };
    add(m_area->plan());
    if (m_area->other())
        add(*m_area->other());
    const auto content = rankDetails(plans, m_area->rank(), time, theme());
    if (!content) {
        m_card->hide();
        return;
    }
    if (m_card->parentWidget() != window())
        m_card->setParent(window());
    m_card->setContent(*content);
    const QPoint at = mapTo(window(), m_pointer.toPoint());
    m_card->showBeside(QRect(at - QPoint(2, 2), QSize(5, 5)));
}

void StackedCurve::wheel(QWheelEvent *event)
{
    const QPoint pixels = event->pixelDelta();
    const bool touchpad = !pixels.isNull();
    const QPointF notches = QPointF(event->angleDelta()) / 120.0;
    const bool ctrl = (event->modifiers() & Qt::ControlModifier) != 0;
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    const double across = touchpad ? pixels.x() : notches.x() * pixelsPerNotch;
    const double along = touchpad ? pixels.y() : notches.y() * pixelsPerNotch;
    hideCard();
    if (!ctrl && shift)
        pan(across != 0 ? -across : -along);
    else if (!ctrl && std::abs(across) > std::abs(along))
        pan(-across);
    else
        zoom(touchpad ? along / 50.0 : notches.y(), event->position().x());
}

void StackedCurve::zoom(double steps, double x) { m_view.setRange(m_area->timeMap().zoomed(m_view.range(), x, steps)); }

void StackedCurve::pan(double pixels)
{
    const TimeMap &map = m_area->timeMap();
    m_panRest += pixels * map.ratio;
    const double columns = std::trunc(m_panRest);
    m_panRest -= columns;
    m_view.setRange(map.panned(m_view.range(), static_cast<std::int64_t>(columns)));
}

/// To the previous or next moment at which the rank's memory changes, else to the end of the step.
void StackedCurve::walk(int direction)
{
    const RankMemory *memory = m_area->plan().rank(m_area->rank());
    if (memory == nullptr)
        return;
    const auto &curve = memory->curve;
    Nanoseconds time = direction < 0 ? 0 : m_area->plan().end;
    if (direction > 0) {
        const auto next = std::ranges::upper_bound(curve, m_view.playhead(), {}, &MemoryPoint::time);
        if (next != curve.end())
            time = next->time;
    } else {
        const auto here = std::ranges::lower_bound(curve, m_view.playhead(), {}, &MemoryPoint::time);
        if (here != curve.begin())
            time = std::prev(here)->time;
    }
    emit playheadRequested(std::clamp<Nanoseconds>(time, 0, m_view.extent()));
}

/// The letters that move the view are not left to the shortcuts of the window.
bool StackedCurve::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool letter =
            key->key() == Qt::Key_W || key->key() == Qt::Key_S || key->key() == Qt::Key_A || key->key() == Qt::Key_D;
        if (letter && key->modifiers() == Qt::NoModifier) {
            event->accept();
            return true;
        }
    }
    return PlotWidget::event(event);
}

void StackedCurve::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(csv());
        return;
    }
    const TimeMap &map = m_area->timeMap();
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    switch (plain ? event->key() : 0) {
    case Qt::Key_Left:
        walk(-1);
        break;
    case Qt::Key_Right:
        walk(1);
        break;
    case Qt::Key_Home:
        showAll();
        break;
    case Qt::Key_W:
    case Qt::Key_S: {
        const double playhead = map.x(static_cast<double>(m_view.playhead()));
        const bool inView = playhead >= map.left && playhead <= map.left + map.width;
        zoom(event->key() == Qt::Key_W ? 1 : -1, inView ? playhead : map.left + map.width / 2);
        break;
    }
    case Qt::Key_A:
        pan(-panShare * map.width);
        break;
    case Qt::Key_D:
        pan(panShare * map.width);
        break;
    default:
        PlotWidget::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace pipeloom
