// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/timelineplot.h"

#include "views/plot/counted.h"
#include "views/plot/numbers.h"
#include "views/plot/paint.h"
#include "views/stylesheet.h"

#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double rightMargin = 42; ///< idle column 34 and padding

} // namespace

TimelinePlot::TimelinePlot(ViewState *state, QWidget *parent)
    : PlotWidget(parent)
    , m_state(state)
{
    setObjectName(QStringLiteral("timelines"));
    setAccessibleName(tr("Timelines"));
    plotLayout()->clear();
    plotLayout()->setRowSpacing(0);
    plotLayout()->setMargins(QMargins());
    plotLayout()->setAutoMargins(QCP::msNone);

    const auto addRect = [&](int row) {
        auto *rect = new QCPAxisRect(this, false);
        rect->addAxes(QCPAxis::atLeft | QCPAxis::atBottom);
        rect->setAutoMargins(QCP::msNone);
        rect->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
        rect->axis(QCPAxis::atLeft)->setVisible(false);
        rect->axis(QCPAxis::atLeft)->grid()->setVisible(false);
        rect->axis(QCPAxis::atBottom)->grid()->setVisible(false);
        rect->axis(QCPAxis::atBottom)->setLayer(QStringLiteral("axes"));
        plotLayout()->addElement(row, 0, rect);
        return rect;
    };
    for (std::size_t i = 0; i < 2; ++i) {
        const int row = static_cast<int>(i) * 3;
        m_headers[i] = new PlanHeader(this);
        plotLayout()->addElement(row, 0, m_headers[i]);
        m_rects[i] = addRect(row + 1);
    }
    m_headers[1]->setLineAbove(true);
    m_gap = new QCPLayoutElement(this);
    m_gap->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
    plotLayout()->addElement(2, 0, m_gap);
    m_stripRect = addRect(5);

    for (std::size_t i = 0; i < 2; ++i) {
        m_timelines[i] = new TimelinePlottable(m_rects[i]->axis(QCPAxis::atBottom), m_rects[i]->axis(QCPAxis::atLeft));
        m_tickers[i].reset(new TimeTicker);
        m_scrollBars[i] = new QScrollBar(Qt::Vertical, this);
        m_scrollBars[i]->hide();
        m_scrollBars[i]->setAccessibleName(
            tr("Lanes of plan %1").arg(QChar(QLatin1Char('A').unicode() + static_cast<char16_t>(i))));
        connect(m_scrollBars[i], &QScrollBar::valueChanged, this, [this, i](int value) {
            if (m_firstLane[i] == value)
                return;
            m_firstLane[i] = value;
            emit scrolled();
        });
        m_fixes[i] = new QToolButton(this);
        m_fixes[i]->setProperty("kind", QStringLiteral("link"));
        m_fixes[i]->setFont(uiFont(12, QFont::Medium));
        m_fixes[i]->setCursor(Qt::PointingHandCursor);
        m_fixes[i]->setAccessibleName(tr("Repair plan %1").arg(QChar(QLatin1Char('A').unicode() + static_cast<char16_t>(i))));
        m_fixes[i]->hide();
        connect(m_fixes[i], &QToolButton::clicked, this, [this, i] { emit fixRequested(static_cast<int>(i)); });
    }
    m_rects[0]->axis(QCPAxis::atBottom)->setTicker(m_tickers[0]);
    m_stripRect->axis(QCPAxis::atBottom)->setTicker(m_tickers[1]);
    m_rects[1]->axis(QCPAxis::atBottom)->setVisible(false);
    m_memory = new MemoryStrip(m_stripRect->axis(QCPAxis::atBottom), m_stripRect->axis(QCPAxis::atLeft));
    m_marks = new MarksItem(this);
    m_loop = new LoopMark(this);
    for (std::size_t i = 0; i < 2; ++i)
        m_phases[i] = new PhaseLabel(this, m_headers[i]);
    m_playhead = new PlayheadItem(this);
    TimelinePlot::setTheme(lightTheme());
}

/// With one plan it takes the lower slot, the one that shares its range with strip and ruler.
std::size_t TimelinePlot::planSlot(int plan) const { return m_pictures.size() < 2 || plan > 0 ? 1 : 0; }

void TimelinePlot::setPictures(Pictures pictures)
{
    m_pictures = std::move(pictures);
    if (m_pictures.size() > 2)
        m_pictures.resize(2);
    setAccessibleDescription(summary());
}

