// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/scenario/scenario.h"
#include "views/controls/edittarget.h"
#include "views/controls/fieldlines.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <array>
#include <string>
#include <vector>

class QScrollArea;
class QTimer;

namespace pipeloom
{

class PanelSectionBox;
class Segments;
class SkewPicture;
class TextLabel;

/// How many findings the plans have, for the folded panel.
struct IssueCounts
{
    int errors = 0;
    int warnings = 0;
    int satisfied = 0;
    bool operator==(const IssueCounts &) const = default;
};

/// The scenario as controls: what the plans are, what is wrong with them, and which plan an edit changes.
class ScenarioPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ScenarioPanel(QWidget *parent = nullptr);

    /// Every plan's scenario, A first, never empty, and what is known of each. Values come from the scenarios at once; counts and
    /// diagnostics from the evaluations as soon as they are there.
    void setPlans(const std::vector<Scenario> &scenarios, const std::vector<ShownPlan> &plans);
    /// The values a double click returns to: the scenario as it was opened.
    void setPresets(const Scenario &opened);
    /// A plan near one that does not fit: "It fits with PP 16" with a link that applies it. Empty label: none known.
    void setNearest(int plan, const Fix &fix);
    /// The document refused these settings: the control keeps what was typed, marks it and says why.
    void showRejected(const std::vector<Setting> &settings, const Errors &errors);
    /// True while a control shows an entry that is not in force; giveUpRejected() brings back what the document holds.
    [[nodiscard]] bool holdsRejected() const { return m_holdsRejected; }
    void giveUpRejected();
    void setTheme(const Theme &theme);

    /// Marks the values that no plan can take on every slider now, instead of once the user pauses.
    void markImpossible();
    [[nodiscard]] EditTarget target() const;
    [[nodiscard]] const IssueCounts &issues() const { return m_issues; }
    /// The control of a scenario path, or nullptr.
    [[nodiscard]] FieldLines *field(const std::string &path) const;
    /// The controls by name, for a search.
    struct FoundField
    {
        QString name;
        std::string path;
    };
    [[nodiscard]] std::vector<FoundField> fieldNames() const;
    /// Scrolls to a control and gives it the focus.
    void focusField(const std::string &path);

signals:
    void edited(const std::vector<Setting> &settings, EditTarget target, bool dragging);
    void issuesChanged();
    void targetChanged();
    void rejectedChanged(bool holdsRejected);

private:
    [[nodiscard]] QWidget *makeHeader();
    void makeSections();
    void checkRejected();
    void addField(FieldLines *lines, PanelSection section);
    void emitEdit(const std::string &path, const std::string &json, int plan, bool dragging);
    void showValues();
    void showDiagnostics();
    void showCaptions();
    [[nodiscard]] std::vector<PlanDiagnostic> collectDiagnostics() const;
    void addMemoryFinding(std::vector<PlanDiagnostic> &list, std::size_t plan) const;
    [[nodiscard]] PanelSectionBox *section(PanelSection which) const { return m_sections.at(static_cast<std::size_t>(which)); }

    std::array<PanelSectionBox *, panelSectionCount> m_sections{};
    std::vector<FieldLines *> m_fields;
    QScrollArea *m_scroll;
    Segments *m_segments = nullptr;
    TextLabel *m_modelCaption = nullptr;
    TextLabel *m_clusterCaption = nullptr;
    SkewPicture *m_skew = nullptr;
    QTimer *m_idle; ///< marks impossible values once the user pauses
    std::vector<Scenario> m_scenarios; ///< plan A, B
    std::vector<ShownPlan> m_plans;
    std::vector<Fix> m_nearest;
    IssueCounts m_issues;
    bool m_holdsRejected = false;
};

} // namespace pipeloom
