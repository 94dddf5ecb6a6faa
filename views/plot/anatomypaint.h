// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/opanatomy.h"
#include "views/plot/timemap.h"
#include "views/theme.h"

#include <QPainter>
#include <QRectF>
#include <QString>

#include <vector>

namespace pipeloom
{

/// A component of an op as it was drawn.
struct DrawnPart
{
    AnatomyPart part;
    QRectF rect; ///< cut to the lanes
};

/// An op that is wide enough to be opened.
struct OpenedOp
{
    Nanoseconds start = 0, end = 0;
    OpAnatomy anatomy;
    int microbatch = 0, microbatchB = -1; ///< of a pair: forward and backward; else both halves of the op have `microbatch`
};

/// From this width on, and from so much for each of its layers, an op shows its components, where lanes are at least
/// `openedHeight` high: narrower parts are a pattern that tells nothing, and would hide the op's number.
inline constexpr double openedWidth = 200, openedLayerWidth = 72, openedHeight = 8;

/// Draws the components over the op: compute in the upper half of the lane, communication in the lower; where compute waits the
/// hatch of bubbles stays. Words where they fit. Appends what it drew to `drawn`.
void drawAnatomy(QPainter &painter, const QRectF &lane, const QRectF &data, const TimeMap &map, const OpenedOp &op,
                 const Theme &theme, std::vector<DrawnPart> &drawn);

/// "MLP(B), backward of the MLP or experts for their input" for a hint.
[[nodiscard]] QString partWords(OpPart part);

} // namespace pipeloom
