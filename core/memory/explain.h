// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/term.h"
#include "core/memory/breakdown.h"
#include "core/scenario/scenario.h"

namespace pipeloom
{

/// Where the bytes of a tensor come from: shape x bytes x instances, with the numbers, its life, its source and how sure it is.
[[nodiscard]] Term explain(const BreakdownRow &row, const Scenario &scenario);

} // namespace pipeloom
