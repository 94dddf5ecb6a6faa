// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/stackedcurve.h"

#include "tests/views/memoryfixture.h"
#include "views/explore/hovercard.h"
#include "views/plot/paint.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <numeric>
#include <random>

using namespace pipeloom;
using fixture::gib;
using fixture::second;

namespace
{

struct Curve
{
    explicit Curve(std::optional<CurvePlan> other = std::nullopt, QSize size = QSize(860, 300))
    {
        widget.resize(size);
        widget.setPlans(fixture::curvePlan("A", 2, gib), std::move(other));
        widget.show();
    }
    [[nodiscard]] int x(double seconds) const
    {
        return static_cast<int>(std::floor(widget.area().timeMap().x(seconds * static_cast<double>(second))));
    }
    [[nodiscard]] int y(double gibibytes) const
    {
        return static_cast<int>(std::floor(widget.area().y(std::llround(gibibytes * static_cast<double>(gib)))));
    }
    [[nodiscard]] QPoint point(double seconds, double gibibytes) const { return { x(seconds), y(gibibytes) }; }
    void wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QWheelEvent event(at, widget.mapToGlobal(at), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&widget, &event);
    }
    StackedCurve widget;
};

QColor colourOf(MemoryClass memoryClass, const Theme &theme) { return theme.memory[static_cast<std::size_t>(memoryClass)]; }

std::vector<MemoryPoint> randomCurve(std::size_t points)
{
    std::mt19937_64 random(7);
    std::vector<MemoryPoint> curve;
    Nanoseconds time = 0;
    for (std::size_t i = 0; i < points; ++i) {
        curve.push_back({ .time = time,
                          .activations = static_cast<ByteCount>(random() % 40) * gib / 8,
                          .transient = static_cast<ByteCount>(random() % 4) * gib / 8 });
        time += 1 + static_cast<Nanoseconds>(random() % 1000);
    }
    return curve;
}

} // namespace

TEST(CurveIndex, FindsTheExtremesOfEverySpan)
{
    for (const std::size_t size : { std::size_t{ 1 }, std::size_t{ 15 }, std::size_t{ 17 }, std::size_t{ 300 } }) {
        const std::vector<MemoryPoint> curve = randomCurve(size);
        const CurveIndex index(curve);
        const auto value = [&](std::size_t i) { return curve[i].activations + curve[i].transient; };
        for (std::size_t first = 0; first < size; ++first) {
            CurveIndex::Extremes expected{ first, first };
            for (std::size_t last = first + 1; last <= size; ++last) {
                if (value(last - 1) > value(expected.high))
                    expected.high = last - 1;
                if (value(last - 1) < value(expected.low))
                    expected.low = last - 1;
                ASSERT_EQ(index.extremes(first, last), expected) << size << " points, " << first << " to " << last;
            }
        }
    }
}

