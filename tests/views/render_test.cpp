// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a process: pictures without a display, and what it says when something is wrong.
#include "support.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <QProcess>

namespace pipeloom
{

namespace
{

struct Outcome
{
    int exitCode = -1;
    QString out, err;
};

/// Runs the program without any display.
Outcome run(const QStringList &arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : { "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR" }) {
        environment.remove(QString::fromLatin1(name));
    }
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(PIPELOOM_APP), arguments);
    EXPECT_TRUE(process.waitForFinished(120000));
    EXPECT_EQ(process.exitStatus(), QProcess::NormalExit);
    return { process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
             QString::fromUtf8(process.readAllStandardError()) };
}

QString smallFile(const QTemporaryDir &folder)
{
    QFile file(folder.filePath(QStringLiteral("small.loom.json")));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(smallScenario()));
    return file.fileName();
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

TEST(Render, drawsTheWholeWindowWithoutADisplay)
{
    QTemporaryDir folder;
    const QString input = smallFile(folder);
    const QString light = folder.filePath(QStringLiteral("light.png"));
    const Outcome first = run({ QStringLiteral("render"), input, QStringLiteral("-o"), light });
    EXPECT_EQ(first.exitCode, 0) << first.err.toStdString();
    EXPECT_TRUE(first.err.isEmpty()) << first.err.toStdString();
    const QImage picture(light);
    EXPECT_EQ(picture.size(), QSize(1600, 1000));
    EXPECT_EQ(picture.pixelColor(280, 900), lightTheme().panel); // the scenario dock
    int forward = 0;
    for (int x = 300; x < 1300; ++x) {
        forward += picture.pixelColor(x, 130) == lightTheme().forward.fill ? 1 : 0;
    }
    EXPECT_GT(forward, 20); // forwards in the first lane

    const QString dark = folder.filePath(QStringLiteral("dark.png"));
    const Outcome second = run({ QStringLiteral("render"), input, QStringLiteral("--view"), QStringLiteral("explore"),
                                 QStringLiteral("--size=1280x720"), QStringLiteral("--theme"), QStringLiteral("dark"),
                                 QStringLiteral("--time"), QStringLiteral("0.1"), QStringLiteral("-o"), dark });
    EXPECT_EQ(second.exitCode, 0) << second.err.toStdString();
    EXPECT_EQ(QImage(dark).size(), QSize(1280, 720));
    EXPECT_EQ(QImage(dark).pixelColor(18, 600), darkTheme().panel); // the rail
}

TEST(Render, theSamePictureTwice)
{
    QTemporaryDir folder;
    const QString input = smallFile(folder);
    QList<QImage> pictures;
    for (const QString &name : { QStringLiteral("a.png"), QStringLiteral("b.png") }) {
        EXPECT_EQ(run({ QStringLiteral("render"), input, QStringLiteral("-o"), folder.filePath(name) }).exitCode, 0);
        // The time the evaluation took stands at the right of the status bar.
        pictures += QImage(folder.filePath(name)).copy(0, 0, 1600, 976);
    }
    EXPECT_FALSE(pictures[0].isNull());
    EXPECT_EQ(pictures[0], pictures[1]);
}

TEST(Render, vectorsHoldTextAndNoPhotographOfTheWindow)
{
    QTemporaryDir folder;
    const QString input = smallFile(folder);
    const QString svg = folder.filePath(QStringLiteral("out.svg"));
    EXPECT_EQ(run({ QStringLiteral("render"), input, QStringLiteral("-o"), svg }).exitCode, 0);
    const QByteArray drawing = contentOf(svg);
    EXPECT_TRUE(drawing.contains("<svg"));
    EXPECT_TRUE(drawing.contains(">Verdict<"));
    EXPECT_TRUE(drawing.contains(">DualPipe<"));
    const QString pdf = folder.filePath(QStringLiteral("out.pdf"));
    EXPECT_EQ(run({ QStringLiteral("render"), input, QStringLiteral("-o"), pdf }).exitCode, 0);
    EXPECT_TRUE(contentOf(pdf).startsWith("%PDF"));
}

