// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/layoutadvice.h"

#include "core/base/format.h"
#include "core/plan/planfields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

namespace pipeloom
{

namespace
{

/// Layouts that are evaluated: each costs as much as the plan itself.
constexpr std::size_t mostTried = 3;
constexpr std::size_t longSchedule = 16'384; ///< ops

/// A layout that saves less is not worth writing down: the stated band of the model is far wider.
constexpr double leastGain = 0.01;

/// Forward and backward of a stage as a line: layers x perLayer + what the ends have beside their layers.
struct StageLoad
{
    double perLayer = 0, first = 0, last = 0;

    [[nodiscard]] double seconds(const std::vector<int> &layers, std::size_t stage) const
    {
        return layers[stage] * perLayer + (stage == 0 ? first : 0) + (stage + 1 == layers.size() ? last : 0);
    }
};

StageLoad loadOf(const Evaluation &e)
{
    const auto seconds = [&](std::size_t s) { return toSeconds(e.times.stages[s].f + e.times.stages[s].b); };
    const std::size_t n = e.layout.stages.size();
    StageLoad load;
    // A stage between the ends has nothing beside its layers; of two stages the one with more layers comes closest.
    const std::size_t begin = n > 2 ? 1 : 0;
    const std::size_t end = n > 2 ? n - 1 : n;
    std::size_t typical = begin;
    for (std::size_t s = begin; s < end; ++s) {
        if (e.layout.stages[s].layers > e.layout.stages[typical].layers)
            typical = s;
    }
    load.perLayer = seconds(typical) / std::max(1, e.layout.stages[typical].layers);
    load.first = seconds(0) - e.layout.stages.front().layers * load.perLayer;
    load.last = seconds(n - 1) - e.layout.stages.back().layers * load.perLayer;
    return load;
}

/// Load of the busiest rank, which bounds the step from below.
double busiestRank(const Evaluation &e, const StageLoad &load, const std::vector<int> &layers)
{
    double most = 0;
    for (int rank = 0; rank < e.schedule.ranks; ++rank) {
        double sum = 0;
        for (int chunk = 0; chunk < e.schedule.chunks; ++chunk)
            sum += load.seconds(layers, static_cast<std::size_t>(stageOf(e.schedule.kind, e.schedule.ranks, rank, chunk)));
        most = std::max(most, sum);
    }
    return most;
}

/// `first`, `last`, and the rest between them with counts that differ by one, the larger ones first; nothing when it cannot be.
std::vector<int> spread(int layers, int stages, int first, int last)
{
    const int rest = layers - first - last;
    if (first < 0 || last < 0 || rest < 0 || (stages == 2 && rest != 0))
        return {};
    std::vector<int> out(static_cast<std::size_t>(stages));
    out.front() = first;
    out.back() = last;
    for (int s = 1; s + 1 < stages; ++s)
        out[static_cast<std::size_t>(s)] = rest / (stages - 2) + (s <= rest % (stages - 2) ? 1 : 0);
    return out;
}

/// As Megatron's first and last counts where they say it, else as a list.
LayoutChoice choiceOf(const Evaluation &e, const std::vector<int> &layers)
{
    const std::size_t n = layers.size();
    const bool looped = e.schedule.chunks > 1 && stageOf(e.schedule.kind, e.schedule.ranks, 0, 1) == e.schedule.ranks;
    const bool evenBetween = n < 4 || layers[1] == layers[n - 2];
    LayoutChoice out;
    if (!looped && evenBetween)
        out.layout = FirstLastLayout{ layers.front(), layers.back() };
    else
        out.layout = layers;
    out.label = fmt::format("first {}, last {}", layers.front(), layers.back());
    if (n > 2 && layers[1] == layers[n - 2])
        out.label += fmt::format(", {} between", layers[1]);
    else if (n > 2)
        out.label += fmt::format(", {} to {} between", layers[n - 2], layers[1]);
    return out;
}

bool keepsMemory(const Evaluation &before, const Evaluation &after)
{
    const auto peak = [](const Evaluation &e) { return e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)].peak; };
    if (before.memory.verdict == Verdict::Over)
        return after.memory.verdict != Verdict::Over || peak(after) <= peak(before);
    return after.memory.verdict == Verdict::Fits || after.memory.verdict == before.memory.verdict;
}

} // namespace

std::vector<LayoutChoice> simpleLayouts(const Evaluation &e, std::size_t most, double least)
{
    const int layers = e.scenario.model.layers;
    const int stages = static_cast<int>(e.layout.stages.size());
    if (stages < 2)
        return {};
    struct Split
    {
        double busiest;
        bool uneven; ///< between the ends: takes a list of all stages to say
        int moved;
        std::vector<int> layers;
    };
    constexpr int reach = 6; // an end may weigh as much as so many layers
    const int even = layers / stages + (layers % stages == 0 ? 0 : 1);
    const StageLoad load = loadOf(e);
    std::vector<int> present;
    for (const StageContent &stage : e.layout.stages)
        present.push_back(stage.layers);
    const double enough = busiestRank(e, load, present) * (1 - least);
    std::vector<Split> found;
    for (int first = std::max(0, even - reach); first <= even + reach; ++first) {
        for (int last = std::max(0, even - reach); last <= even + reach; ++last) {
            std::vector<int> counts = spread(layers, stages, first, last);
            if (counts.empty() || counts == present)
                continue;
            const double busiest = busiestRank(e, load, counts);
            const bool uneven = stages > 3 && counts[1] != counts[static_cast<std::size_t>(stages) - 2];
            if (busiest <= enough)
                found.push_back({ busiest, uneven, std::abs(first - even) + std::abs(last - even), std::move(counts) });
        }
    }
    // Of layouts that are equally good to the microsecond, the one that is said shortest.
    std::ranges::stable_sort(
        found, {}, [](const Split &split) { return std::tuple(std::llround(split.busiest * 1e6), split.uneven, split.moved); });
    std::vector<LayoutChoice> out;
    for (std::size_t i = 0; i < std::min(found.size(), most); ++i)
        out.push_back(choiceOf(e, found[i].layers));
    return out;
}

std::optional<Diagnostic> layoutFinding(const Evaluation &e, const std::stop_token &stop)
{
    std::shared_ptr<const Evaluation> best;
    std::string label;
    double shortest = e.time.step * (1 - leastGain);
    for (const LayoutChoice &choice : simpleLayouts(e, e.schedule.ops.size() > longSchedule ? 1 : mostTried, leastGain / 2)) {
        Scenario changed = e.scenario;
        changed.plan.layout = choice.layout;
        const auto result = evaluatePlain(changed, stop);
        if (!result)
            return std::nullopt;
        if (!result->valid || result->time.step >= shortest || !keepsMemory(e, *result))
            continue;
        shortest = result->time.step;
        label = choice.label;
        best = result;
    }
    if (!best)
        return std::nullopt;
    return Diagnostic{ Severity::Warning,
                       "layout-uneven",
                       "plan.layout",
                       fmt::format("The ends weigh more than their layers: with {} a step takes {} instead of {}.", label,
                                   formatDuration(best->time.step), formatDuration(e.time.step)),
                       { { fmt::format("Use {}", label), settingsBetween(e.scenario.plan, best->scenario.plan) } } };
}

} // namespace pipeloom
