// SPDX-License-Identifier: GPL-3.0-or-later
// What the window writes for other programs: PyTorch's schedule CSV and a trace for Perfetto.
#include "support.h"

#include "app/window/backgroundwrite.h"
#include "app/window/exporter.h"
#include "core/schedule/schedulecsv.h"
#include "core/timeline/navigation.h"
#include "fixture.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProgressDialog>
#include <QPushButton>
#include <QTimer>

#include <atomic>
#include <thread>

namespace pipeloom
{

namespace
{

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return file.readAll();
}

/// Presses Ctrl+E's command and answers its two dialogs as a hand would; returns the proposed file name.
QString exportThroughTheDialogs(MainWindow &window, ExportFormat format, int plan, const QString &path)
{
    QString proposed;
    QTimer answer;
    QObject::connect(&answer, &QTimer::timeout, &answer, [&] {
        QWidget *modal = QApplication::activeModalWidget();
        if (auto *dialog = qobject_cast<ExportDialog *>(modal)) {
            auto *formats = dialog->findChild<QComboBox *>(QStringLiteral("exportFormat"));
            auto *plans = dialog->findChild<QComboBox *>(QStringLiteral("exportPlan"));
            formats->setCurrentIndex(formats->findData(static_cast<int>(format)));
            EXPECT_EQ(plans->isVisible(), isOfOnePlan(format));
            plans->setCurrentIndex(plan);
            dialog->accept();
        } else if (auto *files = qobject_cast<QFileDialog *>(modal)) {
            proposed = QFileInfo(files->selectedFiles().value(0)).fileName();
            files->selectFile(path);
            QMetaObject::invokeMethod(files, "accept");
        }
    });
    answer.start(10);
    window.commands().action(QStringLiteral("file.export"))->trigger();
    return proposed;
}

} // namespace

TEST(Exports, theScheduleOfTheChosenPlanIsReadBackAsItWas)
{
    QTemporaryDir folder;
    OpenWindow open;
    for (const int plan : { 0, 1 }) {
        const QString path = folder.filePath(QStringLiteral("order%1.csv").arg(plan));
        const QString proposed = exportThroughTheDialogs(*open.window, ExportFormat::ScheduleCsv, plan, path);
        EXPECT_EQ(proposed,
                  plan == 0 ? QStringLiteral("Small-A-dualpipe-schedule.csv") : QStringLiteral("Small-B-1f1b-schedule.csv"));
        const auto read = parseScheduleCsv(contentOf(path).toStdString(), "order.csv");
        ASSERT_TRUE(read) << text(read.errors());
        const Schedule &own = open.window->board().plans()[static_cast<std::size_t>(plan)].latest->schedule;
        EXPECT_EQ(read->schedule.begin, own.begin);
        EXPECT_EQ(scheduleCsv(read->schedule), scheduleCsv(own));
    }
}

TEST(Exports, theTraceHasTheOpsOfThePlanAtTheirTimesAndArrowsBetweenRanks)
{
    QTemporaryDir folder;
    OpenWindow open;
    const QString path = folder.filePath(QStringLiteral("step.json"));
    EXPECT_EQ(exportThroughTheDialogs(*open.window, ExportFormat::Trace, 1, path), QStringLiteral("Small-B-1f1b-trace.json"));
    const Evaluation &evaluation = *open.window->board().plans()[1].latest;
    const QJsonDocument document = QJsonDocument::fromJson(contentOf(path));
    ASSERT_TRUE(document.isObject());
    std::size_t ops = 0;
    int tails = 0, heads = 0, optimizers = 0;
    for (const QJsonValue event : document[QStringLiteral("traceEvents")].toArray()) {
        const QString kind = event[QStringLiteral("ph")].toString();
        tails += kind == QStringLiteral("s") ? 1 : 0;
        heads += kind == QStringLiteral("f") ? 1 : 0;
        if (kind != QStringLiteral("X"))
            continue;
        const double start = event[QStringLiteral("ts")].toDouble() * 1000;
        if (event[QStringLiteral("cat")].toString() == QStringLiteral("optimizer")) {
            EXPECT_NEAR(start, static_cast<double>(evaluation.timeline.makespan), 1);
            ++optimizers;
            continue;
        }
        ASSERT_LT(ops, evaluation.schedule.ops.size());
        EXPECT_NEAR(start, static_cast<double>(evaluation.timeline.start[ops]), 1);
        EXPECT_EQ(event[QStringLiteral("tid")].toInt(), rankOf(evaluation.schedule, ops));
        ++ops;
    }
    EXPECT_EQ(ops, evaluation.schedule.ops.size());
    EXPECT_EQ(optimizers, evaluation.schedule.ranks);
    // 1F1B: each microbatch crosses every border between ranks once forward and once backward.
    EXPECT_EQ(tails, 2 * (evaluation.schedule.ranks - 1) * evaluation.schedule.microbatches);
    EXPECT_EQ(heads, tails);
}

