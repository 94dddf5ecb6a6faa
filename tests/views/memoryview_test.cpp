// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory workspace in the real window: every control changes what it says it changes.
#include "support.h"

#include "app/window/sidepanels.h"
#include "core/exchange/sentences.h"
#include "core/memory/breakdown.h"
#include "core/memory/explain.h"
#include "views/controls/formulacard.h"
#include "views/controls/segments.h"
#include "views/memory/datatable.h"
#include "views/memory/instantcards.h"
#include "views/memory/leverspanel.h"
#include "views/memory/memoryview.h"
#include "views/memory/rankstrip.h"
#include "views/memory/stackedcurve.h"
#include "views/memory/tensorpanel.h"
#include "views/memory/treemap.h"
#include "views/plot/numbers.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLineEdit>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeView>

namespace pipeloom
{

namespace
{

/// The small scenario with the Memory workspace in front, levers found.
class OpenMemory : public OpenWindow
{
public:
    OpenMemory()
    {
        window->commands().action(QStringLiteral("view.memory"))->trigger();
        QCoreApplication::processEvents();
        settleLevers();
    }

    bool settleLevers()
    {
        return settle() && QTest::qWaitFor([this] { return view().isSettled(); }, patience);
    }

    [[nodiscard]] MemoryView &view() const { return window->memory(); }
    [[nodiscard]] const Evaluation &plan(std::size_t index) const { return *window->board().plans()[index].shown; }
    [[nodiscard]] const RankMemory &rank(std::size_t plan) const
    {
        return this->plan(plan).memory.ranks[static_cast<std::size_t>(window->state().rank())];
    }
    [[nodiscard]] ByteCount total() const { return view().tensors().table().total; }
};

void choose(const Segments &segments, const QString &text)
{
    for (QAbstractButton *button : segments.findChildren<QAbstractButton *>()) {
        if (button->text() == text) {
            QTest::mouseClick(button, Qt::LeftButton);
            return;
        }
    }
    ADD_FAILURE() << "no segment " << text.toStdString();
}

} // namespace

TEST(MemoryView, showsTheBytesOfTheChosenInstantToTheByte)
{
    OpenMemory open;
    for (const Instant instant :
         { Instant::AfterInit, Instant::FirstStepPeak, Instant::LaterPeak, Instant::AfterOptimizer, Instant::BadRoutingPeak }) {
        InstantCard *card = open.view().cards().card(instant);
        QTest::mouseClick(card, Qt::LeftButton);
        const RankMemory &rank = open.rank(0);
        const ByteCount expected = rank.at(instant).allocated + rank.buffers;
        EXPECT_EQ(open.total(), expected) << name(instant);
        EXPECT_EQ(card->value().value, gib(expected)) << name(instant);
        EXPECT_TRUE(card->isChecked());
    }
    const auto bytes = [&open](Instant instant) { return open.rank(0).at(instant).allocated; };
    EXPECT_LT(bytes(Instant::AfterInit), bytes(Instant::AfterOptimizer));
    EXPECT_LT(bytes(Instant::LaterPeak), bytes(Instant::BadRoutingPeak));
}

TEST(MemoryView, aRankAndAPlanChangeCardsTableAndCurve)
{
    OpenMemory open;
    const QString before = open.view().curve().csv();
    const ByteCount first = open.total();
    open.view().ranks().setFocus();
    QTest::keyClick(&open.view().ranks(), Qt::Key_Right); // DualPipe's last rank mirrors the first: the next one differs
    EXPECT_EQ(open.window->state().rank(), 1);
    EXPECT_NE(open.total(), first);
    EXPECT_NE(open.view().curve().csv(), before);
    EXPECT_EQ(open.total(), open.rank(0).peak);
    open.view().setPlan(1);
    EXPECT_EQ(open.total(), open.rank(1).peak);
    EXPECT_EQ(open.view().tensors().table().otherTotal, std::nullopt);
    open.view().setPlan(2);
    EXPECT_EQ(open.total(), open.rank(0).peak);
    EXPECT_EQ(open.view().tensors().table().otherTotal, open.rank(1).peak);
}

TEST(MemoryView, saysWhetherThePlanFitsWhatIsToBlameAndWhatWouldFit)
{
    OpenMemory open;
    const LeversPanel &levers = open.view().levers();
    const auto expected = [&open](std::size_t plan) { return QString::fromStdString(verdictSentence(open.plan(plan))); };
    for (std::size_t plan = 0; plan < 2; ++plan) {
        open.view().setPlan(static_cast<int>(plan));
        ASSERT_TRUE(open.settleLevers());
        EXPECT_TRUE(levers.verdictText().startsWith(expected(plan))) << levers.verdictText().toStdString();
        const bool fits = open.plan(plan).memory.verdict == Verdict::Fits;
        EXPECT_EQ(levers.verdictText() == expected(plan), fits) << levers.verdictText().toStdString();
    }
    open.view().setPlan(0);
    emit open.view().fixRequested(0, Fix{ "longer sequences", { { "plan.seq", "65536" } } });
    ASSERT_TRUE(open.settleLevers());
    EXPECT_TRUE(levers.verdictText().startsWith(QStringLiteral("Does not fit: "))) << levers.verdictText().toStdString();
    EXPECT_TRUE(levers.verdictText().contains(QStringLiteral("fits"))) << levers.verdictText().toStdString();
}

// Where there is less room, columns go and names stay.
TEST(MemoryView, theNamesOfTensorsStayReadableAtEveryWidth)
{
    OpenMemory open;
    TensorPanel &panel = open.view().tensors();
    const QTreeView &view = *panel.view();
    for (const int width : { 420, 520, 560, 640, 900 }) {
        panel.resize(width, 500);
        QCoreApplication::processEvents();
        EXPECT_GE(view.columnWidth(TensorModel::Name), 110) << width;
        EXPECT_EQ(view.isColumnHidden(TensorModel::Shape), width < 640);
        EXPECT_EQ(view.isColumnHidden(TensorModel::Place), width < 520);
    }
}

TEST(MemoryView, theNumbersOfTheCurveAndOfAllRanksStandInATable)
{
    OpenMemory open;
    MemoryView &view = open.view();
    EXPECT_TRUE(view.curve().isVisible());
    choose(view.showSegments(), QStringLiteral("table"));
    EXPECT_FALSE(view.curve().isVisible());
    ASSERT_TRUE(view.numbers().isVisible());
    const RankMemory &rank = open.rank(0);
    ASSERT_EQ(view.numbers().table().rows.size(), rank.curve.size());
    EXPECT_EQ(view.numbers().csv(), view.curve().csv());

    choose(view.showSegments(), QStringLiteral("ranks"));
    const ReportTable &ranks = view.numbers().table();
    ASSERT_EQ(ranks.rows.size(), open.plan(0).memory.ranks.size());
    ASSERT_GT(ranks.rows.size(), 3U);
    EXPECT_EQ(QString::fromStdString(ranks.rows[0][4]), QString::number(static_cast<double>(rank.peak) / bytesPerGiB, 'f', 2));
    view.numbers().selectRow(3);
    QTest::keyClick(&view.numbers(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 2);
    EXPECT_EQ(lines[1].split(QLatin1Char(','))[0], QStringLiteral("3"));
    EXPECT_TRUE(lines[0].startsWith(QStringLiteral("rank,stages,after_init_bytes,first_step_peak_bytes,peak_bytes")));
    choose(view.showSegments(), QStringLiteral("curve"));
    EXPECT_TRUE(view.curve().isVisible());
}

TEST(MemoryView, thePositionOfTheExpertRankScalesTheRoutedTensorsAlone)
{
    OpenMemory open;
    const auto bytesOf = [&open](std::string_view name) {
        ByteCount bytes = 0;
        for (const TensorLine &line : open.view().tensors().table().lines) {
            bytes += line.tensor.row.name == name ? line.bytes : 0;
        }
        return bytes;
    };
    const ByteCount dispatched = bytesOf("dispatched expert input");
    const ByteCount latent = bytesOf("kv latent");
    ASSERT_GT(dispatched, 0);
    open.view().setPosition(ExpertPosition::Mean);
    const double ratio = static_cast<double>(dispatched) / static_cast<double>(bytesOf("dispatched expert input"));
    EXPECT_NEAR(ratio, open.plan(0).routing.rankMaxOverMean, 1e-5);
    EXPECT_EQ(bytesOf("kv latent"), latent);
    open.view().setPosition(ExpertPosition::Coldest);
    EXPECT_LT(bytesOf("dispatched expert input"), dispatched);
}

TEST(MemoryView, groupingAndFilterRegroupTheSameBytes)
{
    OpenMemory open;
    TensorPanel &panel = open.view().tensors();
    const ByteCount total = open.total();
    const auto groups = [&panel] { return panel.table().groups.size(); };
    const std::size_t classes = groups();
    for (const TensorGrouping grouping : { TensorGrouping::Stage, TensorGrouping::Place, TensorGrouping::Class }) {
        panel.setGrouping(grouping);
        emit panel.groupingChosen(grouping);
        ByteCount sum = 0;
        for (const TensorGroup &group : panel.table().groups) {
            sum += group.bytes;
        }
        EXPECT_EQ(sum, total);
        EXPECT_EQ(open.total(), total);
    }
    EXPECT_EQ(groups(), classes);
    const int all = panel.view()->model()->rowCount();
    QTest::keyClicks(panel.filter(), QStringLiteral("dispatched"));
    EXPECT_LT(panel.view()->model()->rowCount(), all);
    EXPECT_GT(panel.view()->model()->rowCount(), 0);
    panel.filter()->clear();
    EXPECT_EQ(panel.view()->model()->rowCount(), all);
}

TEST(MemoryView, aTensorSaysWhereItsBytesComeFromAndCopiesWithUnitAndSource)
{
    OpenMemory open;
    TensorPanel &panel = open.view().tensors();
    int id = -1;
    for (const TensorLine &line : panel.table().lines) {
        if (line.tensor.row.name == "dispatched expert input") {
            id = line.id;
        }
    }
    ASSERT_GE(id, 0);
    // A click in the treemap chooses it in the table and opens its formula.
    const QPointF centre = open.view().treemap().cellRect(id).center();
    QTest::mouseClick(open.view().treemap().viewport(), Qt::LeftButton, {}, centre.toPoint());
    ASSERT_EQ(panel.current(), id);
    EXPECT_TRUE(panel.card()->text().contains(QStringLiteral("dispatched expert input")));
    EXPECT_TRUE(panel.card()->text().contains(QStringLiteral("rows x columns x bytes")));
    panel.view()->setFocus();
    QTest::keyClick(panel.view(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QApplication::clipboard()->text();
    EXPECT_TRUE(copied.startsWith(QStringLiteral("A MoE layer: dispatched expert input\t"))) << copied.toStdString();
    EXPECT_TRUE(copied.contains(QStringLiteral("GiB")));
    const TensorLine &line = panel.table().lines[static_cast<std::size_t>(id)];
    const Term term = explain(line.tensor, open.plan(0).scenario);
    EXPECT_EQ(term.value, static_cast<double>(line.bytes));
    EXPECT_FALSE(term.source.empty());
    // Without a chosen tensor the whole table is copied.
    QTest::keyClick(panel.view(), Qt::Key_Escape);
    EXPECT_EQ(open.view().treemap().selected(), std::nullopt);
    QTest::keyClick(panel.view(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), panel.csv());
    EXPECT_TRUE(panel.csv().startsWith(QStringLiteral("group,tensor,place,shape,type,split,kept,alive,bytes\n")));
}

TEST(MemoryView, aLeverAppliesWhatItPromises)
{
    OpenMemory open;
    QTableWidget *table = open.view().levers().table();
    ASSERT_GT(table->rowCount(), 0);
    const ByteCount before = open.plan(0).memory.ranks[static_cast<std::size_t>(open.plan(0).memory.peakRank)].peak;
    const QString promised = table->item(0, 3)->text();
    auto *button = qobject_cast<QToolButton *>(table->cellWidget(0, 5));
    ASSERT_NE(button, nullptr);
    button->click();
    ASSERT_TRUE(open.settleLevers());
    const ByteCount after = open.plan(0).memory.ranks[static_cast<std::size_t>(open.plan(0).memory.peakRank)].peak;
    EXPECT_LT(after, before);
    EXPECT_EQ(gib(after), promised);
    EXPECT_EQ(open.window->document().undoStack()->count(), 1);
}

TEST(MemoryView, thePlayheadIsSharedWithExplore)
{
    OpenMemory open;
    const Nanoseconds half = open.window->state().extent() / 2;
    emit open.view().curve().playheadRequested(half);
    EXPECT_EQ(open.window->state().playhead(), half);
}

TEST(MemoryView, anInvalidPlanKeepsTheLastGoodNumbersAndSaysSo)
{
    OpenMemory open;
    const ByteCount total = open.total();
    // 63 GPUs break the mesh whatever the rest is.
    const std::vector<Setting> broken = { { "plan.gpus", "63" } };
    ASSERT_TRUE(open.window->document().edit(broken, EditTarget{ 0 }, false));
    ASSERT_TRUE(open.settle());
    EXPECT_TRUE(open.window->board().plans()[0].stale());
    EXPECT_EQ(open.total(), total);
    EXPECT_FALSE(open.view().tensors().view()->isEnabled());
}

TEST(MemoryView, aReopenedWindowShowsTheSameWorkspace)
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("plan.loom.json"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(smallScenario()));
    file.close();
    const WindowOptions options{ .keepsSession = true,
                                 .autosaves = false,
                                 .sessionFile = folder.filePath(QStringLiteral("session.ini")) };
    {
        MainWindow window(options);
        ASSERT_TRUE(window.openFile(path));
        window.showMemory();
        window.show();
        ASSERT_TRUE(QTest::qWaitFor([&window] { return window.board().isSettled(); }, patience));
        EXPECT_FALSE(window.sides().verdictShown()) << "the verdict makes room for the tensors";
        window.memory().setInstant(Instant::AfterOptimizer);
        window.memory().setPosition(ExpertPosition::Mean);
        ASSERT_TRUE(window.close());
    }
    MainWindow window(options);
    window.openLast();
    window.restoreSession();
    window.show();
    ASSERT_TRUE(QTest::qWaitFor([&window] { return window.board().isSettled(); }, patience));
    EXPECT_TRUE(window.memory().isVisible());
    window.showExplore();
    EXPECT_TRUE(window.sides().verdictShown());
    EXPECT_EQ(window.memory().instant(), Instant::AfterOptimizer);
    EXPECT_EQ(window.memory().position(), ExpertPosition::Mean);
    EXPECT_FALSE(window.memory().restoreState(QByteArray("garbage")));
}

} // namespace pipeloom
