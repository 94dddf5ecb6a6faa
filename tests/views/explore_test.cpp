// SPDX-License-Identifier: GPL-3.0-or-later
// The Explore view under real events: what the mouse, the wheel and the keys change, and what follows the playhead.
#include "tests/views/fixture.h"
#include "views/explore/exploreview.h"
#include "views/explore/hovercard.h"
#include "views/explore/playback.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"
#include "views/stylesheet.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <QXmlStreamReader>

#include <cmath>

using namespace pipeloom;
using fixture::unit;

namespace
{

class Explore : public testing::Test
{
protected:
    void SetUp() override
    {
        view.resize(1020, 900);
        view.setReduceMotion(true); // zoom at once; the test of motion switches it on
        view.setPlans(plans);
        view.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
        settle();
        plot().setFocus();
    }

    TimelinePlot &plot() { return view.timelines(); }

    /// Until everything that was asked for is drawn.
    void settle()
    {
        ASSERT_TRUE(QTest::qWaitFor([&] { return view.isSettled(); }));
    }
    template<class Condition>
    bool until(Condition condition)
    {
        return QTest::qWaitFor(condition, 3000);
    }

    void mouse(QEvent::Type type, const QPointF &at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        const Qt::MouseButtons buttons = type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::MouseButtons(button);
        QMouseEvent event(type, at, plot().mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : button, buttons,
                          modifiers);
        QCoreApplication::sendEvent(&plot(), &event);
    }
    void drag(const QPointF &from, const QPointF &to, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        mouse(QEvent::MouseButtonPress, from, Qt::LeftButton, modifiers);
        for (int i = 1; i <= 4; ++i)
            mouse(QEvent::MouseMove, from + (to - from) * i / 4, Qt::LeftButton, modifiers);
        mouse(QEvent::MouseButtonRelease, to, Qt::LeftButton, modifiers);
    }
    void wheel(const QPointF &at, QPoint angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier, QPoint pixels = {})
    {
        QWheelEvent event(at, plot().mapToGlobal(at), pixels, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot(), &event);
    }
    OpRef op(int plan, int rank, OpKind kind, int microbatch) const
    {
        return fixture::opOf(plans[static_cast<std::size_t>(plan)], plan, rank, kind, microbatch);
    }
    QPointF centre(const OpRef &ref) { return plot().opRect(ref).center(); }
    QPoint centrePoint(const OpRef &ref) { return centre(ref).toPoint(); }

    std::vector<ShownPlan> plans = fixture::twoPlans();
    ViewState state;
    ExploreView view{ &state };
};

} // namespace

TEST_F(Explore, ShowsBothPlansOnOneAxis)
{
    // The longer plan B: 33 + 3 units of 150 ms.
    EXPECT_EQ(state.extent(), 54 * unit);
    EXPECT_EQ(plot().mapOf(0), plot().mapOf(1));
    EXPECT_EQ(plot().lanesArea(0).left(), plot().lanesArea(1).left());
    EXPECT_EQ(plot().stripArea().left(), plot().lanesArea(1).left());
    EXPECT_TRUE(plot().accessibleDescription().contains(QStringLiteral("Plan A, 1F1B: 4 ranks, 8 microbatches")));
    EXPECT_EQ(view.transport().readOut(), QStringLiteral("0.000 of 5.400 s"));
}

TEST_F(Explore, DraggingTheRulerMovesPlayheadStacksTableAndReadOutTogether)
{
    const QRectF ruler = plot().rulerArea();
    const QImage before = view.stacks().grab().toImage();
    QSignalSpy moved(&state, &ViewState::playheadChanged);
    drag(QPointF(ruler.left() + 5, ruler.center().y()), QPointF(ruler.left() + ruler.width() / 2, ruler.center().y()));
    ASSERT_TRUE(until([&] { return state.playhead() == plot().axisMap().time(ruler.left() + ruler.width() / 2); }));
    EXPECT_GE(moved.count(), 1);
    // The frame that moved the playhead moved everything else.
    EXPECT_EQ(plot().playheadItem().time(), state.playhead());
    EXPECT_EQ(view.transport().readOut(),
              QStringLiteral("%1 of 5.400 s").arg(static_cast<double>(state.playhead()) / 1e9, 0, 'f', 3));
    EXPECT_TRUE(
        view.stacks().subtitle().contains(QStringLiteral("%1 s").arg(static_cast<double>(state.playhead()) / 1e9, 0, 'f', 2)));
    EXPECT_NE(view.stacks().grab().toImage(), before);
}

