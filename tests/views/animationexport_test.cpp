// SPDX-License-Identifier: GPL-3.0-or-later
// The step as an animated GIF or numbered PNG files.
#include "support.h"

#include "app/window/animationexport.h"
#include "app/window/exporter.h"
#include "fixture.h"
#include "views/explore/exploreframes.h"
#include "views/explore/timelineplot.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QImageReader>
#include <QLabel>
#include <QProgressDialog>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>

namespace pipeloom
{

namespace
{

using fixture::unit;

/// Everything in a folder, hidden files as well.
QStringList contents(const QTemporaryDir &folder)
{
    return QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
}

std::vector<QImage> framesOf(const QString &gif)
{
    QImageReader reader(gif);
    std::vector<QImage> frames;
    for (QImage image = reader.read(); !image.isNull(); image = reader.read())
        frames.push_back(image.convertToFormat(QImage::Format_RGB32));
    return frames;
}

/// A view on the hand-made plans, large enough for lanes and axis.
struct View
{
    View()
        : explore(&state)
    {
        explore.setPlans(fixture::twoPlans());
        explore.resize(900, 700);
        explore.show();
        settled = QTest::qWaitFor([this] { return explore.isSettled(); }, patience);
    }

    ViewState state;
    ExploreView explore;
    bool settled = false;
};

/// Opens Export, chooses a format, a rate and a length, and the file; returns what the dialog said about the length.
QString exportThroughTheDialogs(MainWindow &window, ExportFormat format, int perSecond, double seconds, const QString &path)
{
    QString said;
    QTimer answer;
    QObject::connect(&answer, &QTimer::timeout, &answer, [&] {
        QWidget *modal = QApplication::activeModalWidget();
        if (auto *dialog = qobject_cast<ExportDialog *>(modal)) {
            auto *formats = dialog->findChild<QComboBox *>(QStringLiteral("exportFormat"));
            formats->setCurrentIndex(formats->findData(static_cast<int>(format)));
            auto *rate = dialog->findChild<QSpinBox *>(QStringLiteral("exportPerSecond"));
            auto *length = dialog->findChild<QDoubleSpinBox *>(QStringLiteral("exportSeconds"));
            EXPECT_TRUE(rate->isVisible() && length->isVisible());
            rate->setValue(perSecond);
            length->setValue(seconds);
            said = dialog->findChild<QLabel *>(QStringLiteral("exportLength"))->text();
            dialog->accept();
        } else if (auto *files = qobject_cast<QFileDialog *>(modal)) {
            files->selectFile(path);
            QMetaObject::invokeMethod(files, "accept");
        }
    });
    answer.start(10);
    window.commands().action(QStringLiteral("file.export"))->trigger();
    return said;
}

} // namespace

TEST(AnimationExport, framesReachFromOneEndOfTheRangeToTheOther)
{
    const AnimationRequest request{ .range = { 100, 500 }, .perSecond = 10, .seconds = 0.5 };
    ASSERT_EQ(frameCount(request), 5);
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(frameTime(request, i), 100 + 100 * i);
    EXPECT_EQ(frameCount({ .range = { 0, 1 }, .perSecond = 1, .seconds = 0.5 }), 2);
    EXPECT_EQ(framePath(QStringLiteral("/a/b.c.png"), 8), QStringLiteral("/a/b.c-0009.png"));
}

TEST(AnimationExport, theMeasuredRangeIsShownElseTheVisibleOne)
{
    ViewState state;
    EXPECT_FALSE(animatedRange(state));
    state.setExtent(1000);
    state.setRange({ 600, 1050 });
    ASSERT_TRUE(animatedRange(state));
    EXPECT_EQ(animatedRange(state)->begin, 600);
    EXPECT_EQ(animatedRange(state)->end, 1000);
    state.setMeasured(TimeRange{ 200, 300 });
    EXPECT_EQ(animatedRange(state)->begin, 200);
    EXPECT_EQ(animatedRange(state)->end, 300);
}

TEST(AnimationExport, aFrameIsThePictureOfTheViewAtThatPlayhead)
{
    View view;
    ASSERT_TRUE(view.settled);
    view.state.setPlayhead(3 * unit);
    ExploreFrames frames(view.explore, darkTheme());
    const QImage early = frames.at(3 * unit, 1);
    const QImage late = frames.at(20 * unit, 1);
    EXPECT_EQ(early, view.explore.image(1, darkTheme()));
    EXPECT_NE(early, late);
    EXPECT_EQ(frames.at(3 * unit, 1), early);
    // What the user does meanwhile is not filmed, and filming moves nothing on screen.
    EXPECT_EQ(view.state.playhead(), 3 * unit);
    view.state.setPlayhead(20 * unit);
    EXPECT_EQ(frames.at(3 * unit, 1), early);
    EXPECT_EQ(view.explore.image(1, darkTheme()), late);
}

TEST(AnimationExport, aGifHasEveryFrameAndNoTwoNeighboursAreEqual)
{
    QTemporaryDir folder;
    OpenWindow open;
    ViewState &state = open.window->state();
    const Nanoseconds extent = state.extent();
    state.setMeasured(TimeRange{ extent / 4, extent / 2 });
    const QString path = folder.filePath(QStringLiteral("step.gif"));
    const QString said = exportThroughTheDialogs(*open.window, ExportFormat::Gif, 10, 0.6, path);
    EXPECT_TRUE(said.startsWith(QStringLiteral("6 frames over "))) << said.toStdString();
    EXPECT_TRUE(said.contains(QStringLiteral("measured"))) << said.toStdString();
    EXPECT_EQ(contents(folder), QStringList{ QStringLiteral("step.gif") });
    const std::vector<QImage> frames = framesOf(path);
    ASSERT_EQ(frames.size(), 6U);
    for (std::size_t i = 1; i < frames.size(); ++i)
        EXPECT_NE(frames[i], frames[i - 1]) << i;
}

TEST(AnimationExport, numberedFilesHaveThePicturesOfTheView)
{
    QTemporaryDir folder;
    View view;
    ASSERT_TRUE(view.settled);
    const AnimationRequest request{
        .range = { 0, 20 * unit }, .perSecond = 4, .seconds = 1, .scale = 2, .dark = true, .gif = false
    };
    const auto written = writeAnimation(&view.explore, folder.filePath(QStringLiteral("a.png")), request, view.explore);
    ASSERT_TRUE(written) << text(written.errors());
    EXPECT_TRUE(*written);
    EXPECT_EQ(contents(folder),
              QStringList({ QStringLiteral("a-0001.png"), QStringLiteral("a-0002.png"), QStringLiteral("a-0003.png"),
                            QStringLiteral("a-0004.png") }));
    for (int i = 0; i < 4; ++i) {
        view.state.setPlayhead(frameTime(request, i));
        const QImage expected = view.explore.image(2, darkTheme()).convertToFormat(QImage::Format_RGB32);
        const QImage got = QImage(framePath(folder.filePath(QStringLiteral("a.png")), i)).convertToFormat(QImage::Format_RGB32);
        EXPECT_EQ(got, expected) << i;
    }
}

TEST(AnimationExport, cancelLeavesNothing)
{
    View view;
    ASSERT_TRUE(view.settled);
    for (const bool gif : { true, false }) {
        QTemporaryDir folder;
        int sawTurns = 0;
        QTimer cancel;
        QObject::connect(&cancel, &QTimer::timeout, &cancel, [&] {
            auto *dialog = view.explore.findChild<QProgressDialog *>(QStringLiteral("exportProgress"));
            if (dialog == nullptr || !dialog->isVisible() || dialog->value() < 2)
                return;
            ++sawTurns;
            // Something was being written, and not yet under its name.
            // A GIF grows in a file that has no name yet, where the file system knows such files.
            if (!gif) {
                EXPECT_EQ(contents(folder).size(), 1);
            }
            EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("a.gif"))));
            EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("a-0001.png"))));
            dialog->findChild<QPushButton *>()->click();
        });
        cancel.start(1);
        const AnimationRequest request{ .range = { 0, 20 * unit }, .perSecond = 50, .seconds = 60, .gif = gif };
        const auto written = writeAnimation(&view.explore, folder.filePath(QStringLiteral("a.png")), request, view.explore);
        ASSERT_TRUE(written);
        EXPECT_FALSE(*written);
        EXPECT_EQ(sawTurns, 1);
        EXPECT_TRUE(contents(folder).isEmpty()) << contents(folder).join(QLatin1Char(' ')).toStdString();
    }
}

