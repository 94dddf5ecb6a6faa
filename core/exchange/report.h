// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planner/nearest.h"
#include "core/scenario/evaluation.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pipeloom
{

// One evaluation. `nearest`: plans that fit, from nearestPlans(); shown when the plan itself does not.

/// The keys of the command line's contract (evaluate --format json). Bytes are integers, times are seconds. A number the plan
/// does not have is null, and "notes" says why. Without tensors the rows of memory.ranks[].tensors are left out.
[[nodiscard]] std::string evaluationJson(const Evaluation &evaluation, bool withTensors = true,
                                         std::span<const NearbyPlan> nearest = {});
[[nodiscard]] std::string evaluationText(const Evaluation &evaluation, std::span<const NearbyPlan> nearest = {});
[[nodiscard]] std::string evaluationMarkdown(const Evaluation &evaluation, std::span<const NearbyPlan> nearest = {});
/// A self-contained page, light and dark.
[[nodiscard]] std::string evaluationHtml(const Evaluation &evaluation, std::span<const NearbyPlan> nearest = {});
/// One line a quantity: id, label, value, unit, tag, source.
[[nodiscard]] std::string evaluationCsv(const Evaluation &evaluation);

// The findings alone (check).

/// {"diagnostics":[{"severity","code","field","message","fixes":[{"label","set":{}}]}]}
[[nodiscard]] std::string diagnosticsJson(const Evaluation &evaluation);
/// One finding after another, each repair as the --set that applies it.
[[nodiscard]] std::string diagnosticsText(const Evaluation &evaluation);

// Several evaluations.

/// A plan of a comparison: "DualPipe", "1F1B".
struct NamedPlan
{
    std::string name;
    std::shared_ptr<const Evaluation> evaluation; ///< not nullptr
};

// Differences read as in the window, "A vs B": the first plan minus the other, relative to the other. Causes explain that
// difference, so that they name what A has and B has not.

/// {"plans":[evaluations without tensors],"convention","deltas":[{"quantity","label","unit","values":[..],
/// "differences":[{"label":"A vs B","value","relative"}],"cause"}]}; one difference for each plan but the first.
[[nodiscard]] std::string comparisonJson(std::span<const NamedPlan> plans);
[[nodiscard]] std::string comparisonText(std::span<const NamedPlan> plans);
[[nodiscard]] std::string comparisonMarkdown(std::span<const NamedPlan> plans);
[[nodiscard]] std::string comparisonHtml(std::span<const NamedPlan> plans);
/// One line a quantity: a value for each plan, then the differences, then the cause.
[[nodiscard]] std::string comparisonCsv(std::span<const NamedPlan> plans);

} // namespace pipeloom
