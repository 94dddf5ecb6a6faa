// SPDX-License-Identifier: GPL-3.0-or-later
// How the treemap and its bars look.
#include "views/memory/treemap.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double padding = 6;
constexpr double lineHeight = 15;
constexpr double valueWidth = 64; ///< of the bars

QFont labelFont() { return uiFont(11, QFont::Medium); }
QFont valueFont() { return uiFont(11); }

QColor inkOf(const TreemapItem &item) { return item.text.isValid() ? item.text : textOn(item.fill); }

/// Whether what is left of a text after eliding still says something.
bool isReadable(const QString &text, const QFont &font, double width)
{
    constexpr qsizetype fewest = 4;
    if (text.size() <= fewest)
        return textWidth(font, text) <= width;
    return textWidth(font, text) <= width || textWidth(font, text.left(fewest) + QChar(0x2026)) <= width;
}

} // namespace

void Treemap::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.panel);
    if (m_cells.empty())
        drawLine(painter, contentRect(), Qt::AlignCenter, uiFont(12), m_theme.text3, tr("Nothing to show"));
    for (const Cell &cell : m_cells) {
        if (m_mode == TreemapMode::Treemap)
            paintArea(painter, cell);
        else if (shownRect(cell).intersects(contentRect()))
            paintRow(painter, cell);
    }
    if (m_mode == TreemapMode::Treemap) {
        paintMark(painter, m_hovered, m_theme.play, 1);
        paintMark(painter, m_selected, m_theme.play, 2);
        if (hasFocus())
            paintMark(painter, m_current, m_theme.accent, 2);
    }
    paintBack(painter);
    if (m_keyboardFocus)
        pipeloom::drawFrame(painter, QRectF(viewport()->rect()), 1, m_theme.accent);
}

/// "All  >  Activations in flight  45.8 GiB"; the first word leads back.
void Treemap::paintBack(QPainter &painter) const
{
    if (!m_group || m_cells.empty())
        return;
    const QRectF line = backRect();
    painter.fillRect(line, m_theme.panel);
    const QFont link = uiFont(12, QFont::Medium);
    double x = line.left() + padding;
    const auto word = [&](const QFont &font, const QColor &colour, const QString &text) {
        const double width = std::min(textWidth(font, text) + 1, line.right() - x);
        if (width > 0)
            drawLine(painter, QRectF(x, line.top(), width, line.height() - 2), Qt::AlignLeft | Qt::AlignVCenter, font, colour,
                     text);
        x += width + 8;
    };
    word(link, m_theme.accent, tr("All"));
    word(uiFont(12), m_theme.text3, QStringLiteral("›"));
    word(uiFont(12, QFont::Bold), m_theme.text, m_items[m_cells.front().item].groupLabel);
    word(uiFont(12), m_theme.text2, gibWithUnit(shownBytes()));
}

void Treemap::paintArea(QPainter &painter, const Cell &cell) const
{
    const TreemapItem &item = m_items[cell.item];
    const double ratio = deviceRatio(painter);
    QRectF rect = crisp(cell.rect, ratio);
    // A pixel of ground on the right and below, where the cell can spare it.
    const QRectF content = contentRect();
    const double right = rect.right() < content.right() - 0.5 && rect.width() > 2 ? 1 : 0;
    const double below = rect.bottom() < content.bottom() - 0.5 && rect.height() > 2 ? 1 : 0;
    rect.adjust(0, 0, -right, -below);
    painter.fillRect(rect, item.fill);
    const double width = rect.width() - 2 * padding;
    if (rect.height() < lineHeight + 4 || !isReadable(item.label, labelFont(), width))
        return;
    const QColor ink = inkOf(item);
    drawLine(painter, QRectF(rect.left() + padding, rect.top() + 3, width, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
             labelFont(), ink, item.label);
    const QString value = gibWithUnit(item.bytes);
    if (rect.height() >= 2 * lineHeight + 5 && textWidth(valueFont(), value) <= width)
        drawLine(painter, QRectF(rect.left() + padding, rect.top() + 3 + lineHeight, width, lineHeight),
                 Qt::AlignLeft | Qt::AlignVCenter, valueFont(), ink, value);
}

/// Two rings, one in the colour and one light, stand out on every fill.
void Treemap::paintMark(QPainter &painter, std::optional<int> id, const QColor &colour, double thickness) const
{
    const auto cell = cellOf(id);
    if (!cell)
        return;
    const QRectF rect = crisp(m_cells[*cell].rect, deviceRatio(painter));
    pipeloom::drawFrame(painter, rect, thickness, colour);
    pipeloom::drawFrame(painter, rect.adjusted(thickness, thickness, -thickness, -thickness), 1, m_theme.panel);
}

double Treemap::labelWidth() const { return std::floor(std::clamp(viewport()->width() * 0.34, 60.0, 240.0)); }

QRectF Treemap::barRect(int id) const
{
    const auto cell = cellOf(id);
    if (!cell || m_mode != TreemapMode::Bars)
        return {};
    const QRectF row = shownRect(m_cells[*cell]);
    const double left = row.left() + padding + labelWidth() + 8;
    const double room = std::max(1.0, row.right() - valueWidth - padding - left);
    const auto largest = static_cast<double>(m_items[m_cells.front().item].bytes);
    const double share = static_cast<double>(m_items[m_cells[*cell].item].bytes) / largest;
    return { left, row.top() + 4, share * room, row.height() - 8 };
}

void Treemap::paintRow(QPainter &painter, const Cell &cell) const
{
    const TreemapItem &item = m_items[cell.item];
    const QRectF row = shownRect(cell);
    const double ratio = deviceRatio(painter);
    const bool selected = m_selected == item.id;
    if (selected || m_hovered == item.id)
        painter.fillRect(row, selected ? m_theme.accentBg : m_theme.alt);
    painter.fillRect(QRectF(row.left(), row.bottom() - 1 / ratio, row.width(), 1 / ratio), m_theme.grid);
    drawLine(painter, QRectF(row.left() + padding, row.top(), labelWidth(), row.height() - 1), Qt::AlignLeft | Qt::AlignVCenter,
             uiFont(12), m_theme.text, item.label);
    QRectF bar = crisp(barRect(item.id), ratio);
    bar.setWidth(std::max(1 / ratio, bar.width()));
    painter.fillRect(bar, item.fill);
    drawLine(painter, QRectF(bar.right() + 6, row.top(), row.right() - bar.right() - 6, row.height() - 1),
             Qt::AlignLeft | Qt::AlignVCenter, uiFont(12, QFont::Medium), m_theme.text, gibWithUnit(item.bytes));
    if (m_current == item.id && hasFocus())
        pipeloom::drawFrame(painter, row.adjusted(0, 0, 0, -1), 1, m_theme.accent);
}

bool Treemap::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto cell = cellOf(itemAt(help->pos()));
        QToolTip::showText(help->globalPos(), cell ? spoken(m_items[m_cells[*cell].item]) : QString(), viewport(),
                           cell ? shownRect(m_cells[*cell]).toAlignedRect() : QRect());
        return true;
    }
    if (event->type() == QEvent::Leave)
        setHovered(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace pipeloom
