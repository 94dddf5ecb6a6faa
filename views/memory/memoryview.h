// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/breakdown.h"
#include "views/memory/curveplan.h"
#include "views/memory/tensormodel.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QSplitter;
class QStackedWidget;

namespace pipeloom
{

class DataTable;
class InstantCards;
class LeverSearch;
class LeversPanel;
class RankStrip;
class Segments;
class StackedCurve;
class TensorPanel;
class TextLabel;
class Treemap;

/// The expert-parallel rank whose memory is looked at.
enum class ExpertPosition
{
    Hottest,
    Mean,
    Coldest,
};

/// The Memory workspace: five instants of one rank, its tensors, the curve over the step, all ranks as small curves, what fills
/// the rank, and levers on the peak. Rank and playhead are those of the view state.
class MemoryView : public QWidget
{
    Q_OBJECT
public:
    explicit MemoryView(ViewState *state, QWidget *parent = nullptr);
    ~MemoryView() override;

    /// The plans to choose from, one or two. Does nothing costly while the view is hidden.
    void setPlans(const std::vector<ShownPlan> &plans);
    void setTheme(const Theme &theme);

    [[nodiscard]] int plan() const { return m_plan; } ///< 0 A, 1 B, 2 A against B
    void setPlan(int plan);
    [[nodiscard]] Instant instant() const;
    void setInstant(Instant instant);
    [[nodiscard]] ExpertPosition position() const { return m_position; }
    void setPosition(ExpertPosition position);
    /// True when the levers of the shown plan are there.
    [[nodiscard]] bool isSettled() const;

    /// What the user chose, for the session; restoreState() refuses what it did not write.
    [[nodiscard]] QByteArray saveState() const;
    bool restoreState(const QByteArray &state);

    /// The parts, for tests and for the window's tab order.
    [[nodiscard]] InstantCards &cards() const { return *m_cards; }
    [[nodiscard]] TensorPanel &tensors() const { return *m_tensors; }
    [[nodiscard]] StackedCurve &curve() const { return *m_curve; }
    [[nodiscard]] DataTable &numbers() const { return *m_numbers; }
    [[nodiscard]] Segments &showSegments() const { return *m_showSegments; }
    [[nodiscard]] RankStrip &ranks() const { return *m_ranks; }
    [[nodiscard]] Treemap &treemap() const { return *m_treemap; }
    [[nodiscard]] LeversPanel &levers() const { return *m_levers; }
    [[nodiscard]] Segments &planSegments() const { return *m_planSegments; }

signals:
    /// A lever is to be applied to a plan.
    void fixRequested(int plan, const pipeloom::Fix &fix);
    /// A table is to be saved; `name` is a proposal for the file.
    void saveRequested(const QString &csv, const QString &name);
    void settled();

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *buildTop();
    QWidget *buildCurvePanel();
    QWidget *buildTreemapPanel();
    void connectParts();
    void arrange();
    void refresh(); ///< all of it, from the plans
    void refreshRank(); ///< what depends on rank, instant and grouping
    void refreshCards();
    void refreshTable();
    void askLevers();
    [[nodiscard]] int base() const { return m_plan == 1 ? 1 : 0; } ///< plan whose numbers stand in the cards
    [[nodiscard]] const Evaluation *evaluation(int plan) const;
    /// What the curve panel shows: 0 the curve, 1 its numbers, 2 those of all ranks; 3 nothing, there is only room for the
    /// treemap.
    [[nodiscard]] int shownNumbers() const;
    void refreshNumbers();
    void describeCurve();
    [[nodiscard]] CurvePlan curvePlan(int plan) const;
    [[nodiscard]] const RankMemory *rankOf(int plan) const; ///< at the shown position; nullptr when there is none
    [[nodiscard]] const RankMemory *badRankOf(int plan) const;
    [[nodiscard]] std::vector<BreakdownRow> rows(int plan) const;

    ViewState *m_state;
    std::vector<ShownPlan> m_plans;
    std::array<std::shared_ptr<const MemoryResult>, 2> m_memory; ///< at the shown position
    mutable std::array<std::shared_ptr<const MemoryResult>, 2> m_bad; ///< under bad routing; made when asked for
    Theme m_theme = lightTheme();
    int m_plan = 0;
    ExpertPosition m_position = ExpertPosition::Hottest;
    bool m_outdated = true;
    bool m_compact = false;
    std::shared_ptr<const Evaluation> m_leversOf;

    QLabel *m_rankNote = nullptr;
    QLabel *m_message = nullptr;
    QStackedWidget *m_pages = nullptr;
    InstantCards *m_cards = nullptr;
    Segments *m_planSegments = nullptr;
    Segments *m_positionSegments = nullptr;
    Segments *m_unitSegments = nullptr;
    Segments *m_modeSegments = nullptr;
    Segments *m_showSegments = nullptr; ///< what the curve panel shows
    Segments *m_rightSegments = nullptr; ///< the same or the treemap, where there is no room for both
    QLabel *m_curveTitle = nullptr;
    TextLabel *m_curveNote = nullptr;
    QLabel *m_treemapTitle = nullptr;
    TextLabel *m_treemapNote = nullptr;
    QWidget *m_curvePanel = nullptr;
    QWidget *m_treemapPanel = nullptr;
    QSplitter *m_columns = nullptr;
    QSplitter *m_left = nullptr;
    QSplitter *m_right = nullptr;
    TensorPanel *m_tensors = nullptr;
    LeversPanel *m_levers = nullptr;
    LeverSearch *m_search = nullptr;
    StackedCurve *m_curve = nullptr;
    DataTable *m_numbers = nullptr; ///< of the curve or of all ranks
    QStackedWidget *m_curvePages = nullptr;
    RankStrip *m_ranks = nullptr;
    Treemap *m_treemap = nullptr;
};

} // namespace pipeloom
