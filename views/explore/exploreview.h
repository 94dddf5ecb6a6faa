// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/navigation.h"
#include "views/explore/bubbleref.h"
#include "views/explore/legendrow.h"
#include "views/explore/opsearch.h"
#include "views/mostplans.h"
#include "views/plot/exportplot.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <vector>

class QSplitter;

namespace pipeloom
{

class FrameClock;
class HoverCard;
class Playback;
class StacksPanel;
class TimelineInput;
class SearchBar;
class TimelinePlot;
class TransportBar;
struct Covered;
struct PlanPicture;

/// The centre of Explore: legend, the timelines on one axis, memory over time, transport, memory per rank. Draws from the
/// view state and the evaluations it is given; what the user does goes into the view state.
class ExploreView : public QWidget
{
    Q_OBJECT
    Q_PROPERTY(bool reduceMotion READ reduceMotion WRITE setReduceMotion)
public:
    explicit ExploreView(ViewState *state, QWidget *parent = nullptr);
    ~ExploreView() override;

    /// The plans to show, at most `mostPlans`. Pictures are made again only for evaluations that changed.
    void setPlans(const std::vector<ShownPlan> &plans);
    void setTheme(const Theme &theme);
    /// A newer result of a plan (index into the shown plans) is being awaited since `sinceMs` ms; -1 = it arrived.
    void setUpdating(int plan, qint64 sinceMs);

    [[nodiscard]] bool reduceMotion() const { return m_reduceMotion; }
    void setReduceMotion(bool reduce);
    /// True when nothing moves and everything that was asked for has been drawn.
    [[nodiscard]] bool isSettled() const;
    [[nodiscard]] bool isPlaying() const;
    [[nodiscard]] bool isPlayable() const; ///< false while no shown plan has a schedule
    [[nodiscard]] bool loops() const;
    [[nodiscard]] bool follows() const;
    [[nodiscard]] double speed() const;
    [[nodiscard]] LegendState legend() const;

    /// Where the splitter stands and what is switched on; restoreState() refuses what it did not write.
    [[nodiscard]] QByteArray saveState() const;
    bool restoreState(const QByteArray &state);

    /// Writes the view (without the transport bar) as it stands in another theme and scale. format: "png", "svg" or "pdf"; scale
    /// applies to PNG. The file is replaced only when all of it could be written; false with a reason otherwise.
    bool exportView(const QString &path, const QString &format, double scale, const Theme &theme, QString *errorOut);
    /// The same picture as an image: for the clipboard.
    [[nodiscard]] QImage image(double scale, const Theme &theme);

    /// The parts, for tests and for the window's tab order.
    [[nodiscard]] TimelinePlot &timelines() const { return *m_timelines; }
    [[nodiscard]] StacksPanel &stacks() const { return *m_stacks; }
    [[nodiscard]] TransportBar &transport() const { return *m_transport; }
    [[nodiscard]] LegendRow &legendRow() const { return *m_legend; }
    [[nodiscard]] SearchBar &searchBar() const { return *m_searchBar; }
    [[nodiscard]] HoverCard &hoverCard() const { return *m_hoverCard; }
    [[nodiscard]] HoverCard &detailCard() const { return *m_detailCard; }

public slots:
    void play();
    void pause();
    void togglePlay();
    void setLoop(bool loop);
    void setFollow(bool follow);
    void setSpeed(double speed); ///< 0.1 to 10
    void faster();
    void slower();
    void toStart();
    void toEnd();
    void step(pipeloom::StepUnit unit, int direction);
    void stepForward(); ///< by the unit chosen in the transport bar
    void stepBack();
    void zoomIn();
    void zoomOut();
    void panLeft();
    void panRight();
    void fitAll();
    void fitSelection(); ///< the selected or hovered op, else the measured range
    void selectRank(int direction); ///< -1 up, 1 down
    void selectNeighbour(int direction); ///< previous or next op in the lane
    void selectDependency(int direction); ///< -1 what it waits for, 1 what waits for it
    void openSearch(); ///< the line that searches the timelines, with the focus in its field
    void closeSearch(); ///< keeps the selection
    void findNext(int direction); ///< selects the next (1) or previous (-1) match in time; opens the line when there is none
    void clearSelection();
    bool copySelection(); ///< details of the selected op to the clipboard; false when there is none
    void setLinked(bool linked); ///< "Same time axis"
    void setLegend(const pipeloom::LegendState &legend);

signals:
    void painted(); ///< the timelines reached the window
    void fixRequested(int plan, const pipeloom::Fix &fix);
    void hint(const QString &text); ///< for the status bar; empty = none
    void playingChanged(bool playing);
    void playableChanged(bool playable);
    void legendChanged(const pipeloom::LegendState &legend);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    friend class ExploreFrames; ///< draws the same picture at other playheads

