// SPDX-License-Identifier: GPL-3.0-or-later
// Layers to stages: nothing given (even, or the smallest repair), a list, first/last, or a Megatron layout string. Layers are
// never dropped: a split whose sum is wrong is an error.
#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/plan/layoutbuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr int mostStages = std::numeric_limits<std::int16_t>::max();

/// Even; else ceil(L / n) everywhere and the rest on the last stage, which also holds the head; else counts that differ by one,
/// the larger ones away from the ends. Precondition: 1 <= stages <= layers.
std::vector<int> smallestRepair(int layers, int stages)
{
    const auto count = static_cast<std::size_t>(stages);
    const int most = layers / stages + (layers % stages == 0 ? 0 : 1);
    const std::int64_t last = layers - std::int64_t{ most } * (stages - 1);
    if (last >= 1) {
        std::vector<int> out(count, most);
        out.back() = static_cast<int>(last);
        return out;
    }
    std::vector<int> out(count, layers / stages);
    const auto extra = static_cast<std::size_t>(layers % stages);
    for (std::size_t i = 0; i < extra; ++i)
        ++out[(1 + i) % count]; // stage 1, 2, ...: the first stage has the embedding, the last the head
    return out;
}

/// Fewer chunks or ranks by themselves are tried anyway.
void offerOneStage(Candidates &out, const PlanContext &c)
{
    ParallelPlan plan = c.plan;
    plan.schedule = ScheduleKind::OneForwardOneBackward;
    out.push_back({ plan, {} });
    plan.pp = 1;
    out.push_back({ plan, {} });
}

void splitEvenly(PlanContext &c, int stages)
{
    if (stages <= c.model.layers) {
        buildLayout(c, smallestRepair(c.model.layers, stages), {});
        return;
    }
    const ParallelPlan &p = c.plan;
    const bool looped = chunksPerRank(p.schedule, 2) != chunksPerRank(p.schedule, 3) && p.vpp > 1;
    c.findings.error(
        "stages-layers", looped && p.pp <= c.model.layers ? "plan.vpp" : "plan.pp",
        [&] {
            return fmt::format("PP {}{} makes {}, the model has {}.", p.pp, looped ? fmt::format(" × VPP {}", p.vpp) : "",
                               formatCounted(stages, "stage"), formatCounted(c.model.layers, "layer"));
        },
        [&](Candidates &out) { offerOneStage(out, c); });
}

void useList(PlanContext &c, const std::vector<int> &list, int stages)
{
    if (static_cast<std::int64_t>(list.size()) != stages) {
        refuseStageCount(c, list.size(), stages);
        return;
    }
    const bool sums = checkLayerSum(c, list, [&](Candidates &out) {
        std::vector<int> repaired(list);
        const std::int64_t others = std::accumulate(list.begin(), list.end() - 1, std::int64_t{ 0 });
        const std::int64_t last = c.model.layers - others;
        if (last >= 0 && last <= c.model.layers) {
            repaired.back() = static_cast<int>(last);
            offerLayout(out, c, repaired, fmt::format("Put {} on the last stage", last));
        }
        offerEvenSplit(out, c);
    });
    if (sums)
        buildLayout(c, list, {});
    else if (!list.empty())
        c.layout.layersBuilt = static_cast<int>(std::clamp<std::int64_t>(
            std::accumulate(list.begin(), list.end(), std::int64_t{ 0 }), 0, std::numeric_limits<int>::max()));
}

/// Layers of each of `units` with first and last given, or nothing when the rest does not divide.
std::optional<std::vector<int>> spreadBetween(std::int64_t layers, int units, const FirstLastLayout &ends)
{
    if (units == 1) {
        const bool agrees =
            ends.first.value_or(static_cast<int>(layers)) == layers && ends.last.value_or(static_cast<int>(layers)) == layers;
        return agrees ? std::optional(std::vector{ static_cast<int>(layers) }) : std::nullopt;
    }
    const int between = units - (ends.first ? 1 : 0) - (ends.last ? 1 : 0);
    const std::int64_t rest = layers - ends.first.value_or(0) - ends.last.value_or(0);
    if (rest < 0 || ends.first.value_or(0) < 0 || ends.last.value_or(0) < 0 || (between == 0 ? rest != 0 : rest % between != 0))
        return std::nullopt;
    std::vector<int> out(static_cast<std::size_t>(units), between == 0 ? 0 : static_cast<int>(rest / between));
    if (ends.first)
        out.front() = *ends.first;
    if (ends.last)
        out.back() = *ends.last;
    return out;
}

