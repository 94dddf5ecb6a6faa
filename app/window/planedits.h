// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/scenario/scenario.h"
#include "views/controls/edittarget.h"

#include <span>
#include <vector>

namespace pipeloom
{

/// The scenario after one edit, with every plan still applying to it.
///  - everyPlan: A takes the values, B gives up its own values of these fields; later plans follow where they have none of their
///  own.
///  - plan 0: A takes them; the others keep what they had, by a value of their own where they had none.
///  - plan n: that plan takes them as values of its own, or drops its own where they equal A's.
[[nodiscard]] Expected<Scenario> applyEdit(const Scenario &scenario, std::span<const Setting> settings, EditTarget target);

/// A copy of a plan as the next letter, with values of its own for everything a plan is made of: later edits of A leave it alone.
[[nodiscard]] Expected<Scenario> pinPlan(const Scenario &scenario, std::size_t plan);

/// A and B exchanged; later plans stay what they were. Precondition: there is a B.
[[nodiscard]] Expected<Scenario> swapPlans(const Scenario &scenario);

/// Plan number `plan` (2 or later) in the place of B, and B in its place.
[[nodiscard]] Scenario showAsB(const Scenario &scenario, std::size_t plan);

/// Without plan number `plan` (1 or later).
[[nodiscard]] Scenario removePlan(const Scenario &scenario, std::size_t plan);

/// Every plan of the scenario, A first; the errors of the first that does not apply.
[[nodiscard]] Expected<std::vector<Scenario>> allPlans(const Scenario &scenario);

/// The name a plan gets by itself: its schedule, and its pipeline size where that differs from A's.
[[nodiscard]] std::string planName(const Scenario &plan, const Scenario &base);

} // namespace pipeloom