TEST(Exports, aFolderThatCannotBeWrittenIsNamed)
{
    OpenWindow open;
    for (const ExportFormat format : { ExportFormat::ScheduleCsv, ExportFormat::Trace, ExportFormat::Json }) {
        const auto written = writeInBackground(open.window.get(), QStringLiteral("/no/such/folder/out.json"),
                                               textOf({ .format = format }, open.window->board().plans()));
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::Unwritable);
        EXPECT_EQ(written.error().file, "/no/such/folder/out.json");
        EXPECT_FALSE(written.error().message.empty());
        EXPECT_EQ(written.error().hint, "choose another folder or name");
    }
}

TEST(Exports, aPlanThatBreaksARuleHasNoScheduleToExport)
{
    QTemporaryDir folder;
    const std::vector<ShownPlan> plans{ fixture::shown("A", "DualPipe", fixture::invalid()) };
    for (const ExportFormat format : { ExportFormat::ScheduleCsv, ExportFormat::Trace }) {
        const QString path = folder.filePath(QStringLiteral("none"));
        const auto written = writeText(path, textOf({ .format = format }, plans));
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().message, "plan A has no schedule");
        EXPECT_FALSE(QFile::exists(path));
    }
}

TEST(Exports, aStoppedExportLeavesTheOldFile)
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("old.json"));
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("old");
    }
    QWidget window;
    window.show();
    std::atomic<bool> running = false;
    QTimer cancel;
    QObject::connect(&cancel, &QTimer::timeout, &cancel, [&] {
        auto *dialog = window.findChild<QProgressDialog *>(QStringLiteral("exportProgress"));
        if (dialog != nullptr && dialog->isVisible() && running)
            dialog->findChild<QPushButton *>()->click();
    });
    cancel.start(10);
    const auto written = writeInBackground(&window, path, [&](const WriteProgress &progress) {
        // Works until it is told to stop: only the dialog's button ends it.
        running = true;
        while (progress(0.5))
            std::this_thread::yield();
        return Expected<std::optional<std::string>>(std::optional<std::string>());
    });
    ASSERT_TRUE(written);
    EXPECT_FALSE(*written);
    EXPECT_EQ(contentOf(path), "old");
    EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files), QStringList{ QStringLiteral("old.json") });
}

TEST(Exports, namesThatNoFileSystemTakesAreMended)
{
    std::vector<ShownPlan> plans = fixture::twoPlans();
    plans[1].name = QStringLiteral("a/b: c?");
    EXPECT_EQ(proposedName(QStringLiteral("x"), { .format = ExportFormat::Trace, .plan = 1 }, plans),
              QStringLiteral("x-B-a-b-c--trace.json"));
    EXPECT_EQ(proposedName(QStringLiteral("x"), { .format = ExportFormat::Png }, plans), QStringLiteral("x.png"));
    plans.pop_back();
    EXPECT_EQ(proposedName(QStringLiteral("x"), { .format = ExportFormat::ScheduleCsv }, plans),
              QStringLiteral("x-schedule.csv"));
}

} // namespace pipeloom
