// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/mainwindow.h"
#include "core/scenario/scenariofile.h"
#include "views/controls/stepslider.h"

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <string>

namespace pipeloom
{

inline constexpr int patience = 30000; ///< ms; a limit, never a pause

/// A small plan that evaluates in no time even with sanitizers: two plans on 64 GPUs.
inline std::string smallScenario()
{
    return R"({"format": "pipeloom-scenario", "schema": 1, "name": "Small", "model": "deepseek-v2-lite", "cluster": "h800",
               "plan": {"gpus": 64, "pp": 4, "ep": 8, "global_batch": 256, "seq": 4096, "schedule": "dualpipe"},
               "alternatives": [{"name": "1F1B", "set": {"plan.schedule": "1f1b"}}]})";
}

inline Scenario parsed(const std::string &text)
{
    auto loaded = parseScenario(text);
    return loaded ? loaded->scenario : Scenario{};
}

/// A window without session and autosave on the small scenario, evaluated and shown.
class OpenWindow
{
public:
    explicit OpenWindow(const WindowOptions &options = { .keepsSession = false, .autosaves = false })
        : window(std::make_unique<MainWindow>(options))
    {
        const bool opened = window->document().openText(smallScenario(), QStringLiteral("Small")).hasValue();
        if (opened) {
            window->showExplore();
        }
        window->resize(1600, 1000);
        window->show();
        settle();
    }

    /// Waits until every result is there.
    bool settle()
    {
        return QTest::qWaitFor([this] { return window->board().isSettled(); }, patience);
    }

    std::unique_ptr<MainWindow> window;
};

/// Drags a slider's handle to a position in `moves` mouse moves, as a hand would.
inline void dragSlider(StepSlider *slider, int position, int moves = 4)
{
    const int y = slider->height() / 2;
    const int from = slider->handleCentre(slider->sliderPosition());
    const int to = slider->handleCentre(position);
    QTest::mousePress(slider, Qt::LeftButton, {}, QPoint(from, y));
    for (int i = 1; i <= moves; ++i) {
        QMouseEvent move(QEvent::MouseMove, QPointF(from + (to - from) * i / moves, y),
                         slider->mapToGlobal(QPointF(from + (to - from) * i / moves, y)), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QApplication::sendEvent(slider, &move);
    }
    QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(to, y));
}

} // namespace pipeloom
