// SPDX-License-Identifier: GPL-3.0-or-later
#include "support.h"

#include "app/window/commands.h"
#include "app/window/exporter.h"
#include "app/window/filecontroller.h"
#include "app/window/keyhelp.h"
#include "app/window/messagebar.h"
#include "app/window/palette.h"
#include "app/window/screenfit.h"
#include "app/window/sidepanels.h"
#include "views/controls/comparetable.h"
#include "views/controls/diagnosticline.h"
#include "views/controls/formulacard.h"
#include "views/controls/numberbox.h"
#include "views/controls/parameterrow.h"
#include "views/controls/scenariopanel.h"
#include "views/controls/segments.h"
#include "views/controls/termsdialog.h"
#include "views/controls/textlabel.h"
#include "views/controls/verdictpanel.h"
#include "views/explore/exploreview.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QTreeWidget>

#include <algorithm>

namespace pipeloom
{

namespace
{

ParameterRow *rowOf(MainWindow &window, const char *path, int line = 0)
{
    auto *lines = qobject_cast<NumberLines *>(window.scenarioPanel().field(path));
    return lines == nullptr ? nullptr : lines->row(line);
}

void chooseTarget(MainWindow &window, int index) { window.scenarioPanel().findChild<Segments *>()->setCurrent(index); }

QString write(const QTemporaryDir &folder, const QString &name, const QByteArray &bytes)
{
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return file.fileName();
}

} // namespace

TEST(Window, draggingASliderChangesBothPlansInOneUndoStep)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    const double stepA = window.board().plans()[0].shown->time.step;
    const double stepB = window.board().plans()[1].shown->time.step;
    ParameterRow *row = rowOf(window, "plan.global_batch");
    ASSERT_NE(row, nullptr);
    const int target = row->slider()->value() + 8;
    dragSlider(row->slider(), target, 6);
    ASSERT_TRUE(open.settle());
    EXPECT_GT(window.board().plans()[0].shown->time.step, stepA);
    EXPECT_GT(window.board().plans()[1].shown->time.step, stepB);
    EXPECT_EQ(window.document().undoStack()->count(), 1);
    const std::int64_t batch = window.document().scenario().plan.globalBatch;
    EXPECT_GT(batch, 256);
    EXPECT_EQ(row->value(), static_cast<double>(batch));
    window.commands().action(QStringLiteral("edit.undo"))->trigger();
    EXPECT_EQ(window.document().scenario().plan.globalBatch, 256);
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.board().plans()[0].shown->time.step, stepA);
    EXPECT_EQ(row->value(), 256);
    EXPECT_EQ(row->box()->text(), QStringLiteral("256"));
    window.commands().action(QStringLiteral("edit.redo"))->trigger();
    EXPECT_EQ(window.document().scenario().plan.globalBatch, batch);
}

TEST(Window, onlyBLeavesAAloneAndSplitsTheRow)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    chooseTarget(window, 2);
    ParameterRow *row = rowOf(window, "plan.pp");
    row->box()->selectAll();
    QTest::keyClicks(row->box(), QStringLiteral("8"));
    QTest::keyClick(row->box(), Qt::Key_Return);
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.document().plans()[0].plan.pp, 4);
    EXPECT_EQ(window.document().plans()[1].plan.pp, 8);
    EXPECT_TRUE(rowOf(window, "plan.pp", 1)->isVisible());
    EXPECT_EQ(rowOf(window, "plan.pp", 0)->box()->text(), QStringLiteral("4"));
    EXPECT_EQ(rowOf(window, "plan.pp", 1)->box()->text(), QStringLiteral("8"));
    // A line of a plan changes that plan, whatever the segments say.
    QTest::keyClick(rowOf(window, "plan.pp", 0)->box(), Qt::Key_Down);
    EXPECT_EQ(window.document().plans()[0].plan.pp, 3);
    EXPECT_EQ(window.document().plans()[1].plan.pp, 8);
}

