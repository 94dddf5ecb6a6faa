// SPDX-License-Identifier: GPL-3.0-or-later
// The search of Explore under real events: what it finds, in which order, what it draws and says.
#include "tests/views/explorefixture.h"
#include "tests/views/support.h"
#include "views/explore/exploreview.h"
#include "views/explore/searchbar.h"
#include "views/explore/timelineplot.h"
#include "views/plot/matchesitem.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace pipeloom;
using fixture::unit;

namespace
{

class Search : public ExploreTest
{
protected:
    SearchBar &bar() { return view.searchBar(); }
    void searchFor(const char *text)
    {
        QTest::keyClick(&plot(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(&bar().field(), QString::fromLatin1(text));
        settle();
    }
};

} // namespace

TEST_F(Search, OpensWithControlFAndWithASlash)
{
    EXPECT_TRUE(bar().isHidden());
    QTest::keyClick(&plot(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(bar().isVisible());
    EXPECT_TRUE(bar().field().hasFocus());
    QTest::keyClick(&bar().field(), Qt::Key_Escape);
    EXPECT_TRUE(bar().isHidden());
    EXPECT_TRUE(plot().hasFocus());
    QTest::keyClick(&plot(), Qt::Key_Slash);
    EXPECT_TRUE(bar().field().hasFocus());
    EXPECT_TRUE(bar().field().text().isEmpty());
}

TEST_F(Search, CountsAndOutlinesTheMatchesOfBothPlans)
{
    searchFor("kind:F mb:3");
    EXPECT_EQ(bar().message(), QStringLiteral("8 matches"));
    ASSERT_EQ(plot().matches().matches().size(), 8U);
    EXPECT_EQ(plot().matches().matches().front(), plot().opRect(op(0, 0, OpKind::F, 3)));
    EXPECT_EQ(plot().matches().matches().back(), plot().opRect(op(1, 3, OpKind::F, 3)));
    // Ticks below the left edges; F of rank 0 starts in A at 3 units and in B at 4.5, as does no other.
    ASSERT_FALSE(plot().matches().ticks().empty());
    EXPECT_NEAR(plot().matches().ticks().front(), plot().opRect(op(0, 0, OpKind::F, 3)).left(), 1);
    searchFor("");
    bar().field().setText(QStringLiteral("kind:F mb:3 plan:b"));
    settle();
    EXPECT_EQ(bar().message(), QStringLiteral("4 matches"));
    EXPECT_EQ(plot().matches().matches().size(), 4U);
}

TEST_F(Search, EnterGoesThroughTheMatchesInTheOrderOfTimeAndAroundTheEnd)
{
    searchFor("kind:F mb:0 rank:0-1");
    const std::vector<OpRef> order{ op(0, 0, OpKind::F, 0), op(1, 0, OpKind::F, 0), op(0, 1, OpKind::F, 0),
                                    op(1, 1, OpKind::F, 0) };
    for (std::size_t i = 0; i < order.size(); ++i) {
        QTest::keyClick(&bar().field(), Qt::Key_Return);
        ASSERT_TRUE(state.selection());
        EXPECT_EQ(*state.selection(), order[i]) << i;
        EXPECT_EQ(state.rank(), order[i].rank);
        EXPECT_EQ(bar().message(), QStringLiteral("%1 of 4").arg(i + 1));
    }
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    EXPECT_EQ(*state.selection(), order[0]);
    QTest::keyClick(&bar().field(), Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(*state.selection(), order[3]);
    QTest::keyClick(&bar().field(), Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_EQ(*state.selection(), order[2]);
    // The keys go on working in the timelines, after the line has lost the focus.
    plot().setFocus();
    QTest::keyClick(&plot(), Qt::Key_F3);
    EXPECT_EQ(*state.selection(), order[3]);
}

TEST_F(Search, GoesOnFromASelectedOpThatIsNoMatch)
{
    searchFor("kind:B rank:3 plan:A");
    state.setSelection(op(0, 3, OpKind::F, 4));
    EXPECT_EQ(bar().message(), QStringLiteral("8 matches"));
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    EXPECT_EQ(*state.selection(), op(0, 3, OpKind::B, 4));
    EXPECT_EQ(bar().message(), QStringLiteral("5 of 8"));
}

TEST_F(Search, RevealsAMatchThatIsOutOfView)
{
    state.setRange({ 0, 4 * unit });
    settle();
    searchFor("kind:B mb:7 rank:0 plan:A");
    EXPECT_TRUE(plot().matches().matches().empty());
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    settle();
    EXPECT_FALSE(plot().opRect(op(0, 0, OpKind::B, 7)).isEmpty());
    EXPECT_EQ(plot().matches().matches().size(), 1U);
}

TEST_F(Search, EscapeClosesAndKeepsTheSelection)
{
    searchFor("kind:B mb:2");
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    const std::optional<OpRef> selected = state.selection();
    ASSERT_TRUE(selected);
    QTest::keyClick(&bar().field(), Qt::Key_Escape);
    settle();
    EXPECT_EQ(state.selection(), selected);
    EXPECT_TRUE(plot().matches().matches().empty());
    EXPECT_TRUE(plot().matches().ticks().empty());
    // What was searched for is still there.
    QTest::keyClick(&plot(), Qt::Key_F, Qt::ControlModifier);
    settle();
    EXPECT_FALSE(plot().matches().matches().empty());
    EXPECT_EQ(bar().field().selectedText(), QStringLiteral("kind:B mb:2"));
}

TEST_F(Search, SaysWhatIsWrongWithTheText)
{
    searchFor("kin:B");
    EXPECT_EQ(bar().message(), QStringLiteral("unknown key 'kin'; did you mean kind?"));
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    EXPECT_FALSE(state.selection());
    searchFor("mb:99");
    EXPECT_EQ(bar().message(), QStringLiteral("No op matches"));
}

TEST_F(Search, ANewResultIsSearchedAgain)
{
    searchFor("kind:F");
    EXPECT_EQ(bar().message(), QStringLiteral("64 matches"));
    plans = { fixture::shown("A", "1F1B", fixture::oneForwardOneBackward(2, 6)) };
    view.setPlans(plans);
    settle();
    EXPECT_EQ(bar().message(), QStringLiteral("12 matches"));
}

TEST_F(Search, MatchesDenserThanPixelsAreOneOutline)
{
    plans = { fixture::shown("A", "1F1B", fixture::oneForwardOneBackward(2, 20000)) };
    view.setPlans(plans);
    state.showAll();
    searchFor("kind:F");
    EXPECT_EQ(bar().message(), QStringLiteral("40000 matches"));
    EXPECT_LT(plot().matches().matches().size(), 10U);
    EXPECT_LE(plot().matches().ticks().size(), static_cast<std::size_t>(plot().rulerArea().width()) + 1);
}

TEST_F(Search, AMovingPlayheadDoesNotDrawTheMatchesAgain)
{
    searchFor("kind:F");
    QSignalSpy timelines(&plot(), &QCustomPlot::afterReplot);
    state.setPlayhead(5 * unit);
    settle();
    EXPECT_EQ(timelines.count(), 0);
}

TEST(SearchWindow, TheCommandOpensTheSearchAndTheWindowKeepsItsLayout)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    window.commands().action(QStringLiteral("edit.search"))->trigger();
    EXPECT_TRUE(window.explore().searchBar().isVisible());
    QTest::keyClicks(&window.explore().searchBar().field(), QStringLiteral("mb:3 kind:FB"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.explore().isSettled(); }));
    window.commands().action(QStringLiteral("edit.nextMatch"))->trigger();
    EXPECT_TRUE(window.state().selection().has_value());
    EXPECT_TRUE(window.explore().searchBar().message().startsWith(QStringLiteral("1 of ")));
}
