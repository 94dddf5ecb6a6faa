// SPDX-License-Identifier: GPL-3.0-or-later
// Up to four plans on one time axis: real events on each of them, and what the window draws of a scenario with alternatives.
#include "support.h"

#include "tests/views/fixture.h"
#include "views/controls/verdictpanel.h"
#include "views/explore/exploreview.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/mostplans.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAction>

using namespace pipeloom;
using fixture::unit;

namespace
{

std::vector<ShownPlan> plansOf(int count)
{
    std::vector<ShownPlan> plans;
    for (int i = 0; i < count; ++i) {
        const char letter[] = { static_cast<char>('A' + i), '\0' };
        // A takes 1, B 2, C 1.5, D 1.25 units: A is the fastest, B the slowest.
        const std::array<Nanoseconds, 5> scales{ unit, 2 * unit, unit * 3 / 2, unit * 5 / 4, unit };
        plans.push_back(
            fixture::shown(letter, "1F1B", fixture::oneForwardOneBackward(4, 8, scales[static_cast<std::size_t>(i)])));
    }
    return plans;
}

class FourUp : public testing::Test
{
protected:
    void show(int count, QSize size = { 1020, 900 })
    {
        plans = plansOf(count);
        view.setReduceMotion(true);
        view.resize(size);
        view.setPlans(plans);
        view.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
        settle();
    }
    void settle()
    {
        ASSERT_TRUE(QTest::qWaitFor([&] { return view.isSettled(); }));
    }
    TimelinePlot &plot() { return view.timelines(); }
    void mouse(QEvent::Type type, const QPointF &at, Qt::MouseButton button)
    {
        QMouseEvent event(type, at, plot().mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : button,
                          type == QEvent::MouseButtonPress ? Qt::MouseButtons(button) : Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&plot(), &event);
    }

    ViewState state;
    ExploreView view{ &state };
    std::vector<ShownPlan> plans;
};

} // namespace

TEST_F(FourUp, EveryPlanStandsBelowTheOneBeforeAndAllShareTheAxis)
{
    for (int count = 1; count <= 4; ++count) {
        show(count);
        ASSERT_EQ(plot().pictures().size(), static_cast<std::size_t>(count));
        double bottom = 0;
        for (int plan = 0; plan < count; ++plan) {
            const QRectF area = plot().lanesArea(plan);
            EXPECT_GE(area.top(), bottom + PlanHeader::height) << count << " plans, plan " << plan;
            EXPECT_GT(area.height(), 40) << count << " plans, plan " << plan;
            EXPECT_EQ(plot().mapOf(plan), plot().axisMap());
            bottom = area.bottom();
        }
        EXPECT_TRUE(plot().playheadItem().realVisibility()) << count;
        EXPECT_TRUE(plot().marks().realVisibility()) << count;
        EXPECT_GE(plot().stripArea().top(), bottom);
        EXPECT_GE(plot().stripArea().height(), 20);
        EXPECT_LE(plot().rulerArea().bottom(), plot().height());
    }
}

TEST_F(FourUp, AFifthPlanIsNotDrawn)
{
    show(5);
    EXPECT_EQ(plot().pictures().size(), mostPlans);
}

TEST_F(FourUp, AClickOnAnOpOfTheFourthPlanSelectsIt)
{
    show(4);
    const OpRef op = fixture::opOf(plans[3], 3, 2, OpKind::B, 4);
    const QRectF rect = plot().opRect(op);
    ASSERT_FALSE(rect.isEmpty());
    mouse(QEvent::MouseMove, rect.center(), Qt::NoButton);
    EXPECT_EQ(state.hover(), op);
    mouse(QEvent::MouseButtonPress, rect.center(), Qt::LeftButton);
    mouse(QEvent::MouseButtonRelease, rect.center(), Qt::LeftButton);
    EXPECT_EQ(state.selection(), op);
    EXPECT_EQ(state.rank(), 2);
    settle();
    // The microbatch is outlined in the other plans, too.
    const auto related = plot().marks().related();
    for (int plan = 0; plan < 3; ++plan)
        EXPECT_TRUE(std::ranges::any_of(related, [&](const QRectF &r) { return plot().lanesArea(plan).intersects(r); })) << plan;
}

TEST_F(FourUp, LosingAPlanDropsItsSelectionAndKeepsTheOthers)
{
    show(4);
    state.setSelection(fixture::opOf(plans[3], 3, 2, OpKind::B, 4));
    plans.pop_back();
    view.setPlans(plans);
    settle();
    EXPECT_FALSE(state.selection());
    EXPECT_EQ(plot().pictures().size(), 3U);
}

TEST_F(FourUp, UnlinkedPlansKeepTheirOwnRanges)
{
    show(4);
    view.setLinked(false);
    settle();
    const TimeRange before = plot().rangeOf(3);
    plot().setRangeOf(1, { 0, 5 * unit });
    plot().setRangeOf(2, { unit, 4 * unit });
    settle();
    EXPECT_EQ(plot().rangeOf(1), (TimeRange{ 0, 5 * unit }));
    EXPECT_EQ(plot().rangeOf(2), (TimeRange{ unit, 4 * unit }));
    EXPECT_EQ(plot().rangeOf(3), before);
}

TEST_F(FourUp, TheStacksOfferEveryPlanAndTheChoiceSurvives)
{
    show(4);
    QAbstractButton *fourth = nullptr;
    for (auto *button : view.stacks().findChildren<QAbstractButton *>()) {
        if (button->isVisible() && button->text() == QLatin1String("D"))
            fourth = button;
    }
    ASSERT_NE(fourth, nullptr);
    QTest::mouseClick(fourth, Qt::LeftButton);
    EXPECT_EQ(view.stacks().mode(), StackMode::Fourth);
    const QByteArray saved = view.saveState();
    view.stacks().setMode(StackMode::Both);
    EXPECT_TRUE(view.restoreState(saved));
    EXPECT_EQ(view.stacks().mode(), StackMode::Fourth);
    // Without a plan D its stacks cannot be shown.
    view.setPlans(plansOf(2));
    EXPECT_EQ(view.stacks().mode(), StackMode::Both);
    EXPECT_TRUE(view.restoreState(saved));
    EXPECT_EQ(view.stacks().mode(), StackMode::Both);
}

TEST(FourUpWindow, PinnedPlansJoinTheAxisAndRemovedOnesLeaveIt)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    const auto shown = [&] { return window.explore().timelines().pictures().size(); };
    EXPECT_EQ(shown(), 2U);
    for (std::size_t expected : { 3U, 4U, 4U }) {
        window.commands().action(QStringLiteral("plan.pin"))->trigger();
        ASSERT_TRUE(open.settle());
        EXPECT_EQ(shown(), expected);
    }
    ASSERT_EQ(window.board().plans().size(), 5U);
    // The fifth takes the place of B.
    const auto fifth = window.board().plans()[4].shown;
    emit window.verdictPanel().compareRequested(4);
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.explore().timelines().pictures()[1]->evaluation, fifth);
    for (int plan : { 4, 3, 2 })
        emit window.verdictPanel().removeRequested(plan);
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(shown(), 2U);
}
