// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QPalette>
#include <QString>

class QApplication;
class QWidget;

namespace pipeloom
{

/// The theme as palette, for everything Fusion draws itself.
[[nodiscard]] QPalette themePalette(const Theme &theme);

/// The application style sheet: one template with the tokens of the theme replaced. Widgets choose their look by dynamic
/// properties:
///  - `panel` (bool) on a QFrame or QWidget: panel colour behind it. `band` = alt colour.
///  - `kind` on a button: "primary", "link", "segment", "tab", "icon" (no frame until hovered); none = normal, 24 high.
///  - `tone` on a QLabel: "2" (label), "3" (caption), "ok", "warn", "err", "accent", "stale".
///  - `issue` on an input: "warn", "err".
///  - `diag` on a QFrame: "warn", "err": tinted box with a bar at the left.
[[nodiscard]] QString styleSheet(const Theme &theme);

/// Fusion, palette, font and style sheet for the whole program.
void applyTheme(QApplication &app, const Theme &theme);

/// Sets a dynamic property and applies the style again when it changed.
void setLook(QWidget *widget, const char *property, const QString &value);

} // namespace pipeloom
