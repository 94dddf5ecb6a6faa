// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/stacktable.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace pipeloom
{

namespace
{

constexpr double columnWidth = 48;
constexpr double swatchSize = 12;

/// What one column of the table shows; nothing for a plan without this rank.
struct Column
{
    const PlanPicture *picture = nullptr;
    const RankMemory *memory = nullptr;
    std::array<ByteCount, memoryClassCount> now{};
    ByteCount total = 0;
    ByteCount usable = 0;
};

std::vector<Column> columnsOf(const StackTable::Content &content)
{
    std::vector<Column> columns;
    for (const auto &picture : content.pictures) {
        Column column{ .picture = picture.get() };
        const auto rank = static_cast<std::size_t>(content.rank);
        if (picture->evaluation && content.rank >= 0 && rank < picture->evaluation->memory.ranks.size()
            && !picture->evaluation->memory.ranks[rank].curve.empty()) {
            column.memory = &picture->evaluation->memory.ranks[rank];
            column.now = column.memory->stackAt(content.time);
            column.total = std::accumulate(column.now.begin(), column.now.end(), ByteCount{ 0 });
            column.usable = picture->evaluation->memory.usable;
        }
        columns.push_back(column);
    }
    return columns;
}

double reserveOf(const StackTable::Content &content)
{
    for (const auto &picture : content.pictures) {
        if (picture->evaluation && picture->evaluation->memory.usable > 0)
            return static_cast<double>(picture->evaluation->memory.capacity)
                / static_cast<double>(picture->evaluation->memory.usable)
                - 1;
    }
    return 0;
}

/// Writes rows from top to bottom.
class Writer
{
public:
    Writer(QPainter &painter, const QRectF &rect, const Theme &theme, std::size_t columns)
        : m_painter(painter)
        , m_rect(rect)
        , m_theme(theme)
        , m_columns(columns)
        , m_y(rect.top() + 4)
    {
        // Title, seven classes, four rows about the peak, the reserve; denser where the panel is low.
        m_row = std::clamp(std::floor((rect.height() - 12) / 13.4), 13.0, 21.0);
    }

    void title(const QString &text, const std::vector<Column> &columns)
    {
        const QFont bold = uiFont(13, QFont::Bold);
        line(0, 120, bold, m_theme.text, text);
        line(textWidth(bold, text) + 12, 60, uiFont(11), m_theme.text3, QStringLiteral("GiB"));
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const QRectF cell = this->cell(i);
            drawPlanBadge(m_painter, QRectF(cell.right() - 16, cell.center().y() - 8, 16, 16), columns[i].picture->letter,
                          m_theme, columns[i].picture->stale);
        }
        next(2);
    }

    void row(const QString &label, const QFont &labelFont, const QColor &labelColour, double indent,
             const std::vector<QString> &values, const std::vector<QColor> &colours, const QFont &valueFont)
    {
        const double taken = values.empty() ? 0 : columnWidth * static_cast<double>(m_columns) - 14;
        line(indent, m_rect.width() - indent - taken, labelFont, labelColour, label);
        for (std::size_t i = 0; i < values.size(); ++i)
            drawLine(m_painter, cell(i), Qt::AlignRight | Qt::AlignVCenter, valueFont, colours[i], values[i]);
    }

    void swatch(const QColor &colour)
    {
        m_painter.fillRect(QRectF(m_rect.left(), std::round(m_y + (m_row - swatchSize) / 2), swatchSize, swatchSize), colour);
    }
    void dash() { m_painter.fillRect(QRectF(m_rect.left(), std::round(m_y + m_row / 2) - 1, swatchSize, 2), m_theme.text); }
    void reserveSwatch()
    {
        const QRectF box(m_rect.left(), std::round(m_y + (m_row - swatchSize) / 2), swatchSize, swatchSize);
        drawHatch(m_painter, box, box.left(), m_theme.reserve);
        drawFrame(m_painter, box, 1, m_theme.reserve);
    }
    void separator()
    {
        m_painter.fillRect(QRectF(m_rect.left(), std::round(m_y) + 1, m_rect.width(), 1), m_theme.line);
        m_y += 3;
    }
    void next(double extra = 0) { m_y += m_row + extra; }
    [[nodiscard]] bool hasRoom() const { return m_y + m_row <= m_rect.bottom(); }

private:
    [[nodiscard]] QRectF cell(std::size_t i) const
    {
        const double right = m_rect.right() - columnWidth * static_cast<double>(m_columns - 1 - i);
        return { right - columnWidth - 8, m_y, columnWidth + 8, m_row };
    }
    void line(double x, double width, const QFont &font, const QColor &colour, const QString &text)
    {
        drawLine(m_painter, QRectF(m_rect.left() + x, m_y, width, m_row), Qt::AlignLeft | Qt::AlignVCenter, font, colour, text);
    }

    QPainter &m_painter;
    QRectF m_rect;
    const Theme &m_theme;
    std::size_t m_columns;
    double m_y;
    double m_row;
};

} // namespace

