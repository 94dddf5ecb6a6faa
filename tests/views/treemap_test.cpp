// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/treemap.h"

#include "tests/views/memoryfixture.h"
#include "views/memory/treemaplayout.h"

#include <gtest/gtest.h>

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace pipeloom;
using fixture::gib;

namespace
{

/// Four groups of 3 items: group g's item i has (4 - g) x (3 - i) GiB; ids 10 g + i, given in mixed order. 60 GiB.
std::vector<TreemapItem> twelveItems()
{
    std::vector<TreemapItem> items;
    for (const int i : { 1, 2, 0 }) {
        for (const int g : { 2, 0, 3, 1 })
            items.push_back({ .id = 10 * g + i,
                              .group = g,
                              .label = QStringLiteral("item %1").arg(10 * g + i),
                              .groupLabel = QStringLiteral("group %1").arg(g),
                              .bytes = (4 - g) * (3 - i) * gib,
                              .fill = QColor(QColor::fromHsv(80 * g, 160, 150 + 30 * i).rgb()) });
    }
    return items;
}

struct Map
{
    explicit Map(std::vector<TreemapItem> items = twelveItems(), QSize size = QSize(860, 330))
    {
        widget.resize(size);
        widget.setItems(std::move(items));
        widget.show();
    }
    void click(int id) { QTest::mouseClick(widget.viewport(), Qt::LeftButton, {}, widget.cellRect(id).center().toPoint()); }
    void doubleClick(int id)
    {
        QTest::mouseDClick(widget.viewport(), Qt::LeftButton, {}, widget.cellRect(id).center().toPoint());
    }
    void key(Qt::Key key) { QTest::keyClick(&widget, key); }
    Treemap widget;
};

std::optional<int> idOf(const QSignalSpy &spy) { return spy.back()[0].value<std::optional<int>>(); }

} // namespace

TEST(Squarified, FillsTheAreaWithoutOverlapAndKeepsTheShares)
{
    std::mt19937 random(3);
    for (const std::size_t count : { std::size_t{ 1 }, std::size_t{ 2 }, std::size_t{ 7 }, std::size_t{ 60 } }) {
        std::vector<double> weights;
        for (std::size_t i = 0; i < count; ++i)
            weights.push_back(static_cast<double>(1 + random() % 1000));
        std::ranges::sort(weights, std::greater{});
        weights.push_back(0);
        const QRectF area(10, 20, 860, 330);
        const std::vector<QRectF> rects = squarified(weights, area);
        ASSERT_EQ(rects.size(), weights.size());
        EXPECT_TRUE(rects.back().isEmpty());
        double total = 0;
        for (const double weight : weights)
            total += weight;
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_NEAR(rects[i].width() * rects[i].height(), weights[i] / total * 860 * 330, 1e-4);
            EXPECT_TRUE(area.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(rects[i]));
            for (std::size_t j = 0; j < i; ++j) {
                const QRectF common = rects[i].intersected(rects[j]);
                EXPECT_LT(std::min(common.width(), common.height()), 1e-6) << i << " on " << j;
            }
        }
    }
    // The example of the paper: 6, 6, 4, 3, 2, 2, 1 in 6 x 4.
    const std::vector<double> paper{ 6, 6, 4, 3, 2, 2, 1 };
    const std::vector<QRectF> rects = squarified(paper, QRectF(0, 0, 6, 4));
    const auto expectRect = [](const QRectF &rect, double x, double y, double width, double height) {
        EXPECT_NEAR(rect.x(), x, 1e-9);
        EXPECT_NEAR(rect.y(), y, 1e-9);
        EXPECT_NEAR(rect.width(), width, 1e-9);
        EXPECT_NEAR(rect.height(), height, 1e-9);
    };
    expectRect(rects[0], 0, 0, 3, 2);
    expectRect(rects[1], 0, 2, 3, 2);
    expectRect(rects[2], 3, 0, 12 / 7.0, 7 / 3.0);
    expectRect(rects[3], 3 + 12 / 7.0, 0, 9 / 7.0, 7 / 3.0);
    EXPECT_TRUE(squarified(paper, QRectF()).front().isEmpty());
}

