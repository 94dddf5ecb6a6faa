// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/viewstate.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// The widest view: the extent and 5 % more. At least 1 ns, so that a range always has a length.
Nanoseconds widest(Nanoseconds extent) { return std::max<Nanoseconds>(1, extent + extent / 20); }

/// "Everything" leaves a hundredth free at the right, so that the last edge is not cut.
TimeRange everything(Nanoseconds extent) { return { 0, std::max<Nanoseconds>(1, extent + extent / 100) }; }

TimeRange clamped(TimeRange range, Nanoseconds extent)
{
    const Nanoseconds limit = widest(extent);
    const Nanoseconds length = std::clamp<Nanoseconds>(range.end - range.begin, 1, limit);
    const Nanoseconds begin = std::clamp<Nanoseconds>(range.begin, 0, limit - length);
    return { begin, begin + length };
}

} // namespace

ViewState::ViewState(QObject *parent)
    : QObject(parent)
    , m_range(everything(0))
{
}

void ViewState::setRange(TimeRange range)
{
    range = clamped(range, m_extent);
    if (range == m_range)
        return;
    m_range = range;
    emit rangeChanged();
}

void ViewState::setPlayhead(Nanoseconds time)
{
    time = std::clamp<Nanoseconds>(time, 0, m_extent);
    if (time == m_playhead)
        return;
    m_playhead = time;
    emit playheadChanged();
}

void ViewState::setRank(int rank)
{
    rank = std::max(0, rank);
    if (rank == m_rank)
        return;
    m_rank = rank;
    emit rankChanged();
}

void ViewState::setHover(const std::optional<OpRef> &hover)
{
    if (hover == m_hover)
        return;
    m_hover = hover;
    emit hoverChanged();
}

void ViewState::setSelection(const std::optional<OpRef> &selection)
{
    if (selection == m_selection)
        return;
    m_selection = selection;
    emit selectionChanged();
}

void ViewState::setMeasured(const std::optional<TimeRange> &range)
{
    if (range == m_measured)
        return;
    m_measured = range;
    emit measuredChanged();
}

void ViewState::setExtent(Nanoseconds extent)
{
    extent = std::max<Nanoseconds>(0, extent);
    if (extent == m_extent)
        return;
    const bool showedAll = m_range == everything(m_extent);
    m_extent = extent;
    emit extentChanged();
    setRange(showedAll ? everything(extent) : m_range);
    setPlayhead(m_playhead);
}

void ViewState::showAll() { setRange(everything(m_extent)); }

} // namespace pipeloom
