// SPDX-License-Identifier: GPL-3.0-or-later
// The overlay of the timelines: playhead, outlines of hover and selection, measured range.
#include "views/explore/timelineplot.h"

#include "views/plot/counted.h"
#include "views/plot/numbers.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// The microbatch that an op stands for: of a pair, the one that goes forward.
int microbatchOf(const PlanPicture &picture, std::size_t op) { return picture.evaluation->schedule.ops[op].microbatch; }

} // namespace

void TimelinePlot::updateMarks()
{
    std::vector<PlayheadItem::Band> bands;
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        if (!m_pictures[static_cast<std::size_t>(plan)]->problem)
            bands.push_back({ lanesArea(plan), mapOf(plan), true });
    }
    bands.push_back({ m_strip, axisMap(), false });
    m_playhead->setBands(std::move(bands));
    m_playhead->setAxis(m_ruler, m_state->extent());
    m_playhead->setTime(m_state->playhead());

    const auto rectsOf = [&](const std::optional<OpRef> &op) {
        std::vector<QRectF> rects;
        if (op) {
            const QRectF rect = opRect(*op);
            if (!rect.isEmpty())
                rects.push_back(rect);
        }
        return rects;
    };
    const std::optional<OpRef> &focus = m_state->hover() ? m_state->hover() : m_state->selection();
    updateLinks();
    m_marks->setRelated(focus ? relatedRects(*focus) : std::vector<QRectF>{});
    m_marks->setHovered(rectsOf(m_state->hover()));
    m_marks->setSelected(rectsOf(m_state->selection()));

    std::vector<std::pair<QRectF, QColor>> current;
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const PlanPicture &picture = *m_pictures[static_cast<std::size_t>(plan)];
        if (!picture.hasLanes())
            continue;
        const LaneLayout &layout = m_layouts[planSlot(plan)];
        for (int rank = layout.first; rank < std::min(layout.first + layout.count, picture.ranks); ++rank) {
            const auto index = picture.shownLanes().spanAt(static_cast<std::size_t>(rank), m_state->playhead());
            if (!index)
                continue;
            const Span span = picture.shownLanes().span(*index);
            if (span.source == Span::noSource)
                continue;
            const QRectF rect = opRect({ plan, rank, span.source });
            if (rect.width() >= 3)
                current.emplace_back(rect, m_timelines[planSlot(plan)]->labelColour(static_cast<OpClass>(span.classId)));
        }
    }
    m_marks->setCurrent(std::move(current));
    // Fewer plans stand in the last places; the others are not shown then.
    for (std::size_t slot = 0; slot + std::max<std::size_t>(1, m_pictures.size()) < mostPlans; ++slot)
        m_phases[slot]->setMoment(nullptr, 0, 0);
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan)
        m_phases[planSlot(plan)]->setMoment(m_pictures[static_cast<std::size_t>(plan)], m_state->rank(), m_state->playhead());
    m_marks->setMeasure(measure());
    m_loop->setRange(m_ruler, m_maps[lastSlot], m_looping ? m_state->measured() : std::nullopt);
}

/// Every op of the same microbatch, on every rank and in all plans, without the op itself.
std::vector<QRectF> TimelinePlot::relatedRects(const OpRef &op) const
{
    std::vector<QRectF> rects;
    const auto own = static_cast<std::size_t>(op.plan);
    if (own >= m_pictures.size() || !m_pictures[own]->hasLanes() || op.op >= m_pictures[own]->evaluation->schedule.ops.size())
        return rects;
    const int microbatch = microbatchOf(*m_pictures[own], op.op);
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const PlanPicture &picture = *m_pictures[static_cast<std::size_t>(plan)];
        if (!picture.hasLanes())
            continue;
        const Schedule &schedule = picture.evaluation->schedule;
        const LaneLayout &layout = m_layouts[planSlot(plan)];
        for (int rank = layout.first; rank < std::min(layout.first + layout.count, schedule.ranks); ++rank) {
            const std::size_t begin = schedule.begin[static_cast<std::size_t>(rank)];
            const std::size_t end = schedule.begin[static_cast<std::size_t>(rank) + 1];
            for (std::size_t i = begin; i < end; ++i) {
                if (schedule.ops[i].microbatch != microbatch && schedule.ops[i].microbatchB != microbatch)
                    continue;
                const OpRef other{ plan, rank, i };
                const QRectF rect = other == op ? QRectF() : opRect(other);
                if (rect.width() >= 2)
                    rects.push_back(rect);
            }
        }
    }
    return rects;
}

std::optional<MarksItem::Measure> TimelinePlot::measure() const
{
    const std::optional<TimeRange> &range = m_state->measured();
    if (!range || m_pictures.empty())
        return std::nullopt;
    MarksItem::Measure result;
    QStringList parts{ durationText(range->end - range->begin) };
    for (int plan = 0; plan < static_cast<int>(m_pictures.size()); ++plan) {
        const PlanPicture &picture = *m_pictures[static_cast<std::size_t>(plan)];
        const QRectF area = lanesArea(plan);
        const TimeMap &map = mapOf(plan);
        const double left = std::max(area.left(), map.crispX(static_cast<double>(range->begin)));
        const double right = std::min(area.right(), map.crispX(static_cast<double>(range->end)) + 1);
        if (right > left)
            result.areas.emplace_back(left, area.top(), right - left, area.height());
        if (!picture.hasLanes())
            continue;
        std::size_t ops = 0;
        Nanoseconds busy = 0;
        const Schedule &schedule = picture.evaluation->schedule;
        const Timeline &timeline = picture.evaluation->timeline;
        for (int rank = 0; rank < picture.ranks; ++rank) {
            // Ops of a rank are in time order, so those inside the range are neighbours.
            const auto first =
                timeline.start.begin() + static_cast<std::ptrdiff_t>(schedule.begin[static_cast<std::size_t>(rank)]);
            const auto last =
                timeline.start.begin() + static_cast<std::ptrdiff_t>(schedule.begin[static_cast<std::size_t>(rank) + 1]);
            ops +=
                static_cast<std::size_t>(std::lower_bound(first, last, range->end) - std::lower_bound(first, last, range->begin));
            busy += picture.lanes.busyTime(static_cast<std::size_t>(rank), range->begin, range->end);
        }
        const double whole = static_cast<double>(range->end - range->begin) * std::max(1, picture.ranks);
        parts.append(tr("%1: %2, %3 % busy")
                         .arg(picture.letter, countedText(static_cast<std::int64_t>(ops), "op"),
                              percent(static_cast<double>(busy) / std::max(1.0, whole))));
    }
    result.text = parts.join(QStringLiteral("  ·  "));
    return result;
}

} // namespace pipeloom
