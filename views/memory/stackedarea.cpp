// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/stackedarea.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double flagHeight = 17;
constexpr double pixelsPerTick = 36;

} // namespace

StackedAreaPlottable::StackedAreaPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis)
    , m_theme(lightTheme())
{
    setAntialiased(false);
    setSelectable(QCP::stNone);
}

void StackedAreaPlottable::setPlans(CurvePlan main, std::optional<CurvePlan> other)
{
    m_plan = std::move(main);
    m_other = std::move(other);
    updateIndices();
    updateScale();
}

void StackedAreaPlottable::setRank(int rank)
{
    m_rank = rank;
    updateIndices();
}

void StackedAreaPlottable::setUnit(CurveUnit unit)
{
    m_unit = unit;
    updateScale();
}

void StackedAreaPlottable::setArea(const QRectF &area)
{
    m_area = area;
    updateScale();
}

void StackedAreaPlottable::updateIndices()
{
    const auto indexOf = [this](const CurvePlan &plan) {
        const RankMemory *memory = plan.rank(m_rank);
        return memory != nullptr ? CurveIndex(memory->curve) : CurveIndex();
    };
    m_index = indexOf(m_plan);
    m_otherIndex = m_other ? indexOf(*m_other) : CurveIndex();
}

QCPRange StackedAreaPlottable::getKeyRange(bool &found, QCP::SignDomain) const
{
    const Nanoseconds end = std::max(m_plan.end, m_other ? m_other->end : 0);
    found = end > 0;
    return { 0, static_cast<double>(end) };
}

QCPRange StackedAreaPlottable::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = m_plan.memory != nullptr;
    return { 0, m_highest };
}

QRect StackedAreaPlottable::clipRect() const { return mParentPlot->viewport(); }

ByteCount StackedAreaPlottable::capacity() const { return m_plan.memory ? m_plan.memory->capacity : 0; }

ByteCount StackedAreaPlottable::usable() const { return m_plan.memory ? m_plan.memory->usable : 0; }

bool StackedAreaPlottable::inPercent() const { return m_unit == CurveUnit::PercentOfHbm && capacity() > 0; }

double StackedAreaPlottable::bytesPerUnit() const
{
    return inPercent() ? static_cast<double>(capacity()) / 100 : static_cast<double>(bytesPerGiB);
}

QString StackedAreaPlottable::number(ByteCount bytes) const
{
    return inPercent() ? fixedNumber(static_cast<double>(bytes) / bytesPerUnit(), 1) + QStringLiteral(" %") : gib(bytes);
}

ByteCount StackedAreaPlottable::highest(const RankMemory &memory) const
{
    return m_unit == CurveUnit::Reserved ? memory.peakReserved + memory.buffers : memory.peak;
}

void StackedAreaPlottable::updateScale()
{
    ByteCount most = capacity();
    for (const CurvePlan *plan : std::initializer_list<const CurvePlan *>{ &m_plan, m_other ? &*m_other : nullptr }) {
        if (plan == nullptr || !plan->memory)
            continue;
        for (const RankMemory &memory : plan->memory->ranks)
            most = std::max(most, highest(memory));
    }
    const double wanted = std::max(0.1, 1.04 * static_cast<double>(most) / bytesPerUnit());
    m_step = niceStep(wanted / std::max(1.0, std::floor(m_area.height() / pixelsPerTick)));
    m_highest = std::ceil(wanted / m_step) * m_step;
}

ByteCount StackedAreaPlottable::top() const { return std::llround(m_highest * bytesPerUnit()); }

double StackedAreaPlottable::y(ByteCount bytes) const
{
    return m_area.bottom() - static_cast<double>(bytes) / bytesPerUnit() / m_highest * m_area.height();
}

QRectF StackedAreaPlottable::reserveBand() const
{
    if (m_unit == CurveUnit::Reserved || capacity() <= 0 || usable() <= 0 || usable() >= capacity())
        return {};
    return QRectF(QPointF(m_area.left(), y(capacity())), QPointF(m_area.right(), y(usable())));
}

bool StackedAreaPlottable::isOver() const
{
    const RankMemory *memory = m_plan.rank(m_rank);
    const ByteCount limit = m_unit == CurveUnit::Reserved ? capacity() : usable();
    return memory != nullptr && limit > 0 && highest(*memory) > limit;
}

QString StackedAreaPlottable::peakText() const
{
    const RankMemory *memory = m_plan.rank(m_rank);
    if (memory == nullptr)
        return {};
    const QString time = durationText(memory->peakTime);
    return m_unit == CurveUnit::Reserved ? tr("device %1 from %2").arg(number(highest(*memory)), time)
                                         : tr("peak %1 at %2").arg(number(memory->peak), time);
}

QColor StackedAreaPlottable::fill(MemoryClass memoryClass) const
{
    const QColor &colour = m_theme.memory[static_cast<std::size_t>(memoryClass)];
    return m_plan.stale ? mixed(colour, m_theme.panel, 0.45) : colour;
}

