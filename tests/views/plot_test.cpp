// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the plots that are pure geometry and text, and what the plottables put on a canvas.
#include "tests/views/fixture.h"
#include "views/explore/timelineplot.h"
#include "views/plot/exportplot.h"
#include "views/plot/numbers.h"
#include "views/plot/paint.h"
#include "views/plot/stackbars.h"
#include "views/plot/timemap.h"
#include "views/plot/timeticker.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>

using namespace pipeloom;

namespace
{

/// A timeline plot with the two hand-made plans, laid out at a size, without a window.
struct Plot
{
    explicit Plot(std::vector<ShownPlan> plans = fixture::twoPlans(), QSize size = QSize(900, 500))
    {
        TimelinePlot::Pictures pictures;
        Nanoseconds extent = 0;
        for (const ShownPlan &plan : plans) {
            pictures.push_back(makePicture(plan, allOpClasses, true));
            extent = std::max(extent, pictures.back()->end);
        }
        state.setExtent(extent);
        plot.setPictures(pictures);
        plot.resize(size);
        plot.setViewport(QRect(QPoint(0, 0), size));
        plot.updateView();
    }
    QImage image()
    {
        plot.updateView();
        return paintImage({ plot.size(), [this](QCPPainter &p) { plot.toPainter(&p, plot.width(), plot.height()); } }, 1);
    }
    ViewState state;
    TimelinePlot plot{ &state };
};

int countPixels(const QImage &image, const QRect &area, const QColor &colour)
{
    int count = 0;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        for (int x = area.left(); x <= area.right(); ++x)
            count += image.pixelColor(x, y) == colour ? 1 : 0;
    }
    return count;
}

} // namespace