TEST(Window, aPlanThatBreaksARuleKeepsTheLastGoodResultAndOffersARepair)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    const auto before = window.board().plans()[0].shown;
    ParameterRow *row = rowOf(window, "plan.ep");
    row->box()->selectAll();
    QTest::keyClicks(row->box(), QStringLiteral("12"));
    QTest::keyClick(row->box(), Qt::Key_Return);
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.document().scenario().plan.ep, 12);
    EXPECT_EQ(row->box()->text(), QStringLiteral("12"));
    EXPECT_EQ(row->box()->property("issue").toString(), QStringLiteral("err"));
    EXPECT_TRUE(window.board().plans()[0].stale());
    EXPECT_EQ(window.board().plans()[0].shown, before);
    EXPECT_EQ(window.verdictPanel().card(0)->word(), QStringLiteral("Not valid"));
    const auto lists = window.scenarioPanel().field("plan.ep")->findChildren<DiagnosticList *>();
    ASSERT_FALSE(lists.isEmpty());
    ASSERT_FALSE(lists.front()->diagnostics().empty());
    const PlanDiagnostic finding = lists.front()->diagnostics().front();
    ASSERT_FALSE(finding.diagnostic.fixes.empty());
    emit lists.front()->fixRequested(finding.plan, finding.diagnostic.fixes.front());
    ASSERT_TRUE(open.settle());
    EXPECT_FALSE(window.board().plans()[0].stale());
    EXPECT_EQ(row->box()->property("issue").toString(), QString());
}

TEST(Window, figuresOfTheLastValidPlanSayWhoseTheyAreAndDifferencesAreGone)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    ASSERT_TRUE(window.explore().isPlayable());
    const QString stepA = window.verdictPanel().table()->rows().front().a;
    window.explore().play();
    ASSERT_TRUE(window.document().edit({ { "plan.global_batch", "250" } }, EditTarget{ EditTarget::everyPlan }, false));
    ASSERT_TRUE(open.settle());
    const CompareTable &table = *window.verdictPanel().table();
    EXPECT_TRUE(table.isVisible());
    for (const CompareRow &row : table.rows()) {
        EXPECT_EQ(row.difference.text, QStringLiteral("–")) << row.label.toStdString();
        EXPECT_FALSE(row.noteWarns) << row.label.toStdString();
    }
    EXPECT_EQ(table.rows().front().a, stepA);
    EXPECT_EQ(window.verdictPanel().card(0)->cause(), QStringLiteral("Figures: last valid plan, PP 4, EP 8, M 16."));
    EXPECT_TRUE(window.explore().stacks().subtitle().endsWith(QStringLiteral("A and B: last valid plan, PP 4, EP 8, M 16")));
    EXPECT_FALSE(window.explore().isPlayable());
    EXPECT_FALSE(window.explore().isPlaying());
    EXPECT_FALSE(window.commands().action(QStringLiteral("view.play"))->isEnabled());
    window.explore().togglePlay();
    EXPECT_FALSE(window.explore().isPlaying());
    window.commands().action(QStringLiteral("edit.undo"))->trigger();
    ASSERT_TRUE(open.settle());
    EXPECT_TRUE(window.explore().isPlayable());
    EXPECT_TRUE(window.commands().action(QStringLiteral("view.play"))->isEnabled());
    EXPECT_NE(table.rows().front().difference.text, QStringLiteral("–"));
    EXPECT_FALSE(window.explore().stacks().subtitle().contains(QStringLiteral("last valid")));
}

TEST(Window, aPlanThatWasNeverValidShowsSentencesInPlaceOfFigures)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    std::string text = smallScenario();
    text.replace(text.find("\"pp\": 4"), 7, "\"pp\": 9");
    ASSERT_TRUE(window.document().openText(text, QStringLiteral("Never")));
    ASSERT_TRUE(open.settle());
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.explore().isSettled(); }, patience));
    EXPECT_FALSE(window.verdictPanel().table()->isVisible());
    EXPECT_TRUE(window.verdictPanel().noFigures()->isVisible());
    EXPECT_EQ(window.verdictPanel().noFigures()->text(), QStringLiteral("No figures yet: neither plan passes the checks."));
    EXPECT_EQ(window.explore().stacks().bars().emptySentence(),
              QStringLiteral("No memory figures yet: neither plan passes the checks."));
    EXPECT_EQ(window.explore().stacks().subtitle(), QString());
    EXPECT_FALSE(window.explore().stacks().table().isVisible());
    EXPECT_TRUE(window.explore().timelines().rulerArea().isEmpty());
    EXPECT_EQ(window.explore().transport().readOut(), QStringLiteral("–"));
    EXPECT_FALSE(window.explore().isPlayable());
    for (const char *id : { "view.play", "plan.why", "plan.missing" }) {
        EXPECT_FALSE(window.commands().action(QString::fromLatin1(id))->isEnabled()) << id;
    }
    EXPECT_EQ(rowOf(window, "plan.dp")->box()->text(), QStringLiteral("–")); // 64 GPUs do not divide by 9
    ASSERT_TRUE(window.document().edit({ { "plan.pp", "4" } }, EditTarget{ EditTarget::everyPlan }, false));
    ASSERT_TRUE(open.settle());
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.explore().isSettled(); }, patience));
    EXPECT_TRUE(window.verdictPanel().table()->isVisible());
    EXPECT_FALSE(window.verdictPanel().noFigures()->isVisible());
    EXPECT_FALSE(window.explore().timelines().rulerArea().isEmpty());
    EXPECT_TRUE(window.explore().stacks().table().isVisible());
    EXPECT_EQ(rowOf(window, "plan.dp")->box()->text(), QStringLiteral("16"));
}

