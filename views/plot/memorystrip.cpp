// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/memorystrip.h"

#include "views/plot/numbers.h"
#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

MemoryStrip::MemoryStrip(QCPAxis *keyAxis, QCPAxis *valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis)
    , m_theme(lightTheme())
{
    setAntialiased(false);
    setSelectable(QCP::stNone);
}

void MemoryStrip::setPictures(std::vector<std::shared_ptr<const PlanPicture>> pictures)
{
    m_pictures = std::move(pictures);
    updateIndex();
    updateScale();
}

void MemoryStrip::setRank(int rank)
{
    if (rank == m_rank)
        return;
    m_rank = rank;
    updateIndex();
}

void MemoryStrip::setArea(const QRectF &area, double gutterLeft)
{
    m_area = area;
    m_gutterLeft = gutterLeft;
}

QCPRange MemoryStrip::getKeyRange(bool &found, QCP::SignDomain) const
{
    Nanoseconds end = 0;
    for (const auto &picture : m_pictures)
        end = std::max(end, picture->end);
    found = end > 0;
    return found ? QCPRange(0, static_cast<double>(end)) : QCPRange();
}

QCPRange MemoryStrip::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = m_top > 1;
    return { 0, static_cast<double>(m_top) };
}

QRect MemoryStrip::clipRect() const { return mParentPlot->viewport(); }

ByteCount MemoryStrip::capacity() const
{
    for (const auto &picture : m_pictures) {
        if (picture->evaluation && picture->evaluation->memory.capacity > 0)
            return picture->evaluation->memory.capacity;
    }
    return 0;
}

/// One scale for all ranks, so that choosing another rank compares like with like.
void MemoryStrip::updateScale()
{
    ByteCount highest = capacity();
    for (const auto &picture : m_pictures) {
        if (!picture->evaluation)
            continue;
        for (const RankMemory &rank : picture->evaluation->memory.ranks)
            highest = std::max(highest, rank.peak);
    }
    m_top = std::max<ByteCount>(1, highest + highest / 16);
}

double MemoryStrip::y(ByteCount bytes) const
{
    return m_area.bottom() - static_cast<double>(bytes) / static_cast<double>(m_top) * m_area.height();
}

void MemoryStrip::draw(QCPPainter *painter)
{
    painter->setAntialiasing(false);
    if (m_area.isEmpty())
        return;
    const TimeMap map = m_map.withRatio(drawsVectors(*painter) ? 1 : deviceRatio(*painter));
    painter->fillRect(m_area, m_theme.lane);
    drawScale(*painter);
    std::vector<CurveColumns> curves;
    for (std::size_t i = 0; i < m_pictures.size(); ++i)
        curves.push_back(curve(i, map));
    for (std::size_t i = 0; i < curves.size(); ++i)
        drawExcess(*painter, map, curves[i], m_pictures[i]->stale);
    std::vector<QRectF> letters; // that stand already
    // The first plan on top of the others.
    for (std::size_t i = curves.size(); i-- > 0;) {
        drawCurve(*painter, map, curves[i], *m_pictures[i]);
        drawLetter(*painter, map, curves, i, letters);
    }
}

