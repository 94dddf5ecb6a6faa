// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/render.h"

#include "app/commandline/console.h"
#include "app/window/mainwindow.h"
#include "app/window/messagefilter.h"
#include "app/window/sidepanels.h"
#include "app/window/windowpicture.h"
#include "core/base/text.h"
#include "core/scenario/scenariofile.h"
#include "views/controls/scenariopanel.h"
#include "views/explore/exploreview.h"
#include "views/memory/memoryview.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QFileInfo>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace pipeloom
{

namespace
{

const char *const usage = R"(Draws the window into a file, without a display.

pipeloom render INPUT -o OUT.png|svg|pdf [OPTIONS]

  INPUT                 a *.loom.json file, or sample:NAME for a bundled one
  -o, --output FILE     png, svg or pdf by its ending
  --view NAME           explore or memory [explore]
  --size WIDTHxHEIGHT   of the window in pixels [1600x1000]
  --theme light|dark    [light]
  --time SECONDS        where the playhead stands [when plan A needs most memory]
  --scale FACTOR        device pixels of a pixel, png only, 1 to 4 [1]

A plan that breaks a rule is drawn with its findings, told on stderr, and gives exit code 1.
)";

struct RenderRequest
{
    QString input;
    QString output;
    QSize size{ 1600, 1000 };
    bool dark = false;
    bool memory = false; ///< the Memory workspace instead of Explore
    std::optional<double> time;
    double scale = 1;
};

Error usageError(const QString &message, const QString &hint)
{
    return { ErrorCode::UnknownName, message.toStdString(), {}, {}, hint.toStdString() };
}

std::optional<QSize> parseSize(const QString &text)
{
    const QStringList parts = text.split(QLatin1Char('x'));
    bool okWidth = false;
    bool okHeight = false;
    const QSize size(parts.value(0).toInt(&okWidth), parts.value(1).toInt(&okHeight));
    const bool sensible = parts.size() == 2 && okWidth && okHeight && size.width() >= 1024 && size.height() >= 640
        && size.width() <= 7680 && size.height() <= 4320;
    return sensible ? std::optional(size) : std::nullopt;
}

bool knownEnding(const QString &path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == QLatin1String("png") || suffix == QLatin1String("svg") || suffix == QLatin1String("pdf");
}

/// Takes one option with its value; an error when the value is not one.
std::optional<Error> takeOption(RenderRequest &request, const QString &option, const QString &value)
{
    bool ok = true;
    if (option == QLatin1String("-o") || option == QLatin1String("--output")) {
        request.output = value;
        ok = knownEnding(value);
        return ok ? std::nullopt
                  : std::optional(usageError(QStringLiteral("%1 ends in none of .png, .svg, .pdf").arg(value),
                                             QStringLiteral("name the file so")));
    }
    if (option == QLatin1String("--view")) {
        request.memory = value == QLatin1String("memory");
        ok = request.memory || value == QLatin1String("explore");
        return ok ? std::nullopt
                  : std::optional(
                      usageError(QStringLiteral("there is no view \"%1\"").arg(value), QStringLiteral("use explore or memory")));
    }
    if (option == QLatin1String("--size")) {
        const std::optional<QSize> size = parseSize(value);
        request.size = size.value_or(request.size);
        return size ? std::nullopt
                    : std::optional(usageError(QStringLiteral("--size \"%1\" is not a size").arg(value),
                                               QStringLiteral("use 1024x640 to 7680x4320")));
    }
    if (option == QLatin1String("--theme")) {
        request.dark = value == QLatin1String("dark");
        ok = request.dark || value == QLatin1String("light");
        return ok ? std::nullopt
                  : std::optional(
                      usageError(QStringLiteral("there is no theme \"%1\"").arg(value), QStringLiteral("use light or dark")));
    }
    if (option == QLatin1String("--time")) {
        request.time = value.toDouble(&ok);
        ok = ok && std::isfinite(*request.time) && *request.time >= 0 && *request.time < 1e9;
        return ok ? std::nullopt
                  : std::optional(usageError(QStringLiteral("--time \"%1\" is not a time").arg(value),
                                             QStringLiteral("use seconds, 0 or more")));
    }
    request.scale = value.toDouble(&ok);
    ok = ok && request.scale >= 1 && request.scale <= 4;
    return ok
        ? std::nullopt
        : std::optional(usageError(QStringLiteral("--scale \"%1\" is not a factor").arg(value), QStringLiteral("use 1 to 4")));
}

Expected<RenderRequest> parse(int argc, char **argv)
{
    static const QStringList options = { "-o", "--output", "--view", "--size", "--theme", "--time", "--scale" };
    RenderRequest request;
    for (int i = 1; i < argc; ++i) {
        QString argument = QString::fromLocal8Bit(argv[i]);
        std::optional<QString> value;
        if (argument.startsWith(QLatin1String("--")) && argument.contains(QLatin1Char('='))) {
            value = argument.section(QLatin1Char('='), 1);
            argument = argument.section(QLatin1Char('='), 0, 0);
        }
        if (options.contains(argument)) {
            if (!value) {
                if (i + 1 >= argc) {
                    return usageError(QStringLiteral("%1 needs a value").arg(argument),
                                      QStringLiteral("`pipeloom render --help` lists them"));
                }
                value = QString::fromLocal8Bit(argv[++i]);
            }
            if (auto error = takeOption(request, argument, *value)) {
                return *error;
            }
        } else if (argument.startsWith(QLatin1Char('-'))) {
            return usageError(QStringLiteral("render has no option %1").arg(argument),
                              QStringLiteral("`pipeloom render --help` lists what it takes"));
        } else if (request.input.isEmpty()) {
            request.input = argument;
        } else {
            return usageError(QStringLiteral("render takes one input, \"%1\" is a second").arg(argument), {});
        }
    }
    if (request.input.isEmpty()) {
        return usageError(QStringLiteral("render needs an input"), QStringLiteral("name a *.loom.json file or sample:NAME"));
    }
    if (request.output.isEmpty()) {
        return usageError(QStringLiteral("render needs a file to draw into"), QStringLiteral("add -o OUT.png"));
    }
    return request;
}

Expected<Opened> open(MainWindow &window, const QString &input)
{
    if (!input.startsWith(QLatin1String("sample:"))) {
        return window.document().openFile(input);
    }
    const std::string name = input.mid(7).toStdString();
    const std::vector<Sample> &all = samples();
    const auto sample = std::ranges::find_if(all, [&name](const Sample &each) { return each.name == name || name.empty(); });
    if (sample == all.end()) {
        std::vector<std::string> names;
        for (const Sample &each : all) {
            names.push_back(each.name);
        }
        return Error{
            ErrorCode::UnknownName, "there is no sample \"" + printable(name) + "\"", {}, "sample", knownNames(name, names)
        };
    }
    return window.document().openText(sample->text, QString::fromStdString(sample->title));
}

/// Runs the event loop until every result is there.
void waitForResults(MainWindow &window)
{
    if (!window.board().isSettled()) {
        QEventLoop loop;
        QObject::connect(&window.board(), &PlanBoard::settled, &loop, &QEventLoop::quit);
        loop.exec();
    }
}

void waitForLevers(const MemoryView &memory)
{
    if (!memory.isSettled()) {
        QEventLoop loop;
        QObject::connect(&memory, &MemoryView::settled, &loop, &QEventLoop::quit);
        loop.exec();
    }
}

/// Wrapped texts and scroll bars settle their sizes over a few rounds of layout requests.
void settleLayout()
{
    constexpr int rounds = 6;
    for (int i = 0; i < rounds; ++i) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }
}