/// Megatron's flags count layers of the first and last pipeline rank; looped chunks share them equally.
void useFirstLast(PlanContext &c, const FirstLastLayout &ends, int stages)
{
    const bool looped = stages > c.plan.pp && stageOf(c.plan.schedule, c.plan.pp, 0, 1) == c.plan.pp;
    const int chunks = looped ? stages / c.plan.pp : 1;
    const int units = stages / chunks;
    const auto spread = [&](const FirstLastLayout &e) -> std::optional<std::vector<int>> {
        std::optional<std::vector<int>> perUnit = spreadBetween(c.model.layers, units, e);
        if (perUnit && std::ranges::any_of(*perUnit, [&](int layers) { return layers % chunks != 0; }))
            return std::nullopt;
        return perUnit;
    };
    if (const std::optional<std::vector<int>> perUnit = spread(ends)) {
        std::vector<int> layersOf;
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (const int layers : *perUnit)
                layersOf.push_back(layers / chunks);
        }
        buildLayout(c, layersOf, {});
        return;
    }
    c.findings.error(
        "layout-first-last", layoutField,
        [&] {
            std::string given = ends.first ? fmt::format("first {}", *ends.first) : "";
            if (ends.last)
                given += fmt::format("{}last {}", given.empty() ? "" : " and ", *ends.last);
            const int between = std::max(0, units - (ends.first ? 1 : 0) - (ends.last ? 1 : 0));
            const std::int64_t rest = std::int64_t{ c.model.layers } - ends.first.value_or(0) - ends.last.value_or(0);
            return fmt::format("After {}, {} remain{} for {}{}: they cannot be spread evenly.", given,
                               formatCounted(rest, "layer"), rest == 1 ? "s" : "", formatCounted(between, "stage"),
                               chunks > 1 ? fmt::format(" of {} chunks", chunks) : "");
        },
        [&](Candidates &out) {
            const auto offer = [&](std::optional<int> FirstLastLayout::*end, const char *label) {
                FirstLastLayout changed = ends;
                const auto works = [&](int value) {
                    changed.*end = value;
                    return spread(changed).has_value();
                };
                for (const int value : nearestValues((ends.*end).value_or(1), c.model.layers, works)) {
                    changed.*end = value;
                    offerLayout(out, c, changed, fmt::format("Use {} {}", label, value));
                }
            };
            offer(&FirstLastLayout::last, "last");
            offer(&FirstLastLayout::first, "first");
            offerEvenSplit(out, c);
        });
}

} // namespace

void checkLayout(PlanContext &c)
{
    c.layout.layersRequested = c.model.layers;
    const int stages = c.stages();
    if (stages > mostStages)
        return; // the schedule's rule on its size speaks
    if (const auto *text = std::get_if<std::string>(&c.plan.layout))
        useLayoutString(c, *text, stages);
    else if (const auto *list = std::get_if<std::vector<int>>(&c.plan.layout))
        useList(c, *list, stages);
    else if (const auto *ends = std::get_if<FirstLastLayout>(&c.plan.layout))
        useFirstLast(c, *ends, stages);
    else
        splitEvenly(c, stages);
    if (!c.layout.stages.empty()) {
        c.findings.info("layers-built", layoutField, [&] {
            return fmt::format("{} of {} layers built: {}", formatCount(c.layout.layersBuilt),
                               formatCount(c.layout.layersRequested), describeCounts(c.layout.stages));
        });
    }
}

} // namespace pipeloom
