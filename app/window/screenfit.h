// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>

class QWidget;

namespace pipeloom
{

/// The size a window opens with: as wanted where `available` has room for it, never below `least`.
[[nodiscard]] QSize sizeThatFits(const QSize &wanted, const QSize &least, const QSize &available);

/// Makes a window that is larger than its screen as small as it takes to see its lower edge, and puts it into the corner.
/// Maximised windows are left alone.
void fitToScreen(QWidget &window);

} // namespace pipeloom
