// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"
#include "views/theme.h"

#include <QAbstractScrollArea>
#include <QRectF>

#include <optional>
#include <vector>

namespace pipeloom
{

/// One tensor (or whatever has bytes) and the group that it belongs to.
struct TreemapItem
{
    int id = 0; ///< unique
    int group = 0;
    QString label = {}, groupLabel = {};
    ByteCount bytes = 0; ///< 0 and less are not drawn
    QColor fill = {};
    QColor text = {}; ///< on the fill; textOn(fill) when invalid
};

enum class TreemapMode
{
    Treemap, ///< area = bytes, groups together
    Bars, ///< length = bytes, largest first
};

/// What fills a memory, as areas or as bars. A click or Space chooses; double click or Enter shows the item's group alone, and
/// the line above it, Backspace or Escape lead back. Arrow keys, Home and End move a mark from item to item; moving it counts as
/// hovering.
class Treemap : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit Treemap(QWidget *parent = nullptr);

    /// Keeps group, mark and selection as far as they are still there.
    void setItems(std::vector<TreemapItem> items);
    void setMode(TreemapMode mode);
    void setSelected(std::optional<int> id);
    void setTheme(const Theme &theme);

    void zoomInto(int group); ///< nothing when there is no such group
    void zoomOut();
    [[nodiscard]] std::optional<int> zoomedGroup() const { return m_group; }
    [[nodiscard]] std::optional<int> selected() const { return m_selected; }
    [[nodiscard]] std::optional<int> current() const { return m_current; } ///< where the keyboard is
    [[nodiscard]] TreemapMode mode() const { return m_mode; }

    /// The item's area, or its row, in the coordinates of the viewport; empty when it is not shown.
    [[nodiscard]] QRectF cellRect(int id) const;
    [[nodiscard]] QRectF barRect(int id) const; ///< the bar in its row; empty in the other mode
    [[nodiscard]] QRectF contentRect() const; ///< below the line that leads back
    [[nodiscard]] QRectF backRect() const; ///< that line; empty when everything is shown
    [[nodiscard]] std::optional<int> itemAt(const QPointF &position) const;

    [[nodiscard]] QSize sizeHint() const override;

    static constexpr int rowHeight = 22, backHeight = 24;

signals:
    void hovered(std::optional<int> id);
    void chosen(int id);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    struct Cell
    {
        std::size_t item = 0;
        QRectF rect; ///< bars: not scrolled
    };

    void layOut();
    void layOutAreas(const std::vector<std::size_t> &shown);
    void layOutBars(std::vector<std::size_t> shown);
    void setHovered(std::optional<int> id);
    void setCurrent(std::size_t cell);
    void moveCurrent(Qt::Key key);
    void reveal(const Cell &cell);
    void describe();
    [[nodiscard]] std::optional<std::size_t> cellOf(std::optional<int> id) const; ///< index in m_cells
    [[nodiscard]] QRectF shownRect(const Cell &cell) const;
    [[nodiscard]] ByteCount shownBytes() const;
    [[nodiscard]] QString spoken(const TreemapItem &item) const;
    [[nodiscard]] double labelWidth() const; ///< of the bars' names
    void paintBack(QPainter &painter) const;
    void paintArea(QPainter &painter, const Cell &cell) const;
    void paintRow(QPainter &painter, const Cell &cell) const;
    void paintMark(QPainter &painter, std::optional<int> id, const QColor &colour, double thickness) const;

    std::vector<TreemapItem> m_items;
    std::vector<Cell> m_cells; ///< largest group first, largest item first; bars: largest item first
    Theme m_theme;
    TreemapMode m_mode = TreemapMode::Treemap;
    std::optional<int> m_group, m_selected, m_current, m_hovered;
    bool m_keyboardFocus = false;
};

} // namespace pipeloom
