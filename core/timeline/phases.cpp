// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/phases.h"

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

/// What DualPipe's steps do. 0 and 1 are the two directions as the rank sees them: 0 is the one that enters on its half.
constexpr std::array<const char *, 8> dualPipeSteps{ "F0",
                                                     "F0 and F1 in turn",
                                                     "backward for input B1, then W and F1",
                                                     "pairs F0 with B1, F1 with B0",
                                                     "B1, then F1 paired with B0",
                                                     "B1 and B0 in turn, later without W",
                                                     "W, then backward for input B0",
                                                     "the W still waiting" };

std::string stepName(int step)
{
    const std::string number = "Step " + std::to_string(step) + " of " + std::to_string(dualPipeSteps.size());
    const auto index = static_cast<std::size_t>(step) - 1;
    return index < dualPipeSteps.size() ? number + ": " + dualPipeSteps[index] : number;
}

bool forwards(const Op &op) { return op.kind == OpKind::F || op.kind == OpKind::FB; }

/// Where phases begin, in order; each ends where the next begins.
using Begins = std::vector<std::pair<Nanoseconds, std::string>>;

Begins numbered(std::span<const Op> ops, const Nanoseconds *start)
{
    Begins begins{ { 0, stepName(ops.front().step) } };
    for (std::size_t i = 1; i < ops.size(); ++i) {
        if (ops[i].step != ops[i - 1].step)
            begins.emplace_back(start[i], stepName(ops[i].step));
    }
    return begins;
}

Begins usual(std::span<const Op> ops, const Nanoseconds *start, const Nanoseconds *end, Nanoseconds makespan)
{
    Nanoseconds lastForward = 0;
    Nanoseconds firstBackward = makespan;
    for (std::size_t i = ops.size(); i-- > 0;) {
        if (forwards(ops[i]))
            lastForward = std::max(lastForward, end[i]);
        if (ops[i].kind != OpKind::F)
            firstBackward = start[i];
    }
    // All forwards before any backward (GPipe): no steady state between them.
    if (lastForward <= firstBackward)
        return { { 0, "Warm-up" }, { lastForward, "Wait for the first backward" }, { firstBackward, "Cool-down" } };
    return { { 0, "Warm-up" }, { firstBackward, "Steady state" }, { lastForward, "Cool-down" } };
}

} // namespace

std::vector<Phase> phasesOf(const Schedule &schedule, const Timeline &timeline, Nanoseconds optimizer, int rank)
{
    if (rank < 0 || rank >= schedule.ranks)
        return {};
    const std::span<const Op> ops = schedule.rank(rank);
    if (ops.empty())
        return {};
    const std::size_t first = schedule.begin[static_cast<std::size_t>(rank)];
    const Nanoseconds *start = timeline.start.data() + first;
    const Nanoseconds *end = timeline.end.data() + first;
    const bool named = std::ranges::any_of(ops, [](const Op &op) { return op.step != 0; });
    Begins begins = named ? numbered(ops, start) : usual(ops, start, end, timeline.makespan);
    begins.emplace_back(timeline.makespan, "Optimizer");
    std::vector<Phase> phases;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const Nanoseconds until = i + 1 < begins.size() ? begins[i + 1].first : timeline.makespan + optimizer;
        if (until > begins[i].first)
            phases.push_back({ begins[i].first, until, std::move(begins[i].second) });
    }
    return phases;
}

const Phase *phaseAt(const std::vector<Phase> &phases, Nanoseconds time)
{
    const auto next = std::ranges::upper_bound(phases, time, {}, &Phase::begin);
    if (phases.empty())
        return nullptr;
    return next == phases.begin() ? &phases.front() : &*(next - 1);
}

} // namespace pipeloom