TEST(TimeMap, MapsBothWaysWithinAPixel)
{
    for (const double ratio : { 1.0, 1.5, 2.0 }) {
        const TimeMap map = TimeMap::fit({ 1'234'567, 9'876'543'210 }, 54, 900, ratio);
        for (const Nanoseconds time : { 1'234'567LL, 5'000'000'000LL, 9'876'543'210LL })
            EXPECT_NEAR(static_cast<double>(map.time(map.x(static_cast<double>(time)))), static_cast<double>(time), 1);
        EXPECT_NEAR(map.x(1'234'567), 54, 0.5 / ratio + 1e-9); // the origin snaps by less than half a device pixel
        EXPECT_EQ(map.columns(), std::llround(900 * ratio));
    }
}

TEST(TimeMap, PanningByWholePixelsMovesTheOriginExactly)
{
    const TimeRange range{ 777, 777 + 10'000'000'000 };
    const TimeMap map = TimeMap::fit(range, 54, 913, 1);
    for (const int pixels : { 1, 2, 13, 500, 912 }) {
        const Nanoseconds shift = std::llround(pixels * map.nsPerColumn);
        const TimeMap moved = TimeMap::fit({ range.begin + shift, range.end + shift }, 54, 913, 1);
        EXPECT_EQ(moved.origin, map.origin + pixels);
        EXPECT_EQ(moved.nsPerColumn, map.nsPerColumn);
    }
}

TEST(TimeMap, AnotherRatioShowsTheSamePicture)
{
    const TimeMap map = TimeMap::fit({ 100'000, 5'100'000 }, 54, 800, 1);
    const TimeMap fine = map.withRatio(3);
    EXPECT_DOUBLE_EQ(fine.start(), map.start());
    EXPECT_NEAR(fine.end(), map.end(), fine.nsPerColumn);
    EXPECT_NEAR(fine.x(2'000'000), map.x(2'000'000), 1e-6);
}

TEST(Numbers, FollowTheDesign)
{
    EXPECT_EQ(wholeNumber(1024), QStringLiteral("1,024"));
    EXPECT_EQ(gibWithUnit(ByteCount{ 92 } << 30), QStringLiteral("92.0 GiB"));
    EXPECT_EQ(gibWithUnit(ByteCount{ 64 } << 20), QStringLiteral("64 MiB"));
    EXPECT_EQ(signedGib(-(ByteCount{ 5 } << 30)), QString::fromUtf8("−5.0"));
    EXPECT_EQ(signedGib(ByteCount{ 5 } << 30), QStringLiteral("+5.0"));
    EXPECT_EQ(signedGib(0), QStringLiteral("0.0"));
    EXPECT_EQ(percent(0.259), QStringLiteral("25.9"));
    EXPECT_EQ(milliseconds(278'000'000), QStringLiteral("278 ms"));
    EXPECT_EQ(milliseconds(12'440'000), QStringLiteral("12.4 ms"));
    EXPECT_EQ(TimeUnit::forView(10'000'000'000, 11e6).text(1.1e9), QStringLiteral("1.10 s"));
    EXPECT_EQ(TimeUnit::forView(10'000'000'000, 1e4).text(1.1e9), QStringLiteral("1.10000 s"));
    EXPECT_EQ(TimeUnit::forView(400'000'000, 1e6).text(20e6), QStringLiteral("20 ms"));
}

TEST(TimeTicker, NamesTheUnitAtBothEndsAndStaysInView)
{
    TimeTicker ticker;
    ticker.setExtent(10'200'000'000);
    ticker.setWidth(920);
    QVector<double> ticks, subTicks;
    QVector<QString> labels;
    ticker.generate(QCPRange(0, 10.302e9), QLocale::c(), QLatin1Char('f'), 0, ticks, &subTicks, &labels);
    ASSERT_EQ(labels.size(), 11);
    EXPECT_EQ(labels.first(), QStringLiteral("0 s"));
    EXPECT_EQ(labels[1], QStringLiteral("1"));
    EXPECT_EQ(labels.last(), QStringLiteral("10 s"));
    ticker.generate(QCPRange(2.0e9, 2.02e9), QLocale::c(), QLatin1Char('f'), 0, ticks, &subTicks, &labels);
    ASSERT_GE(labels.size(), 5);
    EXPECT_EQ(labels[1], QStringLiteral("2.002"));
    for (const double tick : ticks)
        EXPECT_TRUE(tick >= 2.0e9 - 1 && tick <= 2.02e9 + 1);
}

TEST(PlanPicture, HoldsLanesWordsAndProblems)
{
    const auto plans = fixture::twoPlans();
    const auto picture = makePicture(plans[0], allOpClasses, true);
    EXPECT_TRUE(picture->hasLanes());
    EXPECT_EQ(picture->ranks, 4);
    EXPECT_EQ(picture->subtitle, QStringLiteral("1 stage per rank, 8 microbatches from rank 0"));
    // 1F1B with F + B = 3 units: makespan (M + P - 1) x 3 = 33 units, busy 24.
    EXPECT_EQ(picture->makespan, 33 * fixture::unit);
    EXPECT_EQ(picture->end, 36 * fixture::unit);
    EXPECT_EQ(picture->idle[0], QStringLiteral("27.3"));
    EXPECT_EQ(picture->stages[2], QStringLiteral("s2"));
    EXPECT_EQ(inFlightText(plans[0].shown->timeline), QStringLiteral("4 to 1"));
    EXPECT_EQ(picture->memoryAt(0, 0), ByteCount{ 4 } << 30);
    EXPECT_EQ(picture->memoryAt(9, 0), 0);

    ShownPlan broken = plans[0];
    broken.latest = fixture::invalid();
    const auto problem = makePicture(broken, allOpClasses, true);
    ASSERT_TRUE(problem->problem);
    EXPECT_FALSE(problem->hasLanes());
    EXPECT_TRUE(problem->stale);
    EXPECT_EQ(problem->problem->title, QStringLiteral("No schedule for M = 10"));
    EXPECT_EQ(problem->problem->fixLabel, QStringLiteral("Use 2,048"));
    EXPECT_EQ(problem->problem->fix.set[0].json, "2048");
}

TEST(TimelinePlot, FindsOpsUnderThePointer)
{
    Plot p;
    const auto plans = fixture::twoPlans();
    for (const int plan : { 0, 1 }) {
        for (const int rank : { 0, 3 }) {
            const OpRef op = fixture::opOf(plans[static_cast<std::size_t>(plan)], plan, rank, OpKind::B, 5);
            const QRectF rect = p.plot.opRect(op);
            ASSERT_FALSE(rect.isEmpty());
            const TimelineHit hit = p.plot.hit(rect.center());
            EXPECT_EQ(hit.zone, TimelineHit::Zone::Lanes);
            ASSERT_TRUE(hit.op);
            EXPECT_EQ(*hit.op, op);
        }
    }
    EXPECT_EQ(p.plot.hit(QPointF(20, p.plot.lanesArea(1).top() + 3)).zone, TimelineHit::Zone::Gutter);
    EXPECT_EQ(p.plot.hit(p.plot.rulerArea().center()).zone, TimelineHit::Zone::Ruler);
    EXPECT_EQ(p.plot.hit(p.plot.stripArea().center()).zone, TimelineHit::Zone::Strip);
    EXPECT_EQ(p.plot.hit(QPointF(p.plot.stripArea().left(), p.plot.lanesArea(0).top() - 3)).zone, TimelineHit::Zone::Flag);
    EXPECT_EQ(p.plot.hit(QPointF(-5, -5)).zone, TimelineHit::Zone::None);
}

TEST(TimelinePlot, LanesShareTheHeightAndKeepTheOrder)
{
    for (const int height : { 220, 420, 700, 1500 }) {
        Plot p(fixture::twoPlans(), QSize(900, height));
        EXPECT_LE(p.plot.lanesArea(0).bottom() + PlanHeader::height, p.plot.lanesArea(1).top());
        EXPECT_LT(p.plot.lanesArea(1).bottom(), p.plot.stripArea().top());
        EXPECT_EQ(p.plot.stripArea().bottom(), p.plot.rulerArea().top());
        EXPECT_EQ(p.plot.rulerArea().bottom(), height);
        const double pitch = p.plot.lanes(0).layout().pitch;
        EXPECT_GE(pitch, TimelinePlot::smallestPitch);
        EXPECT_LE(pitch, TimelinePlot::largestPitch);
        EXPECT_EQ(pitch, std::floor(pitch));
    }
}

TEST(TimelinePlot, ManyRanksScrollAndTheSelectedOneIsRevealed)
{
    Plot p({ fixture::shown("A", "1F1B", fixture::oneForwardOneBackward(64, 64)) }, QSize(900, 420));
    EXPECT_EQ(p.plot.lanes(0).layout().pitch, TimelinePlot::smallestPitch);
    EXPECT_LT(p.plot.lanes(0).layout().count, 64);
    EXPECT_FALSE(p.plot.lanes(0).showsNumbers(OpClass::Forward));
    const OpRef last = fixture::opOf(fixture::shown("A", "", fixture::oneForwardOneBackward(64, 64)), 0, 63, OpKind::F, 0);
    EXPECT_TRUE(p.plot.opRect(last).isEmpty());
    p.plot.revealRank(63);
    p.plot.updateView();
    EXPECT_FALSE(p.plot.opRect(last).isEmpty());
    EXPECT_TRUE(p.plot.scrollLanes(0, -100));
    p.plot.updateView();
    EXPECT_EQ(p.plot.lanes(0).layout().first, 0);
}

TEST(TimelinePlottable, DrawsEachKindInItsColourAndBubblesOnlyInsideTheMakespan)
{
    for (const Theme &theme : { lightTheme(), darkTheme() }) {
        Plot p;
        p.plot.setTheme(theme);
        const QImage image = p.image();
        const auto plans = fixture::twoPlans();
        const auto colourAt = [&](const OpRef &op, double share) {
            const QRectF rect = p.plot.opRect(op);
            return image.pixelColor(static_cast<int>(rect.left() + share * rect.width()), static_cast<int>(rect.top()) + 1);
        };
        EXPECT_EQ(colourAt(fixture::opOf(plans[0], 0, 0, OpKind::F, 1), 0.2), theme.forward.fill);
        EXPECT_EQ(colourAt(fixture::opOf(plans[0], 0, 0, OpKind::B, 7), 0.2), theme.inputGradient.fill);
        EXPECT_EQ(colourAt(fixture::opOf(plans[0], 0, 0, OpKind::B, 7), 0.7), theme.weightGradient.fill);
        // Behind the makespan comes the optimizer, behind it the plain lane.
        const TimeMap &map = p.plot.mapOf(0);
        const QRectF lanes = p.plot.lanesArea(0);
        const auto x = [&](double units) { return static_cast<int>(map.x(units * static_cast<double>(fixture::unit))); };
        EXPECT_EQ(image.pixelColor(x(34.5), static_cast<int>(lanes.top()) + 1), theme.optimizer.fill);
        EXPECT_EQ(image.pixelColor(x(36.4), static_cast<int>(lanes.top()) + 1), theme.lane);
        // Rank 3 waits three units before its first op: hatched, no plain lane.
        const int top = static_cast<int>(lanes.top() + 3 * p.plot.lanes(0).layout().pitch);
        const QRect waiting(x(0.2), top, x(2.8) - x(0.2), 10);
        EXPECT_EQ(countPixels(image, waiting, theme.lane), 0);
        EXPECT_GT(countPixels(image, waiting, theme.hatchBg), waiting.width() * waiting.height() / 4);
    }
}

TEST(TimelinePlottable, NumbersAreDecidedOncePerKind)
{
    Plot p;
    EXPECT_TRUE(p.plot.lanes(0).showsNumbers(OpClass::Forward));
    EXPECT_FALSE(p.plot.lanes(0).showsNumbers(OpClass::Pair)); // there is none
    EXPECT_FALSE(p.plot.lanes(0).showsNumbers(OpClass::Optimizer));
    Plot narrow(fixture::twoPlans(), QSize(300, 500));
    EXPECT_FALSE(narrow.plot.lanes(0).showsNumbers(OpClass::Forward));
    EXPECT_DOUBLE_EQ(TimelinePlottable::labelSize(21), 9.45);
    EXPECT_EQ(TimelinePlottable::labelSize(14), 9);
    EXPECT_EQ(TimelinePlottable::labelSize(40), 13);
}

TEST(TimelinePlottable, APanByWholePixelsMovesThePictureWithoutAnyChange)
{
    // 16 ranks with 200 microbatches on 900 px: ops shorter than a pixel, where unsnapped columns would flicker.
    Plot p({ fixture::shown("A", "1F1B", fixture::oneForwardOneBackward(16, 200)) }, QSize(980, 420));
    p.state.setRange({ p.state.extent() / 4, p.state.extent() / 2 });
    const QImage before = p.image();
    const TimeMap map = p.plot.mapOf(0);
    const int shift = 37;
    const Nanoseconds moved = std::llround(shift * map.nsPerColumn);
    p.state.setRange({ p.state.range().begin + moved, p.state.range().end + moved });
    const QImage after = p.image();
    const QRect lanes = p.plot.lanesArea(0).toRect();
    int different = 0;
    for (int y = lanes.top(); y < lanes.bottom(); ++y) {
        for (int x = lanes.left() + 1; x < lanes.right() - shift - 1; ++x)
            different += after.pixel(x, y) != before.pixel(x + shift, y) ? 1 : 0;
    }
    EXPECT_EQ(different, 0);
}

TEST(TimelinePlottable, HiddenClassesLeaveNoBubble)
{
    Plot p;
    TimelinePlot::Pictures pictures;
    for (const ShownPlan &plan : fixture::twoPlans())
        pictures.push_back(makePicture(plan, allOpClasses & ~OpClassMask{ 1 }, true));
    p.plot.setPictures(pictures);
    const QImage image = p.image();
    const QRectF rect = p.plot.opRect(fixture::opOf(fixture::twoPlans()[0], 0, 0, OpKind::F, 1));
    EXPECT_EQ(image.pixelColor(rect.center().toPoint()), lightTheme().lane);
    EXPECT_FALSE(p.plot.hit(rect.center()).op);
}

TEST(TimelinePlottable, AResultThatIsBeingReplacedIsDimmed)
{
    Plot p;
    const QRectF rect = p.plot.opRect(fixture::opOf(fixture::twoPlans()[0], 0, 0, OpKind::F, 1));
    const QPoint inside(static_cast<int>(rect.left()) + 2, static_cast<int>(rect.top()) + 1);
    p.plot.setUpdating(0, 400);
    EXPECT_EQ(p.image().pixelColor(inside), lightTheme().forward.fill);
    p.plot.setUpdating(0, 1500);
    EXPECT_EQ(p.image().pixelColor(inside), mixed(lightTheme().forward.fill, lightTheme().hatchBg, 0.45));
}

TEST(StackBars, FollowTheCurveAndKnowTheLimits)
{
    QCustomPlot plot;
    plot.resize(600, 300);
    plot.setViewport(QRect(0, 0, 600, 300));
    auto *bars = new StackBarPlottable(plot.xAxis, plot.yAxis);
    TimelinePlot::Pictures pictures;
    for (const ShownPlan &plan : fixture::twoPlans())
        pictures.push_back(makePicture(plan, allOpClasses, true));
    bars->setPictures(pictures);
    bars->setArea(QRectF(46, 22, 500, 240));
    EXPECT_EQ(bars->ranks(), 4);
    EXPECT_EQ(bars->highest(), 12); // HBM is 10 GiB
    EXPECT_EQ(bars->rankAt(bars->rankRect(2).center()), 2);
    EXPECT_EQ(bars->rankAt(QPointF(5, 100)), -1);
    const auto draw = [&] { return paintImage({ QSize(600, 300), [&](QCPPainter &p) { plot.toPainter(&p, 600, 300); } }, 1); };
    const auto gold = [&](const QImage &image, int rank) {
        return countPixels(image, bars->rankRect(rank).toRect(),
                           lightTheme().memory[static_cast<std::size_t>(MemoryClass::Activations)]);
    };
    bars->setTime(0);
    const QImage early = draw();
    bars->setTime(4 * fixture::unit);
    const QImage later = draw();
    EXPECT_GT(gold(later, 0), 2 * gold(early, 0)); // one microbatch, then four
    EXPECT_EQ(gold(early, 2), 0); // nothing has arrived there
    EXPECT_GT(countPixels(early, QRect(46, 0, 500, 260), lightTheme().err), 400); // the HBM line
    bars->setMode(StackMode::Difference);
    EXPECT_LT(bars->lowest(), 0);
}

TEST(MemoryStrip, FillsOnlyWhatExceedsTheMemory)
{
    // Rank 0 holds eight microbatches: 11 GiB of 10. Rank 7 holds one: 4 GiB.
    Plot p({ fixture::shown("A", "1F1B", fixture::oneForwardOneBackward(8, 16)) });
    const QColor excess = mixed(lightTheme().err, lightTheme().lane, 0.28);
    p.state.setRank(0);
    const QImage over = p.image();
    EXPECT_GT(countPixels(over, p.plot.stripArea().toRect(), excess), 100);
    p.state.setRank(7);
    const QImage under = p.image();
    EXPECT_EQ(countPixels(under, p.plot.stripArea().toRect(), excess), 0);
    EXPECT_NE(over, under);
}

TEST(Export, WritesWholeFilesOrNothing)
{
    QTemporaryDir folder;
    const ExportPicture picture{ QSize(40, 30), [](QCPPainter &p) { p.fillRect(QRectF(0, 0, 20, 30), QColor(Qt::red)); } };
    QString error;
    const QString png = folder.filePath(QStringLiteral("a.png"));
    ASSERT_TRUE(writePicture(picture, png, QStringLiteral("PNG"), 3, &error)) << error.toStdString();
    const QImage image(png);
    EXPECT_EQ(image.size(), QSize(120, 90));
    EXPECT_EQ(image.pixelColor(30, 45), QColor(Qt::red));
    EXPECT_FALSE(writePicture(picture, folder.filePath(QStringLiteral("a.bmp")), QStringLiteral("bmp"), 1, &error));
    EXPECT_TRUE(error.contains(QStringLiteral("png, svg or pdf")));
    EXPECT_FALSE(writePicture(picture, folder.filePath(QStringLiteral("none/a.png")), QStringLiteral("png"), 1, &error));
    EXPECT_FALSE(error.contains(QStringLiteral("a.png"))); // the caller names the file
    EXPECT_FALSE(error.isEmpty());
    ASSERT_TRUE(writePicture(picture, folder.filePath(QStringLiteral("a.svg")), QStringLiteral("svg"), 1, &error));
    ASSERT_TRUE(writePicture(picture, folder.filePath(QStringLiteral("a.pdf")), QStringLiteral("pdf"), 1, &error));
}
