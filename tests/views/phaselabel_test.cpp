// SPDX-License-Identifier: GPL-3.0-or-later
// The phase of the selected rank at the playhead, in the header of a plan.
#include "support.h"

#include "fixture.h"
#include "views/explore/exploreview.h"
#include "views/explore/timelineplot.h"

#include <gtest/gtest.h>

namespace pipeloom
{

namespace
{

using fixture::unit;

bool settle(const ExploreView &view)
{
    return QTest::qWaitFor([&] { return view.isSettled(); }, patience);
}

} // namespace

TEST(PhaseLabel, followsThePlayheadAndTheRank)
{
    ViewState state;
    ExploreView view(&state);
    view.setPlans(fixture::twoPlans());
    view.resize(1400, 900);
    view.show();
    ASSERT_TRUE(settle(view));
    const PhaseLabel &a = view.timelines().phaseLabel(0);
    const PhaseLabel &b = view.timelines().phaseLabel(1);
    EXPECT_EQ(a.shownText(), QStringLiteral("Rank 0: Warm-up"));

    // 1F1B on 4 ranks, F 1, B 2: the first backward of rank 0 starts at 4 F + 3 B = 10; in plan B everything is half as long
    // again.
    state.setPlayhead(10 * unit);
    ASSERT_TRUE(settle(view));
    EXPECT_EQ(a.shownText(), QStringLiteral("Rank 0: Steady state"));
    EXPECT_EQ(b.shownText(), QStringLiteral("Rank 0: Warm-up"));
    state.setRank(3);
    ASSERT_TRUE(settle(view));
    EXPECT_EQ(a.shownText(), QStringLiteral("Rank 3: Steady state"));
    EXPECT_EQ(b.shownText(), QStringLiteral("Rank 3: Steady state"));
    state.setRank(0);
    const Evaluation &first = *fixture::twoPlans()[0].latest;
    state.setPlayhead(first.timeline.makespan - 1);
    ASSERT_TRUE(settle(view));
    EXPECT_EQ(a.shownText(), QStringLiteral("Rank 0: Cool-down"));
    state.setPlayhead(first.timeline.makespan);
    ASSERT_TRUE(settle(view));
    EXPECT_EQ(a.shownText(), QStringLiteral("Rank 0: Optimizer"));
}

TEST(PhaseLabel, isDrawnWithoutAReplotOfTheLanes)
{
    for (const Theme &theme : { lightTheme(), darkTheme() }) {
        ViewState state;
        ExploreView view(&state);
        view.setTheme(theme);
        view.setPlans(fixture::twoPlans());
        view.resize(1400, 900);
        view.show();
        ASSERT_TRUE(settle(view));
        TimelinePlot &plot = view.timelines();
        QSignalSpy replots(&plot, &QCustomPlot::afterReplot);
        const auto header = [&] { return plot.grab(QRect(0, 0, plot.width(), PlanHeader::height - 6)).toImage(); };
        const QImage before = header();
        state.setPlayhead(10 * unit);
        ASSERT_TRUE(settle(view));
        EXPECT_NE(header(), before);
        EXPECT_EQ(replots.count(), 0);
    }
}

TEST(PhaseLabel, aPlanWithoutScheduleOrRankHasNone)
{
    ViewState state;
    ExploreView view(&state);
    view.setPlans({ fixture::shown("A", "DualPipe", fixture::invalid()), fixture::twoPlans()[0] });
    view.resize(1400, 900);
    view.show();
    ASSERT_TRUE(settle(view));
    EXPECT_TRUE(view.timelines().phaseLabel(0).text().isEmpty());
    EXPECT_EQ(view.timelines().phaseLabel(1).text(), QStringLiteral("Rank 0: Warm-up"));
}

TEST(PhaseLabel, dualPipesStepsPassInTheWindow)
{
    OpenWindow open;
    ViewState &state = open.window->state();
    const ExploreView &view = open.window->explore();
    ASSERT_TRUE(settle(view));
    const PhaseLabel &label = view.timelines().phaseLabel(0);
    const Evaluation &plan = *open.window->board().plans()[0].latest;
    std::vector<int> steps;
    for (const Op &op : plan.schedule.rank(state.rank())) {
        if (steps.empty() || steps.back() != op.step)
            steps.push_back(op.step);
    }
    ASSERT_GE(steps.size(), 4U);
    const std::size_t first = plan.schedule.begin[static_cast<std::size_t>(state.rank())];
    std::size_t at = first;
    for (const int step : steps) {
        while (plan.schedule.ops[at].step != step)
            ++at;
        state.setPlayhead(plan.timeline.start[at]);
        ASSERT_TRUE(settle(view));
        EXPECT_TRUE(label.text().startsWith(QStringLiteral("Rank %1: Step %2 of 8: ").arg(state.rank()).arg(step)))
            << label.text().toStdString();
        EXPECT_FALSE(label.shownText().isEmpty());
    }
}

} // namespace pipeloom