TEST(Window, aRefusedNumberStaysAndSaysWhy)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    ParameterRow *row = rowOf(window, "plan.pp");
    row->box()->selectAll();
    QTest::keyClicks(row->box(), QStringLiteral("-4"));
    QTest::keyClick(row->box(), Qt::Key_Return);
    EXPECT_EQ(row->box()->text(), QStringLiteral("-4"));
    EXPECT_EQ(row->box()->property("issue").toString(), QStringLiteral("err"));
    EXPECT_EQ(window.document().scenario().plan.pp, 4);
    EXPECT_EQ(window.document().undoStack()->count(), 0);
    QTest::keyClick(row->box(), Qt::Key_Escape);
    EXPECT_EQ(row->box()->text(), QStringLiteral("4"));
}

TEST(Window, whateverIsRefusedLeavesValueSliderAndResultsAlone)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    ParameterRow *row = rowOf(window, "plan.pp");
    const int place = row->slider()->value();
    for (const char *typed : { "-3", "0", "abc", "", "1e30", "99999999999999999999", "4.5", "nan", "1000000000" }) {
        row->box()->setFocus();
        row->box()->selectAll();
        QTest::keyClick(row->box(), Qt::Key_Delete);
        QTest::keyClicks(row->box(), QString::fromLatin1(typed));
        QTest::keyClick(row->box(), Qt::Key_Return);
        EXPECT_EQ(row->box()->text(), QString::fromLatin1(typed));
        EXPECT_EQ(row->box()->property("issue").toString(), QStringLiteral("err")) << typed;
        EXPECT_TRUE(row->problem()->isVisible()) << typed;
        const Diagnostic said = row->problem()->diagnostic();
        EXPECT_NE(said.message.find("stays 4"), std::string::npos) << said.message;
        EXPECT_TRUE(std::ranges::any_of(said.fixes, [](const Fix &fix) { return fix.label == "Use 4"; })) << typed;
        EXPECT_EQ(row->value(), 4) << typed;
        EXPECT_EQ(row->slider()->value(), place) << typed;
        EXPECT_EQ(window.document().scenario().plan.pp, 4) << typed;
        EXPECT_FALSE(window.board().plans()[0].stale()) << typed;
        // Undo, from the box as from the menu, gives the entry up.
        if (*typed == '-') {
            QTest::keyClick(row->box(), Qt::Key_Z, Qt::ControlModifier);
        } else {
            ASSERT_TRUE(window.commands().action(QStringLiteral("edit.undo"))->isEnabled()) << typed;
            window.commands().action(QStringLiteral("edit.undo"))->trigger();
        }
        EXPECT_EQ(row->box()->text(), QStringLiteral("4")) << typed;
        EXPECT_EQ(row->box()->property("issue").toString(), QString()) << typed;
        EXPECT_FALSE(row->problem()->isVisible()) << typed;
        EXPECT_FALSE(window.commands().action(QStringLiteral("edit.undo"))->isEnabled()) << typed;
    }
    EXPECT_EQ(window.document().undoStack()->count(), 0);
}

TEST(Window, undoAfterATypedNumberBringsBackValueAndResult)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    ParameterRow *row = rowOf(window, "plan.pp");
    window.activateWindow();
    row->box()->setFocus();
    row->box()->selectAll();
    QTest::keyClicks(row->box(), QStringLiteral("8"));
    QTest::keyClick(row->box(), Qt::Key_Return);
    ASSERT_EQ(window.document().scenario().plan.pp, 8);
    // The box leaves Ctrl+Z to the window once its number is applied, although a line edit would take it.
    QKeyEvent override(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    override.ignore();
    QApplication::sendEvent(row->box(), &override);
    EXPECT_FALSE(override.isAccepted());
    window.commands().action(QStringLiteral("edit.undo"))->trigger();
    EXPECT_EQ(window.document().scenario().plan.pp, 4);
    EXPECT_EQ(row->box()->text(), QStringLiteral("4"));
    // A refused entry that meets an undo shows the value in force, not the one from before.
    QTest::keyClick(row->box(), Qt::Key_Up);
    ASSERT_EQ(window.document().scenario().plan.pp, 5);
    row->box()->selectAll();
    QTest::keyClicks(row->box(), QStringLiteral("-3"));
    QTest::keyClick(row->box(), Qt::Key_Return);
    ASSERT_TRUE(row->holdsRejected());
    window.document().undoStack()->undo();
    QTest::keyClick(row->box(), Qt::Key_Escape);
    EXPECT_EQ(row->box()->text(), QStringLiteral("4"));
    EXPECT_EQ(row->value(), 4);
}

