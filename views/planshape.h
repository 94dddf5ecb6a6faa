// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/viewstate.h"

#include <QString>

namespace pipeloom
{

/// "PP 8, EP 64, M 20": what tells one plan of a scenario from another. Degrees of 1 and an unknown M are left out.
[[nodiscard]] QString planShape(const Evaluation &evaluation);

/// "last valid plan, PP 8, EP 64, M 20": whose figures are shown while the newest plan breaks a rule. Names what its shape does
/// not tell (model, GPUs, sequence ...) where that differs from the newest plan. Empty when the newest plan is the one shown, or
/// when nothing is.
[[nodiscard]] QString lastValidText(const ShownPlan &plan);

/// True when at least one plan has figures, of its newest or its last valid state, or is still being evaluated for the first
/// time. False: every plan has broken a rule since it was opened, and there is nothing to show.
[[nodiscard]] bool haveFigures(const std::vector<ShownPlan> &plans);

} // namespace pipeloom
