// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <qcustomplot.h>

#include <vector>

namespace pipeloom
{

/// Thin curved arrows between ops: what an op takes from others and who takes its result. Part of the overlay.
class LinksItem : public QCPAbstractItem
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

    void setTheme(const Theme &theme) { m_theme = theme; }
    void setArrows(std::vector<Arrow> arrows) { m_arrows = std::move(arrows); }
    [[nodiscard]] const std::vector<Arrow> &arrows() const { return m_arrows; }

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }

protected:
    void draw(QCPPainter *painter) override;
    [[nodiscard]] QRect clipRect() const override;

private:
    Theme m_theme;
    std::vector<Arrow> m_arrows;
};

} // namespace pipeloom
