// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/overlay.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <vector>

namespace pipeloom
{

/// The ops that a search found: outlines in the lanes, ticks on the axis. Drawn with the timelines, not with the overlay: a
/// moving playhead does not pay for it.
class MatchesItem : public OverlayItem
{
    Q_OBJECT
public:
    explicit MatchesItem(QCustomPlot *plot);

    /// Rectangles to outline; several matches closer than pixels are one.
    void setMatches(std::vector<QRectF> rects) { m_rects = std::move(rects); }
    /// Left edges of the ticks, one pixel each, and the axis they hang from.
    void setTicks(std::vector<double> ticks, const QRectF &axis);

    [[nodiscard]] const std::vector<QRectF> &matches() const { return m_rects; }
    [[nodiscard]] const std::vector<double> &ticks() const { return m_ticks; }

    static constexpr double tickHeight = 6;

protected:
    void draw(QCPPainter *painter) override;

private:
    std::vector<QRectF> m_rects;
    std::vector<double> m_ticks;
    QRectF m_axis;
};

} // namespace pipeloom