StackedAreaPlottable::Frame StackedAreaPlottable::frame(const QCPPainter &painter) const
{
    Frame frame{ .map = m_map.withRatio(drawsVectors(painter) ? 1 : deviceRatio(painter)), .curve = {}, .other = {} };
    if (const RankMemory *memory = m_plan.rank(m_rank))
        frame.curve = curveColumns(*memory, m_index, m_plan.end, frame.map);
    if (const RankMemory *memory = m_other ? m_other->rank(m_rank) : nullptr) {
        frame.other = curveColumns(*memory, m_otherIndex, m_other->end, frame.map);
        if (m_unit == CurveUnit::Reserved) {
            const ByteCount device = highest(*memory);
            for (CurveColumns::Column &column : frame.other.columns)
                column = { .low = device, .high = device, .last = device };
        }
    }
    if (capacity() > 0)
        frame.limitY = crisp(y(capacity()), frame.map.ratio);
    return frame;
}

void StackedAreaPlottable::draw(QCPPainter *painter)
{
    painter->setAntialiasing(false);
    if (m_area.isEmpty())
        return;
    painter->fillRect(m_area, m_theme.lane);
    const RankMemory *memory = m_plan.rank(m_rank);
    if (memory == nullptr) {
        const QString words = m_plan.memory ? tr("Plan %1 has no rank %2").arg(m_plan.letter).arg(m_rank)
                                            : tr("Plan %1 has no memory result yet").arg(m_plan.letter);
        drawLine(*painter, m_area, Qt::AlignCenter, uiFont(12), m_theme.text3, words);
        return;
    }
    const Frame now = frame(*painter);
    drawScale(*painter, now);
    drawStack(*painter, now, *memory);
    drawOther(*painter, now);
    drawLimits(*painter, now);
    drawNames(*painter, now, *memory);
    drawOtherName(*painter, now);
    drawPeak(*painter, now, *memory);
}

void StackedAreaPlottable::drawScale(QCPPainter &painter, const Frame &frame) const
{
    const double ratio = frame.map.ratio;
    const int decimals = m_step < 1 ? static_cast<int>(std::ceil(-std::log10(m_step) - 1e-9)) : 0;
    for (int i = 0; i * m_step <= m_highest * (1 + 1e-9); ++i) {
        const double at = crisp(m_area.bottom() - i * m_step / m_highest * m_area.height(), ratio);
        painter.fillRect(QRectF(m_area.left(), at, m_area.width(), 1 / ratio), i == 0 ? m_theme.line : m_theme.grid);
        drawLine(painter, QRectF(0, at - 7, m_area.left() - 6, 14), Qt::AlignRight | Qt::AlignVCenter, uiFont(11), m_theme.text3,
                 fixedNumber(i * m_step, decimals));
    }
    drawLine(painter, QRectF(0, m_area.top() - 22, m_area.left() - 6, 14), Qt::AlignRight | Qt::AlignVCenter, uiFont(11),
             m_theme.text3, inPercent() ? QStringLiteral("%") : QStringLiteral("GiB"));
    drawHatch(painter, crisp(reserveBand(), ratio), 0, m_theme.reserve);
}

/// The limit's line across the stack, its value and the usable part at the right.
void StackedAreaPlottable::drawLimits(QCPPainter &painter, const Frame &frame) const
{
    if (frame.limitY < 0)
        return;
    const double ratio = frame.map.ratio;
    const double thickness = std::max(1.0, std::round(1.5 * ratio) / ratio);
    painter.fillRect(QRectF(m_area.left(), crisp(frame.limitY - thickness / 2, ratio), m_area.width(), thickness), m_theme.err);
    const bool withUsable = m_unit != CurveUnit::Reserved && usable() > 0;
    const double height = withUsable ? 39 : 26;
    double at = std::clamp(frame.limitY - 14, m_area.top() - 8, std::max(m_area.top() - 8, m_area.bottom() - height));
    const auto line = [&](const QFont &font, const QColor &colour, const QString &text) {
        drawLine(painter, QRectF(m_area.right() + 5, at, rightMargin - 7, 13), Qt::AlignLeft | Qt::AlignVCenter, font, colour,
                 text);
        at += 13;
    };
    line(uiFont(11, QFont::Bold), m_theme.err, QStringLiteral("HBM"));
    line(uiFont(11, QFont::Bold), m_theme.err, inPercent() ? QStringLiteral("100 %") : number(capacity()));
    if (withUsable)
        line(condensedFont(11, QFont::Normal), m_theme.text3, tr("usable %1").arg(number(usable())));
}

