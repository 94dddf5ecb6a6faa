// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/rankstrip.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double narrowest = 52, widest = 150; ///< of a cell
constexpr int gap = 4; ///< between cells
constexpr int padding = 5;
constexpr int titleHeight = 20;

/// Narrow cells have a number for a name and narrow letters.
struct TitleLook
{
    bool words = true;
    QFont name, peak;
    int margin = padding;
};

TitleLook titleLook(double cellWidth)
{
    TitleLook look{ .words = true, .name = uiFont(12, QFont::Medium), .peak = uiFont(12, QFont::Bold), .margin = padding };
    const double needed = textWidth(look.name, QStringLiteral("rank 00")) + textWidth(look.peak, QStringLiteral("000.0")) + 6;
    if (needed > cellWidth - 2 * look.margin)
        look = { .words = false, .name = condensedFont(12, QFont::Medium), .peak = condensedFont(12, QFont::Bold), .margin = 3 };
    return look;
}

} // namespace

RankStrip::RankStrip(QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_theme(lightTheme())
{
    setObjectName(QStringLiteral("rankStrip"));
    setAccessibleName(tr("Memory of every rank"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
}

QSize RankStrip::sizeHint() const { return { 860, 110 }; }

void RankStrip::setPlans(CurvePlan main, std::optional<CurvePlan> other)
{
    m_plan = std::move(main);
    m_other = std::move(other);
    m_curves.clear();
    ByteCount most = 1;
    for (const CurvePlan *plan : std::initializer_list<const CurvePlan *>{ &m_plan, m_other ? &*m_other : nullptr }) {
        if (plan == nullptr || !plan->memory)
            continue;
        most = std::max(most, plan->memory->capacity);
        for (const RankMemory &memory : plan->memory->ranks)
            most = std::max(most, memory.peak);
    }
    m_top = most + most / 20;
    updateBar();
    describe();
    viewport()->update();
}

void RankStrip::setRank(int rank)
{
    if (rank == m_rank)
        return;
    m_rank = rank;
    reveal();
    describe();
    viewport()->update();
}

void RankStrip::setTheme(const Theme &theme)
{
    m_theme = theme;
    viewport()->update();
}

int RankStrip::ranks() const { return m_plan.memory ? static_cast<int>(m_plan.memory->ranks.size()) : 0; }

double RankStrip::pitch() const
{
    return std::clamp(static_cast<double>(viewport()->width()) / std::max(1, ranks()), narrowest, widest);
}

QRect RankStrip::cellRect(int rank) const
{
    const int left = static_cast<int>(std::lround(rank * pitch()));
    const int right = static_cast<int>(std::lround((rank + 1) * pitch()));
    return { left - horizontalScrollBar()->value() + gap / 2, 0, right - left - gap, viewport()->height() };
}

QRect RankStrip::plotRect(int rank) const
{
    // Cells differ by a pixel; their curves do not, so that equal ranks look equal.
    const QRect cell = cellRect(rank);
    const int width = static_cast<int>(std::floor(pitch())) - gap - 2 * padding;
    return { cell.left() + padding, cell.top() + titleHeight, width, std::max(1, cell.height() - titleHeight - padding) };
}

int RankStrip::rankAt(const QPoint &position) const
{
    const int rank = static_cast<int>(std::floor((position.x() + horizontalScrollBar()->value()) / pitch()));
    return viewport()->rect().contains(position) && rank >= 0 && rank < ranks() ? rank : -1;
}

QString RankStrip::title(int rank) const
{
    return titleLook(pitch() - gap).words ? tr("rank %1").arg(rank) : QString::number(rank);
}

QString RankStrip::details(int rank) const
{
    QStringList sentences;
    const auto tell = [&](const CurvePlan &plan) {
        if (const RankMemory *memory = plan.rank(rank))
            sentences.append(tr("Rank %1 of plan %2 peaks at %3 at %4, of which %5 do not move. Usable %6, HBM %7.")
                                 .arg(rank)
                                 .arg(plan.letter, gibWithUnit(memory->peak), durationText(memory->peakTime),
                                      gibWithUnit(memory->states() + memory->buffers), gibWithUnit(plan.memory->usable),
                                      gibWithUnit(plan.memory->capacity)));
    };
    tell(m_plan);
    if (m_other)
        tell(*m_other);
    return sentences.join(QLatin1Char('\n'));
}

void RankStrip::describe() { setAccessibleDescription(details(m_rank)); }

void RankStrip::updateBar()
{
    const int content = static_cast<int>(std::lround(ranks() * pitch()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(pitch()));
    horizontalScrollBar()->setRange(0, std::max(0, content - viewport()->width()));
    reveal();
}

void RankStrip::reveal()
{
    if (m_rank < 0 || m_rank >= ranks())
        return;
    const QRect cell = cellRect(m_rank).adjusted(-gap / 2, 0, gap / 2, 0);
    QScrollBar &bar = *horizontalScrollBar();
    if (cell.left() < 0)
        bar.setValue(bar.value() + cell.left());
    else if (cell.right() >= viewport()->width())
        bar.setValue(bar.value() + cell.right() + 1 - viewport()->width());
}

void RankStrip::choose(int rank)
{
    if (rank < 0 || rank >= ranks())
        return;
    setRank(rank);
    emit rankChosen(rank);
}

void RankStrip::setHovered(int rank)
{
    if (rank == m_hovered)
        return;
    m_hovered = rank;
    viewport()->setCursor(rank >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void RankStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.panel);
    if (ranks() == 0) {
        const QString words = m_plan.letter.isEmpty() ? QString() : tr("Plan %1 has no memory result yet").arg(m_plan.letter);
        drawLine(painter, QRectF(viewport()->rect()), Qt::AlignCenter, uiFont(12), m_theme.text3, words);
        return;
    }
    for (int rank = std::max(0, rankAt(QPoint(0, 0))); rank < ranks() && cellRect(rank).left() < viewport()->width(); ++rank)
        paintCell(painter, rank);
}

void RankStrip::paintCell(QPainter &painter, int rank) const
{
    const QRect cell = cellRect(rank);
    const bool selected = rank == m_rank;
    if (selected || rank == m_hovered)
        painter.fillRect(cell, selected ? m_theme.accentBg : m_theme.alt);
    if (selected)
        pipeloom::drawFrame(painter, QRectF(cell), m_keyboardFocus ? 2 : 1, m_theme.accent);
    const TitleLook look = titleLook(pitch() - gap);
    const QRectF line(cell.left() + look.margin, cell.top() + 2, cell.width() - 2 * look.margin, titleHeight - 3);
    drawLine(painter, line, Qt::AlignLeft | Qt::AlignVCenter, look.name, m_theme.text, title(rank));
    const RankMemory *memory = m_plan.rank(rank);
    if (memory == nullptr)
        return;
    const ByteCount usable = m_plan.memory->usable;
    const QColor ink = m_plan.stale ? m_theme.text3 : usable > 0 && memory->peak > usable ? m_theme.err : m_theme.text;
    // The number of the rank and its peak need a space between them more than the tenths.
    const double room = line.width() - textWidth(look.name, title(rank)) - 4;
    const bool fits = textWidth(look.peak, gib(memory->peak)) <= room;
    drawLine(painter, line, Qt::AlignRight | Qt::AlignVCenter, look.peak, ink,
             fits ? gib(memory->peak) : fixedNumber(static_cast<double>(memory->peak) / bytesPerGiB, 0));
    paintCurves(painter, rank, *memory);
}

const RankStrip::Curves &RankStrip::curvesOf(int rank, const TimeMap &map) const
{
    if (m_curvesMap != map || m_curves.size() != static_cast<std::size_t>(ranks())) {
        m_curves.assign(static_cast<std::size_t>(ranks()), std::nullopt);
        m_curvesMap = map;
    }
    std::optional<Curves> &curves = m_curves[static_cast<std::size_t>(rank)];
    if (!curves) {
        curves.emplace();
        const auto columns = [&](const CurvePlan &plan) {
            const RankMemory *memory = plan.rank(rank);
            return memory != nullptr ? curveColumns(*memory, CurveIndex(memory->curve), plan.end, map) : CurveColumns();
        };
        curves->own = columns(m_plan);
        if (m_other)
            curves->other = columns(*m_other);
    }
    return *curves;
}

void RankStrip::paintCurves(QPainter &painter, int rank, const RankMemory &memory) const
{
    const QRectF plot(plotRect(rank));
    const double ratio = deviceRatio(painter);
    const Nanoseconds extent = std::max({ Nanoseconds{ 1 }, m_plan.end, m_other ? m_other->end : 0 });
    TimeMap map = TimeMap::fit({ 0, extent }, 0, plot.width(), ratio);
    const Curves &curves = curvesOf(rank, map);
    map.left = plot.left();
    const auto y = [&](ByteCount bytes) {
        return crisp(plot.bottom() - static_cast<double>(bytes) / static_cast<double>(m_top) * plot.height(), ratio);
    };
    const auto fill = [&](MemoryClass memoryClass) {
        const QColor &colour = m_theme.memory[static_cast<std::size_t>(memoryClass)];
        return m_plan.stale ? mixed(colour, m_theme.panel, 0.45) : colour;
    };
    const std::vector<CurveColumns::Column> &columns = curves.own.columns;
    const auto edge = [&](std::size_t i) { return map.columnX(curves.own.first + static_cast<std::int64_t>(i)); };
    const double base = y(memory.states() + memory.buffers);
    painter.fillRect(QRectF(QPointF(edge(0), base), QPointF(edge(columns.size()), plot.bottom())), fill(MemoryClass::Gradients));
    for (std::size_t i = 0; i < columns.size();) {
        std::size_t j = i + 1;
        while (j < columns.size() && columns[j].high == columns[i].high)
            ++j;
        painter.fillRect(QRectF(QPointF(edge(i), y(columns[i].high)), QPointF(edge(j), base)), fill(MemoryClass::Activations));
        i = j;
    }
    if (const ByteCount capacity = m_plan.memory->capacity; capacity > 0)
        painter.fillRect(QRectF(plot.left(), y(capacity), plot.width(), std::max(1.0, std::round(ratio)) / ratio), m_theme.err);
    if (m_other) {
        StepLine line{ .dash = planDash(m_other->letter), .colour = m_other->stale ? m_theme.text3 : m_theme.text };
        if (line.dash.off > 0)
            line.dash = { std::max(1, line.dash.on - 2), 2 }; // shorter, for a picture this small
        drawStepLine(painter, map, curves.other, line, y);
    }
}

void RankStrip::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateBar();
}

void RankStrip::scrollContentsBy(int, int) { viewport()->update(); }

bool RankStrip::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int rank = rankAt(help->pos());
        const QRect cell = rank >= 0 ? cellRect(rank) : QRect();
        QToolTip::showText(help->globalPos(), rank >= 0 ? details(rank) : QString(), viewport(), cell);
        return true;
    }
    if (event->type() == QEvent::Leave)
        setHovered(-1);
    return QAbstractScrollArea::viewportEvent(event);
}

void RankStrip::mousePressEvent(QMouseEvent *event)
{
    m_keyboardFocus = false;
    if (event->button() == Qt::LeftButton)
        choose(rankAt(event->pos()));
}

/// The press was used, so its release is not for what lies behind.
void RankStrip::mouseReleaseEvent(QMouseEvent *event) { event->accept(); }

void RankStrip::mouseMoveEvent(QMouseEvent *event) { setHovered(rankAt(event->pos())); }

void RankStrip::wheelEvent(QWheelEvent *event)
{
    const bool touchpad = !event->pixelDelta().isNull();
    const QPoint delta = touchpad ? event->pixelDelta() : event->angleDelta();
    const int amount = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
    QScrollBar &bar = *horizontalScrollBar();
    bar.setValue(bar.value() - (touchpad ? amount : static_cast<int>(std::lround(amount / 120.0 * bar.singleStep()))));
    event->accept();
}

void RankStrip::keyPressEvent(QKeyEvent *event)
{
    const int page = std::max(1, static_cast<int>(viewport()->width() / pitch()));
    const int last = ranks() - 1;
    int target = m_rank;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
        target = m_rank - 1;
        break;
    case Qt::Key_Right:
    case Qt::Key_Down:
        target = m_rank + 1;
        break;
    case Qt::Key_PageUp:
        target = m_rank - page;
        break;
    case Qt::Key_PageDown:
        target = m_rank + page;
        break;
    case Qt::Key_Home:
        target = 0;
        break;
    case Qt::Key_End:
        target = last;
        break;
    default:
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    target = std::clamp(target, 0, std::max(0, last));
    if (target != m_rank)
        choose(target);
}

void RankStrip::focusInEvent(QFocusEvent *event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason
        || event->reason() == Qt::ShortcutFocusReason;
    viewport()->update();
    QAbstractScrollArea::focusInEvent(event);
}

void RankStrip::focusOutEvent(QFocusEvent *event)
{
    m_keyboardFocus = false;
    viewport()->update();
    QAbstractScrollArea::focusOutEvent(event);
}

} // namespace pipeloom