TEST_F(Explore, AMovingPlayheadRedrawsTheOverlayAndNotTheTimelines)
{
    settle();
    QSignalSpy timelines(&plot(), &QCustomPlot::afterReplot);
    QSignalSpy stacks(&view.stacks().plot(), &QCustomPlot::afterReplot);
    QSignalSpy painted(&view, &ExploreView::painted);
    state.setPlayhead(7 * unit);
    ASSERT_TRUE(until([&] { return plot().playheadItem().time() == 7 * unit; }));
    ASSERT_TRUE(until([&] { return painted.count() > 0; }));
    EXPECT_EQ(stacks.count(), 1);
    EXPECT_EQ(timelines.count(), 0);
    EXPECT_FALSE(plot().marks().current().empty());
}

TEST_F(Explore, AClickOnTheRulerJumps)
{
    const QRectF ruler = plot().rulerArea();
    QTest::mouseClick(&plot(), Qt::LeftButton, {},
                      QPoint(static_cast<int>(ruler.left() + 300), static_cast<int>(ruler.center().y())));
    ASSERT_TRUE(until([&] { return state.playhead() > 0; }));
    EXPECT_EQ(state.playhead(), plot().axisMap().time(std::floor(ruler.left() + 300)));
}

TEST_F(Explore, TheFlagDragsThePlayhead)
{
    state.setPlayhead(10 * unit);
    settle();
    const double x = plot().axisMap().x(10.0 * unit);
    const QPointF flag(x, plot().lanesArea(1).top() - 3);
    ASSERT_EQ(plot().hit(flag).zone, TimelineHit::Zone::Flag);
    drag(flag, flag + QPointF(120, 0));
    ASSERT_TRUE(until([&] { return state.playhead() > 10 * unit; }));
    EXPECT_NEAR(static_cast<double>(state.playhead()), static_cast<double>(plot().axisMap().time(x + 120)),
                plot().axisMap().nsPerPixel());
}

TEST_F(Explore, TheWheelZoomsAtTheCursor)
{
    const TimeMap before = plot().axisMap();
    const QPointF at(before.left + 400, plot().lanesArea(0).center().y());
    const Nanoseconds under = before.time(at.x());
    const TimeRange range = state.range();
    wheel(at, QPoint(0, 240));
    ASSERT_TRUE(until([&] { return state.range() != range; }));
    EXPECT_NEAR(static_cast<double>(state.range().end - state.range().begin), static_cast<double>(range.end) / (1.25 * 1.25), 2);
    settle();
    EXPECT_NEAR(plot().axisMap().x(static_cast<double>(under)), at.x(), 1.0);
    wheel(at, QPoint(0, -240), Qt::ControlModifier);
    ASSERT_TRUE(until([&] { return state.range() == range; }));
}

TEST_F(Explore, ManyWheelEventsAreOneRedraw)
{
    QSignalSpy replots(&plot(), &QCustomPlot::afterReplot);
    const QPointF at(400, plot().lanesArea(0).center().y());
    const TimeRange range = state.range();
    for (int i = 0; i < 20; ++i)
        wheel(at, QPoint(0, 12));
    EXPECT_EQ(replots.count(), 0);
    ASSERT_TRUE(until([&] { return replots.count() > 0; }));
    EXPECT_LE(replots.count(), 2);
    EXPECT_NEAR(static_cast<double>(state.range().end - state.range().begin), static_cast<double>(range.end) / (1.25 * 1.25), 2);
}

TEST_F(Explore, PansByWholePixelsWithDragShiftWheelAndTouchpad)
{
    state.setRange({ 10 * unit, 30 * unit });
    settle();
    const TimeMap before = plot().axisMap();
    const QPointF at(500, plot().lanesArea(0).center().y());
    drag(at, at - QPointF(100, 0));
    ASSERT_TRUE(until([&] { return plot().axisMap().origin == before.origin + 100; })) << plot().axisMap().origin - before.origin;
    EXPECT_EQ(plot().axisMap().nsPerColumn, before.nsPerColumn);
    wheel(at, QPoint(0, 120), Qt::ShiftModifier);
    ASSERT_TRUE(until([&] { return plot().axisMap().origin == before.origin + 40; }));
    wheel(at, QPoint(-80, 0), Qt::NoModifier, QPoint(-25, 0));
    ASSERT_TRUE(until([&] { return plot().axisMap().origin == before.origin + 65; }));
    EXPECT_EQ(state.range().end - state.range().begin, 20 * unit);
}

