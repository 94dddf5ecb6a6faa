// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/timelineplottable.h"

#include "views/plot/paint.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

/// A run needs this many logical pixels to carry its edge line; below, lines would be most of what one sees.
constexpr double narrowestEdge = 3;
/// Ops of a result that is being replaced.
constexpr double dimmedShare = 0.45;
/// A column with little work in it still shows.
constexpr int leastShare = 32;

} // namespace

QRectF LaneLayout::laneRect(int rank, const TimeMap &map) const
{
    if (rank < first || rank >= first + count)
        return {};
    return { map.left, top + pitch * (rank - first), map.width, pitch - gap };
}

int LaneLayout::rankAt(double y) const
{
    if (y < top || y >= bottom())
        return -1;
    return first + static_cast<int>((y - top) / pitch);
}

TimelinePlottable::TimelinePlottable(QCPAxis *keyAxis, QCPAxis *valueAxis)
    : QCPAbstractPlottable(keyAxis, valueAxis)
    , m_theme(lightTheme())
{
    setAntialiased(false);
    setSelectable(QCP::stNone);
}

void TimelinePlottable::setPicture(std::shared_ptr<const PlanPicture> picture) { m_picture = std::move(picture); }

void TimelinePlottable::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_numbers.clear();
}

void TimelinePlottable::setLayout(const LaneLayout &layout)
{
    if (layout.pitch != m_layout.pitch)
        m_numbers.clear();
    m_layout = layout;
}

QCPRange TimelinePlottable::getKeyRange(bool &found, QCP::SignDomain) const
{
    found = m_picture && m_picture->end > 0;
    return found ? QCPRange(0, static_cast<double>(m_picture->end)) : QCPRange();
}

QCPRange TimelinePlottable::getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const
{
    found = m_picture && m_picture->ranks > 0;
    return found ? QCPRange(0, m_picture->ranks) : QCPRange();
}

QRect TimelinePlottable::clipRect() const
{
    // The gutters stand outside the axis rect; everything here cuts its own geometry, as SVG output needs it anyway.
    return mParentPlot->viewport();
}

double TimelinePlottable::labelSize(double pitch) { return std::min(13.0, std::max(9.0, 0.45 * pitch)); }

bool TimelinePlottable::showsNumbers(OpClass opClass) const
{
    // At a pitch of 10 a number of 9 px no longer fits between the gaps.
    if (!m_picture || opClass == OpClass::Optimizer || m_layout.pitch < 12)
        return false;
    const QFont font = condensedFont(labelSize(m_layout.pitch));
    const double number = textWidth(font, QString(m_picture->labelDigits, QLatin1Char('0')));
    const double needed = opClass == OpClass::Pair ? 2 * number + 4 : number + 1;
    const auto length = static_cast<double>(m_picture->nominal[static_cast<std::size_t>(opClass)]);
    return length > 0 && length / m_map.nsPerPixel() >= needed;
}

const OpColours &TimelinePlottable::colours(std::uint8_t classId) const
{
    switch (static_cast<OpClass>(classId)) {
    case OpClass::Forward:
        return m_theme.forward;
    case OpClass::InputGradient:
        return m_theme.inputGradient;
    case OpClass::WeightGradient:
        return m_theme.weightGradient;
    case OpClass::Pair:
        return m_theme.pair;
    case OpClass::Optimizer:
        break;
    }
    return m_theme.optimizer;
}

QColor TimelinePlottable::fill(const VisibleSpan &run) const
{
    const double share = std::max<int>(run.share, leastShare) / 255.0 * (m_dimmed ? dimmedShare : 1);
    const QColor &colour = colours(run.classId).fill;
    return share >= 1 ? colour : mixed(colour, m_theme.hatchBg, share);
}

QRectF TimelinePlottable::dataRect(const TimeMap &map) const
{
    return { map.left, m_layout.top, map.width, m_layout.pitch * m_layout.count };
}

std::vector<TimelinePlottable::LaneRuns> TimelinePlottable::runs(const TimeMap &map) const
{
    std::vector<LaneRuns> lanes(static_cast<std::size_t>(m_layout.count));
    const auto begin = static_cast<Nanoseconds>(std::floor(map.start()));
    const auto end = static_cast<Nanoseconds>(std::ceil(map.end()));
    const bool hidesClasses = m_picture->mask != allOpClasses;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::size_t lane = static_cast<std::size_t>(m_layout.first) + i;
        if (lane >= m_picture->lanes.laneCount())
            break;
        m_picture->shownLanes().visibleSpans(lane, begin, end, map.nsPerColumn, lanes[i].drawn);
        if (hidesClasses)
            m_picture->lanes.visibleSpans(lane, begin, end, map.nsPerColumn, lanes[i].hidden);
    }
    return lanes;
}

