// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"
#include "core/schedule/schedule.h"

#include <QColor>
#include <QFont>

#include <array>

namespace pipeloom
{

/// Colours of one kind of op: fill, the 1 px right edge, and the number on it.
struct OpColours
{
    QColor fill, edge, label;
    bool operator==(const OpColours &) const = default;
};

/// The design tokens of one theme. Colour means work or bytes; plans are letters, never colours.
struct Theme
{
    bool dark = false;
    QColor bg, panel, alt, lane, line, grid;
    QColor text, text2, text3;
    QColor accent, accentBg, onAccent;
    QColor ok, okBg, warn, warnBg, err, errBg;
    QColor input, inputLine, groove;
    QColor hatch, hatchBg, reserve, play, ghost;
    QColor planGrey; ///< badge of plan C and later
    OpColours forward, inputGradient, weightGradient, pair, optimizer;
    QColor pairBackwardLabel; ///< the backward number on a pair
    std::array<QColor, memoryClassCount> memory; ///< index = MemoryClass
    bool operator==(const Theme &) const = default;
};

[[nodiscard]] const Theme &lightTheme();
[[nodiscard]] const Theme &darkTheme();

/// Text on a fill: white or nearly black, whichever contrasts more (WCAG).
[[nodiscard]] QColor textOn(const QColor &fill);

/// The design's fonts at a pixel size (Roboto; falls back to the system sans). weight: QFont::Normal, Medium, Bold.
[[nodiscard]] QFont uiFont(double pixelSize, QFont::Weight weight = QFont::Normal);
[[nodiscard]] QFont condensedFont(double pixelSize, QFont::Weight weight = QFont::Medium); ///< Roboto Condensed: numbers on ops
[[nodiscard]] QFont monoFont(double pixelSize); ///< JetBrains Mono: formulas

} // namespace pipeloom
