// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace pipeloom
{

/// How a number came to be. One vocabulary for every view and export.
enum class Provenance
{
    Counted, ///< exact, from shapes
    Modelled, ///< from a formula with assumed efficiencies
    Calibrated, ///< from a profile that was fitted to a recorded trace
    Measured, ///< printed by a published run
    Assumed, ///< a stated assumption
};

[[nodiscard]] const char *name(Provenance provenance);

/// One number that can say where it comes from. Hover cards and exports use the same terms.
struct Term
{
    std::string id; ///< stable, e.g. "memory.activations"
    std::string label; ///< "Activations in flight"
    double value = 0;
    std::string unit; ///< "s", "B", "FLOP/token", "" for ratios
    std::string formula; ///< in words and symbols
    std::string inputs; ///< the formula with its numbers
    std::string source; ///< publication or table
    Provenance tag = Provenance::Modelled;
    bool operator==(const Term &) const = default;
};

using Terms = std::vector<Term>;

/// The term with that id, or nullptr.
[[nodiscard]] const Term *findTerm(const Terms &terms, const std::string &id);

} // namespace pipeloom
