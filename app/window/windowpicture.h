// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"

#include <QString>

class QWidget;

namespace pipeloom
{

/// Draws a shown window into a png, svg or pdf file (by its ending). In svg and pdf the widgets and plots are vectors. The file
/// is replaced only when all of it was written. `scale`: pixels of a png for each pixel of the screen; 0 = as the screen has them.
[[nodiscard]] Expected<bool> writeWindowPicture(QWidget &window, const QString &path, double scale = 0);

} // namespace pipeloom
