// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/timelineplot.h"

#include "views/plot/counted.h"
#include "views/plot/linksitem.h"
#include "views/plot/matchesitem.h"
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
    for (std::size_t i = 0; i < mostPlans; ++i) {
        const int row = static_cast<int>(i) * 3;
        m_gaps[i] = new QCPLayoutElement(this);
        m_gaps[i]->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
        plotLayout()->addElement(row, 0, m_gaps[i]);
        m_headers[i] = new PlanHeader(this);
        plotLayout()->addElement(row + 1, 0, m_headers[i]);
        m_rects[i] = addRect(row + 2);
    }
    m_stripRect = addRect(static_cast<int>(mostPlans) * 3);

    for (std::size_t i = 0; i < mostPlans; ++i) {
        m_timelines[i] = new TimelinePlottable(m_rects[i]->axis(QCPAxis::atBottom), m_rects[i]->axis(QCPAxis::atLeft));
        m_tickers[i].reset(new TimeTicker);
        m_scrollBars[i] = new QScrollBar(Qt::Vertical, this);
        m_scrollBars[i]->hide();
        m_scrollBars[i]->setAccessibleName(tr("Lanes")); // with the plan's letter once there is one
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
        m_fixes[i]->setAccessibleName(tr("Repair the plan"));
        m_fixes[i]->hide();
        connect(m_fixes[i], &QToolButton::clicked, this, [this, i] {
            const std::size_t unused = mostPlans - std::clamp<std::size_t>(m_pictures.size(), 1, mostPlans);
            emit fixRequested(static_cast<int>(i - unused));
        });
    }
    for (std::size_t i = 0; i < lastSlot; ++i)
        m_rects[i]->axis(QCPAxis::atBottom)->setTicker(m_tickers[i]);
    m_stripRect->axis(QCPAxis::atBottom)->setTicker(m_tickers[lastSlot]);
    m_rects[lastSlot]->axis(QCPAxis::atBottom)->setVisible(false);
    m_memory = new MemoryStrip(m_stripRect->axis(QCPAxis::atBottom), m_stripRect->axis(QCPAxis::atLeft));
    m_matches = new MatchesItem(this);
    m_marks = new MarksItem(this);
    m_arrows = new LinksItem(this);
    m_loop = new LoopMark(this);
    for (std::size_t i = 0; i < mostPlans; ++i)
        m_phases[i] = new PhaseLabel(this, m_headers[i]);
    m_playhead = new PlayheadItem(this);
    TimelinePlot::setTheme(lightTheme());
}

/// The plans take the lowest slots: the last one shares its range with strip and ruler, however many there are.
std::size_t TimelinePlot::planSlot(int plan) const
{
    const std::size_t unused = mostPlans - std::clamp<std::size_t>(m_pictures.size(), 1, mostPlans);
    return std::min(unused + static_cast<std::size_t>(std::max(0, plan)), lastSlot);
}

const PlanPicture *TimelinePlot::pictureIn(std::size_t slot) const
{
    const std::size_t unused = mostPlans - m_pictures.size();
    return slot < unused ? nullptr : m_pictures[slot - unused].get();
}

void TimelinePlot::setPictures(Pictures pictures)
{
    m_pictures = std::move(pictures);
    if (m_pictures.size() > mostPlans)
        m_pictures.resize(mostPlans);
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const QString &letter = m_pictures[static_cast<std::size_t>(plan)]->letter;
        m_headers[planSlot(plan)]->setLineAbove(plan > 0);
        m_scrollBars[planSlot(plan)]->setAccessibleName(tr("Lanes of plan %1").arg(letter));
        m_fixes[planSlot(plan)]->setAccessibleName(tr("Repair plan %1").arg(letter));
    }
    setAccessibleDescription(summary());
}

void TimelinePlot::setTheme(const Theme &theme)
{
    PlotWidget::setTheme(theme);
    for (std::size_t i = 0; i < mostPlans; ++i) {
        m_headers[i]->setTheme(theme);
        m_phases[i]->setTheme(theme);
        m_timelines[i]->setTheme(theme);
        styleAxis(*m_rects[i]->axis(QCPAxis::atBottom), theme);
    }
    styleAxis(*m_stripRect->axis(QCPAxis::atBottom), theme);
    std::vector<QCPAxisRect *> rects(m_rects.begin(), m_rects.end());
    rects.push_back(m_stripRect);
    for (QCPAxisRect *rect : rects) {
        QCPAxis &axis = *rect->axis(QCPAxis::atBottom);
        axis.setTickLabelPadding(1);
        axis.setTickLength(0, 5);
        axis.setSubTickLength(0, 3);
    }
    m_memory->setTheme(theme);
    m_playhead->setTheme(theme);
    m_marks->setTheme(theme);
    m_matches->setTheme(theme);
    m_arrows->setTheme(theme);
    m_loop->setTheme(theme);
}

