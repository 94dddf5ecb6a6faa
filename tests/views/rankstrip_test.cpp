// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/rankstrip.h"

#include "tests/views/memoryfixture.h"

#include <gtest/gtest.h>

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace pipeloom;
using fixture::gib;

namespace
{

struct Strip
{
    explicit Strip(int ranks, std::optional<CurvePlan> other = std::nullopt, ByteCount less = 0)
    {
        widget.resize(860, 110);
        widget.setPlans(fixture::curvePlan("A", ranks, less), std::move(other));
        widget.show();
    }
    /// A point of a rank's curves: share of the step, height in GiB.
    [[nodiscard]] QPoint point(int rank, double share, double gibibytes) const
    {
        const QRect plot = widget.plotRect(rank);
        const double height = gibibytes * static_cast<double>(gib) / static_cast<double>(widget.top());
        return { plot.left() + static_cast<int>(share * plot.width()),
                 plot.top() + plot.height() - 1 - static_cast<int>(height * plot.height()) };
    }
    void click(int rank) { QTest::mouseClick(widget.viewport(), Qt::LeftButton, {}, widget.cellRect(rank).center()); }
    RankStrip widget;
};

QColor fill(MemoryClass memoryClass, const Theme &theme) { return theme.memory[static_cast<std::size_t>(memoryClass)]; }

} // namespace

TEST(RankStrip, DrawsEveryRankOnOneScale)
{
    for (const Theme &theme : { lightTheme(), darkTheme() }) {
        Strip s(8, std::nullopt, gib / 2);
        s.widget.setTheme(theme);
        s.widget.setRank(3);
        const QImage image = fixture::picture(s.widget);
        for (const int rank : { 0, 4, 7 }) {
            // 6 GiB stand still; at half of the step 4 and 1 more are there, half a GiB less on each rank.
            const double total = 11 - rank / 2.0;
            EXPECT_EQ(image.pixelColor(s.point(rank, 0.5, 5)), fill(MemoryClass::Gradients, theme)) << rank;
            EXPECT_EQ(image.pixelColor(s.point(rank, 0.5, total - 0.4)), fill(MemoryClass::Activations, theme)) << rank;
            EXPECT_NE(image.pixelColor(s.point(rank, 0.5, total + 0.4)), fill(MemoryClass::Activations, theme)) << rank;
            EXPECT_NE(image.pixelColor(s.point(rank, 0.1, 6.5)), fill(MemoryClass::Activations, theme)) << rank;
            const QRect plot = s.widget.plotRect(rank);
            const QRect limit(plot.left(), s.point(rank, 0, 10).y() - 1, plot.width(), 3);
            EXPECT_EQ(fixture::countPixels(image, limit, theme.err), plot.width()) << rank;
        }
        // The peak's number is red above usable, 9 GiB: up to rank 3. The selected rank has a frame.
        const auto red = [&](int rank) {
            return fixture::countPixels(image, s.widget.cellRect(rank).adjusted(4, 3, -4, -92), theme.err);
        };
        EXPECT_GT(red(0), 5);
        EXPECT_GT(red(3), 5);
        EXPECT_EQ(red(4), 0);
        EXPECT_EQ(image.pixelColor(s.widget.cellRect(3).topLeft()), theme.accent);
        EXPECT_EQ(image.pixelColor(s.widget.cellRect(3).topLeft() + QPoint(2, 2)), theme.accentBg);
        EXPECT_EQ(image.pixelColor(s.widget.cellRect(2).topLeft()), theme.panel);
    }
}

TEST(RankStrip, TheOtherPlanIsADashedLineOnTheSameTimes)
{
    Strip s(4, fixture::curvePlan("B", 4, 0, 2));
    const QImage image = fixture::picture(s.widget);
    const QRect plot = s.widget.plotRect(2);
    // B holds 10 GiB from 6 to 8 s of 10; A's step ends at 5 s.
    const int top = s.point(2, 0, 8).y();
    const QRect behind(plot.left() + plot.width() * 6 / 10 + 2, top, plot.width() * 2 / 10 - 4, plot.bottom() - top);
    EXPECT_EQ(fixture::countPixels(image, behind, lightTheme().text), 0);
    const QRect line(behind.left(), s.point(2, 0, 10).y() - 2, behind.width(), 5);
    const int dark = fixture::countPixels(image, line, lightTheme().text);
    EXPECT_GT(dark, line.width() / 3);
    EXPECT_LT(dark, line.width() * 4 / 5);
    EXPECT_EQ(fixture::countPixels(image, behind, fill(MemoryClass::Gradients, lightTheme())), 0);
}

