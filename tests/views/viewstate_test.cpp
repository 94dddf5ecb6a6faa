// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/frameclock.h"
#include "views/viewstate.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

using namespace pipeloom;

TEST(ViewState, KeepsPlayheadAndRangeInsideTheStep)
{
    ViewState state;
    state.setExtent(1000);
    EXPECT_EQ(state.range(), (TimeRange{ 0, 1010 }));
    state.setPlayhead(5000);
    EXPECT_EQ(state.playhead(), 1000);
    state.setPlayhead(-1);
    EXPECT_EQ(state.playhead(), 0);
    state.setRange({ -500, 100 });
    EXPECT_EQ(state.range(), (TimeRange{ 0, 600 }));
    state.setRange({ 900, 1400 });
    EXPECT_EQ(state.range(), (TimeRange{ 550, 1050 }));
    state.setRange({ -9000, 9000 });
    EXPECT_EQ(state.range(), (TimeRange{ 0, 1050 }));
    state.setRange({ 7, 7 });
    EXPECT_EQ(state.range(), (TimeRange{ 7, 8 }));
}

TEST(ViewState, ANewStepKeepsAViewOfEverythingAndOfAPart)
{
    ViewState state;
    state.setExtent(1000);
    state.setPlayhead(900);
    state.setExtent(2000);
    EXPECT_EQ(state.range(), (TimeRange{ 0, 2020 }));
    EXPECT_EQ(state.playhead(), 900);
    state.setRange({ 100, 300 });
    state.setExtent(3000);
    EXPECT_EQ(state.range(), (TimeRange{ 100, 300 }));
    state.setExtent(200);
    EXPECT_EQ(state.range(), (TimeRange{ 10, 210 }));
    EXPECT_EQ(state.playhead(), 200);
}

TEST(ViewState, SaysOnlyWhatChanged)
{
    ViewState state;
    QSignalSpy playhead(&state, &ViewState::playheadChanged);
    QSignalSpy range(&state, &ViewState::rangeChanged);
    QSignalSpy hover(&state, &ViewState::hoverChanged);
    state.setExtent(1000);
    EXPECT_EQ(range.count(), 1);
    state.setPlayhead(10);
    state.setPlayhead(10);
    EXPECT_EQ(playhead.count(), 1);
    state.setHover(OpRef{ 0, 1, 2 });
    state.setHover(OpRef{ 0, 1, 2 });
    EXPECT_EQ(hover.count(), 1);
    state.showAll();
    EXPECT_EQ(range.count(), 1);
}

TEST(FrameClock, JoinsRequestsIntoOneFrame)
{
    FrameClock clock;
    QSignalSpy gather(&clock, &FrameClock::gather);
    QSignalSpy draw(&clock, &FrameClock::draw);
    for (int i = 0; i < 50; ++i)
        clock.request();
    EXPECT_EQ(draw.count(), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return draw.count() > 0; }));
    EXPECT_EQ(gather.count(), 1);
    EXPECT_EQ(draw.count(), 1);
}

TEST(FrameClock, RunsWhileSomethingMovesAndRestsAfter)
{
    FrameClock clock;
    QSignalSpy gather(&clock, &FrameClock::gather);
    clock.setRunning(true);
    ASSERT_TRUE(QTest::qWaitFor([&] { return gather.count() >= 3; }));
    EXPECT_EQ(gather[0][0].toLongLong(), 0); // nothing has moved before the first frame
    EXPECT_GT(gather[1][0].toLongLong(), 0);
    clock.setRunning(false);
    const auto count = gather.count();
    // At most the frame that was already due follows.
    clock.request();
    ASSERT_TRUE(QTest::qWaitFor([&] { return gather.count() > count; }));
    EXPECT_EQ(gather.count(), count + 1);
}