void MemoryStrip::drawScale(QCPPainter &painter) const
{
    const double ratio = drawsVectors(painter) ? 1 : deviceRatio(painter);
    const QFont caption = uiFont(11);
    const ByteCount limit = capacity();
    const double labelRight = m_area.left() - 5;
    // The limit first, then 0 and the middle: what would touch an earlier label is left out.
    std::vector<double> taken;
    const auto label = [&](double atY, const QColor &colour, const QFont &font, const QString &text) {
        const double clamped = std::clamp(atY, m_area.top() + 6, m_area.bottom() - 5);
        constexpr double lineHeight = 12;
        if (std::ranges::any_of(taken, [clamped](double other) { return std::abs(other - clamped) < lineHeight; }))
            return;
        taken.push_back(clamped);
        drawLine(painter, QRectF(m_gutterLeft + 6, clamped - 7, labelRight - m_gutterLeft - 6, 14),
                 Qt::AlignRight | Qt::AlignVCenter, font, colour, text);
    };
    // Half of the limit as a round number of GiB.
    const double top = static_cast<double>(m_top) / bytesPerGiB;
    const double half = (limit > 0 ? static_cast<double>(limit) / bytesPerGiB : top) / 2;
    const double magnitude = half > 0 ? std::pow(10, std::floor(std::log10(half))) : 1;
    const double middle = std::max(1.0, std::round(half / magnitude)) * magnitude;
    const double middleY = crisp(y(static_cast<ByteCount>(middle * bytesPerGiB)), ratio);
    const bool low = m_area.height() < 60;
    if (limit > 0) {
        const double limitY = crisp(y(limit), ratio);
        const auto withUsable =
            std::ranges::find_if(m_pictures, [](const auto &p) { return p->evaluation && p->evaluation->memory.usable > 0; });
        if (withUsable != m_pictures.end()) {
            const double usable = crisp(y((*withUsable)->evaluation->memory.usable), ratio);
            drawHatch(painter, QRectF(m_area.left(), limitY, m_area.width(), usable - limitY), 0, m_theme.reserve);
        }
        painter.fillRect(QRectF(m_area.left(), limitY - 0.5 / ratio, m_area.width(), std::max(1.0, 1.5 / ratio)), m_theme.err);
        label(limitY, m_theme.err, uiFont(11, QFont::Bold), fixedNumber(static_cast<double>(limit) / bytesPerGiB, 0));
    }
    label(m_area.bottom(), m_theme.text3, caption, QStringLiteral("0"));
    if (middle < top) {
        painter.fillRect(QRectF(m_area.left(), middleY, m_area.width(), 1 / ratio), m_theme.grid);
        if (!low)
            label(middleY, m_theme.text3, caption, fixedNumber(middle, middle < 1 ? 1 : 0));
    }
    // The name stands left of the labels: below the limit's, at the height of the middle one.
    const double wanted = low ? (limit > 0 ? y(limit) : m_area.top()) + 12 : middleY - 10;
    double nameY = std::clamp(wanted, m_area.top() + 7, std::max(m_area.top() + 7, m_area.bottom() - 19));
    // Far above the limit all labels lie at the bottom: the name goes to the top.
    if (!low && limit > 0 && y(limit) > m_area.bottom() - 40)
        nameY = m_area.top() + 7;
    drawLine(painter, QRectF(m_gutterLeft + 12, nameY - 7, m_area.left() - m_gutterLeft - 14, 14),
             Qt::AlignLeft | Qt::AlignVCenter, uiFont(11, QFont::Bold), m_theme.text, QStringLiteral("rank %1").arg(m_rank));
    drawLine(painter, QRectF(m_gutterLeft + 12, nameY + 6, 24, 14), Qt::AlignLeft | Qt::AlignVCenter, caption, m_theme.text3,
             QStringLiteral("GiB"));
}

const RankMemory *MemoryStrip::memory(const PlanPicture &picture) const
{
    const auto rank = static_cast<std::size_t>(m_rank);
    if (m_rank < 0 || !picture.evaluation || rank >= picture.evaluation->memory.ranks.size())
        return nullptr;
    return &picture.evaluation->memory.ranks[rank];
}

void MemoryStrip::updateIndex()
{
    m_indices.clear();
    for (const auto &picture : m_pictures) {
        const RankMemory *rank = memory(*picture);
        m_indices.push_back(rank != nullptr ? CurveIndex(rank->curve) : CurveIndex());
    }
}

CurveColumns MemoryStrip::curve(std::size_t plan, const TimeMap &map) const
{
    const RankMemory *rank = memory(*m_pictures[plan]);
    return rank != nullptr ? curveColumns(*rank, m_indices[plan], m_pictures[plan]->end, map) : CurveColumns();
}

