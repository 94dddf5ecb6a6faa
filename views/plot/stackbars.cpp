// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/stackbars.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pipeloom
{

namespace
{

double inGib(ByteCount bytes) { return static_cast<double>(bytes) / bytesPerGiB; }

template<class Stack>
ByteCount sum(const Stack &stack)
{
    return std::accumulate(stack.begin(), stack.end(), ByteCount{ 0 });
}

constexpr double barGap = 4;
constexpr double peakOverhang = 3;

} // namespace

StackBarPlottable::StackBarPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis)
    , m_theme(lightTheme())
{
    setAntialiased(false);
    setSelectable(QCP::stNone);
}

void StackBarPlottable::setPictures(std::vector<std::shared_ptr<const PlanPicture>> pictures)
{
    m_pictures = std::move(pictures);
    updateScale();
}

void StackBarPlottable::setMode(StackMode mode)
{
    m_mode = mode;
    updateScale();
}

int StackBarPlottable::ranks() const
{
    std::size_t most = 0;
    for (const auto &picture : m_pictures) {
        if (picture->evaluation)
            most = std::max(most, picture->evaluation->memory.ranks.size());
    }
    return static_cast<int>(most);
}

QCPRange StackBarPlottable::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = ranks() > 0;
    return { 0, static_cast<double>(ranks()) };
}

QCPRange StackBarPlottable::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = ranks() > 0;
    return { m_lowest, m_highest };
}

QRect StackBarPlottable::clipRect() const { return mParentPlot->viewport(); }

const RankMemory *StackBarPlottable::memory(std::size_t plan, int rank) const
{
    const auto r = static_cast<std::size_t>(rank);
    if (plan >= m_pictures.size() || !m_pictures[plan]->evaluation || r >= m_pictures[plan]->evaluation->memory.ranks.size())
        return nullptr;
    const RankMemory &memory = m_pictures[plan]->evaluation->memory.ranks[r];
    return memory.curve.empty() ? nullptr : &memory;
}

ByteCount StackBarPlottable::limit(ByteCount MemoryResult::*member) const
{
    for (const auto &picture : m_pictures) {
        if (picture->evaluation && picture->evaluation->memory.*member > 0)
            return picture->evaluation->memory.*member;
    }
    return 0;
}

std::vector<std::size_t> StackBarPlottable::shownPlans() const
{
    if (m_pictures.size() < 2)
        return m_pictures.empty() ? std::vector<std::size_t>{} : std::vector<std::size_t>{ 0 };
    switch (m_mode) {
    case StackMode::First:
        return { 0 };
    case StackMode::Second:
        return { 1 };
    case StackMode::Third:
        return { 2 };
    case StackMode::Fourth:
        return { 3 };
    case StackMode::Difference:
        return { 0, 1 };
    case StackMode::Both:
        break;
    }
    std::vector<std::size_t> every(m_pictures.size());
    std::iota(every.begin(), every.end(), std::size_t{ 0 });
    return every;
}

/// The scale follows the peaks of the step, never the playhead: bars move, the axis does not.
void StackBarPlottable::updateScale()
{
    double high = 0;
    double low = 0;
    for (int rank = 0; rank < ranks(); ++rank) {
        if (m_mode == StackMode::Difference && m_pictures.size() > 1) {
            const auto [least, most] = differenceBounds(rank);
            high = std::max(high, most);
            low = std::min(low, least);
        } else {
            for (std::size_t plan = 0; plan < m_pictures.size(); ++plan) {
                if (const RankMemory *m = memory(plan, rank))
                    high = std::max(high, inGib(m->peak));
            }
        }
    }
    if (m_mode != StackMode::Difference)
        high = std::max(high, inGib(limit(&MemoryResult::capacity)));
    const double span = std::max(0.1, (high - low) * 1.04);
    m_step = niceStep(span / 6);
    m_highest = std::ceil(high * 1.04 / m_step) * m_step;
    m_lowest = std::floor(low * 1.04 / m_step) * m_step;
    if (m_highest <= m_lowest)
        m_highest = m_lowest + m_step;
}