void TimelinePlottable::draw(QCPPainter *painter)
{
    painter->setAntialiasing(false);
    const bool vectors = drawsVectors(*painter);
    const TimeMap map = vectors ? m_map.withRatio(4) : m_map.withRatio(deviceRatio(*painter));
    drawGround(*painter, map);
    m_parts.clear();
    if (m_picture) {
        drawGutters(*painter);
        if (m_picture->problem) {
            drawProblem(*painter);
        } else if (m_picture->ranks > 0) {
            const std::vector<LaneRuns> lanes = runs(map);
            std::size_t count = 0;
            for (const LaneRuns &lane : lanes)
                count += lane.drawn.size() + lane.hidden.size();
            if (vectors && count <= mostVectorRuns)
                drawRectangles(*painter, map, lanes);
            else
                drawImage(*painter, map, lanes);
            if (!m_dimmed) {
                drawNumbers(*painter, map, lanes);
                drawOpened(*painter, map, lanes);
            }
            drawRemark(*painter, map);
        }
    }
}

void TimelinePlottable::drawGround(QCPPainter &painter, const TimeMap &map) const
{
    if (m_picture && m_picture->problem) {
        painter.fillRect(dataRect(map), m_theme.lane);
        return;
    }
    const bool hatched = m_picture && m_picture->hasLanes() && m_picture->bubbles;
    const double begin = hatched ? std::max(map.left, map.crispX(0)) : 0;
    const double end = hatched ? std::min(map.left + map.width, map.crispX(static_cast<double>(m_picture->makespan))) : 0;
    for (int rank = m_layout.first; rank < m_layout.first + m_layout.count; ++rank) {
        const QRectF lane = m_layout.laneRect(rank, map);
        painter.fillRect(lane, m_theme.lane);
        if (end > begin)
            drawHatch(painter, QRectF(begin, lane.top(), end - begin, lane.height()), map.crispX(0), m_theme.hatch,
                      m_theme.hatchBg);
    }
}

void TimelinePlottable::drawImage(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const
{
    const int width = static_cast<int>(map.columns());
    const int pitch = static_cast<int>(std::lround(m_layout.pitch * map.ratio));
    const int height = static_cast<int>(std::lround((m_layout.pitch - LaneLayout::gap) * map.ratio));
    const int edge = std::max(1, static_cast<int>(std::lround(map.ratio)));
    const QSize size(width, pitch * static_cast<int>(lanes.size()));
    if (size.isEmpty())
        return;
    if (m_image.size() != size)
        m_image = QImage(size, QImage::Format_ARGB32_Premultiplied);
    m_image.fill(Qt::transparent);

    std::array<QRgb, opClassCount> edges{};
    std::array<std::array<QRgb, 256>, opClassCount> fills{};
    for (std::size_t c = 0; c < opClassCount; ++c) {
        const auto classId = static_cast<std::uint8_t>(c);
        edges[c] = (m_dimmed ? mixed(colours(classId).edge, m_theme.hatchBg, dimmedShare) : colours(classId).edge).rgba();
        for (std::size_t share = 0; share < 256; ++share)
            fills[c][share] = fill({ .classId = classId, .share = static_cast<std::uint8_t>(share) }).rgba();
    }
    const QRgb plain = m_theme.lane.rgba();
    const auto put = [&](QRgb *row, const VisibleSpan &run, QRgb colour, QRgb edgeColour) {
        const auto first = static_cast<int>(std::max<std::int64_t>(0, run.first - map.origin));
        const auto last = static_cast<int>(std::min<std::int64_t>(width, run.last - map.origin));
        if (first >= last)
            return;
        std::fill(row + first, row + last, colour);
        const bool endsInside = run.last - map.origin <= width;
        if (run.whole && endsInside && static_cast<double>(run.last - run.first) >= narrowestEdge * map.ratio)
            std::fill(row + std::max(first, last - edge), row + last, edgeColour);
    };
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const int y = static_cast<int>(i) * pitch;
        auto *row = reinterpret_cast<QRgb *>(m_image.scanLine(y));
        for (const VisibleSpan &run : lanes[i].hidden)
            put(row, run, plain, plain);
        for (const VisibleSpan &run : lanes[i].drawn)
            put(row, run, fills[run.classId][run.share], edges[run.classId]);
        for (int k = 1; k < height; ++k)
            std::copy(row, row + width, reinterpret_cast<QRgb *>(m_image.scanLine(y + k)));
    }
    painter.drawImage(QRectF(map.left, m_layout.top, width / map.ratio, size.height() / map.ratio), m_image);
}