TEST(Window, pinAndSwapAreCommands)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    window.commands().action(QStringLiteral("plan.swap"))->trigger();
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.board().plans()[0].name, QStringLiteral("1F1B"));
    EXPECT_EQ(window.board().plans()[1].name, QStringLiteral("DualPipe"));
    EXPECT_EQ(window.board().plans()[0].shown->scenario.plan.schedule, ScheduleKind::OneForwardOneBackward);
    window.commands().action(QStringLiteral("plan.pin"))->trigger();
    ASSERT_TRUE(open.settle());
    ASSERT_EQ(window.board().plans().size(), 3U);
    EXPECT_EQ(window.board().plans()[2].letter, QStringLiteral("C"));
    ASSERT_TRUE(window.board().plans()[2].latest);
    EXPECT_EQ(window.board().plans()[2].latest->time.step, window.board().plans()[0].latest->time.step);
    window.commands().action(QStringLiteral("edit.undo"))->trigger();
    window.commands().action(QStringLiteral("edit.undo"))->trigger();
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.board().plans()[0].name, QStringLiteral("DualPipe"));
}

TEST(Window, applyingTheNearestPlanMakesItFit)
{
    WindowOptions options{ .keepsSession = false, .autosaves = false };
    MainWindow window(options);
    window.resize(1600, 1000);
    ASSERT_TRUE(window.openSample(QString()));
    window.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.board().isSettled(); }, 120000));
    ASSERT_EQ(window.verdictPanel().card(0)->word(), QStringLiteral("Does not fit"));
    ASSERT_TRUE(window.verdictPanel().card(0)->applyButton()->isVisible());
    QTest::mouseClick(window.verdictPanel().card(0)->applyButton(), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.board().isSettled(); }, 120000));
    EXPECT_EQ(window.verdictPanel().card(0)->word(), QStringLiteral("Fits"));
    EXPECT_EQ(window.document().undoStack()->count(), 1);
}

TEST(Window, aFileThatCannotBeOpenedIsToldAndChangesNothing)
{
    QTemporaryDir folder;
    OpenWindow open;
    MainWindow &window = *open.window;
    const Scenario before = window.document().scenario();
    const QString path = write(folder, QStringLiteral("broken.loom.json"),
                               "{\"format\": \"pipeloom-scenario\", \"schema\": 1, \"model\": \"deepseek-v9\"}");
    EXPECT_FALSE(window.openFile(path));
    EXPECT_TRUE(window.messages().isVisible());
    EXPECT_TRUE(window.messages().text().contains(QStringLiteral("broken.loom.json")));
    EXPECT_TRUE(window.messages().text().contains(QStringLiteral("/model")));
    EXPECT_TRUE(window.messages().text().contains(QStringLiteral("unchanged")));
    EXPECT_EQ(window.document().scenario(), before);
    EXPECT_TRUE(window.board().plans()[0].shown);
}

TEST(Window, droppedFilesOpen)
{
    QTemporaryDir folder;
    OpenWindow open;
    MainWindow &window = *open.window;
    QByteArray other = QByteArray::fromStdString(smallScenario());
    other.replace("\"pp\": 4", "\"pp\": 8");
    const QString path = write(folder, QStringLiteral("other.loom.json"), other);
    QMimeData data;
    const QString second = write(folder, QStringLiteral("second.loom.json"), QByteArray::fromStdString(smallScenario()));
    data.setUrls({ QUrl::fromLocalFile(path), QUrl::fromLocalFile(second) });
    QSignalSpy more(&window, &MainWindow::windowRequested);
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.document().path() == path; }, patience));
    EXPECT_EQ(window.document().scenario().plan.pp, 8);
    ASSERT_EQ(more.size(), 1);
    EXPECT_EQ(more.front().front().toString(), second);
    EXPECT_TRUE(window.windowTitle().startsWith(QStringLiteral("other.loom.json")));
}