TEST(AnimationExport, aFolderThatCannotBeWrittenIsNamedInTheWindow)
{
    View view;
    ASSERT_TRUE(view.settled);
    for (const bool gif : { true, false }) {
        const AnimationRequest request{ .range = { 0, 20 * unit }, .gif = gif };
        const auto written = writeAnimation(&view.explore, QStringLiteral("/no/such/folder/a.gif"), request, view.explore);
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::Unwritable);
        EXPECT_EQ(written.error().file, "/no/such/folder/a.gif");
        EXPECT_FALSE(written.error().message.empty());
        EXPECT_EQ(written.error().hint, "choose another folder or name");
    }
}

TEST(AnimationExport, framesOfAnEarlierAnimationAreNotReplaced)
{
    QTemporaryDir folder;
    View view;
    ASSERT_TRUE(view.settled);
    QFile old(folder.filePath(QStringLiteral("a-0002.png")));
    ASSERT_TRUE(old.open(QIODevice::WriteOnly));
    old.write("old");
    old.close();
    const AnimationRequest request{ .range = { 0, 20 * unit }, .perSecond = 4, .seconds = 1, .gif = false };
    const auto written = writeAnimation(&view.explore, folder.filePath(QStringLiteral("a.png")), request, view.explore);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "a-0002.png is already there");
    EXPECT_EQ(contents(folder), QStringList{ QStringLiteral("a-0002.png") });
    EXPECT_EQ(old.size(), 3);
}

} // namespace pipeloom
