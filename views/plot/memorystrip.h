// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/curvecolumns.h"
#include "views/plot/planpicture.h"
#include "views/plot/timemap.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <memory>
#include <vector>

namespace pipeloom
{

/// Memory of the selected rank over the step, one step curve per plan, with the HBM line, the reserve below it and the excess
/// above it filled. Curves are thinned to one range of values per pixel column.
class MemoryStrip : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    MemoryStrip(QCPAxis *keyAxis, QCPAxis *valueAxis);

    void setPictures(std::vector<std::shared_ptr<const PlanPicture>> pictures);
    void setTheme(const Theme &theme) { m_theme = theme; }
    void setRank(int rank);
    void setTimeMap(const TimeMap &map) { m_map = map; }
    void setArea(const QRectF &area, double gutterLeft);

    [[nodiscard]] ByteCount top() const { return m_top; } ///< value at the upper edge
    [[nodiscard]] double y(ByteCount bytes) const;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override { }
    [[nodiscard]] QRect clipRect() const override;

private:
    void updateScale();
    void updateIndex();
    [[nodiscard]] ByteCount capacity() const; ///< 0 when unknown
    [[nodiscard]] const RankMemory *memory(const PlanPicture &picture) const; ///< of the shown rank
    [[nodiscard]] CurveColumns curve(std::size_t plan, const TimeMap &map) const;
    void drawScale(QCPPainter &painter) const;
    void drawExcess(QCPPainter &painter, const TimeMap &map, const CurveColumns &curve, bool stale) const;
    void drawCurve(QCPPainter &painter, const TimeMap &map, const CurveColumns &curve, const PlanPicture &picture) const;
    void drawLetter(QCPPainter &painter, const TimeMap &map, const std::vector<CurveColumns> &curves, std::size_t plan,
                    std::vector<QRectF> &letters) const;

    std::vector<std::shared_ptr<const PlanPicture>> m_pictures;
    std::vector<CurveIndex> m_indices; ///< of the shown rank's curves, as m_pictures
    Theme m_theme;
    int m_rank = 0;
    TimeMap m_map;
    QRectF m_area;
    double m_gutterLeft = 0;
    ByteCount m_top = 1;
};

} // namespace pipeloom
