// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/timemap.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <optional>
#include <utility>
#include <vector>

namespace pipeloom
{

/// An item that stands above a plot's axis rects and depends on none of them: it draws in the whole viewport and takes no clicks.
class OverlayItem : public QCPAbstractItem
{
    Q_OBJECT
public:
    explicit OverlayItem(QCustomPlot *plot, const QString &layer = QStringLiteral("overlay"));

    void setTheme(const Theme &theme) { m_theme = theme; }

    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }

protected:
    [[nodiscard]] QRect clipRect() const override { return mParentPlot->viewport(); }

    Theme m_theme;
};

/// The playhead through several bands of a plot (not through the headers between them), a flag above some of them, and its time
/// on the axis. Lives on the overlay layer: moving it costs one overlay replot.
class PlayheadItem : public OverlayItem
{
    Q_OBJECT
public:
    struct Band
    {
        QRectF area; ///< the line goes from its top to its bottom
        TimeMap map;
        bool flag = false; ///< a flag stands above it
    };

    explicit PlayheadItem(QCustomPlot *plot);

    void setBands(std::vector<Band> bands) { m_bands = std::move(bands); }
    void setAxis(const QRectF &axis, Nanoseconds extent); ///< where the time is written, with the last band's map
    void setTime(Nanoseconds time) { m_time = time; }
    [[nodiscard]] Nanoseconds time() const { return m_time; }
    /// True within reach of a flag or of the line above the axis.
    [[nodiscard]] bool hitsFlag(const QPointF &position) const;

protected:
    void draw(QCPPainter *painter) override;

private:
    std::vector<Band> m_bands;
    QRectF m_axis;
    Nanoseconds m_extent = 0;
    Nanoseconds m_time = 0;
};

/// Everything that marks ops without changing them: same microbatch, hovered and selected op, ops under the playhead, measured
/// range. One item with lists of rectangles, whatever their number.
class MarksItem : public OverlayItem
{
    Q_OBJECT
public:
    struct Measure
    {
        std::vector<QRectF> areas; ///< one for each band
        QString text;
    };

    explicit MarksItem(QCustomPlot *plot);

    void setRelated(std::vector<QRectF> rects) { m_related = std::move(rects); }
    void setHovered(std::vector<QRectF> rects) { m_hovered = std::move(rects); }
    void setSelected(std::vector<QRectF> rects) { m_selected = std::move(rects); }
    /// Ops under the playhead, each with the colour that its numbers have.
    void setCurrent(std::vector<std::pair<QRectF, QColor>> ops) { m_current = std::move(ops); }
    void setMeasure(std::optional<Measure> measure) { m_measure = std::move(measure); }

    [[nodiscard]] const std::vector<QRectF> &related() const { return m_related; }
    [[nodiscard]] const std::vector<std::pair<QRectF, QColor>> &current() const { return m_current; }
    [[nodiscard]] const std::optional<Measure> &measure() const { return m_measure; }

protected:
    void draw(QCPPainter *painter) override;

private:
    void drawMeasure(QCPPainter &painter) const;

    std::vector<QRectF> m_related, m_hovered, m_selected;
    std::vector<std::pair<QRectF, QColor>> m_current;
    std::optional<Measure> m_measure;
};

} // namespace pipeloom
