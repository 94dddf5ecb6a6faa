// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/simulated.h"
#include "views/viewstate.h"

#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace pipeloom
{

/// Why the lanes of a plan are empty, and what repairs it.
struct PlanProblem
{
    QString title; ///< "No schedule for M = 10"
    QString sentence;
    QString fixLabel; ///< empty when nothing can be applied with one click
    Fix fix;
};

/// One plan prepared for drawing: lanes and the words around them. Immutable; made once per evaluation and legend setting.
struct PlanPicture
{
    QString letter, name, subtitle;
    std::shared_ptr<const Evaluation> evaluation; ///< ShownPlan::shown; nullptr before the first result
    bool stale = false;
    QString lastValid; ///< which plan a stale evaluation belongs to, see lastValidText()
    std::optional<PlanProblem> problem; ///< set when the newest result is not valid: the lanes show it instead of ops
    Lanes lanes; ///< every op
    Lanes drawn; ///< the ops of the classes in `mask`
    OpClassMask mask = allOpClasses;
    OpClassMask present = 0; ///< the classes that the plan has ops of
    bool bubbles = true; ///< the legend's bubble entry
    int ranks = 0;
    Nanoseconds makespan = 0;
    Nanoseconds end = 0; ///< with the optimizer
    int labelDigits = 2; ///< digits of the largest microbatch number, at least 2
    std::array<Nanoseconds, opClassCount> nominal{}; ///< median length of each class: decides whether its numbers are shown
    std::vector<QString> stages; ///< per rank: "s0+7"
    std::vector<QString> idle; ///< per rank, percent of the makespan

    [[nodiscard]] bool hasLanes() const { return !problem && ranks > 0; }
    [[nodiscard]] const Lanes &shownLanes() const { return mask == allOpClasses ? lanes : drawn; }
    /// Bytes of one rank at a time, all classes; 0 for a rank the plan does not have.
    [[nodiscard]] ByteCount memoryAt(int rank, Nanoseconds time) const;
};

/// True when one of the plans has figures to draw.
[[nodiscard]] bool anyEvaluation(const std::vector<std::shared_ptr<const PlanPicture>> &pictures);

[[nodiscard]] std::shared_ptr<const PlanPicture> makePicture(const ShownPlan &plan, OpClassMask mask, bool bubbles);

/// "4", or "8 to 1" when the ranks differ.
[[nodiscard]] QString inFlightText(const Timeline &timeline);

} // namespace pipeloom
