// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/plan/groups.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// A warning for every field that asks for something the rest of the scenario gives no room to: whoever set it expects that it
/// changes the numbers. Fields at their default, or at a value that asks for nothing (no skew, no limit), are not mentioned. The
/// code is "no-effect" for all of them; the repair, where a setting can be one, sets the field back.
[[nodiscard]] Diagnostics checkEffects(const Scenario &scenario, const Groups &groups);

} // namespace pipeloom