TEST(Window, everyFileThatCannotBeOpenedHasItsLineAndTheOthersOpen)
{
    QTemporaryDir folder;
    OpenWindow open;
    MainWindow &window = *open.window;
    const QByteArray small = QByteArray::fromStdString(smallScenario());
    const QString cut = write(folder, QStringLiteral("cut.loom.json"), small.left(80));
    const QString good = write(folder, QStringLiteral("good.loom.json"), small);
    const QString unknown = write(folder, QStringLiteral("unknown.loom.json"),
                                  "{\"format\": \"pipeloom-scenario\", \"schema\": 1, \"model\": \"deepseek-v9\"}");
    const QString other = write(folder, QStringLiteral("other.loom.json"), small);
    const QString missing = folder.filePath(QStringLiteral("missing.loom.json"));
    QSignalSpy more(&window, &MainWindow::windowRequested);
    EXPECT_TRUE(window.openFiles({ cut, good, unknown, other, missing }));
    EXPECT_EQ(window.document().path(), good);
    ASSERT_EQ(more.size(), 1);
    EXPECT_EQ(more.front().front().toString(), other);
    ASSERT_TRUE(window.messages().isVisible());
    const QStringList lines = window.messages().text().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 4) << window.messages().text().toStdString();
    EXPECT_EQ(lines[0], QStringLiteral("Cannot open 3 of 5 files"));
    EXPECT_TRUE(lines[1].contains(QStringLiteral("cut.loom.json"))) << lines[1].toStdString();
    EXPECT_TRUE(lines[2].contains(QStringLiteral("unknown.loom.json"))) << lines[2].toStdString();
    EXPECT_TRUE(lines[3].contains(QStringLiteral("missing.loom.json"))) << lines[3].toStdString();
    // Nothing but broken files changes nothing and says so.
    EXPECT_FALSE(window.openFiles({ cut, missing }));
    EXPECT_EQ(window.document().path(), good);
    EXPECT_TRUE(window.messages().text().endsWith(QStringLiteral("The current scenario is unchanged.")));
}

TEST(Window, opensNoLargerThanTheScreen)
{
    EXPECT_EQ(sizeThatFits({ 1600, 1000 }, { 1024, 640 }, { 1280, 690 }), QSize(1280, 690));
    EXPECT_EQ(sizeThatFits({ 1600, 1000 }, { 1024, 640 }, { 2560, 1400 }), QSize(1600, 1000));
    EXPECT_EQ(sizeThatFits({ 1600, 1000 }, { 1024, 640 }, { 800, 600 }), QSize(1024, 640));
    MainWindow window({ .keepsSession = false, .autosaves = false });
    window.resize(4000, 3000);
    fitToScreen(window);
    const QSize room = window.screen()->availableSize();
    EXPECT_LE(window.width(), std::max(room.width(), window.minimumWidth()));
    EXPECT_LE(window.height(), std::max(room.height(), window.minimumHeight()));
}

TEST(Window, closingWithUnsavedChangesAsks)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    int asked = 0;
    window.files().setAnswer([&asked] {
        ++asked;
        return asked > 1;
    });
    ASSERT_TRUE(window.document().edit({ { "plan.pp", "8" } }, EditTarget{}, false));
    EXPECT_FALSE(window.close());
    EXPECT_TRUE(window.isVisible());
    EXPECT_TRUE(window.close());
    EXPECT_EQ(asked, 2);
}

TEST(Window, closeAndReopenGivesTheSameWindow)
{
    QTemporaryDir folder;
    const QString path = write(folder, QStringLiteral("plan.loom.json"), QByteArray::fromStdString(smallScenario()));
    const WindowOptions options{ .keepsSession = true,
                                 .autosaves = false,
                                 .sessionFile = folder.filePath(QStringLiteral("session.ini")) };
    Nanoseconds playhead = 0;
    TimeRange range;
    {
        MainWindow window(options);
        ASSERT_TRUE(window.openFile(path));
        window.resize(1500, 900);
        window.show();
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.board().isSettled(); }, patience));
        window.themes().setMode(ThemeMode::Dark);
        window.state().setPlayhead(window.state().extent() / 3);
        window.state().setRange({ window.state().extent() / 4, window.state().extent() / 2 });
        window.state().setRank(2);
        window.explore().setSpeed(4);
        window.sides().toggleVerdict();
        playhead = window.state().playhead();
        range = window.state().range();
        ASSERT_TRUE(window.close());
    }
    MainWindow window(options);
    window.openLast();
    window.restoreSession();
    window.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.board().isSettled(); }, patience));
    EXPECT_EQ(window.document().path(), path);
    EXPECT_EQ(window.size(), QSize(1500, 900));
    EXPECT_EQ(window.themes().mode(), ThemeMode::Dark);
    EXPECT_EQ(window.state().playhead(), playhead);
    EXPECT_EQ(window.state().range(), range);
    EXPECT_EQ(window.state().rank(), 2);
    EXPECT_EQ(window.explore().speed(), 4);
    EXPECT_FALSE(window.sides().verdictShown());
    EXPECT_TRUE(window.sides().scenarioShown());
    window.themes().setMode(ThemeMode::Light);
}

