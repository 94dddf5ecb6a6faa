// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"

#include <string>
#include <string_view>

namespace pipeloom
{

/// Why a quantity of `after` differs from `before`, as one sentence read off the two evaluations: the part that changed most and
/// what moved it. `quantity` is an id of quantities(). "equal" when it does not differ; for an invalid plan its first error.
[[nodiscard]] std::string causeOf(std::string_view quantity, const Evaluation &before, const Evaluation &after);

/// The fields of the plan that differ: "1F1B instead of DualPipe, PP 16 instead of 8"; empty when none does.
[[nodiscard]] std::string changedFields(const Evaluation &before, const Evaluation &after);

} // namespace pipeloom