void MemoryStrip::drawExcess(QCPPainter &painter, const TimeMap &map, const CurveColumns &curve, bool stale) const
{
    const ByteCount limit = capacity();
    if (limit <= 0)
        return;
    // Opaque, because not every SVG reader knows opacity. Red is for the plan as it is now.
    const QColor fill = mixed(stale ? m_theme.text3 : m_theme.err, m_theme.lane, 0.28);
    const double bottom = y(limit);
    // Equal neighbours are one rectangle.
    for (std::size_t i = 0; i < curve.columns.size();) {
        std::size_t j = i + 1;
        while (j < curve.columns.size() && curve.columns[j].last == curve.columns[i].last)
            ++j;
        if (curve.columns[i].last > limit) {
            const double left = map.columnX(curve.first + static_cast<std::int64_t>(i));
            const double right = map.columnX(curve.first + static_cast<std::int64_t>(j));
            const double top = y(curve.columns[i].last);
            painter.fillRect(QRectF(left, top, right - left, bottom - top), fill);
        }
        i = j;
    }
}

void MemoryStrip::drawCurve(QCPPainter &painter, const TimeMap &map, const CurveColumns &curve, const PlanPicture &picture) const
{
    const bool solid = picture.letter == QStringLiteral("A");
    const StepLine line{ .dash = planDash(picture.letter),
                         .thickness = solid ? 2 : std::max(1.0, std::floor(1.5 * map.ratio) / map.ratio),
                         .colour = picture.stale ? m_theme.text3
                             : solid             ? m_theme.text
                                                 : m_theme.text2 };
    drawStepLine(painter, map, curve, line,
                 [this](ByteCount bytes) { return std::clamp(y(bytes), m_area.top(), m_area.bottom()); });
}

/// The plan's letter beside its curve, where it covers neither the other curve nor the limit.
void MemoryStrip::drawLetter(QCPPainter &painter, const TimeMap &map, const std::vector<CurveColumns> &curves, std::size_t plan,
                             std::vector<QRectF> &letters) const
{
    const CurveColumns &own = curves[plan];
    if (own.columns.size() < 40 || m_pictures.size() < 2)
        return;
    const double half = 8 * map.ratio;
    const auto bounds = [&](const CurveColumns &curve, std::int64_t middle) -> std::optional<std::pair<double, double>> {
        std::optional<std::pair<double, double>> result;
        const std::int64_t from = std::max<std::int64_t>(0, middle - curve.first - std::llround(half));
        const std::int64_t to = std::min<std::int64_t>(std::ssize(curve.columns), middle - curve.first + std::llround(half));
        for (std::int64_t i = from; i < to; ++i) {
            const CurveColumns::Column &column = curve.columns[static_cast<std::size_t>(i)];
            const double high = y(column.high);
            const double low = y(column.low);
            result = result ? std::pair(std::min(result->first, high), std::max(result->second, low)) : std::pair(high, low);
        }
        return result;
    };
    const auto covered = [&](double top, std::int64_t middle) {
        const QRectF box(map.columnX(middle) - 8, top, 16, 14);
        const double limitY = capacity() > 0 ? y(capacity()) : -1;
        if (top < m_area.top() || box.bottom() > m_area.bottom() || (limitY > top && limitY < box.bottom()))
            return true;
        if (std::ranges::any_of(letters, [&](const QRectF &other) { return other.intersects(box); }))
            return true;
        return std::ranges::any_of(curves, [&](const CurveColumns &curve) {
            const auto taken = bounds(curve, middle);
            return taken && taken->first < box.bottom() && taken->second > top;
        });
    };
    const auto count = static_cast<double>(own.columns.size());
    for (const double share : { 0.88, 0.94, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1 }) {
        const std::int64_t middle = own.first + std::llround(share * count);
        const auto taken = bounds(own, middle);
        if (!taken)
            continue;
        for (const double top : { taken->first - 16, taken->second + 3 }) {
            if (covered(top, middle))
                continue;
            const PlanPicture &picture = *m_pictures[plan];
            letters.emplace_back(map.columnX(middle) - 8, top, 16, 14);
            drawLine(painter, letters.back(), Qt::AlignCenter, uiFont(11, QFont::Bold),
                     picture.stale                               ? m_theme.text3
                         : picture.letter == QStringLiteral("A") ? m_theme.text
                                                                 : m_theme.text2,
                     picture.letter);
            return;
        }
    }
}

} // namespace pipeloom
