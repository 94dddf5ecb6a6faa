// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/overlay.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <vector>

namespace pipeloom
{

/// Thin curved arrows between ops: what an op takes from others and who takes its result. Part of the overlay.
class LinksItem : public OverlayItem
{
    Q_OBJECT
public:
    struct Arrow
    {
        QPointF from, to; ///< within `area`; an end that is out of view stands on its edge
        QRectF area; ///< of the lanes: nothing is drawn outside
        bool input = true; ///< true: to the op of interest; false: from it
        bool fromShown = true, toShown = true; ///< false: that end is out of view and gets neither dot nor head
        bool operator==(const Arrow &) const = default;
    };

    explicit LinksItem(QCustomPlot *plot);

    void setArrows(std::vector<Arrow> arrows) { m_arrows = std::move(arrows); }
    [[nodiscard]] const std::vector<Arrow> &arrows() const { return m_arrows; }

protected:
    void draw(QCPPainter *painter) override;

private:
    std::vector<Arrow> m_arrows;
};

} // namespace pipeloom
