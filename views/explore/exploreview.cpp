// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/exploreview.h"

#include "views/explore/hovercard.h"
#include "views/explore/playback.h"
#include "views/explore/searchbar.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineinput.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"
#include "views/frameclock.h"

#include <QDataStream>
#include <QEvent>
#include <QIODevice>
#include <QResizeEvent>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr qint64 motionLength = 120'000'000; ///< ns
constexpr int hoverDelay = 100; ///< ms
constexpr double followAt = 0.8; ///< of the range
constexpr int smallestStacks = 204; ///< the table of a rank fits
constexpr int smallestCompactStacks = 150;
constexpr int highestStacks = 520; ///< on tall screens
constexpr int tallView = 1150;
constexpr quint32 stateMagic = 0x4c4f4f31; // "LOO1"

} // namespace

ExploreView::ExploreView(ViewState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_theme(lightTheme())
    , m_clock(new FrameClock(this))
    , m_playback(new Playback(state, this))
{
    build();
    connectParts();
    setTheme(m_theme);
    setPlans({});
}

ExploreView::~ExploreView() = default;

void ExploreView::build()
{
    setObjectName(QStringLiteral("explore"));
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    m_splitter = new QSplitter(Qt::Vertical, this);
    m_splitter->setHandleWidth(6);
    m_splitter->setChildrenCollapsible(false);
    outer->addWidget(m_splitter);

    auto *panel = new QWidget(m_splitter);
    panel->setProperty("panel", true);
    panel->setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout(panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_legend = new LegendRow(panel);
    m_searchBar = new SearchBar(panel);
    m_searchBar->hide();
    m_timelines = new TimelinePlot(m_state, panel);
    m_timelines->setMinimumHeight(150);
    m_transport = new TransportBar(m_state, m_playback, panel);
    column->addWidget(m_legend);
    column->addWidget(m_searchBar);
    column->addWidget(m_timelines, 1);
    column->addWidget(m_transport);
    m_stacks = new StacksPanel(m_state, m_splitter);
    m_splitter->addWidget(panel);
    m_splitter->addWidget(m_stacks);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_input = new TimelineInput(m_timelines, m_state, m_clock);

    m_hoverCard = new HoverCard(this);
    m_detailCard = new HoverCard(this);
    m_detailCard->setObjectName(QStringLiteral("detailCard"));
    m_detailCard->setPinned(true);
    m_hoverTimer.setSingleShot(true);
    m_hoverTimer.setInterval(hoverDelay);
    m_awaitTimer.setSingleShot(true);
}

void ExploreView::connectParts()
{
    connect(m_clock, &FrameClock::gather, this, &ExploreView::gather);
    connect(m_clock, &FrameClock::draw, this, &ExploreView::draw);
    connect(m_state, &ViewState::rangeChanged, this, [this] { invalidate(Timelines); });
    connect(m_state, &ViewState::extentChanged, this, [this] { invalidate(Timelines | Stacks); });
    connect(m_state, &ViewState::playheadChanged, this, [this] { invalidate(Marks | Stacks); });
    connect(m_state, &ViewState::rankChanged, this, [this] {
        m_timelines->revealRank(m_state->rank());
        updateReducedStops();
        invalidate(Timelines | Stacks);
    });
    connect(m_state, &ViewState::hoverChanged, this, [this] { invalidate(Marks); });
    connect(m_state, &ViewState::selectionChanged, this, [this] { invalidate(Timelines); });
    connect(m_state, &ViewState::measuredChanged, this, [this] { invalidate(Marks); });

    connect(m_timelines, &PlotWidget::painted, this, &ExploreView::painted);
    connect(m_timelines, &PlotWidget::resized, this, [this] { m_timelines->updateView(); });
    connect(m_timelines, &PlotWidget::ratioChanged, this, [this] { m_timelines->updateView(); });
    connect(m_timelines, &PlotWidget::keyPressed, this, &ExploreView::keyPressed);
    connect(m_timelines, &TimelinePlot::scrolled, this, [this] { invalidate(Timelines); });
    connect(m_timelines, &TimelinePlot::ownRangeChanged, this, [this] { invalidate(Timelines); });
    connect(m_timelines, &TimelinePlot::fixRequested, this, [this](int plan) {
        if (const PlanPicture *shown = picture(plan); shown != nullptr && shown->problem)
            emit fixRequested(plan, shown->problem->fix);
    });
    connect(m_input, &TimelineInput::interacted, this, [this] {
        m_motion.reset();
        updateClock();
    });
    connect(m_input, &TimelineInput::zoomTo, this, &ExploreView::moveRange);
    connect(m_input, &TimelineInput::opHovered, this, &ExploreView::hoverOp);
    connect(m_input, &TimelineInput::bubbleHovered, this, &ExploreView::hoverBubble);
    connect(m_input, &TimelineInput::opClicked, this, [this](const std::optional<OpRef> &op) { m_state->setSelection(op); });
    connect(m_input, &TimelineInput::hint, this, &ExploreView::hint);
    connect(m_stacks, &StacksPanel::hint, this, &ExploreView::hint);
    connect(m_stacks, &StacksPanel::rankHovered, this, &ExploreView::hoverRank);
    connect(&m_stacks->plot(), &PlotWidget::keyPressed, this, &ExploreView::keyPressed);

    connect(m_legend, &LegendRow::changed, this, [this](const LegendState &legend) {
        updatePictures();
        emit legendChanged(legend);
    });
    connect(m_legend, &LegendRow::linkToggled, this, &ExploreView::setLinked);
    connect(m_legend, &LegendRow::fitRequested, this, &ExploreView::fitAll);
    connect(m_transport, &TransportBar::startRequested, this, &ExploreView::toStart);
    connect(m_transport, &TransportBar::endRequested, this, &ExploreView::toEnd);
    connect(m_transport, &TransportBar::stepRequested, this, [this](int direction) { step(m_transport->stepUnit(), direction); });
    connect(m_playback, &Playback::playingChanged, this, [this](bool playing) {
        updateReducedStops();
        updateClock();
        emit playingChanged(playing);
    });
    connect(m_playback, &Playback::loopChanged, this, [this](bool loop) {
        m_timelines->setLooping(loop);
        invalidate(Marks);
    });
    connect(m_playback, &Playback::playableChanged, this, &ExploreView::playableChanged);
    connect(&m_hoverTimer, &QTimer::timeout, this, &ExploreView::showHoverCard);
    connect(&m_awaitTimer, &QTimer::timeout, this, &ExploreView::updateAwaited);
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_splitterMoved = m_splitterMoved || !m_arranging; });
    connectSearch();
    m_timelines->installEventFilter(this);
    m_stacks->plot().installEventFilter(this);
    setFocusProxy(m_timelines);
    m_detailCard->installEventFilter(this);
    connect(m_detailCard, &HoverCard::closeRequested, this, [this] { m_state->setSelection(std::nullopt); });
}