// The start page hides both docks; that is no choice of the user's and must not outlive it.
TEST(Window, quittingFromTheStartPageKeepsThePanels)
{
    QTemporaryDir folder;
    const QString path = write(folder, QStringLiteral("plan.loom.json"), QByteArray::fromStdString(smallScenario()));
    const WindowOptions options{ .keepsSession = true,
                                 .autosaves = false,
                                 .sessionFile = folder.filePath(QStringLiteral("session.ini")) };
    const auto isVisible = [](const MainWindow &window, const char *name) {
        const auto *dock = window.findChild<QDockWidget *>(QString::fromLatin1(name));
        return dock != nullptr && dock->isVisible();
    };
    for (const bool verdict : { true, false }) {
        {
            MainWindow window(options);
            window.restoreSession();
            window.resize(1500, 900);
            window.showStart();
            window.sides().setVerdictShown(verdict);
            window.show();
            EXPECT_FALSE(isVisible(window, "scenarioDock"));
            EXPECT_FALSE(isVisible(window, "verdictDock"));
            ASSERT_TRUE(window.close());
        }
        MainWindow window(options);
        ASSERT_TRUE(window.openFile(path));
        window.restoreSession();
        window.show();
        ASSERT_TRUE(QTest::qWaitFor([&] { return window.board().isSettled(); }, patience));
        EXPECT_TRUE(isVisible(window, "scenarioDock"));
        EXPECT_EQ(isVisible(window, "verdictDock"), verdict);
        window.sides().toggleVerdict();
        EXPECT_EQ(isVisible(window, "verdictDock"), !verdict);
    }
}

TEST(Window, aSaveThatSucceedsTakesBackTheMessageOfOneThatFailed)
{
    QTemporaryDir folder;
    OpenWindow open;
    FileController &files = open.window->files();
    const MessageBar &messages = open.window->messages();
    EXPECT_FALSE(files.saveTo(folder.filePath(QStringLiteral("no/such/folder/x"))));
    ASSERT_TRUE(messages.isVisible());
    EXPECT_TRUE(messages.text().contains(QStringLiteral("Cannot save x.loom.json"))) << messages.text().toStdString();
    EXPECT_TRUE(files.saveTo(folder.filePath(QStringLiteral("saved"))));
    EXPECT_FALSE(messages.isVisible());
    EXPECT_TRUE(QFile::exists(folder.filePath(QStringLiteral("saved.loom.json"))));
}

TEST(Window, aDamagedSessionDoesNotStopTheStart)
{
    QTemporaryDir folder;
    const QString session = write(folder, QStringLiteral("session.ini"),
                                  QByteArray("[window]\ngeometry=@ByteArray(\\x1\\xff)\nlayout=@ByteArray(nonsense)\n"
                                             "[view]\nexplore=@ByteArray(zz)\n[document]\nfile=/no/such/file\n"));
    MainWindow window({ .keepsSession = true, .autosaves = false, .sessionFile = session });
    window.openLast();
    window.restoreSession();
    window.show();
    EXPECT_TRUE(window.document().isOpen());
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.board().plans()[0].latest != nullptr; }, patience));
}

TEST(Window, exportsPicturesAndNumbers)
{
    QTemporaryDir folder;
    OpenWindow open;
    MainWindow &window = *open.window;
    const auto export_ = [&](ExportFormat format) {
        const QString path = folder.filePath(QStringLiteral("out.") + suffixOf(format));
        ExportRequest request;
        request.format = format;
        request.scale = 1;
        const auto result = exportTo(path, request, window.explore(), window.board().plans());
        EXPECT_TRUE(result) << suffixOf(format).toStdString();
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    };
    EXPECT_TRUE(export_(ExportFormat::Png).startsWith("\x89PNG"));
    EXPECT_TRUE(export_(ExportFormat::Svg).contains("<svg"));
    EXPECT_TRUE(export_(ExportFormat::Pdf).startsWith("%PDF"));
    EXPECT_TRUE(export_(ExportFormat::Csv).contains("time.step_s"));
    EXPECT_TRUE(export_(ExportFormat::Json).contains("\"tokens_per_s_per_gpu\""));
    ExportRequest request;
    const auto refused = exportTo(QStringLiteral("/no/such/folder/out.png"), request, window.explore(), window.board().plans());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unwritable);
    EXPECT_EQ(refused.error().file, "/no/such/folder/out.png");
}