TEST(RankStrip, ClickAndKeysChoose)
{
    Strip s(8);
    QSignalSpy chosen(&s.widget, &RankStrip::rankChosen);
    const auto last = [&] { return chosen.back()[0].toInt(); };
    s.click(5);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(last(), 5);
    EXPECT_EQ(s.widget.rank(), 5);
    QTest::keyClick(&s.widget, Qt::Key_Right);
    EXPECT_EQ(last(), 6);
    QTest::keyClick(&s.widget, Qt::Key_Up);
    EXPECT_EQ(last(), 5);
    QTest::keyClick(&s.widget, Qt::Key_End);
    EXPECT_EQ(last(), 7);
    const auto count = chosen.count();
    QTest::keyClick(&s.widget, Qt::Key_Right); // there is no rank 8
    EXPECT_EQ(chosen.count(), count);
    QTest::keyClick(&s.widget, Qt::Key_Home);
    EXPECT_EQ(last(), 0);
    s.widget.setRank(4); // told, not chosen
    EXPECT_EQ(chosen.count(), count + 1);
}

TEST(RankStrip, OneToSixtyFourRanksShrinkThenScroll)
{
    for (const int ranks : { 1, 2, 8, 12, 16, 64 }) {
        Strip s(ranks);
        const QRect view = s.widget.viewport()->rect();
        EXPECT_EQ(s.widget.cellRect(0).left(), 2) << ranks;
        for (int rank = 0; rank < ranks; ++rank) {
            const QRect cell = s.widget.cellRect(rank);
            EXPECT_GE(cell.width(), 48) << ranks;
            EXPECT_LE(cell.width(), 150) << ranks;
            EXPECT_GE(s.widget.plotRect(rank).left(), cell.left());
            EXPECT_LE(s.widget.plotRect(rank).right(), cell.right());
            EXPECT_EQ(s.widget.plotRect(rank).width(), s.widget.plotRect(0).width());
            EXPECT_EQ(cell.left(), rank == 0 ? 2 : s.widget.cellRect(rank - 1).right() + 5) << ranks;
            EXPECT_EQ(s.widget.rankAt(cell.center()), view.contains(cell.center()) ? rank : -1);
        }
        const bool scrolls = s.widget.horizontalScrollBar()->maximum() > 0;
        EXPECT_EQ(scrolls, ranks > 16) << ranks;
        EXPECT_EQ(s.widget.title(0), ranks <= 8 ? QStringLiteral("rank 0") : QStringLiteral("0")) << ranks;
        // The last rank comes into view, whole.
        s.widget.setRank(ranks - 1);
        EXPECT_LE(s.widget.cellRect(ranks - 1).right(), view.right());
        EXPECT_GE(s.widget.cellRect(ranks - 1).left(), view.left());
        s.widget.setRank(0);
        EXPECT_EQ(s.widget.cellRect(0).left(), 2) << ranks;
    }
}

TEST(RankStrip, TheWheelScrollsAndThePointerFindsTheScrolledRank)
{
    Strip s(64);
    QScrollBar &bar = *s.widget.horizontalScrollBar();
    const QPoint at(200, 50);
    const int before = s.widget.rankAt(at);
    QWheelEvent event(at, s.widget.mapToGlobal(at), {}, QPoint(0, -240), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(s.widget.viewport(), &event);
    EXPECT_EQ(bar.value(), 2 * 52);
    EXPECT_EQ(s.widget.rankAt(at), before + 2);
    QSignalSpy chosen(&s.widget, &RankStrip::rankChosen);
    QTest::mouseClick(s.widget.viewport(), Qt::LeftButton, {}, at);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), before + 2);
}

TEST(RankStrip, SaysInWordsWhatItShows)
{
    Strip s(4, fixture::curvePlan("B", 2, gib, 2), gib);
    s.widget.setRank(1);
    EXPECT_EQ(s.widget.details(1),
              QStringLiteral("Rank 1 of plan A peaks at 10.0 GiB at 2.00 s, of which 6.0 GiB do not move. Usable 9.0 GiB, HBM "
                             "10.0 GiB.\nRank 1 of plan B peaks at 10.0 GiB at 4.00 s, of which 6.0 GiB do not move. Usable 9.0 "
                             "GiB, HBM 10.0 GiB."));
    EXPECT_EQ(s.widget.accessibleDescription(), s.widget.details(1));
    EXPECT_EQ(s.widget.details(3).count(QLatin1Char('\n')), 0); // B has two ranks
    EXPECT_TRUE(s.widget.details(9).isEmpty());
}