TEST(Treemap, AreasAreSharesWithinAPixelAndGroupsStayTogether)
{
    Map m;
    const QImage image = fixture::picture(m.widget);
    std::map<int, QRectF> groups;
    for (const TreemapItem &item : twelveItems()) {
        const QRectF cell = m.widget.cellRect(item.id);
        EXPECT_NEAR(cell.width() * cell.height(), 860.0 * 330 * static_cast<double>(item.bytes) / (60.0 * gib), 1e-3);
        // The pixels drawn in the item's colour are the cell, to a pixel on each side, less its text.
        const QRect inner = cell.toRect().adjusted(2, 2, -3, -3);
        for (const QPoint corner : { inner.topLeft(), inner.topRight(), inner.bottomLeft(), inner.bottomRight() })
            EXPECT_EQ(image.pixelColor(corner), item.fill) << item.id;
        const int drawn = fixture::countPixels(image, image.rect(), item.fill);
        const double text = 70.0 * 30;
        EXPECT_LE(drawn, (cell.width() + 1) * (cell.height() + 1)) << item.id;
        EXPECT_GE(drawn, (cell.width() - 2) * (cell.height() - 2) - text) << item.id;
        groups[item.group] = groups[item.group].united(cell);
    }
    // A group's items fill one rectangle: their common bounds have just the group's area.
    const std::map<int, double> shares{ { 0, 24 }, { 1, 18 }, { 2, 12 }, { 3, 6 } };
    for (const auto &[group, share] : shares)
        EXPECT_NEAR(groups[group].width() * groups[group].height(), 860.0 * 330 * share / 60, 0.1) << group;
}

TEST(Treemap, TheLayoutDoesNotDependOnTheOrderGiven)
{
    Map m;
    std::vector<TreemapItem> items = twelveItems();
    std::ranges::reverse(items);
    Map other(items);
    for (const TreemapItem &item : items)
        EXPECT_EQ(m.widget.cellRect(item.id), other.widget.cellRect(item.id));
    items.push_back({ .id = 99, .group = 0, .label = QStringLiteral("empty"), .bytes = 0 });
    other.widget.setItems(items);
    EXPECT_TRUE(other.widget.cellRect(99).isEmpty());
    EXPECT_EQ(m.widget.cellRect(0), other.widget.cellRect(0));
}

TEST(Treemap, LabelsStandOnlyWhereTheyFitAndContrast)
{
    // Black text on black is never asked for: without a colour the text is the one that contrasts more.
    for (const QColor &fill : { QColor("#2F4456"), QColor("#DDAF45") }) {
        Map m({ { .id = 1, .label = QStringLiteral("Dispatched expert input"), .bytes = 10 * gib, .fill = fill } });
        const QImage image = fixture::picture(m.widget);
        EXPECT_GT(fixture::countPixels(image, QRect(0, 0, 200, 40), textOn(fill)), 40);
    }
    EXPECT_EQ(textOn(QColor("#2F4456")), QColor(Qt::white));
    EXPECT_EQ(textOn(QColor("#DDAF45")), QColor("#12171D"));
    // In a sliver of 1 % of the width there is nothing but fill.
    const QColor gold("#DDAF45");
    Map m({ { .id = 1, .group = 1, .label = QStringLiteral("large"), .bytes = 99 * gib, .fill = QColor("#829CB3") },
            { .id = 2, .group = 2, .label = QStringLiteral("small"), .bytes = gib, .fill = gold } });
    const QImage image = fixture::picture(m.widget);
    const QRect sliver = m.widget.cellRect(2).toRect().adjusted(1, 1, -2, -2);
    EXPECT_EQ(fixture::countPixels(image, sliver, gold), sliver.width() * sliver.height());
}

TEST(Treemap, ClickChoosesAndThePointerHovers)
{
    Map m;
    QSignalSpy chosen(&m.widget, &Treemap::chosen);
    QSignalSpy hovered(&m.widget, &Treemap::hovered);
    QTest::mouseMove(m.widget.viewport(), m.widget.cellRect(11).center().toPoint());
    ASSERT_EQ(hovered.count(), 1);
    EXPECT_EQ(idOf(hovered), 11);
    m.click(11);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 11);
    EXPECT_EQ(m.widget.selected(), std::nullopt); // the caller answers with setSelected
    EXPECT_NE(fixture::picture(m.widget).pixelColor(m.widget.cellRect(20).toRect().topLeft() + QPoint(1, 1)), lightTheme().play);
    m.widget.setSelected(20);
    EXPECT_EQ(fixture::picture(m.widget).pixelColor(m.widget.cellRect(20).toRect().topLeft() + QPoint(1, 1)), lightTheme().play);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(m.widget.viewport(), &leave);
    EXPECT_EQ(idOf(hovered), std::nullopt);
}

