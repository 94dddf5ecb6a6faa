// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/views/fixture.h"
#include "views/explore/exploreview.h"
#include "views/explore/timelineplot.h"

#include <gtest/gtest.h>

#include <QTest>

#include <vector>

namespace pipeloom
{

/// A shown Explore view on the two plans of the fixture, with everything drawn.
class ExploreTest : public testing::Test
{
protected:
    void SetUp() override
    {
        view.resize(1020, 900);
        view.setReduceMotion(true); // zoom at once
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
    [[nodiscard]] OpRef op(int plan, int rank, OpKind kind, int microbatch) const
    {
        return fixture::opOf(plans[static_cast<std::size_t>(plan)], plan, rank, kind, microbatch);
    }

    std::vector<ShownPlan> plans = fixture::twoPlans();
    ViewState state;
    ExploreView view{ &state };
};

} // namespace pipeloom