TEST_F(Explore, HoverShowsACardBesideTheOpAndOutlinesTheMicrobatchEverywhere)
{
    const OpRef hovered = op(0, 1, OpKind::B, 2);
    QTest::mouseMove(&plot(), centrePoint(hovered));
    EXPECT_EQ(state.hover(), hovered);
    EXPECT_FALSE(view.hoverCard().isVisible()); // not before 100 ms
    ASSERT_TRUE(until([&] { return view.hoverCard().isVisible(); }));
    const QRect card = view.hoverCard().geometry();
    const QRectF rect = plot().opRect(hovered);
    EXPECT_FALSE(card.intersects(QRect(plot().mapTo(&view, rect.topLeft().toPoint()), rect.size().toSize())));
    EXPECT_TRUE(view.rect().contains(card));
    // F and B of microbatch 2 on four ranks and in two plans, without the op itself.
    EXPECT_EQ(plot().marks().related().size(), 2U * 4U * 2U - 1U);
    const QString text = view.hoverCard().content().text();
    EXPECT_TRUE(text.contains(QStringLiteral("microbatch 2, stage 1"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("200 ms"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QString::fromUtf8("−1.0 GiB at end"))) << text.toStdString();
    QTest::mouseMove(&plot(), QPoint(5, 5));
    ASSERT_TRUE(until([&] { return !view.hoverCard().isVisible(); }));
    EXPECT_FALSE(state.hover());
}

TEST_F(Explore, ABubbleSaysWhyTheRankIdles)
{
    // Rank 1 waits until the first microbatch has passed rank 0.
    const QRectF first = plot().opRect(op(0, 1, OpKind::F, 0));
    const QRectF feeding = plot().opRect(op(0, 0, OpKind::F, 0));
    const QPoint fill(static_cast<int>(feeding.center().x()), static_cast<int>(first.center().y()));
    const TimelineHit hit = plot().hit(fill);
    ASSERT_TRUE(hit.bubble);
    EXPECT_FALSE(hit.op);
    EXPECT_EQ(hit.bubble->rank, 1);
    QTest::mouseMove(&plot(), fill);
    ASSERT_TRUE(until([&] { return view.hoverCard().isVisible(); }));
    const QString text = view.hoverCard().content().text();
    EXPECT_TRUE(text.contains(QStringLiteral("Bubble on rank 1"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("fill: nothing has reached this rank yet"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("Waits for: Forward, microbatch 0, stage 0, on rank 0"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("Then runs: Forward, microbatch 0, stage 1"))) << text.toStdString();
    const QRect card = view.hoverCard().geometry();
    const QRectF bubble = plot().bubbleRect(*hit.bubble);
    EXPECT_NEAR(bubble.right(), first.left(), 1.5);
    EXPECT_FALSE(card.intersects(QRect(plot().mapTo(&view, bubble.topLeft().toPoint()), bubble.size().toSize())));
    // Another place in the same bubble leaves the card where it is; an op takes over.
    QTest::mouseMove(&plot(), fill + QPoint(2, 0));
    EXPECT_TRUE(view.hoverCard().isVisible());
    const OpRef next = op(0, 1, OpKind::F, 0);
    QTest::mouseMove(&plot(), centrePoint(next));
    EXPECT_EQ(state.hover(), next);
    ASSERT_TRUE(until(
        [&] { return view.hoverCard().isVisible() && view.hoverCard().content().title == QStringLiteral("Forward on rank 1"); }));
    QTest::mouseMove(&plot(), fill);
    ASSERT_TRUE(until(
        [&] { return view.hoverCard().isVisible() && view.hoverCard().content().title == QStringLiteral("Bubble on rank 1"); }));
    QTest::mouseMove(&plot(), QPoint(5, 5));
    ASSERT_TRUE(until([&] { return !view.hoverCard().isVisible(); }));
}

TEST_F(Explore, AClickKeepsTheDetailsAndCopiesThem)
{
    const OpRef clicked = op(1, 2, OpKind::F, 4);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, centrePoint(clicked));
    EXPECT_EQ(state.selection(), clicked);
    EXPECT_EQ(state.rank(), 2);
    ASSERT_TRUE(until([&] { return view.detailCard().isVisible(); }));
    const auto labels = view.detailCard().findChildren<QLabel *>();
    ASSERT_FALSE(labels.isEmpty());
    EXPECT_TRUE(labels.first()->textInteractionFlags() & Qt::TextSelectableByMouse);
    QTest::keyClick(&plot(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(copied.startsWith(QStringLiteral("Plan B, 1F1B slow\nForward on rank 2"))) << copied.toStdString();
    EXPECT_TRUE(copied.contains(QStringLiteral("150 ms"))) << copied.toStdString();
    QTest::keyClick(&plot(), Qt::Key_Escape);
    EXPECT_FALSE(state.selection());
    ASSERT_TRUE(until([&] { return !view.detailCard().isVisible(); }));
}

TEST_F(Explore, APinnedCardHasACloseButtonAndLetsTheWheelThrough)
{
    const OpRef clicked = op(0, 1, OpKind::F, 2);
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, centrePoint(clicked));
    HoverCard &card = view.detailCard();
    ASSERT_TRUE(until([&] { return card.isVisible(); }));
    // It hides neither its op nor a control.
    const QRectF rect = plot().opRect(clicked);
    const QRect opInView(plot().mapTo(&view, rect.topLeft().toPoint()), rect.size().toSize());
    EXPECT_FALSE(card.geometry().intersects(opInView));
    for (const QWidget *bar : { static_cast<QWidget *>(&view.transport()), static_cast<QWidget *>(&view.legendRow()) })
        EXPECT_FALSE(card.geometry().intersects(QRect(bar->mapTo(&view, QPoint()), bar->size())));
    // Nor what its lane holds.
    QRectF lane = plot().lanes(0).layout().laneRect(1, plot().mapOf(0));
    lane.setRight(plot().mapOf(0).x(static_cast<double>(plot().pictures()[0]->end)));
    EXPECT_FALSE(card.geometry().intersects(QRect(plot().mapTo(&view, lane.topLeft().toPoint()), lane.size().toSize())));
    auto *close = card.findChild<QToolButton *>();
    ASSERT_NE(close, nullptr);
    ASSERT_TRUE(close->isVisible());
    EXPECT_TRUE(card.rect().contains(close->geometry()));
    // A wheel turned over the card zooms what is below, wherever the card stands.
    card.move(QPoint(200, plot().mapTo(&view, plot().lanesArea(0).topLeft().toPoint()).y()));
    const TimeRange before = state.range();
    const QPointF at = card.rect().center();
    QWheelEvent turned(at, card.mapToGlobal(at), {}, QPoint(0, 60), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&card, &turned);
    ASSERT_TRUE(until([&] { return state.range() != before; }));
    EXPECT_LT(state.range().end - state.range().begin, before.end - before.begin);
    settle();
    QTest::mouseClick(close, Qt::LeftButton);
    settle();
    EXPECT_FALSE(state.selection());
    EXPECT_FALSE(card.isVisible());
    EXPECT_EQ(view.hoverCard().findChild<QToolButton *>(), nullptr); // a passing card needs none
}

TEST_F(Explore, MeasuringSnapsToOpEdgesAndCountsOps)
{
    const OpRef first = op(0, 0, OpKind::F, 1);
    const QRectF rect = plot().opRect(first);
    const OpRef last = op(0, 0, OpKind::F, 3);
    const QRectF end = plot().opRect(last);
    drag(rect.topLeft() + QPointF(3, 4), QPointF(end.right() - 4, end.center().y()), Qt::ShiftModifier);
    ASSERT_TRUE(state.measured());
    EXPECT_EQ(*state.measured(), (TimeRange{ 1 * unit, 4 * unit }));
    settle();
    ASSERT_TRUE(plot().marks().measure());
    const QString text = plot().marks().measure()->text;
    EXPECT_TRUE(text.startsWith(QStringLiteral("300"))) << text.toStdString();
    // In [1, 4): rank 0 starts F1 F2 F3, rank 1 F0 F1 F2, rank 2 F0 F1, rank 3 F0: nine ops.
    EXPECT_TRUE(text.contains(QStringLiteral("A: 9 ops, 75.0 % busy"))) << text.toStdString();
    // Far from an edge nothing snaps.
    state.setRange({ 0, 2 * unit });
    settle();
    const QRectF wide = plot().opRect(op(0, 0, OpKind::F, 0));
    drag(wide.center(), wide.center() + QPointF(30, 0), Qt::ShiftModifier);
    EXPECT_EQ(state.measured()->begin, plot().axisMap().time(wide.center().x()));
}

TEST_F(Explore, DoubleClickAndFZoomToAnOpAndHomeShowsAll)
{
    const TimeRange all = state.range();
    const OpRef target = op(0, 0, OpKind::B, 3);
    const Timeline &timeline = plans[0].shown->timeline;
    QTest::mouseDClick(&plot(), Qt::LeftButton, {}, centrePoint(target));
    ASSERT_TRUE(until([&] { return state.range().begin == timeline.start[target.op] - 2 * unit; }));
    EXPECT_EQ(state.range().end, timeline.end[target.op] + 2 * unit);
    QTest::keyClick(&plot(), Qt::Key_Home);
    ASSERT_TRUE(until([&] { return state.range() == all; }));
    state.setSelection(op(1, 1, OpKind::F, 0));
    QTest::keyClick(&plot(), Qt::Key_F);
    ASSERT_TRUE(until([&] { return state.range() != all; }));
}

TEST_F(Explore, ZoomToSelectionIsAnimatedAndAnyInputStopsIt)
{
    view.setReduceMotion(false);
    const TimeRange all = state.range();
    QSignalSpy ranges(&state, &ViewState::rangeChanged);
    state.setSelection(op(0, 0, OpKind::B, 3));
    view.fitSelection();
    const Timeline &timeline = plans[0].shown->timeline;
    const Nanoseconds begin = timeline.start[op(0, 0, OpKind::B, 3).op] - 2 * unit;
    ASSERT_TRUE(until([&] { return state.range().begin == begin; }));
    EXPECT_GE(ranges.count(), 2);
    view.fitAll();
    ASSERT_TRUE(until([&] { return state.range().begin < begin; }));
    mouse(QEvent::MouseButtonPress, QPointF(500, plot().stripArea().center().y()), Qt::LeftButton);
    const TimeRange stopped = state.range();
    if (stopped != all) { // the motion may have ended before the press
        settle();
        EXPECT_EQ(state.range(), stopped);
    }
    mouse(QEvent::MouseButtonRelease, QPointF(500, plot().stripArea().center().y()), Qt::LeftButton);
}

TEST_F(Explore, ArrowsStepByOpMicrobatchAndPhase)
{
    state.setRank(0);
    view.setPlans({ plans[0] });
    QTest::keyClick(&plot(), Qt::Key_Right);
    EXPECT_EQ(state.playhead(), 1 * unit);
    QTest::keyClick(&plot(), Qt::Key_Right);
    EXPECT_EQ(state.playhead(), 2 * unit);
    QTest::keyClick(&plot(), Qt::Key_Left);
    EXPECT_EQ(state.playhead(), 1 * unit);
    // Phase: rank 0 begins its first backward when the first microbatch returns.
    const Timeline &timeline = plans[0].shown->timeline;
    QTest::keyClick(&plot(), Qt::Key_Right, Qt::ControlModifier);
    EXPECT_EQ(state.playhead(), timeline.start[op(0, 0, OpKind::B, 0).op]);
    QTest::keyClick(&plot(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(state.playhead(), timeline.start[op(0, 0, OpKind::F, 4).op]);
}

TEST_F(Explore, PlayMovesThePlayheadByTheClockAndStopsAtTheEnd)
{
    QSignalSpy playing(&view, &ExploreView::playingChanged);
    view.setReduceMotion(false);
    auto *button = view.transport().findChild<QPushButton *>();
    ASSERT_TRUE(button);
    EXPECT_EQ(button->text(), QStringLiteral("Play"));
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(view.isPlaying());
    EXPECT_EQ(button->text(), QStringLiteral("Pause"));
    ASSERT_TRUE(until([&] { return state.playhead() > 0; }));
    ASSERT_TRUE(until([&] { return plot().playheadItem().time() == state.playhead(); }));
    state.setPlayhead(state.extent() - unit / 10);
    view.setSpeed(10);
    ASSERT_TRUE(until([&] { return !view.isPlaying(); }));
    EXPECT_EQ(state.playhead(), state.extent());
    EXPECT_EQ(playing.count(), 2);
    QTest::keyClick(&plot(), Qt::Key_Space); // from the end it starts over
    EXPECT_TRUE(view.isPlaying());
    EXPECT_LT(state.playhead(), state.extent());
    QTest::keyClick(&plot(), Qt::Key_Space);
    EXPECT_FALSE(view.isPlaying());
}

TEST_F(Explore, FollowKeepsThePlayheadBeforeFourFifths)
{
    view.setReduceMotion(false);
    view.setFollow(true);
    state.setRange({ 0, 10 * unit });
    state.setPlayhead(8 * unit - 1);
    settle();
    view.setSpeed(10);
    view.play();
    ASSERT_TRUE(until([&] { return state.range().begin > 0; }));
    view.pause();
    EXPECT_EQ(state.range().end - state.range().begin, 10 * unit);
    EXPECT_LE(state.playhead(), state.range().begin + 8 * unit + static_cast<Nanoseconds>(plot().axisMap().nsPerColumn));
    // Whole pixels: the origin of the picture stands on a column.
    const double columns = static_cast<double>(state.range().begin) / plot().axisMap().nsPerColumn;
    EXPECT_NEAR(columns, std::round(columns), 1e-3);
}

TEST_F(Explore, LettersActOnlyOnAFocusedPlot)
{
    auto *button = view.transport().findChild<QPushButton *>();
    button->setFocus();
    const TimeRange range = state.range();
    QTest::keyClick(button, Qt::Key_W);
    settle();
    EXPECT_EQ(state.range(), range);
    QTest::keyClick(&plot(), Qt::Key_W);
    ASSERT_TRUE(until([&] { return state.range() != range; }));
    QTest::keyClick(&plot(), Qt::Key_S);
    ASSERT_TRUE(until([&] { return state.range() == range; }));
    QTest::keyClick(&plot(), Qt::Key_L);
    EXPECT_TRUE(view.loops());
    QTest::keyClick(&plot(), Qt::Key_Plus);
    EXPECT_GT(view.speed(), 1.2);
    QTest::keyClick(&plot(), Qt::Key_Minus);
    EXPECT_NEAR(view.speed(), 1, 1e-9);
}

TEST_F(Explore, AFocusedPlotTakesItsLettersBeforeShortcutsAndLeavesTheRest)
{
    const auto takes = [&](int key, const QString &text) {
        QKeyEvent event(QEvent::ShortcutOverride, key, Qt::NoModifier, text);
        event.ignore();
        QCoreApplication::sendEvent(&plot(), &event);
        return event.isAccepted();
    };
    EXPECT_TRUE(takes(Qt::Key_Space, QStringLiteral(" ")));
    EXPECT_TRUE(takes(Qt::Key_W, QStringLiteral("w")));
    EXPECT_FALSE(takes(Qt::Key_Question, QStringLiteral("?")));
    EXPECT_FALSE(takes(Qt::Key_F5, QString()));
}

TEST_F(Explore, KeysWalkRanksOpsAndDependencies)
{
    QTest::keyClick(&plot(), Qt::Key_Down);
    EXPECT_EQ(state.rank(), 1);
    QTest::keyClick(&plot(), Qt::Key_Up);
    QTest::keyClick(&plot(), Qt::Key_Up);
    EXPECT_EQ(state.rank(), 0);
    QTest::keyClick(&plot(), Qt::Key_Period);
    EXPECT_EQ(state.selection(), op(0, 0, OpKind::F, 0));
    QTest::keyClick(&plot(), Qt::Key_Period);
    EXPECT_EQ(state.selection(), op(0, 0, OpKind::F, 1));
    QTest::keyClick(&plot(), Qt::Key_BracketRight);
    EXPECT_EQ(state.selection(), op(0, 1, OpKind::F, 1));
    EXPECT_EQ(state.rank(), 1);
    QTest::keyClick(&plot(), Qt::Key_BracketLeft);
    EXPECT_EQ(state.selection(), op(0, 0, OpKind::F, 1));
    QTest::keyClick(&plot(), Qt::Key_Comma);
    EXPECT_EQ(state.selection(), op(0, 0, OpKind::F, 0));
}

TEST_F(Explore, TheLegendTogglesClasses)
{
    const auto entries = view.legendRow().findChildren<LegendEntry *>();
    ASSERT_EQ(entries.size(), LegendEntry::count);
    const auto forward = [&] { return contains(view.legend().classes, OpClass::Forward); };
    QTest::mouseClick(entries[0], Qt::LeftButton);
    EXPECT_FALSE(forward());
    EXPECT_FALSE(plot().hit(centre(op(0, 0, OpKind::F, 0))).op);
    QTest::mouseClick(entries[1], Qt::LeftButton, Qt::AltModifier);
    EXPECT_EQ(view.legend().classes, OpClassMask{ 1U << static_cast<unsigned>(OpClass::InputGradient) });
    EXPECT_FALSE(view.legend().bubbles);
    QTest::mouseDClick(entries[2], Qt::LeftButton);
    EXPECT_EQ(view.legend(), LegendState{});
}

TEST_F(Explore, TheLegendListsOnlyWhatThePlansHave)
{
    // 1F1B has no overlapped pairs.
    const auto entry = [&](OpClass kind) {
        return view.legendRow().findChildren<LegendEntry *>().at(static_cast<qsizetype>(kind));
    };
    EXPECT_FALSE(entry(OpClass::Pair)->isVisible());
    for (const OpClass kind : { OpClass::Forward, OpClass::InputGradient, OpClass::WeightGradient, OpClass::Optimizer })
        EXPECT_TRUE(entry(kind)->isVisible());
    EXPECT_FALSE(contains(view.legendRow().present(), OpClass::Pair));
}

TEST_F(Explore, AnInvalidPlanSaysWhyAndOffersTheRepairWhileTheOtherStaysLive)
{
    plans[0].latest = fixture::invalid();
    view.setPlans(plans);
    settle();
    QToolButton *link = nullptr;
    for (QToolButton *button : plot().findChildren<QToolButton *>()) {
        if (button->isVisible() && button->text() == QStringLiteral("Use 2,048"))
            link = button;
    }
    ASSERT_TRUE(link);
    EXPECT_TRUE(plot().lanesArea(0).contains(QRectF(link->geometry())));
    QSignalSpy requested(&view, &ExploreView::fixRequested);
    QTest::mouseClick(link, Qt::LeftButton);
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested[0][0].toInt(), 0);
    EXPECT_EQ(requested[0][1].value<Fix>().set[0].path, "plan.global_batch");
    EXPECT_FALSE(plot().hit(plot().lanesArea(0).center()).op);
    EXPECT_TRUE(plot().hit(centre(op(1, 0, OpKind::F, 0))).op);
    // The last valid memory figures are still told, greyed.
    EXPECT_EQ(view.stacks().bars().ranks(), 4);
    plans[0].latest = plans[0].shown;
    view.setPlans(plans);
    settle();
    EXPECT_FALSE(link->isVisible());
}

TEST_F(Explore, ASelectionThatNoLongerExistsIsDropped)
{
    state.setSelection(op(0, 3, OpKind::F, 7));
    state.setRank(3);
    view.setPlans({ fixture::shown("A", "1F1B", fixture::oneForwardOneBackward(2, 2)) });
    EXPECT_FALSE(state.selection());
    EXPECT_EQ(state.rank(), 1);
}

TEST_F(Explore, UnlinkedPlansKeepTheirOwnRange)
{
    view.setLinked(false);
    settle();
    const TimeRange shared = state.range();
    const double pitch = plot().lanes(0).layout().pitch;
    wheel(plot().lanesArea(0).center(), QPoint(0, 360));
    ASSERT_TRUE(until([&] { return plot().rangeOf(0) != shared; }));
    EXPECT_EQ(state.range(), shared);
    EXPECT_EQ(plot().rangeOf(1), shared);
    EXPECT_GT(pitch, 0);
    view.fitAll();
    EXPECT_EQ(plot().rangeOf(0).end, 36 * unit + 36 * unit / 100);
    view.setLinked(true);
    EXPECT_EQ(plot().rangeOf(0), state.range());
}

TEST_F(Explore, StacksSelectARankAndChangeTheirMode)
{
    StacksPanel &stacks = view.stacks();
    QTest::mouseClick(&stacks.plot(), Qt::LeftButton, {}, stacks.bars().rankRect(3).center().toPoint());
    EXPECT_EQ(state.rank(), 3);
    QToolButton *difference = nullptr;
    for (QToolButton *button : stacks.findChildren<QToolButton *>()) {
        if (button->text() == QString::fromUtf8("A − B"))
            difference = button;
    }
    ASSERT_TRUE(difference);
    QTest::mouseClick(difference, Qt::LeftButton);
    EXPECT_EQ(stacks.mode(), StackMode::Difference);
}

TEST_F(Explore, SmallViewsUseShortWordsAndLowLanes)
{
    view.resize(960, 630);
    settle();
    EXPECT_EQ(plot().lanes(0).layout().pitch, 14);
    EXPECT_NEAR(plot().stripArea().height(), TimelinePlot::compactStripHeight - 3, 14);
    EXPECT_FALSE(view.stacks().table().isVisible());
    // What the table says is in the card over a bar.
    QTest::mouseMove(&view.stacks().plot(), view.stacks().bars().rankRect(1).center().toPoint());
    ASSERT_TRUE(until([&] { return view.hoverCard().isVisible(); }));
    EXPECT_TRUE(view.hoverCard().content().text().contains(QStringLiteral("Peak in the step: A 6.0    B 6.0 GiB")))
        << view.hoverCard().content().text().toStdString();
    view.resize(1020, 900);
    settle();
    EXPECT_EQ(plot().lanes(0).layout().pitch, 21);
    EXPECT_TRUE(view.stacks().table().isVisible());
}

TEST_F(Explore, StateSurvivesSavingAndRejectsGarbage)
{
    view.setLoop(true);
    view.setFollow(true);
    view.setSpeed(0.5);
    view.setLegend({ allOpClasses & ~OpClassMask{ 4 }, false });
    const QByteArray saved = view.saveState();
    ViewState otherState;
    ExploreView other(&otherState);
    other.setPlans(plans);
    ASSERT_TRUE(other.restoreState(saved));
    EXPECT_TRUE(other.loops());
    EXPECT_TRUE(other.follows());
    EXPECT_EQ(other.speed(), 0.5);
    EXPECT_EQ(other.legend(), view.legend());
    EXPECT_FALSE(other.restoreState(QByteArray("nonsense")));
    EXPECT_FALSE(other.restoreState(saved.left(10)));
    EXPECT_TRUE(other.loops());
}

TEST_F(Explore, ExportsPngSvgAndPdfWithoutTouchingTheScreen)
{
    QTemporaryDir folder;
    state.setPlayhead(10 * unit);
    state.setRange({ 4 * unit, 30 * unit });
    settle();
    const QImage before = view.grab().toImage();
    QString error;
    for (const char *format : { "png", "svg", "pdf" }) {
        const QString path = folder.filePath(QStringLiteral("view.") + QString::fromLatin1(format));
        ASSERT_TRUE(view.exportView(path, QString::fromLatin1(format), 2, darkTheme(), &error)) << error.toStdString();
        EXPECT_GT(QFileInfo(path).size(), 5000) << format;
    }
    const QImage png(folder.filePath(QStringLiteral("view.png")));
    EXPECT_EQ(png.width(), 2 * view.width());
    EXPECT_EQ(png.pixelColor(2, 2), darkTheme().panel);
    settle();
    EXPECT_EQ(view.grab().toImage(), before);

    // Nothing in the SVG leaves the page.
    QFile file(folder.filePath(QStringLiteral("view.svg")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    QXmlStreamReader xml(&file);
    int rects = 0;
    int outside = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != QStringLiteral("rect"))
            continue;
        ++rects;
        const double right =
            xml.attributes().value(QStringLiteral("x")).toDouble() + xml.attributes().value(QStringLiteral("width")).toDouble();
        outside += xml.attributes().value(QStringLiteral("x")).toDouble() < 0 || right > view.width() + 0.5 ? 1 : 0;
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    EXPECT_GT(rects, 50);
    EXPECT_EQ(outside, 0);
    EXPECT_FALSE(view.exportView(folder.path(), QStringLiteral("png"), 1, lightTheme(), &error));
    EXPECT_FALSE(error.isEmpty());
}

TEST_F(Explore, EveryControlHasANameForScreenReaders)
{
    for (const QWidget *widget : view.findChildren<QWidget *>()) {
        if (widget->focusPolicy() == Qt::NoFocus || qobject_cast<const QLabel *>(widget) != nullptr)
            continue;
        const auto *button = qobject_cast<const QAbstractButton *>(widget);
        const bool named = !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
        EXPECT_TRUE(named) << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
                           << widget->parentWidget()->metaObject()->className();
    }
}

TEST(Playback, UsesTheClockAndARoundUnit)
{
    ViewState state;
    Playback playback(&state);
    state.setExtent(10'200'000'000);
    EXPECT_EQ(playback.speedText(), QStringLiteral("1 s = 0.5 s"));
    playback.setSpeed(0.1);
    EXPECT_EQ(playback.speedText(), QStringLiteral("1 s = 50 ms"));
    state.setExtent(400'000'000);
    playback.setSpeed(1);
    EXPECT_EQ(playback.speedText(), QStringLiteral("1 s = 20 ms"));
    state.setExtent(10'200'000'000);
    playback.setPlaying(true);
    playback.advance(1'000'000'000);
    EXPECT_EQ(state.playhead(), 500'000'000);
    // Sixty frames and one second are the same.
    state.setPlayhead(0);
    for (int i = 0; i < 60; ++i)
        playback.advance(1'000'000'000 / 60);
    EXPECT_NEAR(static_cast<double>(state.playhead()), 500'000'000, 60);
    playback.setSpeed(99);
    EXPECT_EQ(playback.speed(), 10);
}

TEST(Playback, LoopsTheMeasuredRange)
{
    ViewState state;
    Playback playback(&state);
    state.setExtent(10'000'000'000);
    state.setMeasured(TimeRange{ 2'000'000'000, 3'000'000'000 });
    playback.setLoop(true);
    state.setPlayhead(2'900'000'000);
    playback.setPlaying(true);
    playback.advance(1'000'000'000); // half a second of the step
    EXPECT_EQ(state.playhead(), 2'400'000'000);
    state.setMeasured(std::nullopt);
    state.setPlayhead(9'900'000'000);
    playback.advance(1'000'000'000);
    EXPECT_EQ(state.playhead(), 400'000'000);
    EXPECT_TRUE(playback.isPlaying());
}

TEST(Playback, ReducedMotionStepsFromOpToOpFourTimesASecond)
{
    ViewState state;
    Playback playback(&state);
    state.setExtent(1'000'000'000);
    playback.setStops({ 0, 100'000'000, 300'000'000, 1'000'000'000 });
    playback.setPlaying(true);
    playback.advance(200'000'000);
    EXPECT_EQ(state.playhead(), 0);
    playback.advance(60'000'000);
    EXPECT_EQ(state.playhead(), 100'000'000);
    playback.advance(250'000'000);
    EXPECT_EQ(state.playhead(), 300'000'000);
    playback.advance(250'000'000);
    EXPECT_EQ(state.playhead(), 1'000'000'000);
    EXPECT_FALSE(playback.isPlaying());
}
