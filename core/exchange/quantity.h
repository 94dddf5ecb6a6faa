// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/term.h"
#include "core/scenario/evaluation.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// One number of an evaluation as reports list it.
struct Quantity
{
    std::string id; ///< "time.step_s"
    std::string label; ///< "Step time"
    double value = 0; ///< NaN: the plan does not have it
    std::string unit; ///< "B", "s", "tokens/s/GPU", "ratio", "ranks"
    Provenance tag = Provenance::Modelled;
    std::string source; ///< formula or publication, from the evaluation's term
    int better = 0; ///< -1: less is better, 1: more is better, 0: neither

    [[nodiscard]] bool known() const;
};

/// The headline numbers of an evaluation in the order reports show them. An invalid plan has the ones that follow from model and
/// groups; the others are not known.
[[nodiscard]] std::vector<Quantity> quantities(const Evaluation &evaluation);

/// The value as people read it, with its unit: "92.2 GiB", "7.12 s", "1,541.7 tokens/s/GPU", "39.0 %".
[[nodiscard]] std::string displayed(const Quantity &quantity);
/// `value` minus `reference`, the percentage of the reference: "+17.1 GiB", "−3.08 s (−30 %)".
[[nodiscard]] std::string displayedDelta(const Quantity &reference, const Quantity &value);

} // namespace pipeloom