void TimelinePlot::setTheme(const Theme &theme)
{
    PlotWidget::setTheme(theme);
    for (std::size_t i = 0; i < 2; ++i) {
        m_headers[i]->setTheme(theme);
        m_phases[i]->setTheme(theme);
        m_timelines[i]->setTheme(theme);
        styleAxis(*m_rects[i]->axis(QCPAxis::atBottom), theme);
    }
    styleAxis(*m_stripRect->axis(QCPAxis::atBottom), theme);
    for (QCPAxisRect *rect : { m_rects[0], m_rects[1], m_stripRect }) {
        QCPAxis &axis = *rect->axis(QCPAxis::atBottom);
        axis.setTickLabelPadding(1);
        axis.setTickLength(0, 5);
        axis.setSubTickLength(0, 3);
    }
    m_memory->setTheme(theme);
    m_playhead->setTheme(theme);
    m_marks->setTheme(theme);
    m_loop->setTheme(theme);
}

void TimelinePlot::setCompact(bool compact) { m_compact = compact; }

void TimelinePlot::setUpdating(int plan, qint64 milliseconds)
{
    if (plan >= 0 && plan < 2)
        m_updating[static_cast<std::size_t>(plan)] = milliseconds;
}

void TimelinePlot::setLinked(bool linked)
{
    if (linked == m_linked)
        return;
    m_ownRange = m_state->range();
    m_linked = linked;
}

TimeRange TimelinePlot::rangeOf(int plan) const { return planSlot(plan) == 0 && !m_linked ? m_ownRange : m_state->range(); }

void TimelinePlot::setRangeOf(int plan, TimeRange range)
{
    if (planSlot(plan) == 1 || m_linked) {
        m_state->setRange(range);
        return;
    }
    // The own range obeys the limits of the shared one.
    const Nanoseconds limit = std::max<Nanoseconds>(1, m_state->extent() + m_state->extent() / 20);
    const Nanoseconds length = std::clamp<Nanoseconds>(range.end - range.begin, 1, limit);
    const Nanoseconds begin = std::clamp<Nanoseconds>(range.begin, 0, limit - length);
    if (m_ownRange == TimeRange{ begin, begin + length })
        return;
    m_ownRange = { begin, begin + length };
    emit ownRangeChanged();
}

void TimelinePlot::showAll()
{
    m_state->showAll();
    if (!m_pictures.empty() && m_pictures.front()->end > 0)
        m_ownRange = { 0, m_pictures.front()->end + m_pictures.front()->end / 100 };
}

int TimelinePlot::laneCount() const
{
    int lanes = 0;
    for (const auto &picture : m_pictures)
        lanes += std::max(picture->ranks, 1);
    return std::max(lanes, 1);
}

int TimelinePlot::heightFor(double pitch) const
{
    // A plan without a result keeps the room of a few lanes for its message.
    int lanes = 0;
    for (const auto &picture : m_pictures)
        lanes += picture->ranks > 0 ? picture->ranks : 6;
    const int plans = std::max(1, static_cast<int>(m_pictures.size()));
    return static_cast<int>(std::ceil(lanes * pitch)) + plans * PlanHeader::height
        + (plans - 1) * (m_linked ? planGap : rulerHeight + 4) + belowLanes();
}

bool TimelinePlot::hasTime() const
{
    return std::ranges::any_of(m_pictures, [](const auto &picture) { return picture->evaluation || !picture->problem; });
}

int TimelinePlot::belowLanes() const { return hasTime() ? (m_compact ? compactStripHeight : stripHeight) + rulerHeight : 0; }

double TimelinePlot::leftMargin() const
{
    double widest = 54;
    for (const auto &picture : m_pictures) {
        const double number = textWidth(uiFont(13, QFont::Bold), QString::number(std::max(0, picture->ranks - 1)));
        for (const QString &stages : picture->stages)
            widest = std::max(widest, 12 + std::max(15.0, number + 4) + textWidth(uiFont(11), stages) + 4);
    }
    return std::ceil(widest);
}

void TimelinePlot::setElementHeight(QCPLayoutElement &element, int height) const
{
    element.setMinimumSize(0, height);
    element.setMaximumSize(QWIDGETSIZE_MAX, height);
    element.setVisible(height > 0);
}

