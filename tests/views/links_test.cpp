// SPDX-License-Identifier: GPL-3.0-or-later
// Arrows of the hovered op: from what it needs, to who needs it.
#include "core/timeline/links.h"
#include "tests/views/explorefixture.h"
#include "views/explore/exploreview.h"
#include "views/explore/timelineplot.h"
#include "views/plot/linksitem.h"

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QTest>

#include <algorithm>

using namespace pipeloom;

namespace
{

class Links : public ExploreTest
{
protected:
    void hover(const QPointF &at)
    {
        QMouseEvent event(QEvent::MouseMove, at, view.timelines().mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&view.timelines(), &event);
        settle();
    }
};

} // namespace

// 1F1B, F of microbatch 2 on rank 1: takes F2 of rank 0, and gives to F2 of rank 2 and to its own B2.
TEST_F(Links, TheHoveredForwardPointsAtItsSourceAndItsTwoTakers)
{
    EXPECT_TRUE(plot().arrows().arrows().empty());
    const OpRef middle = op(0, 1, OpKind::F, 2);
    hover(plot().opRect(middle).center());
    const auto &arrows = plot().arrows().arrows();
    ASSERT_EQ(arrows.size(), 3U);
    const QRectF source = plot().opRect(op(0, 0, OpKind::F, 2));
    EXPECT_TRUE(arrows[0].input);
    EXPECT_NEAR(arrows[0].from.x(), source.right(), 1.5);
    EXPECT_NEAR(arrows[0].from.y(), source.center().y(), 1.5);
    EXPECT_NEAR(arrows[0].to.x(), plot().opRect(middle).left(), 1.5);
    for (const auto &[rank, kind] : { std::pair(2, OpKind::F), std::pair(1, OpKind::B) }) {
        const QRectF taker = plot().opRect(op(0, rank, kind, 2));
        EXPECT_TRUE(std::ranges::any_of(arrows,
                                        [&](const LinksItem::Arrow &arrow) {
                                            return !arrow.input && std::abs(arrow.to.x() - taker.left()) < 1.5
                                                && std::abs(arrow.to.y() - taker.center().y()) < 1.5;
                                        }))
            << "rank " << rank;
    }
}

TEST_F(Links, TheyStayForTheSelectionAndGoWithIt)
{
    state.setSelection(op(1, 1, OpKind::F, 0));
    settle();
    EXPECT_FALSE(plot().arrows().arrows().empty());
    for (const LinksItem::Arrow &arrow : plot().arrows().arrows())
        EXPECT_EQ(arrow.area, plot().lanesArea(1));
    state.setSelection(std::nullopt);
    settle();
    EXPECT_TRUE(plot().arrows().arrows().empty());
}

// What is out of view stands on the edge of the lanes, without dot or head.
TEST_F(Links, AnEndOutOfViewStandsOnTheEdge)
{
    const OpRef middle = op(0, 1, OpKind::F, 2);
    const Timeline &timeline = plans[0].shown->timeline;
    state.setRange({ timeline.start[middle.op], timeline.end[middle.op] });
    state.setSelection(middle);
    settle();
    const auto &arrows = plot().arrows().arrows();
    ASSERT_FALSE(arrows.empty());
    const QRectF area = plot().lanesArea(0);
    for (const LinksItem::Arrow &arrow : arrows) {
        for (const QPointF &end : { arrow.from, arrow.to }) {
            EXPECT_GE(end.x(), area.left() - 1);
            EXPECT_LE(end.x(), area.right() + 1);
        }
    }
    // Its takers begin after it ends: beyond the view.
    EXPECT_TRUE(std::ranges::any_of(arrows, [](const LinksItem::Arrow &arrow) { return !arrow.toShown; }));
}