    enum Dirty : unsigned
    {
        Timelines = 1,
        Marks = 2,
        Stacks = 4,
    };
    struct RangeMotion
    {
        int plan = 0;
        TimeRange from, to;
        qint64 elapsed = 0; ///< ns
    };

    void build();
    void connectParts();
    void invalidate(unsigned dirty);
    void gather(qint64 elapsed);
    void draw();
    void moveRange(int plan, TimeRange to);
    void updateClock();
    void followPlayhead();
    void updatePictures();
    void updateReducedStops();
    void updateAwaited();
    void arrange(); ///< sizes that follow the view's size
    void keyPressed(QKeyEvent *event);
    bool keyMoves(QKeyEvent *event);
    void hoverOp(const std::optional<OpRef> &op);
    void hoverBubble(const std::optional<BubbleRef> &bubble);
    void hoverRank(int rank);
    void showHoverCard();
    void placeDetailCard();
    [[nodiscard]] std::vector<Covered> worthSeeing(const OpRef &op) const;
    bool passWheel(QWheelEvent *event);
    void connectSearch();
    void updateSearch(); ///< reads the query again
    void showMatches();
    void showMatchCount();
    void selectOp(const OpRef &op);
    void reveal(const OpRef &op);
    [[nodiscard]] std::optional<OpRef> currentOp() const;
    [[nodiscard]] const PlanPicture *picture(int plan) const;
    [[nodiscard]] std::vector<Nanoseconds> stops(StepUnit unit) const;
    /// The picture as `other`, a hidden view on `state`, draws it; both must outlive the picture.
    [[nodiscard]] ExportPicture exportPicture(ViewState &state, const Theme &theme, std::unique_ptr<ExploreView> &other) const;
    [[nodiscard]] QRect inView(const QWidget &widget, const QRectF &rect) const;

    ViewState *m_state;
    std::vector<ShownPlan> m_plans;
    std::vector<std::shared_ptr<const PlanPicture>> m_pictures;
    Theme m_theme;
    bool m_reduceMotion = false;
    bool m_compact = false;
    bool m_splitterMoved = false;
    bool m_arranging = false;
    unsigned m_dirty = 0;
    std::optional<RangeMotion> m_motion;
    std::array<QElapsedTimer, mostPlans> m_awaited; ///< valid while a newer result is awaited
    std::array<qint64, mostPlans> m_awaitedBefore{}; ///< ms that had passed when setUpdating() was called
    QTimer m_awaitTimer;
    QTimer m_hoverTimer;
    int m_hoveredRank = -1;
    std::optional<BubbleRef> m_hoveredBubble;
    OpSearch m_search;

    FrameClock *m_clock;
    Playback *m_playback;
    QSplitter *m_splitter = nullptr;
    LegendRow *m_legend = nullptr;
    SearchBar *m_searchBar = nullptr;
    TimelinePlot *m_timelines = nullptr;
    TimelineInput *m_input = nullptr;
    TransportBar *m_transport = nullptr;
    StacksPanel *m_stacks = nullptr;
    HoverCard *m_hoverCard = nullptr;
    HoverCard *m_detailCard = nullptr;
};

} // namespace pipeloom