void StackedAreaPlottable::drawStack(QCPPainter &painter, const Frame &frame, const RankMemory &memory) const
{
    const CurveColumns &curve = frame.curve;
    if (curve.columns.empty())
        return;
    const double ratio = frame.map.ratio;
    const auto rectangle = [&](double left, double right, double top, double bottom, const QColor &colour) {
        if (bottom > top)
            painter.fillRect(QRectF(left, top, right - left, bottom - top), colour);
    };
    // One pixel of ground separates a segment from the one below it, where there is room for both.
    const auto segment = [&](double left, double right, ByteCount from, ByteCount to, MemoryClass memoryClass) {
        const double top = crisp(y(to), ratio);
        const double bottom = crisp(y(from), ratio);
        const double edge = from > 0 && bottom - top > 2 ? bottom - 1 / ratio : bottom;
        rectangle(left, right, top, edge, fill(memoryClass));
        rectangle(left, right, edge, bottom, m_theme.panel);
    };
    const double left = frame.map.columnX(curve.first);
    const double right = frame.map.columnX(curve.first + std::ssize(curve.columns));
    // What does not move is one rectangle for each class.
    const std::array<ByteCount, stateClassCount> states = statesOf(memory);
    ByteCount base = 0;
    for (std::size_t c = 0; c < stateClassCount; base += states[c], ++c)
        segment(left, right, base, base + states[c], static_cast<MemoryClass>(c));
    const bool reserved = m_unit == CurveUnit::Reserved;
    if (reserved)
        drawHatch(painter, QRectF(QPointF(left, crisp(y(memory.peakReserved), ratio)), QPointF(right, crisp(y(base), ratio))),
                  frame.map.x(0), m_theme.hatch, m_theme.hatchBg);
    // So is what all columns in view have in common: narrow high rectangles are what costs.
    const ByteCount common = base + std::ranges::min(curve.columns, {}, &CurveColumns::Column::activations).activations;
    const double commonTop = crisp(y(common), ratio);
    const bool shared = crisp(y(base), ratio) - commonTop > 2;
    if (shared)
        segment(left, right, base, common, MemoryClass::Activations);
    for (std::size_t i = 0; i < curve.columns.size();) {
        const CurveColumns::Column &column = curve.columns[i];
        std::size_t j = i + 1;
        while (j < curve.columns.size() && curve.columns[j].activations == column.activations
               && curve.columns[j].transient == column.transient)
            ++j;
        const double from = frame.map.columnX(curve.first + static_cast<std::int64_t>(i));
        const double to = frame.map.columnX(curve.first + static_cast<std::int64_t>(j));
        const ByteCount activations = base + column.activations;
        const ByteCount allocated = activations + column.transient;
        if (shared)
            rectangle(from, to, crisp(y(activations), ratio), commonTop, fill(MemoryClass::Activations));
        else
            segment(from, to, base, activations, MemoryClass::Activations);
        segment(from, to, activations, allocated, MemoryClass::Transient);
        if (!reserved)
            segment(from, to, allocated, allocated + memory.buffers, MemoryClass::Buffers);
        i = j;
    }
    if (reserved)
        segment(left, right, memory.peakReserved, memory.peakReserved + memory.buffers, MemoryClass::Buffers);
}

void StackedAreaPlottable::drawOther(QCPPainter &painter, const Frame &frame) const
{
    if (frame.other.columns.empty())
        return;
    const double ratio = frame.map.ratio;
    const auto height = [this](ByteCount bytes) { return std::clamp(y(bytes), m_area.top(), m_area.bottom()); };
    StepLine line{ .dash = {}, .thickness = std::max(1.0, std::floor(1.5 * ratio) / ratio), .colour = m_theme.panel, .halo = 1 };
    // A line of ground around it, so that it is seen on every class.
    drawStepLine(painter, frame.map, frame.other, line, height);
    line.dash = planDash(m_other->letter);
    line.colour = m_other->stale ? m_theme.text3 : m_theme.text;
    line.halo = 0;
    drawStepLine(painter, frame.map, frame.other, line, height);
}

/// A flag above the plot and a stem down to the peak.
void StackedAreaPlottable::drawPeak(QCPPainter &painter, const Frame &frame, const RankMemory &memory) const
{
    const double ratio = frame.map.ratio;
    const double x = frame.map.crispX(static_cast<double>(memory.peakTime));
    if (x < m_area.left() || x >= m_area.right())
        return;
    const QColor ink = m_plan.stale ? m_theme.text3 : isOver() ? m_theme.err : m_theme.play;
    const double flagTop = m_area.top() - topMargin + 3;
    const double peakY = crisp(std::clamp(y(highest(memory)), m_area.top(), m_area.bottom()), ratio);
    painter.fillRect(QRectF(x, flagTop + flagHeight, 1, std::max(0.0, peakY - flagTop - flagHeight)), ink);
    const QFont font = uiFont(11, QFont::Bold);
    const QString text = peakText();
    const double width = std::ceil(textWidth(font, text)) + 12;
    const double left = std::clamp(std::round(x - width / 2), m_area.left(), std::max(m_area.left(), m_area.right() - width));
    const QRectF flag(left, flagTop, width, flagHeight);
    painter.setAntialiasing(true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    painter.drawRoundedRect(flag, 3, 3);
    painter.setAntialiasing(false);
    drawLine(painter, flag, Qt::AlignCenter, font, m_theme.panel, text);
}

} // namespace pipeloom
