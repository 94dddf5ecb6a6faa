// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// One part of the step, predicted beside measured. Seconds, mean over ranks.
struct MeasuredRow
{
    std::string quantity; ///< "Step", "Overlapped pairs"
    double ours = 0;
    double measured = 0; ///< 0 when the source does not print it
    std::string note; ///< why they differ, as far as it is known
};

/// The step and its parts against scenario.measured; the last row is what the parts leave unexplained. Empty when the evaluation
/// is invalid or the scenario holds no measurement.
[[nodiscard]] std::vector<MeasuredRow> compareMeasured(const Evaluation &evaluation);

} // namespace pipeloom
