// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/links.h"
#include "core/timeline/opquery.h"
#include "views/explore/bubbleref.h"
#include "views/mostplans.h"
#include "views/plot/loopmark.h"
#include "views/plot/memorystrip.h"
#include "views/plot/overlay.h"
#include "views/plot/phaselabel.h"
#include "views/plot/planheader.h"
#include "views/plot/plotwidget.h"
#include "views/plot/timelineplottable.h"
#include "views/plot/timeticker.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

class QScrollBar;
class QToolButton;

namespace pipeloom
{

class LinksItem;
class MatchesItem;

/// What lies under a point of the timelines.
struct TimelineHit
{
    enum class Zone
    {
        None,
        Lanes,
        Gutter, ///< left of the lanes: rank names
        Strip,
        Ruler,
        Flag, ///< of the playhead
    };
    Zone zone = Zone::None;
    int plan = -1; ///< index in the shown plans; -1 outside the lanes
    int rank = -1;
    std::optional<OpRef> op;
    std::optional<BubbleRef> bubble; ///< where the rank runs nothing and the legend shows bubbles
};

/// The timelines of up to `mostPlans` plans, the memory strip and the time axis: one plot, axis rects with the same margins. It
/// draws what it is told; views/explore/timelineinput turns events into changes of the view state.
class TimelinePlot : public PlotWidget
{
    Q_OBJECT
public:
    explicit TimelinePlot(ViewState *state, QWidget *parent = nullptr);

    using Pictures = std::vector<std::shared_ptr<const PlanPicture>>;
    void setPictures(Pictures pictures);
    [[nodiscard]] const Pictures &pictures() const { return m_pictures; }
    void setTheme(const Theme &theme) override;
    void setCompact(bool compact);
    void setUpdating(int plan, qint64 milliseconds); ///< -1 = not
    /// Whether the plans share the time axis; when not, each but the last keeps its own range and axis.
    void setLinked(bool linked);
    [[nodiscard]] bool isLinked() const { return m_linked; }

    [[nodiscard]] TimeRange rangeOf(int plan) const;
    void setRangeOf(int plan, TimeRange range);
    void showAll();
    /// Whether playback loops: then the axis shows the measured range as what is looped.
    void setLooping(bool looping) { m_looping = looping; }

    /// Takes over sizes, range, rank and pictures; a replot() has to follow.
    void updateView();
    /// Takes over playhead, hover, selection and measure; an overlay replot has to follow.
    void updateMarks();

    [[nodiscard]] TimelineHit hit(const QPointF &position) const;
    [[nodiscard]] const TimeMap &mapOf(int plan) const { return m_maps[planSlot(plan)]; }
    [[nodiscard]] const TimeMap &axisMap() const { return m_maps[lastSlot]; } ///< of strip and ruler
    [[nodiscard]] QRectF lanesArea(int plan) const;
    [[nodiscard]] QRectF stripArea() const { return m_strip; }
    [[nodiscard]] QRectF rulerArea() const { return m_ruler; }
    /// The op's rectangle, cut to the lanes in view; empty when it is out of view.
    [[nodiscard]] QRectF opRect(const OpRef &op) const;
    /// The visible part of a bubble; empty where the rank runs an op.
    [[nodiscard]] QRectF bubbleRect(const BubbleRef &bubble) const;
    [[nodiscard]] const TimelinePlottable &lanes(int plan) const { return *m_timelines[planSlot(plan)]; }
    [[nodiscard]] const MarksItem &marks() const { return *m_marks; }
    /// What a search found in each plan (nullptr = nothing); updateView() has to follow.
    void setMatches(std::vector<std::shared_ptr<const OpMatches>> matches);
    [[nodiscard]] const LinksItem &arrows() const { return *m_arrows; }
    [[nodiscard]] const MatchesItem &matches() const { return *m_matches; }
    [[nodiscard]] const LoopMark &loopMark() const { return *m_loop; }
    /// The phase of the selected rank at the playhead, in the plan's header.
    [[nodiscard]] const PhaseLabel &phaseLabel(int plan) const { return *m_phases[planSlot(plan)]; }
    [[nodiscard]] const PlayheadItem &playheadItem() const { return *m_playhead; }
    /// Brings a rank's lanes into view where they scroll.
    void revealRank(int rank);
    /// Scrolls the lanes of a plan; true when there was something to scroll.
    bool scrollLanes(int plan, int lanes);

