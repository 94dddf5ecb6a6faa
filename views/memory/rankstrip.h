// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/curveplan.h"
#include "views/plot/curvecolumns.h"
#include "views/theme.h"

#include <QAbstractScrollArea>

#include <optional>
#include <vector>

namespace pipeloom
{

/// One small memory curve for each pipeline rank, all on the same scales: what does not move as one block, what moves on top,
/// HBM, another plan's total as a line, and the peak in words. Chooses the rank: click, arrow keys, Home, End, Page keys. Ranks
/// shrink before they scroll.
class RankStrip : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit RankStrip(QWidget *parent = nullptr);

    void setPlans(CurvePlan main, std::optional<CurvePlan> other);
    void setRank(int rank); ///< scrolls it into view; no rank is marked when the plan has none of that number
    void setTheme(const Theme &theme);

    [[nodiscard]] int ranks() const;
    [[nodiscard]] int rank() const { return m_rank; }
    /// The cell of a rank in the coordinates of the viewport, out of view too.
    [[nodiscard]] QRect cellRect(int rank) const;
    /// Its curves' part of the cell: the step from left to right, 0 to top() from bottom to top.
    [[nodiscard]] QRect plotRect(int rank) const;
    [[nodiscard]] ByteCount top() const { return m_top; }
    [[nodiscard]] int rankAt(const QPoint &position) const; ///< -1: none
    [[nodiscard]] QString title(int rank) const; ///< "rank 3", or "3" where cells are narrow
    [[nodiscard]] QString details(int rank) const; ///< one sentence for each plan

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void rankChosen(int rank);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    struct Curves
    {
        CurveColumns own, other;
    };

    void updateBar();
    void reveal();
    void choose(int rank);
    void setHovered(int rank);
    void describe();
    [[nodiscard]] double pitch() const;
    [[nodiscard]] const Curves &curvesOf(int rank, const TimeMap &map) const;
    void paintCell(QPainter &painter, int rank) const;
    void paintCurves(QPainter &painter, int rank, const RankMemory &memory) const;

    CurvePlan m_plan;
    std::optional<CurvePlan> m_other;
    Theme m_theme;
    ByteCount m_top = 1;
    int m_rank = 0;
    int m_hovered = -1;
    bool m_keyboardFocus = false;
    mutable std::vector<std::optional<Curves>> m_curves; ///< by rank, made when first drawn
    mutable TimeMap m_curvesMap; ///< that m_curves were made with
};

} // namespace pipeloom