StackTable::StackTable(QWidget *parent)
    : QWidget(parent)
    , m_theme(lightTheme())
{
    setFixedWidth(widthFor(2));
    setAccessibleName(tr("Memory of the selected rank"));
}

int StackTable::widthFor(std::size_t plans)
{
    return contentWidth + 14 + static_cast<int>(columnWidth) * (std::max(static_cast<int>(plans), 2) - 2);
}

void StackTable::setContent(Content content)
{
    m_content = std::move(content);
    if (const int wanted = widthFor(m_content.pictures.size()); wanted != width())
        setFixedWidth(wanted);
    update();
}

void StackTable::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void StackTable::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRectF(0, 4, 1, height() - 12), m_theme.grid);
    drawTable(painter, QRectF(8, 4, width() - 20, height() - 8), m_content, m_theme);
}

void StackTable::drawTable(QPainter &painter, const QRectF &rect, const Content &content, const Theme &theme)
{
    const std::vector<Column> columns = columnsOf(content);
    if (columns.empty())
        return;
    Writer writer(painter, rect, theme, columns.size());
    const QString none = QStringLiteral("–");
    const QFont body = uiFont(12);
    const QFont strong = uiFont(12, QFont::Bold);
    const auto collect = [&](auto value) {
        std::vector<QString> texts;
        for (const Column &column : columns)
            texts.push_back(column.memory != nullptr ? value(column) : none);
        return texts;
    };
    const auto tint = [&](auto colour) {
        std::vector<QColor> colours;
        for (const Column &column : columns)
            colours.push_back(column.memory == nullptr || column.picture->stale ? theme.text3 : colour(column));
        return colours;
    };
    const auto plain = tint([&](const Column &) { return theme.text; });
    const auto quiet = tint([&](const Column &) { return theme.text2; });
    const auto limited = [&](auto value) {
        return tint([&](const Column &c) { return c.usable > 0 && value(c) > c.usable ? theme.err : theme.text; });
    };

    writer.title(tr("Rank %1").arg(content.rank), columns);
    for (std::size_t c = memoryClassCount; c-- > 0;) {
        writer.swatch(theme.memory[c]);
        writer.row(QString::fromUtf8(name(static_cast<MemoryClass>(c))), body, theme.text, 21,
                   collect([&](const Column &column) { return gib(column.now[c]); }), plain, body);
        writer.next();
    }
    writer.separator();
    writer.row(tr("Now"), strong, theme.text, 0, collect([](const Column &c) { return gib(c.total); }),
               limited([](const Column &c) { return c.total; }), strong);
    writer.next();
    writer.dash();
    writer.row(tr("Peak in the step"), body, theme.text, 21, collect([](const Column &c) { return gib(c.memory->peak); }),
               limited([](const Column &c) { return c.memory->peak; }), strong);
    writer.next();
    writer.row(tr("reached at"), body, theme.text2, 21,
               collect([](const Column &c) { return tr("%1 s").arg(QString::number(toSeconds(c.memory->peakTime), 'f', 2)); }),
               quiet, body);
    writer.next();
    writer.row(tr("Microbatches in flight"), body, theme.text2, 21,
               collect([&](const Column &c) { return QString::number(c.memory->at(content.time).inFlight); }), quiet, body);
    writer.next(2);
    if (reserveOf(content) > 0 && writer.hasRoom()) {
        writer.reserveSwatch();
        writer.row(tr("Reserve: %1 % fragmentation").arg(percent(reserveOf(content))), body, theme.text2, 21, {}, {}, body);
    }
}

} // namespace pipeloom
