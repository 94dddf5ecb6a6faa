// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/schedule/schedule.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// Part of a rank's order, as StepUnit::Phase steps through it.
enum class OrderPhase : std::uint8_t
{
    WarmUp, ///< before the rank's first backward
    Steady,
    CoolDown, ///< after the rank's last forward
};

/// A search for ops: conditions that all hold, each met by any of its values. An empty condition holds for every op.
struct OpQuery
{
    /// Numbers from first to last, both included.
    struct Numbers
    {
        int first = 0, last = 0;
        bool operator==(const Numbers &) const = default;
    };

    /// One bit for each OpKind.
    std::uint8_t kinds = 0;
    /// One bit for each OrderPhase.
    std::uint8_t phases = 0;
    std::vector<Numbers> microbatches, stages, chunks; ///< of a pair one half meets all of them
    std::vector<Numbers> ranks, steps;
    std::vector<std::string> plans; ///< letters, upper case
    bool operator==(const OpQuery &) const = default;

    /// Whether ops of the plan with this letter can match.
    [[nodiscard]] bool takesPlan(std::string_view letter) const;
};

/// Reads `kind:B,W mb:3 rank:0-3 stage:4 chunk:1 step:4 phase:cool-down plan:B`, case ignored. A key that comes twice takes the
/// values of both. kind:B finds full backwards and those for the input only, kind:Bi the latter alone. Errors name the word and
/// say in `hint` what would work; text without a condition is an error, too.
[[nodiscard]] Expected<OpQuery> parseOpQuery(std::string_view text);

/// The ops that match, rank after rank, ascending: so also in the order of time within a rank.
struct OpMatches
{
    std::vector<std::uint32_t> ops; ///< indices into Schedule::ops
    std::vector<std::size_t> begin; ///< ranks + 1 offsets into ops
    bool operator==(const OpMatches &) const = default;
};

/// O(ops). Does not look at the query's plans.
[[nodiscard]] OpMatches matchingOps(const OpQuery &query, const Schedule &schedule);

} // namespace pipeloom