    /// Height that gives every lane `pitch` and the strip its height.
    [[nodiscard]] int heightFor(double pitch) const;
    [[nodiscard]] int laneCount() const; ///< of all shown plans
    [[nodiscard]] QString summary() const; ///< one sentence for each plan, for screen readers

    static constexpr int stripHeight = 83, compactStripHeight = 47, rulerHeight = 20, planGap = 8;
    static constexpr double smallestPitch = 10, largestPitch = 40;

signals:
    void fixRequested(int plan);
    void scrolled();
    void ownRangeChanged(); ///< of a plan that keeps its own range

private:
    [[nodiscard]] QRectF laneRect(int plan, int rank, Nanoseconds start, Nanoseconds end) const;
    [[nodiscard]] std::size_t planSlot(int plan) const;
    [[nodiscard]] int gapHeight() const; ///< between two plans, with the ruler of the upper one when it has its own
    [[nodiscard]] const PlanPicture *pictureIn(std::size_t slot) const;
    void layOut();
    /// True unless every plan has broken a rule since it was opened: then there is no time to put on an axis.
    [[nodiscard]] bool hasTime() const;
    [[nodiscard]] int belowLanes() const; ///< height of strip and ruler
    void layOutStrip(double top, int total, double left, double width);
    void placeScrollBar(std::size_t slot, int lanes, int shown);
    void placeFix(std::size_t slot);
    void updateMatches();
    void updateLinks();
    [[nodiscard]] std::vector<QRectF> relatedRects(const OpRef &op) const;
    [[nodiscard]] std::optional<MarksItem::Measure> measure() const;
    [[nodiscard]] std::optional<EndRemark> remarkFor(int plan) const;
    [[nodiscard]] double leftMargin() const;
    void setElementHeight(QCPLayoutElement &element, int height) const;

    static constexpr std::size_t lastSlot = mostPlans - 1;

    ViewState *m_state;
    Pictures m_pictures;
    bool m_compact = false;
    bool m_linked = true;
    std::array<TimeRange, mostPlans> m_ownRanges{}; ///< by slot, when not linked
    std::array<qint64, mostPlans> m_updating{ -1, -1, -1, -1 };
    std::array<int, mostPlans> m_firstLane{};
    bool m_looping = false;

    std::array<PlanHeader *, mostPlans> m_headers{};
    std::array<QCPAxisRect *, mostPlans> m_rects{};
    QCPAxisRect *m_stripRect = nullptr;
    std::array<QCPLayoutElement *, mostPlans> m_gaps{}; ///< above each header but the first
    std::array<TimelinePlottable *, mostPlans> m_timelines{};
    MemoryStrip *m_memory = nullptr;
    PlayheadItem *m_playhead = nullptr;
    MarksItem *m_marks = nullptr;
    MatchesItem *m_matches = nullptr;
    LinksItem *m_arrows = nullptr;
    std::shared_ptr<const Evaluation> m_linksOf; ///< whose schedule m_links refers to
    std::optional<OpLinks> m_links;
    std::vector<std::shared_ptr<const OpMatches>> m_found;
    std::array<QSharedPointer<TimeTicker>, mostPlans> m_tickers;
    std::array<QScrollBar *, mostPlans> m_scrollBars{};
    std::array<QToolButton *, mostPlans> m_fixes{};
    LoopMark *m_loop = nullptr;
    std::array<PhaseLabel *, mostPlans> m_phases{};

    std::array<TimeMap, mostPlans> m_maps; ///< the last slot's is also the strip's
    std::array<LaneLayout, mostPlans> m_layouts;
    QRectF m_strip, m_ruler;
};

} // namespace pipeloom
