// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planner/nearest.h"

#include "core/plan/groups.h"
#include "core/plan/planfields.h"
#include "core/scenario/layoutadvice.h"
#include "core/scenario/scenariofile.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

/// One field with a new value, ready to apply without reading JSON again.
struct Change
{
    std::string field; ///< scenario path; two changes of one field never combine
    std::vector<Setting> set;
    std::string label;
    std::function<void(Scenario &)> apply;
};

Change integerChange(const char *path, const char *label, int value, int ParallelPlan::*member)
{
    return { path, { { path, std::to_string(value) } }, fmt::format("{} {}", label, value), [member, value](Scenario &s) {
                s.plan.*member = value;
            } };
}

/// A new pipeline size makes a hand-written layout meaningless, so it goes back to the smallest repair.
Change pipelineChange(const Scenario &base, int value)
{
    Change change = integerChange("plan.pp", "PP", value, &ParallelPlan::pp);
    if (!std::holds_alternative<std::monostate>(base.plan.layout)) {
        change.set.push_back({ "plan.layout", "null" });
        change.apply = [value](Scenario &s) {
            s.plan.pp = value;
            s.plan.layout = std::monostate{};
        };
    }
    return change;
}

void addIntegers(std::vector<Change> &out, const Scenario &base)
{
    constexpr std::array<int, 10> pipelines = { 1, 2, 4, 6, 8, 12, 16, 24, 32, 64 };
    for (const int pp : pipelines) {
        if (pp != base.plan.pp && pp <= base.model.layers)
            out.push_back(pipelineChange(base, pp));
    }
    constexpr std::array<int, 8> sizes = { 1, 2, 4, 8, 16, 32, 64, 128 };
    for (const int size : sizes) {
        if (size != base.plan.ep && base.model.moe.experts > 0 && base.model.moe.experts % size == 0)
            out.push_back(integerChange("plan.ep", "EP", size, &ParallelPlan::ep));
        if (size != base.plan.tp && size <= 8 && base.model.attention.heads % size == 0)
            out.push_back(integerChange("plan.tp", "TP", size, &ParallelPlan::tp));
        if (size != base.plan.cp && size <= 8)
            out.push_back(integerChange("plan.cp", "CP", size, &ParallelPlan::cp));
        if (size != base.plan.microBatch && size <= 8)
            out.push_back(integerChange("plan.micro_batch", "micro-batch", size, &ParallelPlan::microBatch));
    }
    for (int zero = base.plan.zero + 1; zero <= 3; ++zero)
        out.push_back(integerChange("plan.zero", "ZeRO", zero, &ParallelPlan::zero));
}

void addSchedules(std::vector<Change> &out, const Scenario &base)
{
    for (const ScheduleKind kind : allScheduleKinds()) {
        // VPP stays as it is, so the schedules that need a VPP above 1 fall to the plan check.
        if (kind == base.plan.schedule || !canGenerate(kind))
            continue;
        out.push_back({ "plan.schedule",
                        { { "plan.schedule", fmt::format("\"{}\"", name(kind)) } },
                        std::string(title(kind)),
                        [kind](Scenario &s) { s.plan.schedule = kind; } });
    }
}

void addRecompute(std::vector<Change> &out, const Scenario &base)
{
    for (const std::string &preset : recomputePresetNames()) {
        Expected<Recompute> recompute = recomputePreset(preset);
        if (!recompute || *recompute == base.recompute)
            continue;
        out.push_back({ "recompute",
                        { { "recompute", fmt::format("\"{}\"", preset) } },
                        "recompute " + preset,
                        [value = *recompute](Scenario &s) { s.recompute = value; } });
    }
}

/// Other splits of the layers over the same stages. One that fits may load the busiest rank more.
void addLayouts(std::vector<Change> &out, const Scenario &base, const std::stop_token &stop)
{
    constexpr std::size_t most = 12;
    constexpr double least = -0.25;
    const auto evaluation = evaluatePlain(base, stop);
    if (!evaluation || !evaluation->valid)
        return;
    for (const LayoutChoice &choice : simpleLayouts(*evaluation, most, least)) {
        ParallelPlan changed = base.plan;
        changed.layout = choice.layout;
        out.push_back({ "plan.layout", settingsBetween(base.plan, changed), "layers " + choice.label,
                        [layout = choice.layout](Scenario &s) { s.plan.layout = layout; } });
    }
}

std::vector<Change> singleChanges(const Scenario &base, const std::stop_token &stop)
{
    std::vector<Change> out;
    addIntegers(out, base);
    addSchedules(out, base);
    addRecompute(out, base);
    addLayouts(out, base, stop);
    return out;
}

/// The plan if it fits, else nothing. The cheap check comes first: most combinations break a rule.
std::shared_ptr<const Evaluation> fits(const Scenario &candidate, const std::stop_token &stop)
{
    if (!planRuns(candidate.model, candidate.cluster, candidate.plan))
        return nullptr;
    auto result = evaluatePlain(candidate, stop);
    return result && result->valid && result->memory.verdict == Verdict::Fits ? result : nullptr;
}

std::string planLabel(const std::string &changes, const Scenario &base, const Evaluation &e, std::int64_t baseMicrobatches)
{
    if (e.groups.microbatches != baseMicrobatches && base.plan.globalBatch == e.scenario.plan.globalBatch)
        return fmt::format("{}, M {}", changes, e.groups.microbatches);
    return changes;
}

void sortByStep(std::vector<NearbyPlan> &plans)
{
    std::ranges::stable_sort(plans, {}, [](const NearbyPlan &plan) { return plan.evaluation->time.step; });
}

} // namespace

std::vector<NearbyPlan> nearestPlans(const Scenario &scenario, std::size_t most, const std::stop_token &stop)
{
    const std::int64_t baseMicrobatches = checkPlan(scenario.model, scenario.cluster, scenario.plan).groups.microbatches;
    const std::vector<Change> changes = singleChanges(scenario, stop);
    std::vector<NearbyPlan> found;
    const auto consider = [&](std::vector<NearbyPlan> &into, const std::vector<const Change *> &combination) {
        Scenario candidate = scenario;
        NearbyPlan plan;
        std::string label;
        for (const Change *change : combination) {
            change->apply(candidate);
            plan.set.insert(plan.set.end(), change->set.begin(), change->set.end());
            label += (label.empty() ? "" : ", ") + change->label;
        }
        plan.evaluation = fits(candidate, stop);
        if (plan.evaluation) {
            plan.label = planLabel(label, scenario, *plan.evaluation, baseMicrobatches);
            into.push_back(std::move(plan));
        }
    };
    for (const Change &change : changes) {
        if (stop.stop_requested())
            return {};
        consider(found, { &change });
    }
    sortByStep(found);
    if (found.empty()) {
        for (std::size_t i = 0; i < changes.size(); ++i) {
            for (std::size_t j = i + 1; j < changes.size(); ++j) {
                if (stop.stop_requested())
                    return {};
                if (changes[i].field != changes[j].field)
                    consider(found, { &changes[i], &changes[j] });
            }
        }
        sortByStep(found);
    }
    if (found.size() > most)
        found.resize(most);
    return found;
}

} // namespace pipeloom