TEST(Window, aNarrowWindowFoldsTheScenario)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    EXPECT_TRUE(window.scenarioPanel().isVisible());
    window.resize(1280, 720);
    QCoreApplication::processEvents();
    EXPECT_TRUE(window.sides().isNarrow());
    EXPECT_FALSE(window.scenarioPanel().isVisible());
    window.commands().action(QStringLiteral("view.scenario"))->trigger();
    EXPECT_TRUE(window.scenarioPanel().isVisible());
    EXPECT_TRUE(window.sides().isFloatingOpen());
    window.commands().action(QStringLiteral("view.scenario"))->trigger();
    EXPECT_FALSE(window.scenarioPanel().isVisible());
    window.resize(1600, 1000);
    QCoreApplication::processEvents();
    EXPECT_TRUE(window.scenarioPanel().isVisible());
}

TEST(Window, theVerdictKeepsItsWidthAndCutsNothing)
{
    MainWindow window({ .keepsSession = false, .autosaves = false });
    ASSERT_TRUE(window.openSample(QString()));
    window.resize(1280, 720);
    window.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.board().isSettled(); }, 120000));
    QCoreApplication::processEvents();
    VerdictPanel &panel = window.verdictPanel();
    EXPECT_EQ(panel.width(), 284); // the design's, whatever a hidden workspace asks for
    window.showMemory();
    QCoreApplication::processEvents();
    EXPECT_FALSE(panel.isVisible());
    window.showExplore();
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel.isVisible() && panel.width() == 284; }, patience)) << panel.width();
    auto *scroll = panel.findChild<QScrollArea *>();
    for (const int width : { 284, 270, 360 }) {
        panel.setFixedWidth(width);
        QCoreApplication::processEvents();
        EXPECT_TRUE(QTest::qWaitFor([&] { return panel.width() == width; }, patience));
        EXPECT_LE(scroll->widget()->minimumSizeHint().width(), scroll->viewport()->width()) << width;
        EXPECT_EQ(scroll->widget()->width(), scroll->viewport()->width()) << width;
        // Only the narrowest panel has to shorten the name of the third plan.
        EXPECT_EQ(std::ranges::any_of(panel.findChildren<QPushButton *>(),
                                      [](const QPushButton *link) { return link->text() == QStringLiteral("DualPipe PP16"); }),
                  width > 270)
            << width;
    }
}

TEST(Window, theThemeReachesEveryPart)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    window.themes().setMode(ThemeMode::Dark);
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), darkTheme().panel);
    const QImage dark = window.grab().toImage();
    window.themes().setMode(ThemeMode::Light);
    const QImage light = window.grab().toImage();
    // A point on the scenario panel, one on the plots and one on the verdict panel.
    for (const QPoint &point : { QPoint(280, 860), QPoint(700, 80), QPoint(1590, 90) }) {
        EXPECT_LT(dark.pixelColor(point).lightness(), 60) << point.x();
        EXPECT_GT(light.pixelColor(point).lightness(), 200) << point.x();
    }
}

TEST(Window, theSystemThemeIsFollowedUntilChosenByHand)
{
    MainWindow window({ .keepsSession = false, .autosaves = false });
    window.themes().system().takeScheme(1);
    EXPECT_TRUE(window.themes().theme().dark);
    window.themes().system().takeScheme(2);
    EXPECT_FALSE(window.themes().theme().dark);
    window.themes().toggle();
    EXPECT_TRUE(window.themes().theme().dark);
    window.themes().system().takeScheme(2);
    EXPECT_TRUE(window.themes().theme().dark);
    window.themes().setMode(ThemeMode::Light);
}

TEST(Window, hoveringATableRowShowsItsFormula)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    CompareTable *table = window.verdictPanel().table();
    QTest::mouseMove(table, table->rowRect(0).center());
    QMouseEvent move(QEvent::MouseMove, table->rowRect(0).center(), table->mapToGlobal(QPointF(table->rowRect(0).center())),
                     Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(table, &move);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.verdictPanel().formula()->isVisible(); }, patience));
    const Term *term = findTerm(window.board().plans()[0].shown->terms, "time.step");
    ASSERT_NE(term, nullptr);
    EXPECT_TRUE(window.verdictPanel().formula()->text().contains(QString::fromStdString(term->formula)));
}

TEST(Window, everyNumberIsListedWithItsSource)
{
    OpenWindow open;
    TermsDialog dialog(open.window->board().plans());
    const std::size_t terms =
        open.window->board().plans()[0].shown->terms.size() + open.window->board().plans()[1].shown->terms.size();
    EXPECT_EQ(dialog.table()->topLevelItemCount(), static_cast<int>(terms));
    dialog.findChild<QLineEdit *>()->setText(QStringLiteral("MFU"));
    const QString text = dialog.text();
    EXPECT_TRUE(text.contains(QStringLiteral("MFU")));
    EXPECT_FALSE(text.contains(QStringLiteral("HBM / reserve")));
}

