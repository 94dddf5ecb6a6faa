// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// Every number of a valid evaluation that a view shows, with its formula, its inputs, its source and its tag. Ids are stable:
/// "time.step", "time.bubble", "memory.rank3.activations", ...
[[nodiscard]] Terms describeTerms(const Evaluation &evaluation);

/// The memory of one rank, class by class ("memory.rank3.activations"); empty for a rank that does not exist.
[[nodiscard]] Terms memoryTerms(const Evaluation &evaluation, int rank);

/// What the numbers leave out, one sentence each: shown under "What is not modelled" and in reports.
[[nodiscard]] std::vector<std::string> notModelled(const Evaluation &evaluation);

} // namespace pipeloom
