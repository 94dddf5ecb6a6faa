// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QIcon>
#include <QPixmap>

namespace pipeloom
{

/// Our own icons, a 16 px grid. The last three are status marks: filled, and different in shape.
enum class Icon
{
    Play,
    Pause,
    StepBack,
    StepForward,
    Start,
    End,
    Loop,
    Undo,
    Redo,
    Pin,
    Swap,
    Import,
    Export,
    Present,
    Sun,
    Moon,
    Search,
    Fit,
    Link,
    Copy,
    Chevron, ///< points down
    ChevronRight,
    ChevronLeft,
    Check,
    Close,
    Open,
    Ok,
    Warning,
    Error,
};
inline constexpr int iconCount = static_cast<int>(Icon::Error) + 1;

/// Registers the embedded files; needed once because the library is static. Cheap to repeat.
void loadIconResources();

/// One icon in one colour, `size` logical pixels wide. `ground` is the colour of the mark inside a status icon.
[[nodiscard]] QPixmap iconPixmap(Icon icon, const QColor &colour, double size = 16, double devicePixelRatio = 1,
                                 const QColor &ground = Qt::white);

/// For buttons: text2, text3 when disabled, accent when checked; 1x and 2x.
[[nodiscard]] QIcon themedIcon(Icon icon, const Theme &theme);
/// For buttons with a ground of their own: one colour, 1x and 2x.
[[nodiscard]] QIcon plainIcon(Icon icon, const QColor &colour);
/// Ok, Warning or Error in the colour of its meaning.
[[nodiscard]] QPixmap statusPixmap(Icon icon, const Theme &theme, double size = 16, double devicePixelRatio = 1);

} // namespace pipeloom