void ExploreView::setPlans(const std::vector<ShownPlan> &plans)
{
    m_plans.assign(plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(std::min(plans.size(), mostPlans)));
    updatePictures();
    Nanoseconds extent = 0;
    int ranks = 1;
    for (const auto &shown : m_pictures) {
        extent = std::max(extent, shown->end);
        ranks = std::max(ranks, shown->ranks);
    }
    m_state->setExtent(extent);
    // Before the first result the controls stand as they will be.
    const bool refused = std::ranges::any_of(m_pictures, [](const auto &shown) { return shown->problem.has_value(); });
    m_playback->setPlayable(!refused || std::ranges::any_of(m_pictures, [](const auto &shown) { return shown->hasLanes(); }));
    m_state->setRank(std::min(m_state->rank(), ranks - 1));
    // References into the old schedules may point nowhere now.
    const auto holds = [&](const std::optional<OpRef> &op) {
        const PlanPicture *shown = op ? picture(op->plan) : nullptr;
        return op && shown != nullptr && shown->hasLanes() && op->rank < shown->ranks
            && op->op < shown->evaluation->schedule.ops.size() && rankOf(shown->evaluation->schedule, op->op) == op->rank;
    };
    if (m_state->hover() && !holds(m_state->hover()))
        m_state->setHover(std::nullopt);
    if (m_state->selection() && !holds(m_state->selection()))
        m_state->setSelection(std::nullopt);
    m_legend->setLinkVisible(m_plans.size() > 1);
    if (m_plans.size() < 2)
        setLinked(true);
    updateReducedStops();
    arrange();
}

void ExploreView::updatePictures()
{
    const LegendState legend = m_legend->state();
    std::vector<std::shared_ptr<const PlanPicture>> pictures;
    for (std::size_t i = 0; i < m_plans.size(); ++i) {
        const ShownPlan &plan = m_plans[i];
        const PlanPicture *old = i < m_pictures.size() ? m_pictures[i].get() : nullptr;
        const bool invalid = plan.latest && !plan.latest->valid;
        const bool same = old != nullptr && old->evaluation == plan.shown && old->stale == plan.stale() && !invalid
            && !old->problem && old->mask == legend.classes && old->bubbles == legend.bubbles && old->letter == plan.letter
            && old->name == plan.name;
        pictures.push_back(same ? m_pictures[i] : makePicture(plan, legend.classes, legend.bubbles));
    }
    m_pictures = std::move(pictures);
    OpClassMask present = 0;
    for (const auto &shown : m_pictures)
        present = static_cast<OpClassMask>(present | (shown->hasLanes() ? shown->present : 0U));
    m_legend->setPresent(present != 0 ? present : allOpClasses);
    m_timelines->setPictures(m_pictures);
    m_search.setPictures(m_pictures);
    showMatches();
    m_stacks->setPictures(m_pictures);
    invalidate(Timelines | Stacks);
}

