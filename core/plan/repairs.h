// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/planrules.h"

namespace pipeloom
{

/// Fills the fixes of every error and warning, and what their messages say about them. Every fix was tried:
/// - an error's fix leads to a plan that keeps all rules, wherever a change of one field or one change of the rule's own does
/// that;
///   else, with several faults, it mends its finding, breaks no other rule, and no such change leaves fewer faults; else it
///   changes two fields and leads to a plan that keeps all rules;
/// - a warning's fix takes the warning away and breaks no rule.
/// The finding's own field comes before others. At most four.
void findRepairs(PlanContext &context);

} // namespace pipeloom
