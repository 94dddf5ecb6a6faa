// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "views/controls/comborow.h"

#include <QString>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pipeloom
{

/// Sections of the scenario panel, top to bottom.
enum class PanelSection
{
    ModelAndCluster,
    Parallelism,
    Batch,
    Schedule,
    MemoryPolicy,
    RoutingSkew,
    Assumptions,
};
inline constexpr int panelSectionCount = 7;

/// A number of the scenario that the panel edits.
struct NumberField
{
    const char *path; ///< scenario path; empty for a derived number
    const char *label;
    PanelSection section;
    int decimals;
    double (*read)(const Scenario &); ///< not a number when a derived number does not exist
    /// Sensible slider values for this scenario, ascending.
    std::vector<double> (*values)(const Scenario &);
    /// Why it cannot be edited in plans A and B together; empty when it can.
    QString (*fixedReason)(std::span<const Scenario> plans);
    /// The value as JSON text.
    std::string (*write)(double value);
    /// The plan with the value, for the marks of impossible values; nullptr when no plan rule looks at it.
    void (*put)(ParallelPlan &plan, double value);
};

/// A choice of the scenario that the panel edits.
struct ChoiceField
{
    const char *path;
    const char *label;
    PanelSection section;
    bool perPlan; ///< one line per plan even when they agree
    std::vector<ComboItem> (*items)(const Scenario &);
    ComboItem (*chosen)(const Scenario &); ///< how the current value reads, in case the list lacks it
};

[[nodiscard]] std::span<const NumberField> numberFields();
[[nodiscard]] std::span<const ChoiceField> choiceFields();

/// The section a diagnostic belongs to when no control has its field.
[[nodiscard]] PanelSection sectionOf(const std::string &field);

/// The values of `field` that make the plan break a rule it keeps now or must keep. Calls the plan and schedule checks once a
/// value.
[[nodiscard]] std::vector<double> impossibleValues(const Scenario &scenario, const NumberField &field);

/// JSON text of a string.
[[nodiscard]] QString jsonString(const QString &text);

} // namespace pipeloom
