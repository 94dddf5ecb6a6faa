// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/opsearch.h"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

namespace pipeloom
{

/// Where a match stands in the order; within a plan the index of an op grows with its rank.
struct OpSearch::Place
{
    Nanoseconds start = 0;
    std::size_t plan = 0;
    std::size_t op = 0;
    int rank = 0;

    [[nodiscard]] OpRef ref() const { return { static_cast<int>(plan), rank, op }; }
    [[nodiscard]] bool before(const Place &other) const
    {
        return std::tie(start, plan, op) < std::tie(other.start, other.plan, other.op);
    }
};

void OpSearch::setQuery(std::optional<OpQuery> query)
{
    if (query == m_query)
        return;
    m_query = std::move(query);
    for (std::size_t plan = 0; plan < m_pictures.size(); ++plan)
        match(plan);
}

void OpSearch::setPictures(const Pictures &pictures)
{
    const Pictures old = std::exchange(m_pictures, pictures);
    m_matches.resize(pictures.size());
    for (std::size_t plan = 0; plan < pictures.size(); ++plan) {
        const bool same = plan < old.size() && old[plan]->evaluation == pictures[plan]->evaluation
            && old[plan]->letter == pictures[plan]->letter && old[plan]->hasLanes() == pictures[plan]->hasLanes();
        if (!same)
            match(plan);
    }
}

void OpSearch::match(std::size_t plan)
{
    const PlanPicture &picture = *m_pictures[plan];
    m_matches[plan] = m_query && picture.hasLanes() && m_query->takesPlan(picture.letter.toStdString())
        ? std::make_shared<const OpMatches>(matchingOps(*m_query, picture.evaluation->schedule))
        : nullptr;
}

std::size_t OpSearch::count() const
{
    std::size_t all = 0;
    for (const auto &matches : m_matches)
        all += matches ? matches->ops.size() : 0;
    return all;
}

OpSearch::Place OpSearch::placeAt(std::size_t plan, int rank, std::size_t match) const
{
    const std::size_t op = m_matches[plan]->ops[match];
    return { m_pictures[plan]->evaluation->timeline.start[op], plan, op, rank };
}

std::optional<OpSearch::Place> OpSearch::placeIn(const OpRef &op) const
{
    const auto plan = static_cast<std::size_t>(op.plan);
    if (op.plan < 0 || plan >= m_pictures.size() || !m_pictures[plan]->hasLanes()
        || op.op >= m_pictures[plan]->evaluation->timeline.start.size())
        return std::nullopt;
    return Place{ m_pictures[plan]->evaluation->timeline.start[op.op], plan, op.op, op.rank };
}

/// The first match of a rank behind `place` (or at it), as an index into the plan's matches; the rank's end when there is none.
std::size_t OpSearch::firstFrom(std::size_t plan, int rank, const Place &place, bool orEqual) const
{
    const std::vector<std::size_t> &begin = m_matches[plan]->begin;
    const auto r = static_cast<std::size_t>(rank);
    const auto indices = std::views::iota(begin[r], begin[r + 1]);
    const auto found = std::ranges::partition_point(indices, [&](std::size_t match) {
        const Place here = placeAt(plan, rank, match);
        return orEqual ? here.before(place) : !place.before(here);
    });
    return begin[r] + static_cast<std::size_t>(found - indices.begin());
}

/// Calls use(plan, rank, begin, end) with the matches of every rank of every plan that has some.
template<class Use>
void OpSearch::eachRank(Use use) const
{
    for (std::size_t plan = 0; plan < m_matches.size(); ++plan) {
        if (!m_matches[plan])
            continue;
        const std::vector<std::size_t> &begin = m_matches[plan]->begin;
        for (std::size_t r = 0; r + 1 < begin.size(); ++r)
            use(plan, static_cast<int>(r), begin[r], begin[r + 1]);
    }
}

std::optional<OpRef> OpSearch::first(const Place *after, bool orEqual) const
{
    std::optional<Place> best;
    eachRank([&](std::size_t plan, int rank, std::size_t begin, std::size_t end) {
        const std::size_t match = after != nullptr ? firstFrom(plan, rank, *after, orEqual) : begin;
        if (match == end)
            return;
        const Place here = placeAt(plan, rank, match);
        if (!best || here.before(*best))
            best = here;
    });
    return best ? std::optional(best->ref()) : std::nullopt;
}

std::optional<OpRef> OpSearch::last(const Place *before) const
{
    std::optional<Place> best;
    eachRank([&](std::size_t plan, int rank, std::size_t begin, std::size_t end) {
        const std::size_t behind = before != nullptr ? firstFrom(plan, rank, *before, true) : end;
        if (behind == begin)
            return;
        const Place here = placeAt(plan, rank, behind - 1);
        if (!best || best->before(here))
            best = here;
    });
    return best ? std::optional(best->ref()) : std::nullopt;
}

std::optional<std::size_t> OpSearch::placeOf(const OpRef &op) const
{
    const std::optional<Place> place = placeIn(op);
    if (!place || !m_matches[place->plan] || !std::ranges::binary_search(m_matches[place->plan]->ops, op.op))
        return std::nullopt;
    std::size_t earlier = 0;
    eachRank([&](std::size_t plan, int rank, std::size_t begin, std::size_t) {
        earlier += firstFrom(plan, rank, *place, true) - begin;
    });
    return earlier;
}

std::optional<OpRef> OpSearch::after(const OpRef &op) const
{
    const std::optional<Place> place = placeIn(op);
    const std::optional<OpRef> next = place ? first(&*place, false) : std::nullopt;
    return next ? next : first(nullptr, false);
}

std::optional<OpRef> OpSearch::before(const OpRef &op) const
{
    const std::optional<Place> place = placeIn(op);
    const std::optional<OpRef> previous = place ? last(&*place) : std::nullopt;
    return previous ? previous : last(nullptr);
}

std::optional<OpRef> OpSearch::from(Nanoseconds time) const
{
    const Place place{ time, 0, 0, 0 };
    const std::optional<OpRef> next = first(&place, true);
    return next ? next : first(nullptr, false);
}

std::optional<OpRef> OpSearch::until(Nanoseconds time) const
{
    const Place place{ time, 0, 0, 0 };
    const std::optional<OpRef> previous = last(&place);
    return previous ? previous : last(nullptr);
}

} // namespace pipeloom