/// Shares the height: lanes as high as fit (whole device pixels, 10 to 40), the rest to the strip.
void TimelinePlot::layOut()
{
    const double ratio = bufferDevicePixelRatio();
    const int plans = std::max(1, static_cast<int>(m_pictures.size()));
    const int gap = plans < 2 ? 0 : m_linked ? planGap : rulerHeight + 4;
    const int total = std::max(120, viewport().height());
    const int forLanes = std::max(40, total - plans * PlanHeader::height - gap - belowLanes());
    std::array<int, 2> lanes{};
    int sum = 0;
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        lanes[planSlot(plan)] =
            m_pictures[static_cast<std::size_t>(plan)]->ranks > 0 ? m_pictures[static_cast<std::size_t>(plan)]->ranks : 6;
        sum += lanes[planSlot(plan)];
    }
    sum = std::max(sum, 1);
    const double fitting = std::floor(forLanes * ratio / sum) / ratio;
    const double pitch = std::clamp(fitting, std::ceil(smallestPitch * ratio) / ratio, std::floor(largestPitch * ratio) / ratio);

    const double left = leftMargin();
    const double width = std::max(50.0, viewport().width() - left - rightMargin);
    double top = 0;
    for (std::size_t slot = 0; slot < 2; ++slot) {
        const bool used = plans == 2 || slot == 1;
        int shown = lanes[slot];
        if (pitch * sum > forLanes)
            shown = std::max(1, static_cast<int>(std::floor(forLanes / pitch * lanes[slot] / sum)));
        const int height = used ? static_cast<int>(std::ceil(shown * pitch)) : 0;
        const bool ownAxis = slot == 0 && plans == 2 && !m_linked;
        if (slot == 1 && used && plans == 2)
            top += gap;
        setElementHeight(*m_headers[slot], used ? PlanHeader::height : 0);
        top += used ? PlanHeader::height : 0;
        m_firstLane[slot] = std::clamp(m_firstLane[slot], 0, std::max(0, lanes[slot] - shown));
        m_layouts[slot] = { .top = top,
                            .pitch = pitch,
                            .first = m_firstLane[slot],
                            .count = used ? shown : 0,
                            .gutterLeft = 0,
                            .gutterRight = viewport().width() - 7.0 };
        setElementHeight(*m_rects[slot], used ? height + (ownAxis ? rulerHeight : 0) : 0);
        const QMargins margins(static_cast<int>(left), 0, static_cast<int>(rightMargin), ownAxis ? rulerHeight : 0);
        m_rects[slot]->setMargins(margins);
        m_rects[slot]->axis(QCPAxis::atBottom)->setVisible(ownAxis);
        m_timelines[slot]->setVisible(used);
        top += height;
        placeScrollBar(slot, lanes[slot], used ? shown : lanes[slot]);
    }
    setElementHeight(*m_gap, plans == 2 ? (m_linked ? planGap : 4) : 0);

    layOutStrip(top, total, left, width);
    m_maps[1] = TimeMap::fit(m_state->range(), left, width, ratio);
    m_maps[0] = m_linked ? m_maps[1] : TimeMap::fit(m_ownRange, left, width, ratio);
    for (std::size_t slot = 0; slot < 2; ++slot)
        placeFix(slot);
}

/// The memory strip and the ruler take what is left below the lanes.
void TimelinePlot::layOutStrip(double top, int total, double left, double width)
{
    const bool shown = hasTime();
    m_strip = QRectF();
    m_ruler = QRectF();
    if (shown) {
        const double bottom = total - rulerHeight;
        m_strip = QRectF(left, top + 3, width, std::max(10.0, bottom - top - 3));
        m_ruler = QRectF(left, bottom, width, rulerHeight);
    }
    setElementHeight(*m_stripRect, shown ? static_cast<int>(total - top) : 0);
    m_stripRect->axis(QCPAxis::atBottom)->setVisible(shown);
    m_stripRect->setMargins(shown ? QMargins(static_cast<int>(left), 3, static_cast<int>(rightMargin), rulerHeight) : QMargins());
}

void TimelinePlot::placeScrollBar(std::size_t slot, int lanes, int shown)
{
    QScrollBar &bar = *m_scrollBars[slot];
    const QSignalBlocker blocker(bar);
    bar.setRange(0, std::max(0, lanes - shown));
    bar.setPageStep(std::max(1, shown));
    bar.setValue(m_firstLane[slot]);
    const LaneLayout &layout = m_layouts[slot];
    bar.setGeometry(viewport().width() - 7, static_cast<int>(layout.top), 7, static_cast<int>(layout.pitch * layout.count));
    bar.setVisible(lanes > shown);
    if (lanes > shown)
        m_layouts[slot].gutterRight -= 4;
}