void TimelinePlottable::drawRectangles(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const
{
    const QRectF data = dataRect(map);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const QRectF lane = m_layout.laneRect(m_layout.first + static_cast<int>(i), map);
        const auto rectOf = [&](const VisibleSpan &run) {
            return QRectF(QPointF(map.columnX(run.first), lane.top()), QPointF(map.columnX(run.last), lane.bottom()))
                .intersected(data);
        };
        for (const VisibleSpan &run : lanes[i].hidden)
            painter.fillRect(rectOf(run), m_theme.lane);
        for (const VisibleSpan &run : lanes[i].drawn) {
            const QRectF rect = rectOf(run);
            if (rect.isEmpty())
                continue;
            painter.fillRect(rect, fill(run));
            if (run.whole && rect.width() >= narrowestEdge && map.columnX(run.last) <= data.right()) {
                const QColor edge = colours(run.classId).edge;
                painter.fillRect(QRectF(rect.right() - 1, rect.top(), 1, rect.height()),
                                 m_dimmed ? mixed(edge, m_theme.hatchBg, dimmedShare) : edge);
            }
        }
    }
}

void TimelinePlottable::drawNumbers(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const
{
    std::array<bool, opClassCount> shown{};
    for (std::size_t c = 0; c < opClassCount; ++c)
        shown[c] = showsNumbers(static_cast<OpClass>(c));
    if (std::ranges::none_of(shown, [](bool s) { return s; }))
        return;
    const QRectF data = dataRect(map);
    painter.save();
    painter.setClipRect(data, Qt::IntersectClip);
    const Lanes &source = m_picture->shownLanes();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const QRectF lane = m_layout.laneRect(m_layout.first + static_cast<int>(i), map);
        for (const VisibleSpan &run : lanes[i].drawn) {
            if (!run.whole || !shown[run.classId])
                continue;
            const Span span = source.span(run.span);
            // An op that is cut by the edge of the view is numbered in its visible part.
            const double left = std::max(map.x(static_cast<double>(span.start)), data.left());
            const double right = std::min(map.x(static_cast<double>(span.end())), data.right());
            const OpColours &colour = colours(run.classId);
            if (span.labelB >= 0) {
                drawNumber(painter, left + 0.29 * (right - left), lane, span.label, colour.label);
                drawNumber(painter, left + 0.71 * (right - left), lane, span.labelB, m_theme.pairBackwardLabel);
            } else if (span.label >= 0) {
                drawNumber(painter, (left + right) / 2, lane, span.label, colour.label);
            }
        }
    }
    painter.restore();
}

void TimelinePlottable::drawNumber(QCPPainter &painter, double centre, const QRectF &lane, int number, const QColor &colour) const
{
    const QFont font = condensedFont(labelSize(m_layout.pitch));
    const QString text = QString::number(number);
    if (drawsVectors(painter)) {
        const double half = textWidth(font, text) / 2;
        // Nothing is clipped in SVG: a number that would cross the edge is left out.
        if (centre - half >= m_map.left && centre + half <= m_map.left + m_map.width) {
            painter.setFont(font);
            painter.setPen(colour);
            painter.drawText(QRectF(centre - half, lane.top(), 2 * half, lane.height()), Qt::AlignCenter | Qt::TextDontClip,
                             text);
        }
        return;
    }
    const double ratio = deviceRatio(painter);
    const quint64 key =
        (static_cast<quint64>(number) << 40U) ^ (static_cast<quint64>(std::lround(ratio * 100)) << 32U) ^ colour.rgb();
    auto cached = m_numbers.constFind(key);
    if (cached == m_numbers.constEnd()) {
        const QSizeF size(std::ceil(textWidth(font, text)) + 2, lane.height());
        QPixmap pixmap((size * ratio).toSize());
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QPainter glyphs(&pixmap);
        glyphs.setFont(font);
        glyphs.setPen(colour);
        glyphs.drawText(QRectF(QPointF(), size), Qt::AlignCenter, text);
        glyphs.end();
        cached = m_numbers.insert(key, pixmap);
    }
    const double width = cached->width() / ratio;
    painter.drawPixmap(QPointF(crisp(centre - width / 2, ratio), lane.top()), *cached);
}

} // namespace pipeloom