/// The lowest negative and highest positive stack of differences that the rank reaches during the step, GiB. One pass over both
/// curves.
std::pair<double, double> StackBarPlottable::differenceBounds(int rank) const
{
    const RankMemory *first = memory(0, rank);
    const RankMemory *second = memory(1, rank);
    if (first == nullptr || second == nullptr)
        return { 0, 0 };
    double low = 0;
    double high = 0;
    double fixedLow = 0;
    double fixedHigh = 0;
    for (const ByteCount difference :
         { first->weightsDense - second->weightsDense, first->weightsExpert - second->weightsExpert,
           first->gradients - second->gradients, first->optimizer - second->optimizer, first->buffers - second->buffers }) {
        fixedLow += std::min(0.0, inGib(difference));
        fixedHigh += std::max(0.0, inGib(difference));
    }
    std::size_t i = 0;
    std::size_t j = 0;
    for (bool more = true; more;) {
        const double activations = inGib(first->curve[i].activations - second->curve[j].activations);
        const double transient = inGib(first->curve[i].transient - second->curve[j].transient);
        high = std::max(high, fixedHigh + std::max(0.0, activations) + std::max(0.0, transient));
        low = std::min(low, fixedLow + std::min(0.0, activations) + std::min(0.0, transient));
        const bool moreFirst = i + 1 < first->curve.size();
        const bool moreSecond = j + 1 < second->curve.size();
        more = moreFirst || moreSecond;
        if (moreFirst && (!moreSecond || first->curve[i + 1].time <= second->curve[j + 1].time))
            ++i;
        else if (moreSecond)
            ++j;
    }
    return { low, high };
}

double StackBarPlottable::y(double gibibytes) const
{
    return m_area.bottom() - (gibibytes - m_lowest) / (m_highest - m_lowest) * m_area.height();
}

double StackBarPlottable::pitch() const { return m_area.width() / std::max(1, ranks()); }

double StackBarPlottable::gap() const { return pitch() > 48 ? barGap : 1; }

double StackBarPlottable::barWidth() const
{
    const double most = m_area.height() > 400 ? 72 : 34;
    const double bars = m_mode == StackMode::Difference ? 1 : static_cast<double>(shownPlans().size());
    const double margin = pitch() > 48 ? 20 : pitch() * 0.25;
    return std::clamp(std::floor((pitch() - margin - (bars - 1) * gap()) / std::max(1.0, bars)), 1.0, most);
}

QString StackBarPlottable::emptySentence() const
{
    if (ranks() > 0 || std::ranges::none_of(m_pictures, [](const auto &picture) { return picture->problem.has_value(); }))
        return {};
    return m_pictures.size() > 2 ? QStringLiteral("No memory figures yet: no plan passes the checks.")
        : m_pictures.size() > 1  ? QStringLiteral("No memory figures yet: neither plan passes the checks.")
                                 : QStringLiteral("No memory figures yet: the plan does not pass the checks.");
}

QRectF StackBarPlottable::rankRect(int rank) const
{
    const double left = m_area.left() + pitch() * rank;
    return { left, m_area.top() - 6, pitch(), m_area.height() + 6 + labelHeight };
}

int StackBarPlottable::rankAt(const QPointF &position) const
{
    if (ranks() == 0 || position.x() < m_area.left() || position.x() >= m_area.right() || position.y() < m_area.top() - topMargin
        || position.y() > m_area.bottom() + labelHeight)
        return -1;
    return std::min(ranks() - 1, static_cast<int>((position.x() - m_area.left()) / pitch()));
}