/// A late result leaves its mark in the plots until the next frame: wait for that frame, too.
void waitForFrame(const ExploreView &explore)
{
    QDeadlineTimer limit(10000);
    while (explore.isVisible() && !explore.isSettled() && !limit.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
}

/// When the plan needs most; 0 for a plan that cannot run.
Nanoseconds peakTime(const std::vector<ShownPlan> &plans)
{
    const auto &shown = plans.front().shown;
    if (!shown || shown->memory.ranks.empty()) {
        return 0;
    }
    return shown->memory.ranks.at(static_cast<std::size_t>(shown->memory.peakRank)).peakTime;
}

/// What makes a drawn plan invalid, as `check` says it. The picture shows it too, but whoever runs this in a script sees no
/// picture.
Errors planErrors(const std::vector<ShownPlan> &plans, const QString &input)
{
    Errors errors;
    for (const ShownPlan &plan : plans) {
        if (!plan.latest || plan.latest->valid) {
            continue;
        }
        for (const Diagnostic &finding : plan.latest->diagnostics) {
            if (finding.severity == Severity::Error) {
                errors.push_back({ ErrorCode::OutOfRange, finding.message, input.toStdString(),
                                   fmt::format("plan {}: {}", plan.letter.toStdString(), finding.field),
                                   finding.fixes.empty() ? std::string() : finding.fixes.front().label });
            }
        }
    }
    return errors;
}

int draw(const RenderRequest &request)
{
    WindowOptions options;
    options.keepsSession = false;
    options.autosaves = false;
    MainWindow window(options);
    window.themes().setMode(request.dark ? ThemeMode::Dark : ThemeMode::Light);
    const Expected<Opened> opened = open(window, request.input);
    if (!opened) {
        return toInt(report(opened.errors()));
    }
    for (const Error &warning : opened->warnings) {
        printMessage("warning: " + warning.text() + "\n");
    }
    if (request.memory) {
        window.sides().setScenarioShown(false);
        window.sides().setVerdictShown(false);
        window.showMemory();
    } else {
        window.showExplore();
    }
    window.resize(request.size);
    window.show();
    waitForResults(window);
    window.state().setPlayhead(request.time ? fromSeconds(*request.time) : peakTime(window.board().plans()));
    if (request.memory && window.board().plans().front().shown) {
        window.state().setRank(window.board().plans().front().shown->memory.peakRank);
    }
    window.scenarioPanel().markImpossible();
    settleLayout();
    waitForFrame(window.explore());
    if (request.memory) {
        waitForLevers(window.memory());
        settleLayout();
    }
    const Expected<bool> written = writeWindowPicture(window, request.output);
    if (!written) {
        return toInt(report(written.errors()));
    }
    const Errors errors = planErrors(window.board().plans(), request.input);
    return errors.empty() ? 0 : toInt(report(errors));
}

} // namespace

int runRender(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        if (QString::fromLocal8Bit(argv[i]) == QLatin1String("--help")
            || QString::fromLocal8Bit(argv[i]) == QLatin1String("-h")) {
            return toInt(printResult(usage));
        }
    }
    const Expected<RenderRequest> request = parse(argc, argv);
    if (!request) {
        return toInt(reportUsage(request.errors()));
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(request->output.endsWith(QLatin1String(".png")) ? request->scale : 1));
    MessageFilter filter;
    int one = 1;
    QApplication app(one, argv);
    filter.started();
    QApplication::setApplicationName(QStringLiteral("pipeloom"));
    return draw(*request);
}

} // namespace pipeloom