TEST(Window, theListOfNumbersCutsNothing)
{
    OpenWindow open;
    TermsDialog dialog(open.window->board().plans());
    dialog.show();
    const QTreeWidget *table = dialog.table();
    int wrapped = 0;
    for (int i = 0; i < table->topLevelItemCount(); ++i) {
        const QTreeWidgetItem *row = table->topLevelItem(i);
        for (int column = 0; column < table->columnCount(); ++column) {
            const QVariant own = row->data(column, Qt::FontRole);
            const QFontMetrics metrics(own.isValid() ? own.value<QFont>() : table->font());
            const QRect room(0, 0, table->columnWidth(column) - 8, 10000);
            const int needed = metrics.boundingRect(room, Qt::TextWordWrap, row->text(column)).height();
            wrapped += needed > metrics.height() ? 1 : 0;
            EXPECT_LE(needed, table->visualItemRect(row).height()) << row->text(column).toStdString();
        }
    }
    EXPECT_GT(wrapped, 0); // else nothing was shown
}

TEST(Window, thePaletteFindsSettingsAndCommands)
{
    OpenWindow open;
    MainWindow &window = *open.window;
    window.commands().action(QStringLiteral("edit.palette"))->trigger();
    auto *palette = window.findChild<CommandPalette *>();
    ASSERT_NE(palette, nullptr);
    QTest::keyClicks(palette->input(), QStringLiteral("swap"));
    ASSERT_EQ(palette->list()->count(), 1);
    QTest::keyClick(palette->input(), Qt::Key_Return);
    ASSERT_TRUE(open.settle());
    EXPECT_EQ(window.board().plans()[0].name, QStringLiteral("1F1B"));
}

TEST(Window, keyHelpListsEveryShortcut)
{
    OpenWindow open;
    const KeyHelp help(open.window->commands(), open.window.get());
    const auto *tree = help.findChild<QTreeWidget *>();
    QStringList keys;
    for (int i = 0; i < tree->topLevelItemCount(); ++i) {
        for (int j = 0; j < tree->topLevelItem(i)->childCount(); ++j) {
            keys += tree->topLevelItem(i)->child(j)->text(1);
        }
    }
    for (const Command &command : open.window->commands().all()) {
        if (!command.action->shortcut().isEmpty()) {
            EXPECT_TRUE(keys.contains(keyText(command.action))) << command.id.toStdString();
        }
    }
}

TEST(Window, keyHelpCutsNoTextAndShowsNoMnemonic)
{
    OpenWindow open;
    KeyHelp help(open.window->commands(), open.window.get());
    help.show();
    const auto *tree = help.findChild<QTreeWidget *>();
    for (int i = 0; i < tree->topLevelItemCount(); ++i) {
        EXPECT_FALSE(tree->topLevelItem(i)->text(0).contains(QLatin1Char('&')));
        for (int j = 0; j < tree->topLevelItem(i)->childCount(); ++j) {
            const QTreeWidgetItem *row = tree->topLevelItem(i)->child(j);
            EXPECT_FALSE(row->text(0).contains(QLatin1Char('&'))) << row->text(0).toStdString();
            EXPECT_LE(tree->fontMetrics().horizontalAdvance(row->text(0)) + 2 * tree->indentation() - 6, tree->columnWidth(0))
                << row->text(0).toStdString();
            EXPECT_LE(tree->fontMetrics().horizontalAdvance(row->text(1)) + 6, tree->columnWidth(1))
                << row->text(1).toStdString();
        }
    }
}

TEST(Window, noTwoCommandsShareAKey)
{
    OpenWindow open;
    QStringList seen;
    for (const Command &command : open.window->commands().all()) {
        for (const QKeySequence &keys : command.action->shortcuts()) {
            EXPECT_FALSE(seen.contains(keys.toString())) << keys.toString().toStdString();
            seen += keys.toString();
        }
    }
}

TEST(Window, everyControlHasANameForScreenReaders)
{
    OpenWindow open;
    for (const QWidget *widget : open.window->scenarioPanel().findChildren<QWidget *>()) {
        if (widget->focusPolicy() != Qt::NoFocus
            && (qobject_cast<const QLineEdit *>(widget) || qobject_cast<const StepSlider *>(widget))) {
            EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
        }
    }
}

} // namespace pipeloom
