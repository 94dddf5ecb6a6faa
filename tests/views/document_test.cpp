// SPDX-License-Identifier: GPL-3.0-or-later
#include "support.h"

#include "app/window/autosave.h"
#include "app/window/document.h"
#include "app/window/planedits.h"
#include "app/window/session.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>

namespace pipeloom
{

namespace
{

/// A document on the small scenario.
struct Open
{
    Open() { EXPECT_TRUE(document.openText(smallScenario(), QStringLiteral("Small"))); }
    [[nodiscard]] int pp(std::size_t plan) const { return document.plans().at(plan).plan.pp; }
    Expected<bool> setPp(int value, int plan, bool dragging = false)
    {
        return document.edit({ { "plan.pp", std::to_string(value) } }, EditTarget{ plan }, dragging);
    }
    Document document;
};

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    ASSERT_EQ(file.write(bytes), bytes.size());
}

} // namespace

TEST(PlanEdits, theTargetDecidesWhichPlansChange)
{
    Open test;
    ASSERT_TRUE(test.setPp(2, EditTarget::everyPlan));
    EXPECT_EQ(test.pp(0), 2);
    EXPECT_EQ(test.pp(1), 2);
    ASSERT_TRUE(test.setPp(8, 0));
    EXPECT_EQ(test.pp(0), 8);
    EXPECT_EQ(test.pp(1), 2);
    ASSERT_TRUE(test.setPp(4, 1));
    EXPECT_EQ(test.pp(0), 8);
    EXPECT_EQ(test.pp(1), 4);
    ASSERT_TRUE(test.setPp(2, EditTarget::everyPlan)); // B gives up its own value
    EXPECT_EQ(test.pp(0), 2);
    EXPECT_EQ(test.pp(1), 2);
    EXPECT_EQ(test.document.scenario().alternatives.front().set.size(), 1U); // its schedule
}

TEST(PlanEdits, anAlternativeThatEqualsAFollowsAgain)
{
    Open test;
    ASSERT_TRUE(test.setPp(2, 1));
    ASSERT_TRUE(test.setPp(4, 1));
    ASSERT_TRUE(test.setPp(8, EditTarget::everyPlan));
    EXPECT_EQ(test.pp(1), 8);
}

TEST(PlanEdits, aPinnedPlanStaysWhatItIs)
{
    Open test;
    ASSERT_TRUE(test.document.pin(0));
    ASSERT_EQ(test.document.plans().size(), 3U);
    const Scenario pinned = test.document.plans()[2];
    EXPECT_EQ(pinned.plan, test.document.plans()[0].plan);
    ASSERT_TRUE(test.setPp(2, EditTarget::everyPlan));
    EXPECT_EQ(test.document.plans()[2].plan, pinned.plan);
    EXPECT_EQ(test.pp(0), 2);
}

TEST(PlanEdits, swappingTwiceComesBack)
{
    Open test;
    ASSERT_TRUE(test.document.pin(1));
    ASSERT_TRUE(test.setPp(2, 1));
    const std::vector<Scenario> before = test.document.plans();
    ASSERT_TRUE(test.document.swap());
    EXPECT_EQ(test.document.plans()[0].plan, before[1].plan);
    EXPECT_EQ(test.document.plans()[1].plan, before[0].plan);
    EXPECT_EQ(test.document.plans()[2].plan, before[2].plan);
    ASSERT_TRUE(test.document.swap());
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(test.document.plans()[i].plan, before[i].plan);
    }
}

TEST(PlanEdits, namesFollowTheSchedule)
{
    Open test;
    EXPECT_EQ(test.document.scenario().alternatives.front().name, "1F1B");
    ASSERT_TRUE(test.document.edit({ { "plan.schedule", "\"gpipe\"" } }, EditTarget{ 1 }, false));
    EXPECT_EQ(test.document.scenario().alternatives.front().name, "GPipe");
    ASSERT_TRUE(test.setPp(2, 1));
    EXPECT_EQ(test.document.scenario().alternatives.front().name, "GPipe PP2");
}

