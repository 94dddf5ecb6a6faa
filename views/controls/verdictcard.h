// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planner/nearest.h"
#include "views/icons.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QFrame;
class QLabel;
class QPushButton;

namespace pipeloom
{

class GaugeBar;
class PlanBadge;
class TextLabel;

/// What is known about plans near one that does not fit.
struct NearestState
{
    bool searching = false;
    std::optional<std::vector<NearbyPlan>> plans; ///< set once the search ended
};

/// One plan judged in one glance: word, distance to the limit, cause, cure.
class VerdictCard : public QWidget
{
    Q_OBJECT
public:
    explicit VerdictCard(QWidget *parent = nullptr);

    void setPlan(const ShownPlan &plan, ByteCount gaugeScale);
    void setNearest(const NearestState &nearest);
    void setTheme(const Theme &theme);
    [[nodiscard]] QString word() const;
    /// The term to blame; of a plan that is not valid, whose figures the bar shows.
    [[nodiscard]] QString cause() const;
    [[nodiscard]] QPushButton *applyButton() const { return m_apply; }

signals:
    void fixRequested(const Fix &fix);

private:
    void makeNearest();
    void showVerdict();
    void showNearest();
    void showOthers();

    PlanBadge *m_badge;
    TextLabel *m_name;
    TextLabel *m_shape;
    QLabel *m_icon;
    TextLabel *m_word;
    TextLabel *m_distance;
    GaugeBar *m_gauge;
    TextLabel *m_text;
    TextLabel *m_cause;
    QFrame *m_nearest;
    QLabel *m_nearestTitle = nullptr;
    TextLabel *m_nearestName = nullptr;
    TextLabel *m_nearestText = nullptr;
    QPushButton *m_apply = nullptr;
    QPushButton *m_others = nullptr;
    ShownPlan m_plan;
    NearestState m_state;
    std::pair<Icon, bool> m_iconKey{ Icon::Play, false }; ///< what the mark shows now
    Theme m_theme = lightTheme();
};

/// "PP 16, M 40" as the settings that make it.
[[nodiscard]] Fix fixOf(const NearbyPlan &plan);

} // namespace pipeloom
