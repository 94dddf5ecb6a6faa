// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/overlay.h"
#include "views/plot/timemap.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <optional>

namespace pipeloom
{

/// The range that playback loops, as a bar with two ends along the top of the time axis. Lives on the overlay layer.
class LoopMark : public OverlayItem
{
    Q_OBJECT
public:
    explicit LoopMark(QCustomPlot *plot);

    /// The axis' place and map, and what loops; nothing = no bar.
    void setRange(const QRectF &axis, const TimeMap &map, const std::optional<TimeRange> &range);
    /// Where the bar is drawn; empty when nothing loops or it is out of view.
    [[nodiscard]] QRectF bar() const;

protected:
    void draw(QCPPainter *painter) override;

private:
    QRectF m_axis;
    TimeMap m_map;
    std::optional<TimeRange> m_range;
};

} // namespace pipeloom
