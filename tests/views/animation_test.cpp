// SPDX-License-Identifier: GPL-3.0-or-later
// Playback of a part of the step.
#include "fixture.h"
#include "views/explore/exploreview.h"
#include "views/explore/playback.h"
#include "views/explore/timelineplot.h"

#include <gtest/gtest.h>

#include <QTest>

namespace pipeloom
{

namespace
{

using fixture::unit;

} // namespace

TEST(Animation, aLoopedRangeIsEnteredAtItsBeginAndNeverLeft)
{
    ViewState state;
    state.setExtent(30 * unit);
    Playback playback(&state);
    state.setMeasured(TimeRange{ 10 * unit, 14 * unit });
    playback.setLoop(true);
    playback.setPlaying(true);
    EXPECT_EQ(state.playhead(), 10 * unit);
    for (int i = 0; i < 200; ++i) {
        playback.advance(50'000'000);
        ASSERT_GE(state.playhead(), 10 * unit);
        ASSERT_LT(state.playhead(), 14 * unit);
    }
    EXPECT_TRUE(playback.isPlaying());

    // Without Loop the same range does not bind.
    playback.setPlaying(false);
    playback.setLoop(false);
    state.setPlayhead(2 * unit);
    playback.setPlaying(true);
    EXPECT_EQ(state.playhead(), 2 * unit);
}

TEST(Animation, theRulerShowsTheRangeThatLoops)
{
    for (const Theme &theme : { lightTheme(), darkTheme() }) {
        ViewState state;
        ExploreView view(&state);
        view.setTheme(theme);
        view.setPlans(fixture::twoPlans());
        view.resize(1200, 900);
        view.show();
        const auto settle = [&] { return QTest::qWaitFor([&] { return view.isSettled(); }, 10000); };
        ASSERT_TRUE(settle());
        state.setMeasured(TimeRange{ 10 * unit, 20 * unit });
        ASSERT_TRUE(settle());
        EXPECT_TRUE(view.timelines().loopMark().bar().isEmpty());
        QTest::keyClick(&view.timelines(), Qt::Key_L);
        ASSERT_TRUE(settle());
        const QRectF bar = view.timelines().loopMark().bar();
        const TimeMap &map = view.timelines().axisMap();
        EXPECT_NEAR(bar.left(), map.x(10.0 * unit), 1);
        EXPECT_NEAR(bar.right(), map.x(20.0 * unit), 2);
        EXPECT_EQ(bar.top(), view.timelines().rulerArea().top());
        const QImage image = view.timelines().grab().toImage();
        EXPECT_EQ(image.pixelColor(QPointF(bar.left() + 0.31 * bar.width(), bar.center().y()).toPoint()), theme.accent);
        QTest::keyClick(&view.timelines(), Qt::Key_L);
        ASSERT_TRUE(settle());
        EXPECT_TRUE(view.timelines().loopMark().bar().isEmpty());
    }
}

} // namespace pipeloom