TEST(PlanEdits, laterPlansCanTakeThePlaceOfB)
{
    Open test;
    ASSERT_TRUE(test.document.pin(0));
    ASSERT_TRUE(test.document.compareWith(2));
    EXPECT_EQ(test.document.plans()[1].plan.schedule, ScheduleKind::DualPipe);
    EXPECT_EQ(test.document.plans()[2].plan.schedule, ScheduleKind::OneForwardOneBackward);
    ASSERT_TRUE(test.document.remove(1));
    EXPECT_EQ(test.document.plans().size(), 2U);
    EXPECT_EQ(test.document.plans()[1].plan.schedule, ScheduleKind::OneForwardOneBackward);
}

TEST(Document, aDragIsOneUndoStep)
{
    Open test;
    for (const int value : { 5, 6, 7 }) {
        ASSERT_TRUE(test.setPp(value, EditTarget::everyPlan, true));
    }
    ASSERT_TRUE(test.setPp(8, EditTarget::everyPlan, false));
    EXPECT_EQ(test.document.undoStack()->count(), 1);
    ASSERT_TRUE(test.setPp(2, EditTarget::everyPlan, false));
    EXPECT_EQ(test.document.undoStack()->count(), 2);
    test.document.undoStack()->undo();
    EXPECT_EQ(test.pp(0), 8);
    test.document.undoStack()->undo();
    EXPECT_EQ(test.pp(0), 4);
    EXPECT_FALSE(test.document.isModified());
    test.document.undoStack()->redo();
    EXPECT_EQ(test.pp(0), 8);
    EXPECT_EQ(test.pp(1), 8);
    EXPECT_TRUE(test.document.isModified());
}

TEST(Document, aDragThereAndBackLeavesNoStep)
{
    Open test;
    ASSERT_TRUE(test.setPp(8, EditTarget::everyPlan, true));
    ASSERT_TRUE(test.setPp(4, EditTarget::everyPlan, true));
    ASSERT_TRUE(test.setPp(4, EditTarget::everyPlan, false));
    EXPECT_EQ(test.document.undoStack()->count(), 0);
    EXPECT_EQ(test.pp(0), 4);
}

TEST(Document, aRefusedEditChangesNothing)
{
    Open test;
    QSignalSpy changes(&test.document, &Document::changed);
    const auto result = test.document.edit({ { "plan.pp", "-3" } }, EditTarget{}, false);
    ASSERT_FALSE(result);
    EXPECT_FALSE(result.error().message.empty());
    EXPECT_FALSE(test.document.edit({ { "plan.nonsense", "1" } }, EditTarget{}, false));
    EXPECT_EQ(test.pp(0), 4);
    EXPECT_EQ(changes.size(), 0);
    EXPECT_EQ(test.document.undoStack()->count(), 0);
}

TEST(Document, aBrokenFileLeavesTheOpenScenario)
{
    QTemporaryDir folder;
    Open test;
    const Scenario before = test.document.scenario();
    QSignalSpy replaced(&test.document, &Document::replaced);
    const QString broken = folder.filePath(QStringLiteral("broken.loom.json"));
    write(broken, QByteArray::fromStdString(smallScenario()).chopped(40));
    for (const QString &path : { broken, folder.path(), folder.filePath(QStringLiteral("missing.loom.json")) }) {
        const auto result = test.document.openFile(path);
        ASSERT_FALSE(result) << path.toStdString();
        EXPECT_EQ(result.error().file, path.toStdString());
    }
    EXPECT_EQ(test.document.scenario(), before);
    EXPECT_EQ(replaced.size(), 0);
}

TEST(Document, savesAtomicallyAndReadsBack)
{
    QTemporaryDir folder;
    Open test;
    ASSERT_TRUE(test.setPp(8, 0));
    const QString path = folder.filePath(QStringLiteral("plan.loom.json"));
    ASSERT_TRUE(test.document.save(path));
    EXPECT_FALSE(test.document.isModified());
    EXPECT_EQ(test.document.displayName(), QStringLiteral("plan.loom.json"));
    EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList(QStringLiteral("plan.loom.json")));
    Document other;
    ASSERT_TRUE(other.openFile(path));
    EXPECT_EQ(other.plans()[0].plan, test.document.plans()[0].plan);
    EXPECT_EQ(other.plans()[1].plan, test.document.plans()[1].plan);

    // A save that cannot be written leaves the old file and the unsaved state.
    const QByteArray saved = read(path);
    ASSERT_TRUE(test.setPp(2, 0));
    EXPECT_FALSE(test.document.save(folder.filePath(QStringLiteral("no/such/folder/plan.loom.json"))));
    EXPECT_TRUE(test.document.isModified());
    EXPECT_EQ(read(path), saved);
}

