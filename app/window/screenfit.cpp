// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/screenfit.h"

#include <QMargins>
#include <QScreen>
#include <QWidget>

namespace pipeloom
{

QSize sizeThatFits(const QSize &wanted, const QSize &least, const QSize &available)
{
    return wanted.boundedTo(available).expandedTo(least);
}

void fitToScreen(QWidget &window)
{
    if (window.isMaximized() || window.isFullScreen()) {
        return;
    }
    const QRect available = window.screen()->availableGeometry();
    const QMargins frame(2, 28, 2, 2); // what a window manager is likely to add; it tells only after the window is shown
    const QSize fitting = sizeThatFits(window.size(), window.minimumSize(), available.size().shrunkBy(frame));
    if (fitting != window.size()) {
        window.resize(fitting);
        window.move(available.topLeft());
    }
}

} // namespace pipeloom
