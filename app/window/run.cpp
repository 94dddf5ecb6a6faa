// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run.h"

#include "app/window/mainwindow.h"
#include "app/window/messagefilter.h"
#include "app/window/screenfit.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QTimer>

#include <cstdio>
#include <cstring>

namespace pipeloom
{

namespace
{

Q_LOGGING_CATEGORY(startCategory, "pipeloom.start", QtWarningMsg)

struct WindowArguments
{
    QStringList files;
    bool start = false;
    bool clean = false;
    std::optional<ThemeMode> theme;
    QElapsedTimer started;
};

std::optional<ThemeMode> themeMode(const QString &name)
{
    if (name == QLatin1String("light")) {
        return ThemeMode::Light;
    }
    if (name == QLatin1String("dark")) {
        return ThemeMode::Dark;
    }
    return name == QLatin1String("system") ? std::optional(ThemeMode::System) : std::nullopt;
}

/// What Qt left over of the arguments.
WindowArguments parse(const QStringList &arguments)
{
    WindowArguments result;
    bool onlyFiles = false;
    for (qsizetype i = 1; i < arguments.size(); ++i) {
        const QString &argument = arguments.at(i);
        if (onlyFiles || !argument.startsWith(QLatin1Char('-')) || argument == QLatin1String("-")) {
            result.files += argument;
        } else if (argument == QLatin1String("--")) {
            onlyFiles = true;
        } else if (argument == QLatin1String("--start")) {
            result.start = true;
        } else if (argument == QLatin1String("--clean")) {
            result.clean = true;
        } else if (argument == QLatin1String("--theme") && i + 1 < arguments.size() && themeMode(arguments.at(i + 1))) {
            result.theme = themeMode(arguments.at(++i));
        }
    }
    return result;
}

/// The first long option that neither the window nor Qt knows; checked before anything needs a display.
QString unknownOption(int argc, char **argv)
{
    static const QStringList known = { "--start", "--clean",      "--theme",    "--platform",
                                       "--style", "--stylesheet", "--geometry", "--display" };
    for (int i = 1; i < argc; ++i) {
        const QString argument = QString::fromLocal8Bit(argv[i]);
        if (argument == QLatin1String("--")) {
            break;
        }
        if (argument == QLatin1String("--theme") && !themeMode(i + 1 < argc ? QString::fromLocal8Bit(argv[i + 1]) : QString())) {
            return argument + QLatin1Char(' ') + QString::fromLocal8Bit(i + 1 < argc ? argv[i + 1] : "");
        }
        if (argument.startsWith(QLatin1String("--")) && !known.contains(argument.section(QLatin1Char('='), 0, 0))) {
            return argument;
        }
    }
    return {};
}

/// True when a window can be shown: Qt ends the process where it cannot, with a message nobody understands.
bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")
        || qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

MainWindow *makeWindow(const WindowArguments &arguments);

void showWindow(const WindowArguments &arguments, const QStringList &files)
{
    MainWindow *window = makeWindow(arguments);
    QObject::connect(window, &MainWindow::firstPainted, window, [clock = arguments.started] {
        qCInfo(startCategory) << "first result painted after" << clock.elapsed() << "ms";
    });
    if (arguments.start) {
        window->showStart();
    } else if (files.isEmpty()) {
        window->openLast();
    } else if (!window->openFiles(files)) {
        window->showStart(); // with the message above it
    }
    window->restoreSession();
    fitToScreen(*window);
    window->show();
    QTimer::singleShot(0, window, [window] {
        window->followDesktop();
        window->offerRecovery();
    });
}

MainWindow *makeWindow(const WindowArguments &arguments)
{
    WindowOptions options;
    options.keepsSession = !arguments.clean;
    auto *window = new MainWindow(options);
    window->setAttribute(Qt::WA_DeleteOnClose);
    if (arguments.theme) {
        window->themes().setMode(*arguments.theme);
    }
    QObject::connect(window, &MainWindow::windowRequested, window,
                     [arguments](const QString &path) { showWindow(arguments, { path }); });
    return window;
}

} // namespace

int runWindow(int argc, char **argv)
{
    QElapsedTimer clock;
    clock.start();
    if (const QString unknown = unknownOption(argc, argv); !unknown.isEmpty()) {
        std::fprintf(stderr,
                     "pipeloom: unknown option %s; --start, --clean and --theme light|dark|system are known, --help lists all\n",
                     qPrintable(unknown));
        return 2;
    }
    if (!hasDisplay()) {
        std::fputs("pipeloom: no display to open a window on; `pipeloom render INPUT -o OUT.png` draws one, `pipeloom evaluate "
                   "INPUT` prints "
                   "the numbers\n",
                   stderr);
        return 1;
    }
    MessageFilter filter;
    QApplication app(argc, argv);
    filter.started();
    QApplication::setApplicationName(QStringLiteral("pipeloom"));
    QApplication::setApplicationDisplayName(QStringLiteral("PipeLoom"));
    QApplication::setApplicationVersion(QStringLiteral(PIPELOOM_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("pipeloom"));
    WindowArguments arguments = parse(QApplication::arguments());
    arguments.started = clock;
    showWindow(arguments, arguments.files);
    return QApplication::exec();
}

} // namespace pipeloom