TEST(Autosave, keepsUnsavedWorkUntilItIsSaved)
{
    QTemporaryDir folder;
    Document document;
    ASSERT_TRUE(document.openText(smallScenario(), QStringLiteral("Small")));
    Autosave autosave(&document, folder.path());
    autosave.flush();
    EXPECT_FALSE(QFile::exists(autosave.file())); // nothing unsaved
    ASSERT_TRUE(document.edit({ { "plan.pp", "8" } }, EditTarget{ 0 }, false));
    autosave.flush();
    ASSERT_TRUE(QFile::exists(autosave.file()));
    EXPECT_TRUE(Autosave::find(folder.path()).empty()); // its program lives
    ASSERT_TRUE(document.save(folder.filePath(QStringLiteral("saved.json"))));
    EXPECT_FALSE(QFile::exists(autosave.file()));
}

TEST(Autosave, anEndedProgramsWorkIsFoundAndRestored)
{
    QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("gone.loom.json"));
    write(copy, QByteArray::fromStdString(smallScenario()));
    write(folder.filePath(QStringLiteral("gone.ini")), "[General]\npath=/somewhere/plan.loom.json\nname=plan.loom.json\n");
    const auto found = Autosave::find(folder.path());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().name, QStringLiteral("plan.loom.json"));
    Document document;
    ASSERT_TRUE(document.openRecovered(found.front().file, found.front().path));
    EXPECT_TRUE(document.isModified());
    EXPECT_EQ(document.path(), QStringLiteral("/somewhere/plan.loom.json"));
    Autosave::remove(found.front());
    EXPECT_TRUE(Autosave::find(folder.path()).empty());
}

TEST(Session, comesBackAsItWas)
{
    QTemporaryDir folder;
    const Session session(folder.filePath(QStringLiteral("session.ini")));
    SessionState state;
    state.geometry = QByteArray("\x01\x02\x00\x03", 4);
    state.layout = "layout";
    state.file = QStringLiteral("/a/plan ü.loom.json");
    state.theme = ThemeMode::Dark;
    state.scenarioShown = false;
    state.playhead = 1'100'000'123;
    state.range = TimeRange{ 5, 7'000'000'000 };
    state.rank = 3;
    state.explore = QByteArray("\0x", 2);
    session.save(state);
    const SessionState back = session.load();
    EXPECT_EQ(back.geometry, state.geometry);
    EXPECT_EQ(back.layout, state.layout);
    EXPECT_EQ(back.file, state.file);
    EXPECT_EQ(back.theme, state.theme);
    EXPECT_EQ(back.scenarioShown, false);
    EXPECT_EQ(back.verdictShown, true);
    EXPECT_EQ(back.playhead, state.playhead);
    EXPECT_EQ(back.range, state.range);
    EXPECT_EQ(back.rank, 3);
    EXPECT_EQ(back.explore, state.explore);
}

TEST(Session, rubbishReadsAsDefaults)
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("session.ini"));
    write(path,
          QByteArray(
              "\xff\xfe[[[\0garbage==\n[view]\nplayhead=banana\nbegin=-5\nend=1e99\nrank=-7\n[window]\ngeometry=@ByteArray(\x80",
              90));
    const SessionState state = Session(path).load();
    EXPECT_EQ(state.playhead, 0);
    EXPECT_GE(state.rank, 0);
    EXPECT_FALSE(state.range);
    EXPECT_EQ(state.theme, ThemeMode::System);
}

TEST(Session, recentFilesAreTenWithoutDoubles)
{
    QTemporaryDir folder;
    const Session session(folder.filePath(QStringLiteral("session.ini")));
    for (int i = 0; i < 12; ++i) {
        session.addRecentFile(QStringLiteral("/files/%1.loom.json").arg(i));
    }
    session.addRecentFile(QStringLiteral("/files/5.loom.json"));
    const QStringList files = session.recentFiles();
    EXPECT_EQ(files.size(), 10);
    EXPECT_EQ(files.front(), QStringLiteral("/files/5.loom.json"));
    EXPECT_EQ(files.count(QStringLiteral("/files/5.loom.json")), 1);
}

} // namespace pipeloom