TEST(Render, saysWhatIsWrong)
{
    QTemporaryDir folder;
    const QString input = smallFile(folder);
    const QString out = folder.filePath(QStringLiteral("out.png"));
    const QString broken = folder.filePath(QStringLiteral("broken.loom.json"));
    QFile file(broken);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"format\": \"pipeloom-scenario\", \"schema\": 1, \"model\": \"deepseek-v9\"}");
    file.close();
    const auto fails = [](const QStringList &arguments, int code, const char *word) {
        const Outcome result = run(QStringList{ QStringLiteral("render") } + arguments);
        EXPECT_EQ(result.exitCode, code) << result.err.toStdString();
        EXPECT_TRUE(result.err.contains(QLatin1String(word))) << result.err.toStdString();
        EXPECT_TRUE(result.out.isEmpty());
    };
    fails({}, 2, "input");
    fails({ input }, 2, "-o");
    fails({ input, QStringLiteral("-o"), folder.filePath(QStringLiteral("out.gif")) }, 2, "svg");
    fails({ input, QStringLiteral("-o"), out, QStringLiteral("--view"), QStringLiteral("trace") }, 2, "explore");
    fails({ input, QStringLiteral("-o"), out, QStringLiteral("--size"), QStringLiteral("1x1") }, 2, "1024x640");
    fails({ input, QStringLiteral("-o"), out, QStringLiteral("--time"), QStringLiteral("nan") }, 2, "--time");
    fails({ folder.filePath(QStringLiteral("no.json")), QStringLiteral("-o"), out }, 3, "no.json");
    fails({ broken, QStringLiteral("-o"), out }, 1, "deepseek-v9");
    fails({ input, QStringLiteral("-o"), QStringLiteral("/no/such/folder/out.png") }, 3, "/no/such/folder/out.png");
    EXPECT_FALSE(QFile::exists(out));
}

/// The picture shows the findings; a script sees the exit code and stderr, the same as of `check`.
TEST(Render, anInvalidPlanIsDrawnToldAndWrong)
{
    QTemporaryDir folder;
    const QString broken = folder.filePath(QStringLiteral("odd.loom.json"));
    std::string text = smallScenario();
    const std::size_t pp = text.find("\"pp\"");
    ASSERT_NE(pp, std::string::npos);
    const std::size_t value = text.find_first_of("0123456789", pp);
    text.replace(value, text.find_first_not_of("0123456789", value) - value, "3");
    QFile file(broken);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
    file.close();
    const QString out = folder.filePath(QStringLiteral("out.png"));
    const Outcome result = run({ QStringLiteral("render"), broken, QStringLiteral("-o"), out });
    EXPECT_EQ(result.exitCode, 1) << result.err.toStdString();
    EXPECT_TRUE(result.err.contains(QStringLiteral("odd.loom.json: plan A: plan."))) << result.err.toStdString();
    EXPECT_FALSE(QImage(out).isNull());
    const Outcome check = run({ QStringLiteral("check"), broken });
    EXPECT_EQ(check.exitCode, result.exitCode) << check.out.toStdString();
}

TEST(Render, aFileThatCannotBeReadGivesTheSameCodeAsInEverySubcommand)
{
    QTemporaryDir folder;
    const struct
    {
        QByteArray content;
        int exitCode;
        const char *says;
    } cases[] = {
        { QByteArray(), 3, "empty" },
        { QByteArray("[1, 2]"), 3, "expects an object" },
        { QByteArray("{\"format\": \"pipeloom-scenario\"}\0", 32), 3, "zero byte" },
        { QByteArray("{\"format\": \"pipeloom-scenario\", \"schema\": 9}"), 3, "schema 9" },
        { QByteArray("{\"format\": \"pipeloom-scenario\"}"), 1, "/model: is missing" },
    };
    const QString path = folder.filePath(QStringLiteral("bad.loom.json"));
    for (const auto &[content, exitCode, says] : cases) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        for (const QStringList &command : { QStringList{ QStringLiteral("check"), path },
                                            QStringList{ QStringLiteral("render"), path, QStringLiteral("-o"),
                                                         folder.filePath(QStringLiteral("out.png")) } }) {
            const Outcome result = run(command);
            EXPECT_EQ(result.exitCode, exitCode) << result.err.toStdString();
            EXPECT_TRUE(result.err.contains(QLatin1String(says))) << result.err.toStdString();
        }
    }
}

TEST(Program, withoutADisplayItSaysSoInOneSentence)
{
    const Outcome result = run({});
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_TRUE(result.err.contains(QStringLiteral("no display")));
    EXPECT_TRUE(result.err.contains(QStringLiteral("pipeloom render")));
    EXPECT_EQ(result.err.count(QLatin1Char('\n')), 1);
}

TEST(Program, helpAndVersionNeedNoDisplay)
{
    EXPECT_EQ(run({ QStringLiteral("--version") }).out, QStringLiteral("PipeLoom " PIPELOOM_VERSION "\n"));
    EXPECT_EQ(run({ QStringLiteral("--help") }).exitCode, 0);
    EXPECT_TRUE(run({ QStringLiteral("render"), QStringLiteral("--help") }).out.contains(QStringLiteral("--size")));
    EXPECT_EQ(run({ QStringLiteral("--nonsense") }).exitCode, 2);
}

} // namespace pipeloom
