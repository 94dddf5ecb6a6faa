// SPDX-License-Identifier: GPL-3.0-or-later
// Ops that are zoomed into: their components in place of their colour and number.
#include "core/cost/scheduleanatomy.h"
#include "views/plot/anatomypaint.h"
#include "views/plot/numbers.h"
#include "views/plot/timelineplottable.h"

namespace pipeloom
{

void TimelinePlottable::drawOpened(QCPPainter &painter, const TimeMap &map, const std::vector<LaneRuns> &lanes) const
{
    if (!m_picture->evaluation || m_picture->mask != allOpClasses || m_layout.pitch - LaneLayout::gap < openedHeight)
        return;
    const Evaluation &e = *m_picture->evaluation;
    const QRectF data = dataRect(map);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const int rank = m_layout.first + static_cast<int>(i);
        const QRectF lane = m_layout.laneRect(rank, map);
        std::uint32_t last = Span::noSource;
        for (const VisibleSpan &run : lanes[i].drawn) {
            if (!run.whole)
                continue;
            // A full backward is two runs of one op.
            const std::uint32_t op = m_picture->lanes.span(run.span).source;
            if (op == last || op >= e.schedule.ops.size())
                continue;
            last = op;
            const Nanoseconds start = e.timeline.start[op], end = e.timeline.end[op];
            const double width = static_cast<double>(end - start) / map.nsPerPixel();
            if (width < openedWidth)
                continue;
            const auto stage = static_cast<std::size_t>(e.schedule.ops[op].stage);
            if (stage < e.layout.stages.size() && width < openedLayerWidth * e.layout.stages[stage].layers)
                continue;
            if (std::optional<OpAnatomy> anatomy = opAnatomy(e.schedule, e.times, rank, op)) {
                const Op &what = e.schedule.ops[op];
                drawAnatomy(painter, lane, data, map, { start, end, *std::move(anatomy), what.microbatch, what.microbatchB },
                            m_theme, m_parts);
            }
        }
    }
}

QString TimelinePlottable::partAt(const QPointF &position) const
{
    for (auto drawn = m_parts.rbegin(); drawn != m_parts.rend(); ++drawn) {
        if (!drawn->rect.contains(position))
            continue;
        const AnatomyPart &part = drawn->part;
        const QString layer = part.layer >= 0 ? tr(", layer %1").arg(part.layer) : QString();
        return tr("%1%2: %3 of the %4 stream, %5")
            .arg(QString::fromLatin1(pipeloom::name(part.part)), layer, milliseconds(part.end - part.start),
                 part.stream == GpuStream::Compute ? tr("compute") : tr("communication"), partWords(part.part));
    }
    return {};
}

} // namespace pipeloom