void StackBarPlottable::draw(QCPPainter *painter)
{
    painter->setAntialiasing(false);
    if (m_area.isEmpty())
        return;
    if (ranks() == 0) {
        if (const QString sentence = emptySentence(); !sentence.isEmpty())
            drawLine(*painter,
                     QRectF(m_area.left() - leftMargin, m_area.top(), m_area.width() + leftMargin + rightMargin, m_area.height()),
                     Qt::AlignCenter, uiFont(12), m_theme.text2, sentence);
        return;
    }
    for (const int rank : { m_hoveredRank, m_selectedRank }) {
        if (rank < 0 || rank >= ranks())
            continue;
        const QRectF column = rankRect(rank);
        const double inset = pitch() > 48 ? 2 : 0;
        painter->fillRect(column.adjusted(inset, 0, -inset, 0), rank == m_selectedRank ? m_theme.accentBg : m_theme.alt);
    }
    drawScale(*painter);
    if (m_mode != StackMode::Difference)
        drawLimits(*painter);
    for (int rank = 0; rank < ranks(); ++rank)
        drawRank(*painter, rank, false);
    // The line stays readable across the bars, and the peaks across the line.
    const ByteCount hbm = limit(&MemoryResult::capacity);
    if (m_mode != StackMode::Difference && hbm > 0)
        painter->fillRect(QRectF(m_area.left(), std::round(y(inGib(hbm))) - 1, m_area.width(), 2), m_theme.err);
    for (int rank = 0; rank < ranks(); ++rank)
        drawRank(*painter, rank, true);
    drawNames(*painter);
}

void StackBarPlottable::drawScale(QCPPainter &painter) const
{
    const QFont caption = uiFont(11);
    const int decimals = m_step < 1 ? 1 : 0;
    // Low panels keep every second label.
    const double perStep = m_area.height() * m_step / (m_highest - m_lowest);
    const double step = perStep < 13 ? 2 * m_step : m_step;
    for (double value = std::ceil(m_lowest / step) * step; value <= m_highest + step / 100; value += step) {
        const double at = std::round(y(value));
        const bool zero = std::abs(value) < step / 100;
        painter.fillRect(QRectF(m_area.left(), at, m_area.width(), 1), zero ? m_theme.text3 : m_theme.grid);
        drawLine(painter, QRectF(m_area.left() - leftMargin, at - 7, leftMargin - 6, 14), Qt::AlignRight | Qt::AlignVCenter,
                 caption, m_theme.text3, fixedNumber(value, decimals));
    }
    drawLine(painter, QRectF(m_area.left() - leftMargin, m_area.top() - 20, leftMargin - 6, 13),
             Qt::AlignRight | Qt::AlignVCenter, caption, m_theme.text3, QStringLiteral("GiB"));
}

void StackBarPlottable::drawLimits(QCPPainter &painter) const
{
    const ByteCount hbm = limit(&MemoryResult::capacity);
    if (hbm <= 0)
        return;
    const ByteCount usable = limit(&MemoryResult::usable);
    const double hbmY = y(inGib(hbm));
    const double left = m_area.right() + 5;
    const double width = rightMargin - 5;
    const QFont bold = uiFont(11, QFont::Bold);
    const QFont caption = uiFont(11);
    // Four lines of text around the HBM line, kept inside the panel.
    const double top = std::clamp(hbmY - 15, m_area.top() - 10, std::max(m_area.top() - 10, m_area.bottom() - 54));
    drawLine(painter, QRectF(left, top, width, 14), Qt::AlignLeft | Qt::AlignVCenter, bold, m_theme.err, QStringLiteral("HBM"));
    drawLine(painter, QRectF(left, top + 13, width, 14), Qt::AlignLeft | Qt::AlignVCenter, bold, m_theme.err, gib(hbm));
    if (usable <= 0)
        return;
    drawHatch(painter, QRectF(m_area.left(), hbmY, m_area.width(), y(inGib(usable)) - hbmY), 0, m_theme.reserve);
    drawLine(painter, QRectF(left, top + 27, width, 14), Qt::AlignLeft | Qt::AlignVCenter, caption, m_theme.text3,
             QStringLiteral("usable"));
    drawLine(painter, QRectF(left, top + 39, width, 14), Qt::AlignLeft | Qt::AlignVCenter, caption, m_theme.text3, gib(usable));
}