TEST(CurveColumns, HoldWhatIsInForceAndWhatHappensInEachColumn)
{
    const RankMemory memory = fixture::rankMemory(0, randomCurve(5000));
    const CurveIndex index(memory.curve);
    const Nanoseconds end = memory.curve.back().time + 4000;
    for (const TimeRange range : { TimeRange{ 0, end }, TimeRange{ end / 3, end / 3 + 90'000 }, TimeRange{ end / 2, end * 2 } }) {
        const TimeMap map = TimeMap::fit(range, 46, 700, 1);
        const CurveColumns curve = curveColumns(memory, index, end, map);
        ASSERT_FALSE(curve.columns.empty());
        EXPECT_EQ(curve.first, map.origin);
        for (std::size_t i = 0; i < curve.columns.size(); ++i) {
            const double left = static_cast<double>(curve.first + static_cast<std::int64_t>(i)) * map.nsPerColumn;
            const auto total = [&](const MemoryPoint &p) {
                return memory.states() + memory.buffers + p.activations + p.transient;
            };
            ByteCount now = total(memory.at(static_cast<Nanoseconds>(std::floor(left))));
            CurveColumns::Column expected{ .low = now, .high = now, .last = now };
            for (const MemoryPoint &p : memory.curve) {
                if (static_cast<double>(p.time) <= left || static_cast<double>(p.time) >= left + map.nsPerColumn)
                    continue;
                expected.last = total(p);
                expected.low = std::min(expected.low, expected.last);
                expected.high = std::max(expected.high, expected.last);
            }
            const CurveColumns::Column &column = curve.columns[i];
            ASSERT_EQ(column.low, expected.low) << i;
            ASSERT_EQ(column.high, expected.high) << i;
            ASSERT_EQ(column.last, expected.last) << i;
            EXPECT_EQ(memory.states() + memory.buffers + column.activations + column.transient, column.high);
        }
    }
}

TEST(StepLine, DashesStayApartWhereEveryColumnHoldsSeveralValues)
{
    // Alternating between 1 and 2 in each column, 10 and 13 px below the top; then a step down to 40 px in a gap.
    CurveColumns curve;
    for (int i = 0; i < 80; ++i)
        curve.columns.push_back({ .low = 10, .high = 13, .last = 10 });
    curve.columns[46] = { .low = 10, .high = 40, .last = 10 };
    const auto drawn = [&](const DashPattern &dash) {
        QImage image(80, 60, QImage::Format_ARGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        drawStepLine(painter, TimeMap{ .left = 0, .width = 80 }, curve, { .dash = dash, .thickness = 1, .colour = Qt::black },
                     [](ByteCount bytes) { return 50.5 - static_cast<double>(bytes); });
        std::vector<int> heights;
        for (int x = 0; x < 80; ++x)
            heights.push_back(fixture::countPixels(image, QRect(x, 0, 1, 60), Qt::black));
        return heights;
    };
    const std::vector<int> dashed = drawn({ 5, 3 });
    const std::vector<int> solid = drawn({ 1, 0 });
    for (std::size_t x = 0; x < 80; ++x) {
        EXPECT_EQ(solid[x], x == 46 ? 31 : 4) << x;
        EXPECT_EQ(dashed[x], x == 46 ? 31 : x % 8 < 5 ? 4 : 0) << x; // the step is higher than a dash and its gap are long
    }
}

TEST(StackedCurve, StacksTheClassesInTheirColoursToScale)
{
    for (const Theme &theme : { lightTheme(), darkTheme() }) {
        Curve c;
        c.widget.setTheme(theme);
        const QImage image = fixture::picture(c.widget);
        // At 2.9 s, beside the names: 1 + 1 + 2 + 1 of states, 4 of activations, 1 of transient, 1 of buffers.
        const std::array<std::pair<double, MemoryClass>, memoryClassCount> middle{ { { 0.3, MemoryClass::ParametersDense },
                                                                                     { 1.5, MemoryClass::ParametersExpert },
                                                                                     { 2.4, MemoryClass::Gradients },
                                                                                     { 4.5, MemoryClass::Optimizer },
                                                                                     { 5.5, MemoryClass::Activations },
                                                                                     { 9.5, MemoryClass::Transient },
                                                                                     { 10.5, MemoryClass::Buffers } } };
        for (const auto &[height, memoryClass] : middle)
            EXPECT_EQ(image.pixelColor(c.point(2.9, height)), colourOf(memoryClass, theme)) << name(memoryClass);
        EXPECT_EQ(image.pixelColor(c.x(2.9), c.y(11) - 3), theme.lane);
        // Each edge at its second, within a pixel: transient begins at 2 s and ends at 3 s.
        int first = 0;
        int count = 0;
        for (int x = c.x(1.2); x < c.x(3.8); ++x) {
            if (image.pixelColor(x, c.y(9) - 3) == colourOf(MemoryClass::Transient, theme)) {
                first = count == 0 ? x : first;
                ++count;
            }
        }
        EXPECT_NEAR(first, c.x(2), 2); // the stem of the peak's flag stands on the edge
        EXPECT_NEAR(first + count, c.x(3), 1);
        // Nothing is drawn behind the end of the step.
        EXPECT_EQ(image.pixelColor(c.point(5.03, 0.5)), theme.lane);
    }
}

TEST(StackedCurve, ShowsTheLimitTheReserveAndAPeakAboveThem)
{
    Curve c;
    const QImage image = fixture::picture(c.widget);
    const StackedAreaPlottable &area = c.widget.area();
    EXPECT_NEAR(area.reserveBand().top(), area.y(10 * gib), 1e-9);
    EXPECT_NEAR(area.reserveBand().bottom(), area.y(9 * gib), 1e-9);
    const int left = c.x(0);
    const int width = static_cast<int>(area.area().width());
    EXPECT_GT(fixture::countPixels(image, QRect(left, c.y(10) - 2, width, 4), lightTheme().err), 0.95 * width);
    const QRect reserve(c.x(0.1), c.y(10) + 3, 100, c.y(9) - c.y(10) - 4);
    EXPECT_LT(fixture::countPixels(image, reserve, lightTheme().lane), reserve.width() * reserve.height() * 9 / 10); // hatched
    EXPECT_GE(fixture::countPixels(image, reserve.translated(0, c.y(8) - c.y(9)), lightTheme().lane),
              reserve.width() * (reserve.height() - 1)); // but for a line of the grid
    EXPECT_EQ(area.peakText(), QStringLiteral("peak 11.0 at 2.00 s"));
    EXPECT_TRUE(area.isOver());
    // The flag stands in the margin above the peak, red because it is above the limit.
    const QRect margin(c.x(2) - 50, 0, 100, 22);
    EXPECT_GT(fixture::countPixels(image, margin, lightTheme().err), 500);
    c.widget.setRank(1); // 1 GiB less: 10, above usable all the same
    EXPECT_EQ(area.peakText(), QStringLiteral("peak 10.0 at 2.00 s"));
    c.widget.setPlans(fixture::curvePlan("A", 2, 3 * gib), std::nullopt);
    EXPECT_FALSE(area.isOver()); // 8 GiB
    const QImage fits = fixture::picture(c.widget);
    EXPECT_EQ(fixture::countPixels(fits, margin, lightTheme().err), 0);
    EXPECT_GT(fixture::countPixels(fits, margin, lightTheme().play), 500);
}

TEST(StackedCurve, TheOtherPlanIsALineOfItsLettersPattern)
{
    Curve c(fixture::curvePlan("B", 2, gib / 2, 2));
    c.widget.setRank(1);
    const QImage image = fixture::picture(c.widget);
    // Between 6 and 8 s B holds 9.5 GiB, then 6 GiB. Behind A's end, 5 s, it stands on the lane.
    const auto dark = [&](double from, double to, double height) {
        return fixture::countPixels(image, QRect(c.x(from), c.y(height) - 1, c.x(to) - c.x(from), 3), lightTheme().text);
    };
    const int width = c.x(7.9) - c.x(6.1);
    EXPECT_NEAR(dark(6.1, 7.9, 9.5), width * 5 / 8.0, 8); // 5 of 8 pixels
    EXPECT_GT(dark(8.1, 8.9, 6), 20);
    EXPECT_EQ(dark(6.1, 7.9, 8), 0);
    // A as the line is solid.
    CurvePlan main = fixture::curvePlan("B", 2);
    c.widget.setPlans(main, fixture::curvePlan("A", 2, gib / 2, 2));
    const QImage solid = fixture::picture(c.widget);
    EXPECT_GE(fixture::countPixels(solid, QRect(c.x(6.1), c.y(9.5) - 1, width, 3), lightTheme().text), width);
}

TEST(StackedCurve, AnOldResultIsFaint)
{
    Curve c;
    CurvePlan stale = fixture::curvePlan("A", 1);
    stale.stale = true;
    c.widget.setPlans(stale, std::nullopt);
    EXPECT_EQ(fixture::picture(c.widget).pixelColor(c.point(2.2, 5.5)),
              mixed(colourOf(MemoryClass::Activations, lightTheme()), lightTheme().panel, 0.45));
}

TEST(StackedCurve, UnitsChangeTheAxisAndReservedIsLevel)
{
    Curve c;
    c.widget.setUnit(CurveUnit::PercentOfHbm);
    EXPECT_EQ(c.widget.area().peakText(), QStringLiteral("peak 110.0 % at 2.00 s"));
    EXPECT_NEAR(static_cast<double>(c.widget.area().top()) / static_cast<double>(gib), 12, 1e-6); // the axis ends at 120 %
    c.widget.setUnit(CurveUnit::Reserved);
    // 10 GiB allocated x 1.25, and 1 GiB outside the allocator.
    EXPECT_EQ(c.widget.area().peakText(), QStringLiteral("device 13.5 from 2.00 s"));
    EXPECT_TRUE(c.widget.area().reserveBand().isEmpty());
    const QImage image = fixture::picture(c.widget);
    for (const double seconds : { 0.2, 2.2, 4.4 })
        EXPECT_EQ(image.pixelColor(c.point(seconds, 12.9)), colourOf(MemoryClass::Buffers, lightTheme())) << seconds;
    EXPECT_EQ(image.pixelColor(c.point(2.2, 5.5)), colourOf(MemoryClass::Activations, lightTheme()));
    EXPECT_EQ(image.pixelColor(c.x(2.2), c.y(13.5) - 3), lightTheme().lane);
}

TEST(StackedCurve, PressAndDragAskForATime)
{
    Curve c;
    QSignalSpy asked(&c.widget, &StackedCurve::playheadRequested);
    const auto last = [&] { return asked.back()[0].value<Nanoseconds>(); };
    const double pixel = c.widget.area().timeMap().nsPerPixel();
    QTest::mousePress(&c.widget, Qt::LeftButton, {}, c.point(1.5, 3));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_NEAR(static_cast<double>(last()), 1.5e9, pixel);
    QTest::mouseMove(&c.widget, c.point(3.5, 3));
    ASSERT_EQ(asked.count(), 2);
    EXPECT_NEAR(static_cast<double>(last()), 3.5e9, pixel);
    QTest::mouseMove(&c.widget, QPoint(-300, 40)); // a drag stays within the step
    EXPECT_EQ(last(), 0);
    QTest::mouseMove(&c.widget, QPoint(3000, 40));
    EXPECT_EQ(last(), 5 * second);
    QTest::mouseRelease(&c.widget, Qt::LeftButton, {}, QPoint(3000, 40));
    const auto count = asked.count();
    QTest::mouseMove(&c.widget, c.point(2, 3));
    EXPECT_EQ(asked.count(), count);
    QTest::mousePress(&c.widget, Qt::LeftButton, {}, QPoint(10, 150)); // the value axis
    QTest::mouseRelease(&c.widget, Qt::LeftButton, {}, QPoint(10, 150));
    EXPECT_EQ(asked.count(), count);
}

TEST(StackedCurve, ThePlayheadIsDrawnWhereItIsSet)
{
    Curve c;
    const auto line = [&](double seconds) {
        const QImage image = fixture::picture(c.widget);
        return fixture::countPixels(image, QRect(c.x(seconds) - 1, c.y(5.9), 3, c.y(1) - c.y(5.9)), lightTheme().play);
    };
    c.widget.setPlayhead(4'500'000'000);
    EXPECT_GE(line(4.5), 2 * (c.y(1) - c.y(5.9)));
    c.widget.setPlayhead(1'500'000'000);
    EXPECT_EQ(line(4.5), 0);
    EXPECT_GE(line(1.5), 2 * (c.y(1) - c.y(5.9)));
    c.widget.hide(); // moved out of sight, it is there when the curve is shown again
    c.widget.setPlayhead(4'500'000'000);
    c.widget.show();
    EXPECT_EQ(line(1.5), 0);
    EXPECT_GE(line(4.5), 2 * (c.y(1) - c.y(5.9)));
}

TEST(StackedCurve, KeysWalkTheChangesZoomAndCopy)
{
    Curve c;
    QSignalSpy asked(&c.widget, &StackedCurve::playheadRequested);
    const auto last = [&] { return asked.back()[0].value<Nanoseconds>(); };
    c.widget.setPlayhead(second * 3 / 2);
    QTest::keyClick(&c.widget, Qt::Key_Right);
    EXPECT_EQ(last(), 2 * second);
    QTest::keyClick(&c.widget, Qt::Key_Left);
    EXPECT_EQ(last(), second);
    c.widget.setPlayhead(4 * second);
    QTest::keyClick(&c.widget, Qt::Key_Right);
    EXPECT_EQ(last(), 5 * second); // the end of the step
    const TimeRange all = c.widget.range();
    QTest::keyClick(&c.widget, Qt::Key_W);
    EXPECT_NEAR(static_cast<double>(c.widget.range().end - c.widget.range().begin), static_cast<double>(all.end) / 1.25, 2);
    QTest::keyClick(&c.widget, Qt::Key_Home);
    EXPECT_EQ(c.widget.range(), all);
    QGuiApplication::clipboard()->clear();
    QTest::keyClick(&c.widget, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), c.widget.csv());
}

TEST(StackedCurve, TheWheelZoomsAtThePointerAndPansByWholePixels)
{
    Curve c;
    QSignalSpy changed(&c.widget, &StackedCurve::rangeChanged);
    const QPoint at = c.point(3, 5);
    const Nanoseconds before = c.widget.area().timeMap().time(at.x());
    c.wheel(at, QPoint(0, 240));
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(changed.back()[0].value<TimeRange>(), c.widget.range());
    const TimeMap zoomed = c.widget.area().timeMap();
    EXPECT_NEAR(static_cast<double>(zoomed.time(at.x())), static_cast<double>(before), zoomed.nsPerPixel());
    EXPECT_NEAR(zoomed.nsPerColumn * static_cast<double>(zoomed.columns()), 5.05e9 / 1.25 / 1.25, 10);
    const QImage still = fixture::picture(c.widget);
    c.wheel(at, QPoint(0, -120), Qt::ShiftModifier);
    EXPECT_EQ(c.widget.area().timeMap().origin, zoomed.origin + 60);
    EXPECT_EQ(c.widget.area().timeMap().nsPerColumn, zoomed.nsPerColumn);
    // What stays in view keeps its picture, names and flag apart.
    const QImage moved = fixture::picture(c.widget);
    const int row = c.y(5.3);
    for (int x = 60; x < 600; ++x)
        ASSERT_EQ(moved.pixel(x, row), still.pixel(x + 60, row)) << x;
    // A new result of the same length keeps the view.
    const TimeRange kept = c.widget.range();
    c.widget.setPlans(fixture::curvePlan("A", 3), std::nullopt);
    EXPECT_EQ(c.widget.range(), kept);
}

TEST(StackedCurve, ACardReadsOutEveryClass)
{
    Curve c(fixture::curvePlan("B", 2, gib, 2));
    QTest::mouseMove(&c.widget, c.point(2.5, 3));
    HoverCard &card = c.widget.card();
    EXPECT_FALSE(card.isVisible()); // not at once
    ASSERT_TRUE(QTest::qWaitFor([&] { return card.isVisible(); }));
    const QString text = card.content().text();
    EXPECT_TRUE(text.startsWith(QStringLiteral("Memory of rank 0 at 2.5"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("Activations in flight: A 4.0    B 2.0 GiB"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("Now: A 11.0    B 8.0 GiB"))) << text.toStdString();
    QTest::mouseMove(&c.widget, c.point(7, 3)); // A's step is over
    EXPECT_TRUE(card.content().text().contains(QStringLiteral("Now: B 10.0 GiB")));
    QTest::mouseMove(&c.widget, QPoint(5, 5));
    EXPECT_FALSE(card.isVisible());
}

TEST(StackedCurve, TheCsvIsTheCurveToTheByte)
{
    Curve c;
    c.widget.setRank(1);
    const RankMemory &memory = *c.widget.area().plan().rank(1);
    const QStringList lines = c.widget.csv().trimmed().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 1 + std::ssize(memory.curve));
    const qsizetype columns = lines[0].split(QLatin1Char(',')).size();
    EXPECT_EQ(columns, 3 + static_cast<qsizetype>(memoryClassCount));
    ByteCount highest = 0;
    for (qsizetype i = 1; i < lines.size(); ++i) {
        const QStringList cells = lines[i].split(QLatin1Char(','));
        ASSERT_EQ(cells.size(), columns);
        const MemoryPoint &point = memory.curve[static_cast<std::size_t>(i - 1)];
        EXPECT_DOUBLE_EQ(cells[0].toDouble(), toSeconds(point.time));
        const auto stack = memory.stackAt(point.time);
        for (std::size_t k = 0; k < memoryClassCount; ++k)
            EXPECT_EQ(cells[static_cast<qsizetype>(k) + 1].toLongLong(), stack[k]);
        const qlonglong total = cells[columns - 2].toLongLong();
        EXPECT_EQ(total, std::accumulate(stack.begin(), stack.end(), ByteCount{ 0 }));
        EXPECT_EQ(cells.back().toInt(), point.inFlight);
        highest = std::max<ByteCount>(highest, total);
    }
    EXPECT_EQ(highest, memory.peak);
    EXPECT_EQ(lines[3].trimmed(),
              QStringLiteral("2.000000000,1073741824,1073741824,2147483648,1073741824,3221225472,1073741824,"
                             "1073741824,10737418240,")
                  + QString::number(memory.curve[2].inFlight));
}

TEST(StackedCurve, SaysWhatIsMissing)
{
    StackedCurve widget;
    widget.resize(560, 200);
    widget.show();
    widget.setPlans({ QStringLiteral("A"), nullptr, 0, false }, std::nullopt);
    EXPECT_EQ(widget.csv().count(QLatin1Char('\n')), 1);
    const QImage nothing = fixture::picture(widget);
    widget.setPlans(fixture::curvePlan("A", 2), std::nullopt);
    widget.setRank(5); // the plan has ranks 0 and 1
    const QImage noRank = fixture::picture(widget);
    EXPECT_NE(nothing, noRank);
    const QRect middle(100, 80, 360, 60);
    EXPECT_GT(fixture::countPixels(noRank, middle, lightTheme().lane), middle.width() * middle.height() * 3 / 4);
    EXPECT_TRUE(widget.area().peakText().isEmpty());
    widget.setRank(1);
    EXPECT_TRUE(widget.accessibleDescription().contains(QStringLiteral("Plan A peaks at 11.0 GiB at 2.00 s, usable 9.0 GiB.")));
}
