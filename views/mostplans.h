// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace pipeloom
{

/// How many plans stand on one time axis: plan A and up to three alternatives. Further plans of a scenario are listed.
inline constexpr std::size_t mostPlans = 4;

} // namespace pipeloom
