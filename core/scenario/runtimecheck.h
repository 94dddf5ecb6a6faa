// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Findings about the parts of a scenario that are not the parallel plan: runtime policies that are not modelled, FP8 on a GPU
/// without it, a timing profile that was recorded under other conditions, recompute modules without effect.
[[nodiscard]] Diagnostics checkRuntime(const Scenario &scenario);

} // namespace pipeloom