void StackBarPlottable::drawRank(QCPPainter &painter, int rank, bool peaks) const
{
    const double centre = m_area.left() + pitch() * (rank + 0.5);
    const double width = barWidth();
    if (m_mode == StackMode::Difference && m_pictures.size() > 1) {
        if (!peaks)
            drawDifference(painter, rank, QRectF(std::round(centre - width / 2), m_area.top(), width, m_area.height()));
        return;
    }
    const std::vector<std::size_t> plans = shownPlans();
    const auto bars = static_cast<double>(plans.size());
    double left = std::round(centre - (bars * width + (bars - 1) * gap()) / 2);
    // Where both numbers have no room, the selected rank tells the higher peak.
    const bool roomy = width + gap() >= textWidth(uiFont(10.5, QFont::Bold), QStringLiteral("00.0"));
    ByteCount highest = 0;
    for (const std::size_t plan : plans)
        highest = std::max(highest, memory(plan, rank) != nullptr ? memory(plan, rank)->peak : 0);
    for (const std::size_t plan : plans) {
        const RankMemory *m = memory(plan, rank);
        const QRectF column(left, m_area.top(), width, m_area.height());
        if (m != nullptr && peaks)
            drawPeak(painter, plan, *m, column, rank, roomy || (rank == m_selectedRank && m->peak == highest));
        else if (m != nullptr)
            drawBar(painter, plan, *m, column);
        left += width + gap();
    }
}

void StackBarPlottable::drawSegments(QCPPainter &painter, const Stack &stack, const QRectF &column, bool faint, double from,
                                     int sign) const
{
    double edge = from;
    for (std::size_t c = 0; c < memoryClassCount; ++c) {
        const double value = inGib(stack[c]) * sign;
        if (value <= 0)
            continue;
        const double next = edge + sign * value;
        const double top = std::round(y(std::max(edge, next)));
        const double bottom = std::round(y(std::min(edge, next)));
        // One pixel of panel between segments; a segment thinner than that is still one pixel.
        const double height = std::max(1.0, bottom - top - 1);
        const QColor colour = m_theme.memory[c];
        painter.fillRect(QRectF(column.left(), sign > 0 ? top : bottom - height, column.width(), height),
                         faint ? mixed(colour, m_theme.panel, 0.45) : colour);
        edge = next;
    }
}

void StackBarPlottable::drawBar(QCPPainter &painter, std::size_t plan, const RankMemory &memory, const QRectF &column) const
{
    const PlanPicture &picture = *m_pictures[plan];
    const Stack now = memory.stackAt(m_time);
    const double nowTop = std::round(y(inGib(sum(now))));
    const double peakTop = std::round(y(inGib(memory.peak)));
    const double base = std::round(y(0));
    painter.fillRect(QRectF(column.left() - 1, nowTop, column.width() + 2, base - nowTop), m_theme.panel);
    drawSegments(painter, now, column, picture.stale, 0, 1);

    // The ghost: dashed sides from the stack up to the peak, and a dashed lid on the stack.
    if (nowTop - peakTop >= 3) {
        for (double at = peakTop + 3; at + 2 <= nowTop; at += 4) {
            if (column.width() < 6) { // two sides would merge
                painter.fillRect(QRectF(std::floor(column.center().x()), at, 1, 2), m_theme.ghost);
                continue;
            }
            painter.fillRect(QRectF(column.left(), at, 1, 2), m_theme.ghost);
            painter.fillRect(QRectF(column.right() - 1, at, 1, 2), m_theme.ghost);
        }
        for (double at = column.left(); at + 2 <= column.right(); at += 4)
            painter.fillRect(QRectF(at, nowTop - 2, 2, 1), m_theme.ghost);
    }
}