const PlanPicture *ExploreView::picture(int plan) const
{
    return plan >= 0 && static_cast<std::size_t>(plan) < m_pictures.size() ? m_pictures[static_cast<std::size_t>(plan)].get()
                                                                           : nullptr;
}

void ExploreView::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_legend->setTheme(theme);
    m_timelines->setTheme(theme);
    m_searchBar->setTheme(theme);
    m_transport->setTheme(theme);
    m_stacks->setTheme(theme);
    m_hoverCard->setTheme(theme);
    m_detailCard->setTheme(theme);
    m_hoverCard->hide();
    invalidate(Timelines | Stacks);
}

void ExploreView::setUpdating(int plan, qint64 sinceMs)
{
    if (plan < 0 || plan >= static_cast<int>(mostPlans))
        return;
    const auto i = static_cast<std::size_t>(plan);
    if (sinceMs < 0) {
        m_awaited[i].invalidate();
    } else {
        m_awaited[i].start();
        m_awaitedBefore[i] = sinceMs;
    }
    updateAwaited();
}

/// Shows how long a newer result has been awaited, and comes back when that changes the picture.
void ExploreView::updateAwaited()
{
    qint64 next = -1;
    for (int plan = 0; plan < static_cast<int>(mostPlans); ++plan) {
        const auto i = static_cast<std::size_t>(plan);
        const qint64 since = m_awaited[i].isValid() ? m_awaitedBefore[i] + m_awaited[i].elapsed() : -1;
        m_timelines->setUpdating(plan, since);
        if (since < 0)
            continue;
        const qint64 change = since < PlanHeader::showsLineAfter ? PlanHeader::showsLineAfter : (since / 1000 + 1) * 1000;
        next = next < 0 ? change - since : std::min(next, change - since);
    }
    if (next >= 0)
        m_awaitTimer.start(static_cast<int>(next));
    else
        m_awaitTimer.stop();
    invalidate(Timelines);
}

void ExploreView::setReduceMotion(bool reduce)
{
    m_reduceMotion = reduce;
    updateReducedStops();
}

void ExploreView::updateReducedStops()
{
    m_playback->setStops(m_reduceMotion ? stops(StepUnit::Op) : std::vector<Nanoseconds>{});
}

void ExploreView::invalidate(unsigned dirty)
{
    m_dirty |= dirty;
    m_clock->request();
}

bool ExploreView::isSettled() const { return m_dirty == 0 && !m_motion && !m_playback->isPlaying() && !m_clock->isPending(); }

void ExploreView::updateClock() { m_clock->setRunning(m_playback->isPlaying() || m_motion.has_value()); }

void ExploreView::gather(qint64 elapsed)
{
    m_input->flush();
    if (m_playback->isPlaying()) {
        m_playback->advance(elapsed);
        followPlayhead();
    }
    if (m_motion) {
        RangeMotion &motion = *m_motion;
        motion.elapsed = std::min(motion.elapsed + elapsed, motionLength);
        const double t = static_cast<double>(motion.elapsed) / static_cast<double>(motionLength);
        const double eased = 1 - std::pow(1 - t, 3);
        const auto between = [&](Nanoseconds a, Nanoseconds b) { return a + std::llround(eased * static_cast<double>(b - a)); };
        const TimeRange now{ between(motion.from.begin, motion.to.begin), between(motion.from.end, motion.to.end) };
        const int plan = motion.plan;
        const bool done = motion.elapsed >= motionLength;
        m_timelines->setRangeOf(plan, now);
        if (done)
            m_motion.reset();
    }
    updateClock();
}

void ExploreView::draw()
{
    const unsigned dirty = m_dirty;
    m_dirty = 0;
    if ((dirty & Timelines) != 0) {
        m_timelines->updateView();
        m_timelines->replot(QCustomPlot::rpQueuedRefresh);
        placeDetailCard();
    } else if ((dirty & Marks) != 0) {
        m_timelines->updateMarks();
        m_timelines->layer(QStringLiteral("overlay"))->replot();
    }
    if ((dirty & Stacks) != 0) {
        m_stacks->refresh();
        m_transport->refreshReadOut();
    }
    if ((dirty & (Timelines | Stacks)) != 0 && m_hoverCard->isVisible())
        showHoverCard();
}

void ExploreView::moveRange(int plan, TimeRange to)
{
    m_motion.reset();
    if (m_reduceMotion)
        m_timelines->setRangeOf(plan, to);
    else
        m_motion = RangeMotion{ plan, m_timelines->rangeOf(plan), to, 0 };
    updateClock();
    m_clock->request();
}

