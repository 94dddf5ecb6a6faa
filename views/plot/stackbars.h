// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/planpicture.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace pipeloom
{

/// Which plans the stacks show.
enum class StackMode
{
    Both, ///< every plan
    First,
    Second,
    Difference, ///< first minus second, class by class
    Third,
    Fourth,
};
inline constexpr int stackModeCount = 6;

/// Memory per pipeline rank at the playhead: one stack per rank and plan, a dashed ghost up to the peak of the step, the peak as
/// a bar with its number (red above usable), the HBM line and the reserve below it. Draws its own axes, so that bars stand on
/// whole pixels.
class StackBarPlottable : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    StackBarPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis);

    void setPictures(std::vector<std::shared_ptr<const PlanPicture>> pictures);
    void setTheme(const Theme &theme) { m_theme = theme; }
    void setMode(StackMode mode);
    void setTime(Nanoseconds time) { m_time = time; }
    void setSelectedRank(int rank) { m_selectedRank = rank; }
    void setHoveredRank(int rank) { m_hoveredRank = rank; }
    void setArea(const QRectF &area) { m_area = area; }

    [[nodiscard]] StackMode mode() const { return m_mode; }
    [[nodiscard]] int ranks() const;
    /// The rank whose column holds x; -1 outside.
    /// What stands in place of the bars when no plan has ever been valid; empty otherwise.
    [[nodiscard]] QString emptySentence() const;
    [[nodiscard]] int rankAt(const QPointF &position) const;
    [[nodiscard]] QRectF rankRect(int rank) const; ///< its column, labels included
    [[nodiscard]] double highest() const { return m_highest; } ///< GiB at the upper edge
    [[nodiscard]] double lowest() const { return m_lowest; } ///< GiB at the lower edge; below 0 only for differences

    static constexpr double labelHeight = 36; ///< below the area: letters and rank names
    static constexpr double leftMargin = 46, rightMargin = 54; ///< value labels; HBM and usable
    static constexpr double topMargin = 22;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override { }
    [[nodiscard]] QRect clipRect() const override;

private:
    using Stack = std::array<ByteCount, memoryClassCount>;

    void updateScale();
    [[nodiscard]] std::pair<double, double> differenceBounds(int rank) const;
    [[nodiscard]] double y(double gibibytes) const;
    [[nodiscard]] double pitch() const;
    [[nodiscard]] double gap() const; ///< between the bars of a rank
    [[nodiscard]] double barWidth() const;
    [[nodiscard]] std::vector<std::size_t> shownPlans() const;
    [[nodiscard]] const RankMemory *memory(std::size_t plan, int rank) const;
    [[nodiscard]] ByteCount limit(ByteCount MemoryResult::*member) const;
    void drawScale(QCPPainter &painter) const;
    void drawLimits(QCPPainter &painter) const;
    void drawRank(QCPPainter &painter, int rank, bool peaks) const;
    void drawBar(QCPPainter &painter, std::size_t plan, const RankMemory &memory, const QRectF &column) const;
    void drawPeak(QCPPainter &painter, std::size_t plan, const RankMemory &memory, const QRectF &column, int rank,
                  bool number) const;
    void drawDifference(QCPPainter &painter, int rank, const QRectF &column) const;
    void drawSegments(QCPPainter &painter, const Stack &stack, const QRectF &column, bool faint, double from, int sign) const;
    void drawNames(QCPPainter &painter) const;

    std::vector<std::shared_ptr<const PlanPicture>> m_pictures;
    Theme m_theme;
    StackMode m_mode = StackMode::Both;
    Nanoseconds m_time = 0;
    int m_selectedRank = -1, m_hoveredRank = -1;
    QRectF m_area;
    double m_highest = 1, m_lowest = 0, m_step = 20;
};

} // namespace pipeloom
