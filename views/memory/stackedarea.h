// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/curveplan.h"
#include "views/plot/curvecolumns.h"
#include "views/plot/timemap.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <functional>
#include <optional>
#include <vector>

namespace pipeloom
{

/// What the value axis of a memory curve counts.
enum class CurveUnit
{
    Gib, ///< allocated bytes and buffers, against usable and HBM
    PercentOfHbm, ///< the same as a share of HBM; GiB where the plan has no HBM limit
    Reserved, ///< what the device shows: the allocator keeps what it once took, so the top is level
};

/// Memory of one rank over the step: the classes stacked in the order of MemoryClass, another plan's total as a line, HBM, the
/// reserve below it, the peak. One range of values per pixel column, whatever the number of points. Draws its own value axis.
class StackedAreaPlottable : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    StackedAreaPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis);

    void setPlans(CurvePlan main, std::optional<CurvePlan> other);
    void setRank(int rank);
    void setUnit(CurveUnit unit);
    void setTheme(const Theme &theme) { m_theme = theme; }
    void setTimeMap(const TimeMap &map) { m_map = map; }
    void setArea(const QRectF &area);

    [[nodiscard]] const CurvePlan &plan() const { return m_plan; }
    [[nodiscard]] const std::optional<CurvePlan> &other() const { return m_other; }
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] const TimeMap &timeMap() const { return m_map; }
    [[nodiscard]] const QRectF &area() const { return m_area; }
    [[nodiscard]] double y(ByteCount bytes) const;
    /// Bytes at the upper edge. One scale for all ranks of both plans, so that choosing another rank compares like with like.
    [[nodiscard]] ByteCount top() const;
    /// Between usable and HBM; empty where it is not drawn.
    [[nodiscard]] QRectF reserveBand() const;
    [[nodiscard]] QString peakText() const; ///< "peak 92.2 at 1.84 s"
    [[nodiscard]] bool isOver() const; ///< the shown rank is above its limit

    static constexpr int leftMargin = 46, rightMargin = 74, topMargin = 28, bottomMargin = 20;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override { }
    [[nodiscard]] QRect clipRect() const override;

private:
    /// What one drawing needs, computed once.
    struct Frame
    {
        TimeMap map;
        CurveColumns curve, other;
        double limitY = -1; ///< of HBM; -1 when unknown
    };
    using Bound = std::function<ByteCount(const CurveColumns::Column &)>;

    void updateIndices();
    void updateScale();
    [[nodiscard]] ByteCount capacity() const; ///< 0 when unknown
    [[nodiscard]] ByteCount usable() const;
    [[nodiscard]] bool inPercent() const;
    [[nodiscard]] double bytesPerUnit() const;
    [[nodiscard]] QString number(ByteCount bytes) const; ///< in the axis' unit
    [[nodiscard]] ByteCount highest(const RankMemory &memory) const; ///< the top of its stack
    [[nodiscard]] QColor fill(MemoryClass memoryClass) const;
    [[nodiscard]] Frame frame(const QCPPainter &painter) const;

    void drawScale(QCPPainter &painter, const Frame &frame) const;
    void drawLimits(QCPPainter &painter, const Frame &frame) const;
    void drawStack(QCPPainter &painter, const Frame &frame, const RankMemory &memory) const;
    void drawOther(QCPPainter &painter, const Frame &frame) const;
    void drawOtherName(QCPPainter &painter, const Frame &frame) const;
    void drawNames(QCPPainter &painter, const Frame &frame, const RankMemory &memory) const;
    void drawPeak(QCPPainter &painter, const Frame &frame, const RankMemory &memory) const;
    [[nodiscard]] std::optional<QRectF> roomFor(double width, const Frame &frame, const Bound &bottom, const Bound &top) const;
    [[nodiscard]] bool crosses(const QRectF &box, const Frame &frame) const;

    CurvePlan m_plan;
    std::optional<CurvePlan> m_other;
    CurveIndex m_index, m_otherIndex; ///< of the shown rank
    Theme m_theme;
    CurveUnit m_unit = CurveUnit::Gib;
    int m_rank = 0;
    TimeMap m_map;
    QRectF m_area;
    double m_highest = 1, m_step = 1; ///< of the value axis, in its unit
};

} // namespace pipeloom