/// Scrolls by whole pixels so that the playhead stays before 80 % of the range.
void ExploreView::followPlayhead()
{
    if (!m_transport->follows())
        return;
    const TimeRange range = m_state->range();
    const Nanoseconds length = range.end - range.begin;
    const Nanoseconds playhead = m_state->playhead();
    if (playhead < range.begin) { // a loop starts over
        m_state->setRange({ playhead, playhead + length });
        return;
    }
    const auto limit = static_cast<double>(range.begin) + followAt * static_cast<double>(length);
    if (static_cast<double>(playhead) <= limit)
        return;
    const double column = m_timelines->axisMap().nsPerColumn;
    const double columns = std::ceil((static_cast<double>(playhead) - limit) / column);
    const Nanoseconds begin = std::llround((std::round(static_cast<double>(range.begin) / column) + columns) * column);
    m_state->setRange({ begin, begin + length });
}

/// Lane height by the height of the view and the number of ranks; the rest belongs to the stacks, unless the user moved the
/// splitter.
void ExploreView::arrange()
{
    m_compact = height() < 760;
    m_legend->setCompact(m_compact || width() < 860);
    m_timelines->setCompact(m_compact);
    m_stacks->setTableVisible(!m_compact && width() >= 800);
    if (m_splitterMoved || height() < 100)
        return;
    int most = 1;
    for (const auto &shown : m_pictures)
        most = std::max(most, shown->ranks);
    double pitch = m_compact ? 14 : 21;
    if (height() > tallView)
        pitch = std::min(TimelinePlot::largestPitch, std::floor(21.0 * height() / 900));
    if (most > 12)
        pitch = std::min(pitch, std::max(14.0, std::floor(0.5 * height() / m_timelines->laneCount())));
    pitch = std::clamp(pitch, TimelinePlot::smallestPitch, TimelinePlot::largestPitch);
    const int handle = m_splitter->handleWidth();
    const int wanted = LegendRow::rowHeight + (m_searchBar->isHidden() ? 0 : SearchBar::barHeight) + TransportBar::barHeight
        + m_timelines->heightFor(pitch);
    int top = std::min(wanted, height() - handle - (m_compact ? smallestCompactStacks : smallestStacks));
    if (height() > tallView)
        top = std::max(top, height() - handle - highestStacks);
    top = std::max(top, 150);
    m_arranging = true;
    m_splitter->setSizes({ top, height() - top - handle });
    m_arranging = false;
}

void ExploreView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
    m_hoverCard->hide();
    invalidate(Timelines | Stacks);
}

QRect ExploreView::inView(const QWidget &widget, const QRectF &rect) const
{
    return QRect(widget.mapTo(this, rect.topLeft().toPoint()), rect.size().toSize());
}

LegendState ExploreView::legend() const { return m_legend->state(); }

void ExploreView::setLegend(const LegendState &legend)
{
    if (legend == m_legend->state())
        return;
    m_legend->setState(legend);
    updatePictures();
}

void ExploreView::setLinked(bool linked)
{
    m_legend->setLinked(linked);
    m_timelines->setLinked(linked);
    arrange();
    invalidate(Timelines);
}

QByteArray ExploreView::saveState() const
{
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_4);
    stream << stateMagic << m_splitterMoved << m_splitter->saveState() << loops() << follows() << speed()
           << static_cast<qint32>(m_transport->stepUnit()) << m_timelines->isLinked() << static_cast<qint32>(m_stacks->mode())
           << static_cast<quint8>(legend().classes) << legend().bubbles;
    return bytes;
}

bool ExploreView::restoreState(const QByteArray &state)
{
    QDataStream stream(state);
    stream.setVersion(QDataStream::Qt_6_4);
    quint32 magic = 0;
    bool moved = false, loop = false, follow = false, linked = true, bubbles = true;
    QByteArray splitter;
    double speed = 1;
    qint32 unit = 0, mode = 0;
    quint8 classes = allOpClasses;
    stream >> magic >> moved >> splitter >> loop >> follow >> speed >> unit >> linked >> mode >> classes >> bubbles;
    if (stream.status() != QDataStream::Ok || magic != stateMagic || unit < 0 || unit > 2 || mode < 0 || mode >= stackModeCount
        || !std::isfinite(speed))
        return false;
    m_splitterMoved = moved && m_splitter->restoreState(splitter);
    setLoop(loop);
    setFollow(follow);
    setSpeed(speed);
    m_transport->setStepUnit(static_cast<StepUnit>(unit));
    setLinked(linked || m_plans.size() < 2);
    if (m_plans.size() > 1 && m_stacks->offers(static_cast<StackMode>(mode)))
        m_stacks->setMode(static_cast<StackMode>(mode));
    setLegend({ static_cast<OpClassMask>(classes & allOpClasses), bubbles });
    return true;
}

} // namespace pipeloom
