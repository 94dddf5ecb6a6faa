// SPDX-License-Identifier: GPL-3.0-or-later
// The names inside the stack and beside the other plan's line, each where nothing crosses it.
#include "views/memory/stackedarea.h"

#include "views/plot/paint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double nameHeight = 13;

/// The middle column of each place where a name may stand, best first.
constexpr std::array<double, 15> shares{ 0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8, 0.12, 0.88 };

} // namespace

/// True when the box lies on the other plan's line or on the limit.
bool StackedAreaPlottable::crosses(const QRectF &box, const Frame &frame) const
{
    if (frame.limitY > box.top() - 2 && frame.limitY < box.bottom() + 2)
        return true;
    const auto columnAt = [&](double x) { return frame.map.origin + std::llround((x - frame.map.left) * frame.map.ratio); };
    const std::int64_t size = std::ssize(frame.other.columns);
    const std::int64_t from = std::clamp<std::int64_t>(columnAt(box.left()) - frame.other.first, 0, size);
    const std::int64_t to = std::clamp<std::int64_t>(columnAt(box.right()) - frame.other.first, 0, size);
    for (std::int64_t i = from; i < to; ++i) {
        const CurveColumns::Column &column = frame.other.columns[static_cast<std::size_t>(i)];
        if (y(column.high) - 2 < box.bottom() && y(column.low) + 2 > box.top())
            return true;
    }
    return false;
}

/// A box for a name between two bounds of the stack, clear of lines; nothing where none is high enough.
std::optional<QRectF> StackedAreaPlottable::roomFor(double width, const Frame &frame, const Bound &bottom, const Bound &top) const
{
    const std::int64_t half = std::llround((width / 2 + 4) * frame.map.ratio);
    const std::int64_t count = std::ssize(frame.curve.columns);
    for (const double share : shares) {
        const std::int64_t middle = std::llround(share * static_cast<double>(count));
        if (middle - half < 0 || middle + half > count)
            continue;
        double roof = m_area.top();
        double floor = m_area.bottom();
        for (std::int64_t i = middle - half; i < middle + half; ++i) {
            const CurveColumns::Column &column = frame.curve.columns[static_cast<std::size_t>(i)];
            roof = std::max(roof, y(top(column)));
            floor = std::min(floor, y(bottom(column)));
        }
        if (floor - roof < nameHeight)
            continue;
        const double x = std::round(frame.map.columnX(frame.curve.first + middle) - width / 2);
        // In the middle, else above or below what crosses it.
        for (const double depth : { 0.5, 0.3, 0.7, 0.2, 0.8 }) {
            const double centre = roof + depth * (floor - roof);
            const QRectF box(x, std::round(centre - nameHeight / 2), width, nameHeight);
            if (box.top() >= roof - 0.5 && box.bottom() <= floor + 0.5 && !crosses(box, frame))
                return box;
        }
    }
    return std::nullopt;
}

void StackedAreaPlottable::drawNames(QCPPainter &painter, const Frame &frame, const RankMemory &memory) const
{
    const QFont font = uiFont(11, QFont::Medium);
    const auto put = [&](const QString &text, const QColor &ground, bool box, const Bound &bottom, const Bound &top) {
        const double width = textWidth(font, text) + 4;
        const std::optional<QRectF> room = roomFor(width, frame, bottom, top);
        if (!room)
            return;
        if (box)
            painter.fillRect(*room, ground);
        drawLine(painter, *room, Qt::AlignCenter, font, textOn(ground), text);
    };
    const auto nameOf = [](MemoryClass memoryClass) {
        QString text = QString::fromUtf8(pipeloom::name(memoryClass));
        text[0] = text[0].toLower();
        return text;
    };
    ByteCount base = 0;
    const std::array<ByteCount, stateClassCount> states = statesOf(memory);
    for (std::size_t c = 0; c < stateClassCount; ++c) {
        const ByteCount next = base + states[c];
        put(
            nameOf(static_cast<MemoryClass>(c)), fill(static_cast<MemoryClass>(c)), false, [=](const auto &) { return base; },
            [=](const auto &) { return next; });
        base = next;
    }
    const Bound activations = [=](const CurveColumns::Column &column) { return base + column.activations; };
    const Bound allocated = [=](const CurveColumns::Column &column) { return base + column.activations + column.transient; };
    const ByteCount reserved = memory.peakReserved;
    const ByteCount buffers = memory.buffers;
    put(
        nameOf(MemoryClass::Activations), fill(MemoryClass::Activations), false, [=](const auto &) { return base; }, activations);
    put(nameOf(MemoryClass::Transient), fill(MemoryClass::Transient), false, activations, allocated);
    if (m_unit != CurveUnit::Reserved) {
        put(nameOf(MemoryClass::Buffers), fill(MemoryClass::Buffers), false, allocated,
            [=](const auto &column) { return allocated(column) + buffers; });
        return;
    }
    put(tr("reserved, not allocated"), m_theme.hatchBg, true, allocated, [=](const auto &) { return reserved; });
    put(
        nameOf(MemoryClass::Buffers), fill(MemoryClass::Buffers), false, [=](const auto &) { return reserved; },
        [=](const auto &) { return reserved + buffers; });
}

/// "B total" beside the end of its line, on free ground if there is any.
void StackedAreaPlottable::drawOtherName(QCPPainter &painter, const Frame &frame) const
{
    const CurveColumns &line = frame.other;
    if (line.columns.empty())
        return;
    const QFont font = uiFont(11, QFont::Medium);
    const QString text = tr("%1 total").arg(m_other->letter);
    const double width = textWidth(font, text) + 4;
    const auto count = static_cast<double>(line.columns.size());
    const double lineEnd = frame.map.columnX(line.first + std::ssize(line.columns));
    const auto stackTop = [&](double x) {
        const std::int64_t i = frame.map.origin + std::llround((x - frame.map.left) * frame.map.ratio) - frame.curve.first;
        return i >= 0 && i < std::ssize(frame.curve.columns) ? y(frame.curve.columns[static_cast<std::size_t>(i)].high)
                                                             : m_area.bottom();
    };
    for (const bool onStack : { false, true }) {
        for (const double share : { 1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1 }) {
            const double right = std::floor(std::min(lineEnd, frame.map.columnX(line.first + std::llround(share * count))));
            const std::size_t at = std::min(line.columns.size() - 1, static_cast<std::size_t>(share * count));
            for (const double y0 : { y(line.columns[at].high) - nameHeight - 3, y(line.columns[at].low) + 3 }) {
                const QRectF box(right - width, std::round(y0), width, nameHeight);
                const bool stacked = stackTop(box.left()) < box.bottom() || stackTop(box.right()) < box.bottom()
                    || stackTop(box.center().x()) < box.bottom();
                if (box.left() < m_area.left() || box.top() < m_area.top() || box.bottom() > m_area.bottom()
                    || crosses(box, frame) || (stacked && !onStack))
                    continue;
                if (stacked)
                    painter.fillRect(box, m_theme.panel);
                drawLine(painter, box, Qt::AlignCenter, font, m_other->stale ? m_theme.text3 : m_theme.text, text);
                return;
            }
        }
    }
}

} // namespace pipeloom
