// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/planedits.h"

#include "core/scenario/scenariofile.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pipeloom
{

namespace
{

/// What a plan is made of. Model, cluster, assumptions on memory and the price belong to the scenario as a whole.
constexpr std::array<const char *, 22> planPaths = {
    "plan.gpus",
    "plan.tp",
    "plan.pp",
    "plan.vpp",
    "plan.ep",
    "plan.etp",
    "plan.cp",
    "plan.micro_batch",
    "plan.global_batch",
    "plan.seq",
    "plan.schedule",
    "plan.interleave_group",
    "plan.layout",
    "plan.zero",
    "plan.fsdp",
    "plan.sequence_parallel",
    "plan.optimizer_offload",
    "plan.placement",
    "precision",
    "recompute",
    "timing",
    "routing.sigma",
};

/// True when a value at `inner` is part of the value at `outer`.
bool within(std::string_view inner, std::string_view outer)
{
    return inner == outer
        || (inner.size() > outer.size() && inner.substr(0, outer.size()) == outer && inner[outer.size()] == '.');
}

bool hasOwn(const Alternative &alternative, const std::string &path)
{
    return std::ranges::any_of(alternative.set,
                               [&path](const Setting &each) { return within(path, each.path) || within(each.path, path); });
}

void dropOwn(Alternative &alternative, const std::string &path)
{
    std::erase_if(alternative.set, [&path](const Setting &each) { return within(each.path, path); });
}

/// The value at `path`, or of the nearest part around it that has one ("plan.layout" for "plan.layout.first").
Setting valueAround(const Scenario &scenario, std::string path)
{
    std::string json = settingValue(scenario, path);
    while (json.empty() && path.find('.') != std::string::npos) {
        path.erase(path.rfind('.'));
        json = settingValue(scenario, path);
    }
    return { path, json };
}

/// Gives the alternative the scenario's value as its own, unless it has one.
void keepValue(Alternative &alternative, const Scenario &from, const std::string &path)
{
    if (!hasOwn(alternative, path)) {
        alternative.set.insert(alternative.set.begin(), valueAround(from, path));
    }
}

/// A plan that was named after what it is takes its new name after an edit; names given by people stay.
void renameAlternatives(Scenario &changed, const Scenario &before)
{
    for (std::size_t i = 0; i < changed.alternatives.size() && i < before.alternatives.size(); ++i) {
        const auto old = planScenario(before, i + 1);
        const auto now = planScenario(changed, i + 1);
        if (old && now && changed.alternatives[i].name == planName(*old, before)) {
            changed.alternatives[i].name = planName(*now, changed);
        }
    }
}

std::string freeName(const Scenario &scenario, const std::string &wanted)
{
    std::string name = wanted;
    for (int copy = 2; std::ranges::find(scenario.alternatives, name, &Alternative::name) != scenario.alternatives.end();
         ++copy) {
        name = wanted + " (" + std::to_string(copy) + ")";
    }
    return name;
}

Expected<Scenario> editBase(const Scenario &scenario, std::span<const Setting> settings, bool everyPlan)
{
    Expected<Scenario> changed = applySettings(scenario, settings);
    if (!changed) {
        return changed;
    }
    for (const Setting &setting : settings) {
        if (everyPlan) {
            if (!changed->alternatives.empty()) {
                dropOwn(changed->alternatives.front(), setting.path);
            }
            continue;
        }
        for (Alternative &alternative : changed->alternatives) {
            keepValue(alternative, scenario, setting.path);
        }
    }
    return changed;
}

Expected<Scenario> editAlternative(const Scenario &scenario, std::span<const Setting> settings, std::size_t plan)
{
    if (plan > scenario.alternatives.size()) {
        return Error{ ErrorCode::UnknownName, "there is no such plan", {}, {}, {} };
    }
    Scenario changed = scenario;
    Alternative &alternative = changed.alternatives[plan - 1];
    for (const Setting &setting : settings) {
        dropOwn(alternative, setting.path);
        if (settingValue(scenario, setting.path) != setting.json || hasOwn(alternative, setting.path)) {
            alternative.set.push_back(setting);
        }
    }
    return changed;
}

} // namespace

Expected<Scenario> applyEdit(const Scenario &scenario, std::span<const Setting> settings, EditTarget target)
{
    Expected<Scenario> changed = target.plan <= 0 ? editBase(scenario, settings, target.plan == EditTarget::everyPlan)
                                                  : editAlternative(scenario, settings, static_cast<std::size_t>(target.plan));
    if (!changed) {
        return changed;
    }
    if (const auto plans = allPlans(*changed); !plans) {
        return plans.errors();
    }
    renameAlternatives(*changed, scenario);
    return changed;
}

Expected<Scenario> pinPlan(const Scenario &scenario, std::size_t plan)
{
    const Expected<Scenario> source = planScenario(scenario, plan);
    if (!source) {
        return source.errors();
    }
    Alternative pinned;
    for (const char *path : planPaths) {
        pinned.set.push_back({ path, settingValue(*source, path) });
    }
    // Fields outside the list that this plan has of its own come along.
    if (plan > 0) {
        for (const Setting &own : scenario.alternatives[plan - 1].set) {
            if (!hasOwn(pinned, own.path)) {
                pinned.set.push_back(own);
            }
        }
    }
    pinned.name = freeName(scenario, planName(*source, scenario));
    Scenario changed = scenario;
    changed.alternatives.push_back(std::move(pinned));
    if (const auto plans = allPlans(changed); !plans) {
        return plans.errors();
    }
    return changed;
}

Expected<Scenario> swapPlans(const Scenario &scenario)
{
    Expected<Scenario> second = planScenario(scenario, 1);
    if (!second) {
        return second;
    }
    Scenario changed = std::move(second).value();
    const std::vector<Setting> own = scenario.alternatives.front().set;
    Alternative first;
    for (const Setting &setting : own) {
        if (!hasOwn(first, setting.path)) {
            first.set.push_back(valueAround(scenario, setting.path));
        }
    }
    changed.alternatives = scenario.alternatives;
    for (std::size_t i = 1; i < changed.alternatives.size(); ++i) {
        for (const Setting &setting : own) {
            keepValue(changed.alternatives[i], scenario, setting.path);
        }
    }
    first.name = planName(scenario, changed);
    changed.alternatives.front() = std::move(first);
    if (const auto plans = allPlans(changed); !plans) {
        return plans.errors();
    }
    return changed;
}

Scenario showAsB(const Scenario &scenario, std::size_t plan)
{
    Scenario changed = scenario;
    if (plan >= 2 && plan <= changed.alternatives.size()) {
        std::swap(changed.alternatives[0], changed.alternatives[plan - 1]);
    }
    return changed;
}

Scenario removePlan(const Scenario &scenario, std::size_t plan)
{
    Scenario changed = scenario;
    if (plan >= 1 && plan <= changed.alternatives.size()) {
        changed.alternatives.erase(changed.alternatives.begin() + static_cast<std::ptrdiff_t>(plan - 1));
    }
    return changed;
}

Expected<std::vector<Scenario>> allPlans(const Scenario &scenario)
{
    std::vector<Scenario> plans;
    plans.push_back(scenario);
    for (std::size_t i = 1; i <= scenario.alternatives.size(); ++i) {
        auto plan = planScenario(scenario, i);
        if (!plan) {
            return plan.errors();
        }
        plans.push_back(std::move(plan).value());
    }
    return plans;
}

std::string planName(const Scenario &plan, const Scenario &base)
{
    std::string name(title(plan.plan.schedule));
    if (plan.plan.pp != base.plan.pp) {
        name += " PP" + std::to_string(plan.plan.pp);
    }
    return name;
}

} // namespace pipeloom