void TimelinePlot::setCompact(bool compact) { m_compact = compact; }

void TimelinePlot::setUpdating(int plan, qint64 milliseconds)
{
    if (plan >= 0 && plan < static_cast<int>(mostPlans))
        m_updating[static_cast<std::size_t>(plan)] = milliseconds;
}

void TimelinePlot::setLinked(bool linked)
{
    if (linked == m_linked)
        return;
    m_ownRanges.fill(m_state->range());
    m_linked = linked;
}

TimeRange TimelinePlot::rangeOf(int plan) const
{
    return planSlot(plan) < lastSlot && !m_linked ? m_ownRanges[planSlot(plan)] : m_state->range();
}

void TimelinePlot::setRangeOf(int plan, TimeRange range)
{
    if (planSlot(plan) == lastSlot || m_linked) {
        m_state->setRange(range);
        return;
    }
    // The own range obeys the limits of the shared one.
    const Nanoseconds limit = std::max<Nanoseconds>(1, m_state->extent() + m_state->extent() / 20);
    const Nanoseconds length = std::clamp<Nanoseconds>(range.end - range.begin, 1, limit);
    const Nanoseconds begin = std::clamp<Nanoseconds>(range.begin, 0, limit - length);
    TimeRange &own = m_ownRanges[planSlot(plan)];
    if (own == TimeRange{ begin, begin + length })
        return;
    own = { begin, begin + length };
    emit ownRangeChanged();
}

void TimelinePlot::showAll()
{
    m_state->showAll();
    for (int plan = 0; plan + 1 < static_cast<int>(m_pictures.size()); ++plan) {
        const Nanoseconds end = m_pictures[static_cast<std::size_t>(plan)]->end;
        if (end > 0)
            m_ownRanges[planSlot(plan)] = { 0, end + end / 100 };
    }
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
    return static_cast<int>(std::ceil(lanes * pitch)) + plans * PlanHeader::height + (plans - 1) * gapHeight() + belowLanes();
}

int TimelinePlot::gapHeight() const { return m_linked ? planGap : rulerHeight + 4; }

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
    const int gap = gapHeight();
    const int total = std::max(120, viewport().height());
    const int forLanes = std::max(40, total - plans * PlanHeader::height - (plans - 1) * gap - belowLanes());
    std::array<int, mostPlans> lanes{};
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
    const std::size_t firstSlot = mostPlans - static_cast<std::size_t>(plans);
    for (std::size_t slot = 0; slot < mostPlans; ++slot) {
        const bool used = slot >= firstSlot;
        int shown = lanes[slot];
        if (pitch * sum > forLanes)
            shown = std::max(1, static_cast<int>(std::floor(forLanes / pitch * lanes[slot] / sum)));
        const int height = used ? static_cast<int>(std::ceil(shown * pitch)) : 0;
        const bool ownAxis = used && slot < lastSlot && !m_linked;
        if (slot > firstSlot)
            top += gap;
        setElementHeight(*m_gaps[slot], slot > firstSlot ? (m_linked ? planGap : 4) : 0);
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

    layOutStrip(top, total, left, width);
    m_maps.fill(TimeMap::fit(m_state->range(), left, width, ratio));
    for (std::size_t slot = firstSlot; slot < lastSlot && !m_linked; ++slot)
        m_maps[slot] = TimeMap::fit(m_ownRanges[slot], left, width, ratio);
    for (std::size_t slot = 0; slot < mostPlans; ++slot)
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
    const PlanPicture *picture = pictureIn(slot);
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
    if (!own.hasLanes() || own.stale)
        return std::nullopt;
    // Against A where A takes longer, else against the slowest plan.
    const PlanPicture *other = nullptr;
    for (const auto &each : m_pictures) {
        if (!each->hasLanes() || each->stale || each->end <= own.end)
            continue;
        if (other == nullptr || (other != m_pictures.front().get() && each->end > other->end))
            other = each.get();
    }
    if (other == nullptr)
        return std::nullopt;
    return EndRemark{ other->end, tr("%1 sooner than %2").arg(durationText(other->end - own.end), other->letter) };
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
    m_memory->setTimeMap(axisMap());
    m_memory->setArea(m_strip, 0);
    for (std::size_t slot = 0; slot < mostPlans; ++slot) {
        m_tickers[slot]->setExtent(m_state->extent());
        m_tickers[slot]->setWidth(m_maps[slot].width);
        m_rects[slot]->axis(QCPAxis::atBottom)->setRange(m_maps[slot].start(), m_maps[slot].end());
        m_rects[slot]->axis(QCPAxis::atLeft)->setRange(0, std::max(1, m_layouts[slot].count));
    }
    m_stripRect->axis(QCPAxis::atBottom)->setRange(axisMap().start(), axisMap().end());
    m_stripRect->axis(QCPAxis::atLeft)->setRange(0, static_cast<double>(m_memory->top()));
    updateMatches();
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
