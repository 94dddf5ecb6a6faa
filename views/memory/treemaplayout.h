// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <span>
#include <vector>

namespace pipeloom
{

/// Rectangles that fill `area`, each with the share of it that its weight has of all, as near to squares as rows of them can be
/// (Bruls, Huizing and van Wijk 2000). In the order of `weights`, which should descend. O(n). A weight of 0 or less, or an empty
/// area, gives empty rectangles.
[[nodiscard]] std::vector<QRectF> squarified(std::span<const double> weights, const QRectF &area);

} // namespace pipeloom
