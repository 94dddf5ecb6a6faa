// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/anatomypaint.h"
#include "views/plot/planpicture.h"
#include "views/plot/timemap.h"
#include "views/theme.h"

#include <QHash>
#include <QImage>

#include <qcustomplot.h>

#include <memory>
#include <optional>
#include <vector>

namespace pipeloom
{

/// Where the lanes of one plan stand, in logical pixels.
struct LaneLayout
{
    double top = 0; ///< of the first shown lane
    double pitch = 21; ///< a lane: op height and gap
    int first = 0; ///< first shown rank
    int count = 0; ///< shown ranks
    double gutterLeft = 0; ///< left edge of the view
    double gutterRight = 0; ///< right edge of the idle column
    bool operator==(const LaneLayout &) const = default;

    static constexpr double gap = 2;
    [[nodiscard]] double bottom() const { return top + pitch * count; }
    /// The op area of a rank's lane; empty when the rank is not shown.
    [[nodiscard]] QRectF laneRect(int rank, const TimeMap &map) const;
    /// The rank whose lane holds y; -1 outside.
    [[nodiscard]] int rankAt(double y) const;
};

/// A remark in the free space behind a plan that ends before the other one.
struct EndRemark
{
    Nanoseconds otherEnd = 0;
    QString text; ///< "3.08 s sooner than B"
    bool operator==(const EndRemark &) const = default;
};

/// Draws all lanes of one plan: ops with their edge and number, bubbles, the gutters. Cost follows the pixels: runs of columns
/// from the level-of-detail index go into one image; vector output gets rectangles, or the image above `mostVectorRuns` of them.
class TimelinePlottable : public QCPAbstractPlottable
{
    Q_OBJECT
public:
    TimelinePlottable(QCPAxis *keyAxis, QCPAxis *valueAxis);

    void setPicture(std::shared_ptr<const PlanPicture> picture);
    void setTheme(const Theme &theme);
    void setLayout(const LaneLayout &layout);
    void setTimeMap(const TimeMap &map) { m_map = map; }
    void setSelectedRank(int rank) { m_selectedRank = rank; }
    void setDimmed(bool dimmed) { m_dimmed = dimmed; } ///< an old result while a new one is awaited
    void setRemark(const std::optional<EndRemark> &remark) { m_remark = remark; }

    [[nodiscard]] const PlanPicture *picture() const { return m_picture.get(); }
    [[nodiscard]] const LaneLayout &layout() const { return m_layout; }
    [[nodiscard]] const TimeMap &timeMap() const { return m_map; }
    /// True when the numbers of a class are drawn at the present zoom.
    [[nodiscard]] bool showsNumbers(OpClass opClass) const;

    /// Colour of the numbers on a class.
    [[nodiscard]] QColor labelColour(OpClass opClass) const { return colours(static_cast<std::uint8_t>(opClass)).label; }
    /// The components of opened ops that the last drawing shows, and words about the one under a point; empty elsewhere.
    [[nodiscard]] const std::vector<DrawnPart> &parts() const { return m_parts; }
    [[nodiscard]] QString partAt(const QPointF &position) const;
    /// Op label pixel size for a lane pitch: min(13, max(9, 0.45 x lane)).
    [[nodiscard]] static double labelSize(double pitch);

    static constexpr std::size_t mostVectorRuns = 20000;

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override;

protected:
    void draw(QCPPainter *painter) override;
    void drawLegendIcon(QCPPainter *, const QRectF &) const override { }
    [[nodiscard]] QRect clipRect() const override;

private:
    struct LaneRuns
    {
        std::vector<VisibleSpan> drawn; ///< runs of the shown classes
        std::vector<VisibleSpan> hidden; ///< runs of all ops, only when classes are hidden: covers the hatch
    };

    [[nodiscard]] std::vector<LaneRuns> runs(const TimeMap &map) const;
    void drawGround(QCPPainter &painter, const TimeMap &map) const;
    void drawImage(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const;
    void drawRectangles(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const;
    void drawNumbers(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const;
    void drawNumber(QCPPainter &painter, double centre, const QRectF &lane, int number, const QColor &colour) const;
    void drawOpened(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const;
    void drawGutters(QCPPainter &painter) const;
    void drawRemark(QCPPainter &painter, const TimeMap &map) const;
    void drawProblem(QCPPainter &painter) const;
    [[nodiscard]] const OpColours &colours(std::uint8_t classId) const;
    [[nodiscard]] QColor fill(const VisibleSpan &run) const;
    [[nodiscard]] QRectF dataRect(const TimeMap &map) const;

    std::shared_ptr<const PlanPicture> m_picture;
    Theme m_theme;
    LaneLayout m_layout;
    TimeMap m_map;
    int m_selectedRank = -1;
    bool m_dimmed = false;
    std::optional<EndRemark> m_remark;
    mutable QHash<quint64, QPixmap> m_numbers; ///< drawn numbers: text layout is what costs
    mutable QImage m_image;
    mutable std::vector<DrawnPart> m_parts;
};

} // namespace pipeloom