TEST(Treemap, DoubleClickShowsTheGroupAndTheLineLeadsBack)
{
    Map m;
    const QRectF before = m.widget.cellRect(21);
    m.doubleClick(21);
    EXPECT_EQ(m.widget.zoomedGroup(), 2);
    EXPECT_TRUE(m.widget.cellRect(0).isEmpty());
    const QRectF content = m.widget.contentRect();
    EXPECT_EQ(content.top(), Treemap::backHeight);
    // 4 of the group's 12 GiB.
    const QRectF cell = m.widget.cellRect(21);
    EXPECT_NEAR(cell.width() * cell.height(), content.width() * content.height() / 3, 0.01);
    QTest::mouseClick(m.widget.viewport(), Qt::LeftButton, {}, QPoint(12, 10));
    EXPECT_EQ(m.widget.zoomedGroup(), std::nullopt);
    EXPECT_EQ(m.widget.cellRect(21), before);

    // The keys do the same.
    m.click(30);
    m.key(Qt::Key_Return);
    EXPECT_EQ(m.widget.zoomedGroup(), 3);
    m.key(Qt::Key_Backspace);
    EXPECT_EQ(m.widget.zoomedGroup(), std::nullopt);
    m.key(Qt::Key_Return);
    m.key(Qt::Key_Escape);
    EXPECT_EQ(m.widget.zoomedGroup(), std::nullopt);

    // New items keep the group as long as it is there.
    m.widget.zoomInto(2);
    m.widget.setItems(twelveItems());
    EXPECT_EQ(m.widget.zoomedGroup(), 2);
    std::vector<TreemapItem> fewer = twelveItems();
    std::erase_if(fewer, [](const TreemapItem &item) { return item.group == 2; });
    m.widget.setItems(fewer);
    EXPECT_EQ(m.widget.zoomedGroup(), std::nullopt);
    m.widget.zoomInto(77);
    EXPECT_EQ(m.widget.zoomedGroup(), std::nullopt);
}

TEST(Treemap, ArrowKeysReachEveryCellAndMoveInTheirDirection)
{
    Map m;
    QSignalSpy hovered(&m.widget, &Treemap::hovered);
    m.key(Qt::Key_Home);
    ASSERT_EQ(m.widget.current(), 0);
    EXPECT_EQ(idOf(hovered), 0);
    EXPECT_TRUE(m.widget.accessibleDescription().startsWith(QStringLiteral("item 0, group 0: 12.0 GiB, 20.0 %")));
    std::set<int> reached{ 0 };
    std::vector<int> open{ 0 };
    while (!open.empty()) {
        const int from = open.back();
        open.pop_back();
        for (const Qt::Key key : { Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down }) {
            m.click(from);
            m.key(key);
            const int to = *m.widget.current();
            const QPointF way = m.widget.cellRect(to).center() - m.widget.cellRect(from).center();
            const double ahead = key == Qt::Key_Left ? -way.x()
                : key == Qt::Key_Right               ? way.x()
                : key == Qt::Key_Up                  ? -way.y()
                                                     : way.y();
            EXPECT_TRUE(to == from || ahead > 0) << from << " to " << to;
            if (reached.insert(to).second)
                open.push_back(to);
        }
    }
    EXPECT_EQ(reached.size(), 12U);
    QSignalSpy chosen(&m.widget, &Treemap::chosen);
    m.key(Qt::Key_Space);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), *m.widget.current());
}

TEST(Treemap, BarsAreSortedToScaleAndScroll)
{
    Map m;
    m.widget.setMode(TreemapMode::Bars);
    EXPECT_EQ(m.widget.verticalScrollBar()->maximum(), 0); // 12 rows of 22 in 330
    EXPECT_EQ(m.widget.cellRect(0).top(), 0);
    for (const TreemapItem &item : twelveItems()) {
        EXPECT_NEAR(m.widget.barRect(item.id).width(),
                    m.widget.barRect(0).width() * static_cast<double>(item.bytes) / (12.0 * gib), 1e-6);
        for (const TreemapItem &other : twelveItems()) {
            const bool above = m.widget.cellRect(item.id).top() < m.widget.cellRect(other.id).top();
            EXPECT_TRUE(item.bytes <= other.bytes || above) << item.id << " and " << other.id;
        }
    }
    const QImage image = fixture::picture(m.widget);
    const QRectF bar = m.widget.barRect(10);
    const QColor fill = QColor(QColor::fromHsv(80, 160, 150).rgb());
    EXPECT_EQ(image.pixelColor(bar.center().toPoint()), fill);
    EXPECT_NEAR(fixture::countPixels(image, QRect(0, static_cast<int>(bar.center().y()), 860, 1), fill), bar.width(), 1);

    std::vector<TreemapItem> many;
    for (int i = 0; i < 100; ++i)
        many.push_back(
            { .id = i, .label = QStringLiteral("tensor %1").arg(i), .bytes = (100 - i) * gib, .fill = QColor("#DDAF45") });
    m.widget.setItems(many);
    EXPECT_EQ(m.widget.verticalScrollBar()->maximum(), 100 * Treemap::rowHeight - 330);
    m.key(Qt::Key_End);
    EXPECT_EQ(m.widget.current(), 99);
    EXPECT_NEAR(m.widget.cellRect(99).bottom(), 330, 1e-9);
    m.key(Qt::Key_Up);
    EXPECT_EQ(m.widget.current(), 98);
    QSignalSpy chosen(&m.widget, &Treemap::chosen);
    m.click(95);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 95);
    m.widget.setSelected(0); // comes into view
    EXPECT_EQ(m.widget.cellRect(0).top(), 0);
}
