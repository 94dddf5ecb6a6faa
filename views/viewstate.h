// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"
#include "core/scenario/evaluation.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace pipeloom
{

/// One plan as every view shows it. Letter "A" is the scenario, "B".. its alternatives.
struct ShownPlan
{
    QString letter;
    QString name; ///< schedule title or the alternative's name
    std::shared_ptr<const Evaluation> latest; ///< newest result, valid or not
    std::shared_ptr<const Evaluation> shown; ///< newest valid result; nullptr before the first
    /// True when `shown` is older than `latest`: its numbers are drawn grey.
    [[nodiscard]] bool stale() const { return latest && shown != latest; }
};

/// An op on the canvas: plan index, rank and the op's index in Schedule::ops.
struct OpRef
{
    int plan = 0;
    int rank = 0;
    std::size_t op = 0;
    bool operator==(const OpRef &) const = default;
};

/// A closed span of time, begin <= end.
struct TimeRange
{
    Nanoseconds begin = 0, end = 0;
    bool operator==(const TimeRange &) const = default;
};

/// What the user looks at, shared by every view: each view writes to it and redraws from it. One cursor for all.
class ViewState : public QObject
{
    Q_OBJECT
public:
    explicit ViewState(QObject *parent = nullptr);

    [[nodiscard]] TimeRange range() const { return m_range; }
    [[nodiscard]] Nanoseconds playhead() const { return m_playhead; }
    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] const std::optional<OpRef> &hover() const { return m_hover; }
    [[nodiscard]] const std::optional<OpRef> &selection() const { return m_selection; }
    [[nodiscard]] const std::optional<TimeRange> &measured() const { return m_measured; }
    /// Length of the longer shown step: the playhead stays in [0, extent], the range in [0, extent + 5 %].
    [[nodiscard]] Nanoseconds extent() const { return m_extent; }

    void setRange(TimeRange range); ///< clamped to at least 1 ns and to the extent + 5 %
    void setPlayhead(Nanoseconds time); ///< clamped
    void setRank(int rank);
    void setHover(const std::optional<OpRef> &hover);
    void setSelection(const std::optional<OpRef> &selection);
    void setMeasured(const std::optional<TimeRange> &range);
    /// A new extent keeps a range that showed everything at "everything", and scales nothing else.
    void setExtent(Nanoseconds extent);
    void showAll();

signals:
    void rangeChanged();
    void playheadChanged();
    void rankChanged();
    void hoverChanged();
    void selectionChanged();
    void measuredChanged();
    void extentChanged();

private:
    TimeRange m_range;
    Nanoseconds m_playhead = 0;
    Nanoseconds m_extent = 0;
    int m_rank = 0;
    std::optional<OpRef> m_hover, m_selection;
    std::optional<TimeRange> m_measured;
};

} // namespace pipeloom
