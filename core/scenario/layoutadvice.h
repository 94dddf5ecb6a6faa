// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace pipeloom
{

/// A split of the layers over the stages, in words: "first 1, last 0, 2 between".
struct LayoutChoice
{
    LayoutRequest layout;
    std::string label;
};

/// Splits with a first and a last stage of their own and the rest spread as evenly as it goes, around the even split: embedding,
/// head and MTP weigh on the ends. Only those that relieve the busiest rank by at least the share `least` (below 0: that load it
/// by at most so much more), by the evaluated plan's stage times; the greatest relief first, then the nearest to the even split;
/// at most `most`. Precondition: the evaluation is valid.
[[nodiscard]] std::vector<LayoutChoice> simpleLayouts(const Evaluation &evaluation, std::size_t most, double least);

/// A finding at the layout when another one shortens the step by at least 1 % and does not make memory worse (the verdict stays,
/// or the peak of a plan that is over does not grow), with that layout as its fix. The gain is that of two evaluations. Tries at
/// most three layouts, one where the schedule is long.
[[nodiscard]] std::optional<Diagnostic> layoutFinding(const Evaluation &evaluation, const std::stop_token &stop);

} // namespace pipeloom
