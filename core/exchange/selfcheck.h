// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/term.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pipeloom
{

/// One published number beside what the program computes now.
struct SelfCheckRow
{
    std::string id; ///< "params.deepseek-v3"
    std::string quantity;
    std::string unit;
    double published = 0; ///< NaN when a peer refuses the case
    double ours = 0; ///< NaN when it could not be computed
    std::optional<double>
        tolerance; ///< of the relative error; nullopt: nothing is claimed: a peer's estimate, or the note says why
    Provenance tag = Provenance::Counted; ///< of our number
    std::string source; ///< of the published number
    std::optional<double> toleranceAbove = {}; ///< a tighter bound where ours is the higher number
    std::string note = {}; ///< what is assumed, or why there is no number
    bool peer = false; ///< the published number is another program's estimate, not a measurement
    std::string section = {}; ///< heading of its table, set by selfCheck()

    /// ours / published - 1
    [[nodiscard]] double error() const;
    [[nodiscard]] bool within() const; ///< true when nothing is claimed
    /// True when the tolerance is so wide that being within it says little.
    [[nodiscard]] bool loose() const;
    [[nodiscard]] const char *tagName() const; ///< "peer" or the name of the tag
};

/// Computes every row; some 100 evaluations, about a second.
[[nodiscard]] std::vector<SelfCheckRow> selfCheck();

/// {"rows":[{"id","quantity","published","ours","error","tolerance","tag","source"}]}; also section, unit, ok, loose, note and,
/// where it differs, tolerance_above. A number that does not exist is null, and the note says why.
[[nodiscard]] std::string selfCheckJson(std::span<const SelfCheckRow> rows);
[[nodiscard]] std::string selfCheckText(std::span<const SelfCheckRow> rows);
[[nodiscard]] std::string selfCheckMarkdown(std::span<const SelfCheckRow> rows);
[[nodiscard]] std::string selfCheckHtml(std::span<const SelfCheckRow> rows);
[[nodiscard]] std::string selfCheckCsv(std::span<const SelfCheckRow> rows);

} // namespace pipeloom
