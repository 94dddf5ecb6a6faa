// SPDX-License-Identifier: GPL-3.0-or-later
// A slider drag in the real window on the production run, as JSON: milliseconds from the slider's value change to the painted frame
// that shows the new evaluation of both plans, and from the start of the window to its first painted result.
//   drag_bench [ticks]
// Run it under Xvfb at 1600x900 or larger, or with QT_QPA_PLATFORM=offscreen.
#include "app/window/document.h"
#include "app/window/mainwindow.h"
#include "app/window/planboard.h"
#include "views/controls/fieldlines.h"
#include "views/controls/parameterrow.h"
#include "views/controls/scenariopanel.h"
#include "views/controls/stepslider.h"
#include "views/explore/exploreview.h"
#include "views/stylesheet.h"

#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace pipeloom;

namespace
{

constexpr int mostMilliseconds = 2000; ///< a tick that takes longer is a failure of the benchmark, not a figure

/// Runs the event loop until the condition holds; false when it does not come about.
template<class Condition>
bool waitFor(Condition condition)
{
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.elapsed() > mostMilliseconds)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
    }
    return true;
}

double at(const std::vector<double> &sorted, double share)
{
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

/// True when every shown plan's newest result is of the scenario that the document now holds.
bool isShown(MainWindow &window)
{
    const auto &wanted = window.document().plans();
    const auto &plans = window.board().plans();
    if (plans.size() < 2 || wanted.size() < 2)
        return false;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!plans[i].latest || plans[i].latest->scenario.routing != wanted[i].routing)
            return false;
    }
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    QElapsedTimer start;
    start.start();
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && !qEnvironmentVariableIsSet("DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    const int ticks = argc > 1 ? std::max(10, std::atoi(argv[1])) : 200;
    WindowOptions options;
    options.keepsSession = false;
    options.autosaves = false;
    MainWindow window(options);
    window.resize(1600, 900);
    bool first = false;
    QObject::connect(&window, &MainWindow::firstPainted, &window, [&first] { first = true; });
    window.openSample(QStringLiteral("02-deepseek-v3-production"));
    window.show();
    if (!waitFor([&] { return first; })) {
        std::fputs("drag_bench: the first result was not painted\n", stderr);
        return 1;
    }
    const double firstPaint = static_cast<double>(start.nsecsElapsed()) / 1e6;
    auto *field = qobject_cast<NumberLines *>(window.scenarioPanel().field("routing.sigma"));
    if (field == nullptr) {
        std::fputs("drag_bench: there is no slider for routing.sigma\n", stderr);
        return 1;
    }
    StepSlider *slider = field->row(0)->slider();
    bool painted = false;
    QObject::connect(&window.explore(), &ExploreView::painted, &window, [&painted] { painted = true; });
    std::vector<double> times;
    slider->setSliderDown(true);
    for (int i = 0; i < ticks + 10; ++i) {
        const int span = slider->maximum() - slider->minimum();
        const int position = slider->minimum() + 1 + (i * 7) % std::max(1, span - 1);
        QElapsedTimer clock;
        clock.start();
        slider->setSliderPosition(position == slider->value() ? position + 1 : position);
        const bool shown = waitFor([&] { return isShown(window); });
        painted = false;
        if (!shown || !waitFor([&] { return painted; })) {
            std::fputs("drag_bench: a tick was not painted\n", stderr);
            return 1;
        }
        if (i >= 10)
            times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    slider->setSliderDown(false);
    std::ranges::sort(times);
    std::puts(fmt::format("{{\"scenario\": \"production PP16 M120\", \"window\": \"1600x900\", \"ticks\": {}, "
                          "\"change_to_painted\": {{\"median_ms\": {:.2f}, \"p99_ms\": {:.2f}, \"max_ms\": {:.2f}}}, \"first_result_ms\": {:.1f}}}",
                          times.size(), at(times, 0.5), at(times, 0.99), times.back(), firstPaint)
                  .c_str());
    return 0;
}
