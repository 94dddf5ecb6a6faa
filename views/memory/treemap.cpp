// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/treemap.h"

#include "views/memory/treemaplayout.h"
#include "views/plot/numbers.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <map>

namespace pipeloom
{

Treemap::Treemap(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_theme(lightTheme())
{
    setObjectName(QStringLiteral("treemap"));
    setAccessibleName(tr("Tensors by size"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalScrollBar()->setSingleStep(rowHeight);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    setMinimumSize(160, 80);
}

QSize Treemap::sizeHint() const { return { 860, 330 }; }

void Treemap::setItems(std::vector<TreemapItem> items)
{
    m_items = std::move(items);
    const bool known = m_group
        && std::ranges::any_of(m_items, [this](const TreemapItem &item) { return item.group == *m_group && item.bytes > 0; });
    if (!known)
        m_group.reset();
    layOut();
    if (!cellOf(m_current))
        m_current.reset();
    if (!cellOf(m_hovered))
        setHovered(std::nullopt);
    describe();
}

void Treemap::setMode(TreemapMode mode)
{
    if (mode == m_mode)
        return;
    m_mode = mode;
    layOut();
    if (const auto cell = cellOf(m_current))
        reveal(m_cells[*cell]);
}

void Treemap::setSelected(std::optional<int> id)
{
    m_selected = id;
    if (const auto cell = cellOf(id))
        reveal(m_cells[*cell]);
    viewport()->update();
}

void Treemap::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

void Treemap::zoomInto(int group)
{
    if (m_group == group
        || std::ranges::none_of(m_items, [&](const TreemapItem &item) { return item.group == group && item.bytes > 0; }))
        return;
    m_group = group;
    layOut();
    if (!cellOf(m_current))
        m_current.reset();
    setHovered(std::nullopt);
    describe();
}

void Treemap::zoomOut()
{
    if (!m_group)
        return;
    m_group.reset();
    layOut();
    setHovered(std::nullopt);
    describe();
}

QRectF Treemap::backRect() const { return m_group ? QRectF(0, 0, viewport()->width(), backHeight) : QRectF(); }

QRectF Treemap::contentRect() const { return QRectF(viewport()->rect()).adjusted(0, backRect().height(), 0, 0); }

void Treemap::layOut()
{
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (m_items[i].bytes > 0 && (!m_group || m_items[i].group == *m_group))
            shown.push_back(i);
    }
    m_cells.clear();
    if (m_mode == TreemapMode::Treemap)
        layOutAreas(shown);
    else
        layOutBars(std::move(shown));
    const bool bars = m_mode == TreemapMode::Bars;
    const int content = bars ? static_cast<int>(m_cells.size()) * rowHeight : 0;
    const int room = static_cast<int>(contentRect().height());
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setRange(0, std::max(0, content - room));
    viewport()->update();
}

/// Groups first, then the items inside each: so a group stays together and has the area of its bytes.
void Treemap::layOutAreas(const std::vector<std::size_t> &shown)
{
    std::map<int, std::vector<std::size_t>> groups;
    for (const std::size_t i : shown)
        groups[m_items[i].group].push_back(i);
    struct Group
    {
        double bytes = 0;
        std::vector<std::size_t> items;
    };
    std::vector<Group> sorted;
    const auto bytes = [this](std::size_t i) { return m_items[i].bytes; };
    for (auto &[group, items] : groups) {
        std::ranges::stable_sort(items, std::greater{}, bytes);
        double sum = 0;
        for (const std::size_t i : items)
            sum += static_cast<double>(m_items[i].bytes);
        sorted.push_back({ sum, std::move(items) });
    }
    std::ranges::stable_sort(sorted, std::greater{}, &Group::bytes);
    std::vector<double> weights;
    for (const Group &group : sorted)
        weights.push_back(group.bytes);
    const std::vector<QRectF> areas = squarified(weights, contentRect());
    for (std::size_t g = 0; g < sorted.size(); ++g) {
        weights.clear();
        for (const std::size_t i : sorted[g].items)
            weights.push_back(static_cast<double>(m_items[i].bytes));
        const std::vector<QRectF> rects = squarified(weights, areas[g]);
        for (std::size_t k = 0; k < rects.size(); ++k)
            m_cells.push_back({ sorted[g].items[k], rects[k] });
    }
}

void Treemap::layOutBars(std::vector<std::size_t> shown)
{
    std::ranges::stable_sort(shown, std::greater{}, [this](std::size_t i) { return m_items[i].bytes; });
    const QRectF content = contentRect();
    double top = content.top();
    for (const std::size_t i : shown) {
        m_cells.push_back({ i, QRectF(0, top, content.width(), rowHeight) });
        top += rowHeight;
    }
}

std::optional<std::size_t> Treemap::cellOf(std::optional<int> id) const
{
    if (!id)
        return std::nullopt;
    const auto cell = std::ranges::find_if(m_cells, [&](const Cell &c) { return m_items[c.item].id == *id; });
    return cell == m_cells.end() ? std::nullopt : std::optional(static_cast<std::size_t>(cell - m_cells.begin()));
}

QRectF Treemap::shownRect(const Cell &cell) const
{
    return m_mode == TreemapMode::Bars ? cell.rect.translated(0, -verticalScrollBar()->value()) : cell.rect;
}

QRectF Treemap::cellRect(int id) const
{
    const auto cell = cellOf(id);
    return cell ? shownRect(m_cells[*cell]) : QRectF();
}

std::optional<int> Treemap::itemAt(const QPointF &position) const
{
    if (!contentRect().contains(position))
        return std::nullopt;
    const auto cell = std::ranges::find_if(m_cells, [&](const Cell &c) {
        const QRectF rect = shownRect(c);
        return position.x() >= rect.left() && position.x() < rect.right() && position.y() >= rect.top()
            && position.y() < rect.bottom();
    });
    return cell == m_cells.end() ? std::nullopt : std::optional(m_items[cell->item].id);
}

ByteCount Treemap::shownBytes() const
{
    ByteCount sum = 0;
    for (const Cell &cell : m_cells)
        sum += m_items[cell.item].bytes;
    return sum;
}

QString Treemap::spoken(const TreemapItem &item) const
{
    const ByteCount all = std::max<ByteCount>(1, shownBytes());
    return tr("%1, %2: %3, %4 % of what is shown")
        .arg(item.label, item.groupLabel, gibWithUnit(item.bytes),
             percent(static_cast<double>(item.bytes) / static_cast<double>(all)));
}

void Treemap::describe()
{
    const auto cell = cellOf(m_current);
    setAccessibleDescription(cell ? spoken(m_items[m_cells[*cell].item])
                                  : tr("%1 items, %2").arg(m_cells.size()).arg(gibWithUnit(shownBytes())));
}

void Treemap::setHovered(std::optional<int> id)
{
    if (id == m_hovered)
        return;
    m_hovered = id;
    viewport()->update();
    emit hovered(id);
}

void Treemap::setCurrent(std::size_t cell)
{
    m_current = m_items[m_cells[cell].item].id;
    reveal(m_cells[cell]);
    setHovered(m_current);
    describe();
    viewport()->update();
}

void Treemap::reveal(const Cell &cell)
{
    if (m_mode != TreemapMode::Bars)
        return;
    const QRectF rect = shownRect(cell);
    const QRectF content = contentRect();
    QScrollBar &bar = *verticalScrollBar();
    if (rect.top() < content.top())
        bar.setValue(bar.value() + static_cast<int>(rect.top() - content.top()));
    else if (rect.bottom() > content.bottom())
        bar.setValue(bar.value() + static_cast<int>(rect.bottom() - content.bottom()));
}

/// To the nearest cell in the key's direction: first what lies beside, then what is closest.
void Treemap::moveCurrent(Qt::Key key)
{
    if (m_cells.empty())
        return;
    const auto from = cellOf(m_current);
    if (!from || key == Qt::Key_Home || key == Qt::Key_End) {
        setCurrent(key == Qt::Key_End ? m_cells.size() - 1 : 0);
        return;
    }
    const bool sideways = key == Qt::Key_Left || key == Qt::Key_Right;
    if (m_mode == TreemapMode::Bars) {
        const bool back = key == Qt::Key_Up || key == Qt::Key_Left;
        setCurrent(back ? *from - std::min<std::size_t>(*from, 1) : std::min(*from + 1, m_cells.size() - 1));
        return;
    }
    const QRectF here = m_cells[*from].rect;
    std::optional<std::size_t> best;
    double bestDistance = 0;
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        const QRectF &there = m_cells[i].rect;
        const double along = key == Qt::Key_Left ? here.left() - there.right()
            : key == Qt::Key_Right               ? there.left() - here.right()
            : key == Qt::Key_Up                  ? here.top() - there.bottom()
                                                 : there.top() - here.bottom();
        if (i == *from || along < -1e-6)
            continue;
        const double centre = sideways ? here.center().y() : here.center().x();
        const double low = sideways ? there.top() : there.left();
        const double high = sideways ? there.bottom() : there.right();
        const double across = std::max({ 0.0, low - centre, centre - high });
        const double distance = along + 2 * across;
        if (!best || distance < bestDistance - 1e-9) {
            best = i;
            bestDistance = distance;
        }
    }
    if (best)
        setCurrent(*best);
}

void Treemap::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

void Treemap::scrollContentsBy(int, int) { viewport()->update(); }

/// Keys that mean something here are not left to the shortcuts of the window.
bool Treemap::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Space || (m_group && (key == Qt::Key_Escape || key == Qt::Key_Backspace))) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

void Treemap::keyPressEvent(QKeyEvent *event)
{
    const auto cell = cellOf(m_current);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        moveCurrent(static_cast<Qt::Key>(event->key()));
        return;
    case Qt::Key_Space:
        if (cell)
            emit chosen(*m_current);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (cell && !m_group)
            zoomInto(m_items[m_cells[*cell].item].group);
        else if (cell)
            emit chosen(*m_current);
        return;
    case Qt::Key_Escape:
    case Qt::Key_Backspace:
        if (m_group) {
            zoomOut();
            return;
        }
        break;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void Treemap::mousePressEvent(QMouseEvent *event)
{
    m_keyboardFocus = false;
    if (event->button() != Qt::LeftButton)
        return;
    if (backRect().contains(event->position())) {
        zoomOut();
        return;
    }
    if (const std::optional<int> id = itemAt(event->position())) {
        m_current = id;
        describe();
        emit chosen(*id);
    }
    viewport()->update();
}

void Treemap::mouseDoubleClickEvent(QMouseEvent *event)
{
    const std::optional<int> id = itemAt(event->position());
    if (event->button() != Qt::LeftButton || !id)
        return;
    zoomInto(m_items[m_cells[*cellOf(id)].item].group);
}

/// The press was used, so its release is not for what lies behind.
void Treemap::mouseReleaseEvent(QMouseEvent *event) { event->accept(); }

void Treemap::mouseMoveEvent(QMouseEvent *event)
{
    setHovered(itemAt(event->position()));
    viewport()->setCursor(m_hovered || backRect().contains(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void Treemap::focusInEvent(QFocusEvent *event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason
        || event->reason() == Qt::ShortcutFocusReason;
    viewport()->update();
    QAbstractScrollArea::focusInEvent(event);
}

void Treemap::focusOutEvent(QFocusEvent *event)
{
    m_keyboardFocus = false;
    viewport()->update();
    QAbstractScrollArea::focusOutEvent(event);
}

} // namespace pipeloom
