// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/opquery.h"
#include "views/plot/planpicture.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace pipeloom
{

/// The matches of one query in the shown plans, in the order of time (at the same time plan after plan, rank after rank).
/// Matched once for each query and evaluation; every question after that is O(ranks log matches).
class OpSearch
{
public:
    using Pictures = std::vector<std::shared_ptr<const PlanPicture>>;

    void setQuery(std::optional<OpQuery> query); ///< nothing = no matches
    void setPictures(const Pictures &pictures);

    [[nodiscard]] bool isActive() const { return m_query.has_value(); }
    [[nodiscard]] std::size_t count() const; ///< in all plans
    /// The matches of each shown plan; nullptr for one that has none to show.
    [[nodiscard]] const std::vector<std::shared_ptr<const OpMatches>> &matches() const { return m_matches; }
    /// Place of an op among the matches, from 0; nothing when it is none. Ops of plans that are not shown are none.
    [[nodiscard]] std::optional<std::size_t> placeOf(const OpRef &op) const;
    /// The match after `op`, behind the last one the first again.
    [[nodiscard]] std::optional<OpRef> after(const OpRef &op) const;
    [[nodiscard]] std::optional<OpRef> before(const OpRef &op) const;
    /// The first match that starts at `time` or later, else the first of all.
    [[nodiscard]] std::optional<OpRef> from(Nanoseconds time) const;
    /// The last match that starts before `time`, else the last of all.
    [[nodiscard]] std::optional<OpRef> until(Nanoseconds time) const;

private:
    struct Place;
    [[nodiscard]] std::optional<Place> placeIn(const OpRef &op) const;
    [[nodiscard]] Place placeAt(std::size_t plan, int rank, std::size_t match) const;
    template<class Use>
    void eachRank(Use use) const;
    [[nodiscard]] std::optional<OpRef> first(const Place *after, bool orEqual) const;
    [[nodiscard]] std::optional<OpRef> last(const Place *before) const;
    [[nodiscard]] std::size_t firstFrom(std::size_t plan, int rank, const Place &place, bool orEqual) const;
    void match(std::size_t plan);

    std::optional<OpQuery> m_query;
    Pictures m_pictures;
    std::vector<std::shared_ptr<const OpMatches>> m_matches;
};

} // namespace pipeloom