/// The peak of the step and its number; where the HBM line would cross the number, the line gives way.
void StackBarPlottable::drawPeak(QCPPainter &painter, std::size_t plan, const RankMemory &memory, const QRectF &column, int rank,
                                 bool number) const
{
    const PlanPicture &picture = *m_pictures[plan];
    const double peakTop = std::round(y(inGib(memory.peak)));
    const ByteCount usable = picture.evaluation->memory.usable;
    const bool over = usable > 0 && memory.peak > usable;
    const QColor colour = picture.stale ? m_theme.text3 : over ? m_theme.err : m_theme.text;
    const double overhang = pitch() > 48 ? peakOverhang : 0;
    painter.fillRect(QRectF(column.left() - overhang, peakTop - 1, column.width() + 2 * overhang, 2), colour);
    if (!number)
        return;
    const QFont font = condensedFont(11, QFont::Bold);
    const QString text = gib(memory.peak);
    const QRectF box(column.center().x() - textWidth(font, text) / 2 - 2, peakTop - 15, textWidth(font, text) + 4, 13);
    const ByteCount hbm = limit(&MemoryResult::capacity);
    if (hbm > 0 && y(inGib(hbm)) > box.top() - 1 && y(inGib(hbm)) < box.bottom() + 1)
        painter.fillRect(box, rank == m_selectedRank ? m_theme.accentBg : rank == m_hoveredRank ? m_theme.alt : m_theme.panel);
    drawLine(painter, box, Qt::AlignHCenter | Qt::AlignVCenter, font, colour, text);
}

void StackBarPlottable::drawDifference(QCPPainter &painter, int rank, const QRectF &column) const
{
    const RankMemory *first = memory(0, rank);
    const RankMemory *second = memory(1, rank);
    if (first == nullptr || second == nullptr)
        return;
    Stack difference = first->stackAt(m_time);
    const Stack other = second->stackAt(m_time);
    for (std::size_t c = 0; c < memoryClassCount; ++c)
        difference[c] -= other[c];
    const bool stale = m_pictures[0]->stale || m_pictures[1]->stale;
    drawSegments(painter, difference, column, stale, 0, 1);
    drawSegments(painter, difference, column, stale, 0, -1);
    ByteCount positive = 0;
    for (const ByteCount bytes : difference)
        positive += std::max<ByteCount>(0, bytes);
    if (pitch() >= 34 || rank == m_selectedRank)
        drawLine(painter, QRectF(column.center().x() - 30, std::round(y(inGib(positive))) - 16, 60, 13),
                 Qt::AlignHCenter | Qt::AlignVCenter, condensedFont(11, QFont::Bold), stale ? m_theme.text3 : m_theme.text,
                 signedGib(sum(difference)));
}

void StackBarPlottable::drawNames(QCPPainter &painter) const
{
    const std::vector<std::size_t> plans = shownPlans();
    const double width = barWidth();
    const bool letters = m_mode == StackMode::Both && plans.size() > 1 && width >= 10;
    const QFont bold = uiFont(12, QFont::Medium);
    const bool words = pitch() >= textWidth(bold, QStringLiteral("rank 00")) + 4;
    int every = 1;
    while (pitch() * every < (words ? 0 : textWidth(bold, QStringLiteral("00")) + 4))
        every *= 2;
    for (int rank = 0; rank < ranks(); ++rank) {
        const double centre = m_area.left() + pitch() * (rank + 0.5);
        if (letters) {
            double x = std::round(centre - (static_cast<double>(plans.size()) * (width + gap()) - gap()) / 2);
            for (const std::size_t plan : plans) {
                drawLine(painter, QRectF(x, m_area.bottom() + 3, width, 14), Qt::AlignCenter, uiFont(11), m_theme.text3,
                         m_pictures[plan]->letter);
                x += width + gap();
            }
        }
        const bool selected = rank == m_selectedRank;
        const bool besideSelected = std::abs(rank - m_selectedRank) < every && m_selectedRank >= 0;
        if (!selected && (rank % every != 0 || besideSelected))
            continue;
        const QString name = words ? QStringLiteral("rank %1").arg(rank) : QString::number(rank);
        drawLine(painter, QRectF(centre - 40, m_area.bottom() + (letters ? 17 : 8), 80, 15), Qt::AlignCenter,
                 selected ? uiFont(12, QFont::Bold) : bold, m_theme.text, name);
    }
}

} // namespace pipeloom