void TimelinePlot::placeFix(std::size_t slot)
{
    QToolButton &button = *m_fixes[slot];
    const PlanPicture *picture = nullptr;
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        if (planSlot(plan) == slot)
            picture = m_pictures[static_cast<std::size_t>(plan)].get();
    }
    if (picture == nullptr || !picture->problem || picture->problem->fixLabel.isEmpty()) {
        button.hide();
        return;
    }
    button.setText(picture->problem->fixLabel);
    button.adjustSize();
    const LaneLayout &layout = m_layouts[slot];
    const QRectF area(m_maps[slot].left, layout.top, m_maps[slot].width, layout.bottom() - layout.top);
    const double y = area.center().y() - (area.height() >= 92 ? 46 - 24 : 30) + 40;
    button.move(static_cast<int>(area.center().x() - button.width() / 2.0),
                static_cast<int>(std::min(y, area.bottom() - button.height())));
    button.show();
}

std::optional<EndRemark> TimelinePlot::remarkFor(int plan) const
{
    if (m_pictures.size() < 2 || !m_linked)
        return std::nullopt;
    const PlanPicture &own = *m_pictures[static_cast<std::size_t>(plan)];
    const PlanPicture &other = *m_pictures[static_cast<std::size_t>(1 - plan)];
    if (!own.hasLanes() || !other.hasLanes() || own.stale || other.stale || own.end >= other.end)
        return std::nullopt;
    return EndRemark{ other.end, tr("%1 sooner than %2").arg(durationText(other.end - own.end), other.letter) };
}

void TimelinePlot::updateView()
{
    layOut();
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const auto &picture = m_pictures[static_cast<std::size_t>(plan)];
        const std::size_t slot = planSlot(plan);
        const qint64 updating = m_updating[static_cast<std::size_t>(plan)];
        m_headers[slot]->setPicture(picture);
        m_headers[slot]->setMargins(rightMargin);
        m_headers[slot]->setUpdating(updating);
        TimelinePlottable &timeline = *m_timelines[slot];
        timeline.setPicture(picture);
        timeline.setLayout(m_layouts[slot]);
        timeline.setTimeMap(m_maps[slot]);
        timeline.setSelectedRank(m_state->rank());
        timeline.setDimmed(updating >= PlanHeader::showsAgeAfter);
        timeline.setRemark(remarkFor(plan));
    }
    m_memory->setPictures(m_pictures);
    m_memory->setRank(m_state->rank());
    m_memory->setTimeMap(m_maps[1]);
    m_memory->setArea(m_strip, 0);
    for (std::size_t slot = 0; slot < 2; ++slot) {
        m_tickers[slot]->setExtent(m_state->extent());
        m_tickers[slot]->setWidth(m_maps[slot].width);
        m_rects[slot]->axis(QCPAxis::atBottom)->setRange(m_maps[slot].start(), m_maps[slot].end());
        m_rects[slot]->axis(QCPAxis::atLeft)->setRange(0, std::max(1, m_layouts[slot].count));
    }
    m_stripRect->axis(QCPAxis::atBottom)->setRange(m_maps[1].start(), m_maps[1].end());
    m_stripRect->axis(QCPAxis::atLeft)->setRange(0, static_cast<double>(m_memory->top()));
    updateMarks();
}

QString TimelinePlot::summary() const
{
    QStringList sentences;
    for (const auto &picture : m_pictures) {
        if (picture->problem) {
            sentences.append(tr("Plan %1, %2: not valid. %3").arg(picture->letter, picture->name, picture->problem->sentence));
        } else if (picture->evaluation) {
            const Evaluation &e = *picture->evaluation;
            sentences.append(tr("Plan %1, %2: %3, %4, step %5 s, bubble %6 %, peak memory %7 on rank %8.")
                                 .arg(picture->letter, picture->name, countedText(picture->ranks, "rank"),
                                      countedText(e.schedule.microbatches, "microbatch"))
                                 .arg(fixedNumber(e.time.step, 2), percent(e.time.bubbleFractionWorst),
                                      e.memory.ranks.empty()
                                          ? tr("unknown")
                                          : gibWithUnit(e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)].peak))
                                 .arg(e.memory.peakRank));
        }
    }
    return sentences.join(QLatin1Char(' '));
}

} // namespace pipeloom
