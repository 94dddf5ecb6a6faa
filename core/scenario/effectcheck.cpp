// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/effectcheck.h"

#include "core/base/counted.h"
#include "core/memory/moepolicy.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace pipeloom
{

namespace
{

/// Gathers the findings; each names what was set, why it changes nothing, and the value that says so.
class Finder
{
public:
    void unused(const char *field, const std::string &what, const std::string &reason, const char *defaultJson)
    {
        const std::string label =
            defaultJson == std::string("null") ? "Clear it" : fmt::format("Set it to {}", shown(defaultJson));
        m_found.push_back({ Severity::Warning,
                            "no-effect",
                            field,
                            fmt::format("{} has no effect: {}.", what, reason),
                            { { label, { { field, defaultJson } } } } });
    }
    /// Without a repair: the field cannot be taken away by setting it.
    void unused(const char *field, const std::string &what, const std::string &reason)
    {
        m_found.push_back({ Severity::Warning, "no-effect", field, fmt::format("{} has no effect: {}.", what, reason), {} });
    }
    Diagnostics take() { return std::move(m_found); }

private:
    static std::string shown(std::string json)
    {
        std::erase(json, '"');
        return json;
    }

    Diagnostics m_found;
};

void checkSchedule(Finder &finder, const Scenario &s)
{
    const ParallelPlan &plan = s.plan;
    const std::string schedule(title(plan.schedule));
    if (plan.vpp > 1 && !takesChunks(plan.schedule))
        finder.unused("plan.vpp", fmt::format("VPP {}", plan.vpp),
                      fmt::format("{} holds {} a rank", schedule, formatCounted(chunksPerRank(plan.schedule, 1), "stage")), "1");
    if (plan.interleaveGroup && !takesGroup(plan.schedule))
        finder.unused("plan.interleave_group", fmt::format("The group of {}", formatCounted(*plan.interleaveGroup, "microbatch")),
                      schedule + " has no groups of microbatches", "null");
    if (!s.runtime.overlap && !hasPairs(plan.schedule))
        finder.unused("runtime.overlap", "Overlap switched off", schedule + " has no overlapped pairs", "true");
    else if (!s.runtime.overlap && s.timing.source == TimingSource::Manual)
        finder.unused("runtime.overlap", "Overlap switched off", "the duration of a pair is given by hand", "true");
}

void checkPlacement(Finder &finder, const Scenario &s, const Groups &groups)
{
    if (s.plan.placement == Placement::ExpertFirst)
        return;
    const auto unused = [&finder](const std::string &reason) {
        finder.unused("plan.placement", "Placement dp-first", reason, "\"ep-first\"");
    };
    if (s.model.moe.experts == 0)
        unused(s.model.title + " has no experts");
    else if (s.plan.ep == 1)
        unused("with EP 1 there is no expert group to place");
    else if (groups.edp == 1)
        unused("with EDP 1 there is one copy of the experts");
    else if (s.plan.gpus <= s.cluster.scaleUpDomain)
        unused(fmt::format("all {} share the fast link", formatCounted(s.plan.gpus, "GPU")));
}

void checkSharding(Finder &finder, const Scenario &s, const Groups &groups)
{
    if (s.plan.fsdp && s.plan.zero != ParallelPlan{}.zero && s.plan.zero != 3) {
        finder.unused("plan.zero", fmt::format("ZeRO {}", s.plan.zero), "FSDP shards weights, gradients and states", "1");
        return;
    }
    const bool oneCopy = groups.dp == 1 && (s.model.moe.experts == 0 || groups.edp == 1);
    if (s.plan.zero > 1 && s.plan.cp == 1 && oneCopy)
        finder.unused("plan.zero", fmt::format("ZeRO {}", s.plan.zero), "there is one copy of the weights, nothing to shard",
                      "1");
}

/// What a dense model has no use for.
void checkDense(Finder &finder, const Scenario &s)
{
    const RoutingRequest standard;
    const std::string reason = s.model.title + " has no experts";
    if (s.routing.family != RoutingFamily::Uniform && s.routing.sigma > 0 && s.routing.sigma != standard.sigma)
        finder.unused("routing.sigma", fmt::format("Routing sigma {:g}", s.routing.sigma), reason, "0.1");
    if (s.routing.seed != standard.seed)
        finder.unused("routing.seed", fmt::format("Routing seed {}", s.routing.seed), reason, "1");
    if (s.routing.exact)
        finder.unused("routing.exact", "An exact permutation of the experts", reason, "false");
    if (s.routing.layers != standard.layers)
        finder.unused("routing.layers", "Independent layers", reason, "\"alike\"");
    if (s.routing.nodeLimit > 0 && s.routing.nodeLimit != standard.nodeLimit)
        finder.unused("routing.node_limit", fmt::format("A limit of {}", formatCounted(s.routing.nodeLimit, "node")), reason,
                      "4");
    if (s.runtime.moe != Runtime{}.moe)
        finder.unused("runtime.moe", "MoE runtime " + s.runtime.moe, reason, "\"deepep\"");
    if (s.runtime.capacityFactor)
        finder.unused("runtime.capacity_factor", "A capacity factor", reason);
}

/// What only Megatron's runtimes read.
void checkMoeRuntime(Finder &finder, const Scenario &s)
{
    const MoePolicy &policy = moePolicy(s);
    if (s.runtime.padToCapacity && policy.padding != MoePolicy::Padding::OnRequest) {
        finder.unused("runtime.pad_to_capacity", "Padding to the capacity",
                      fmt::format("{} are {} padded", fmt::format("the buffers of {}", policy.title),
                                  policy.padding == MoePolicy::Padding::Never ? "never" : "always"),
                      "false");
    }
    if (policy.megatron)
        return;
    const std::string reason = std::string(policy.title) + " runs on Megatron-DeepSpeed, which has none";
    if (!s.plan.sequenceParallel && s.plan.tp > 1)
        finder.unused("plan.sequence_parallel", "Sequence parallelism switched off", reason, "true");
    if (!s.runtime.dummyWeightGradients)
        finder.unused("runtime.dummy_wgrad", "Dummy weight gradients switched off", reason, "true");
}

void checkRouting(Finder &finder, const Scenario &s, const Groups &groups)
{
    const RoutingRequest standard;
    const RoutingRequest &r = s.routing;
    const bool skewed = r.family != RoutingFamily::Uniform && r.sigma > 0;
    const std::string balanced = r.family == RoutingFamily::Uniform ? "uniform routing has no skew" : "sigma 0 is no skew";
    if (r.family == RoutingFamily::Uniform && r.sigma > 0 && r.sigma != standard.sigma)
        finder.unused("routing.sigma", fmt::format("Routing sigma {:g}", r.sigma), balanced, "0.1");
    if (r.layers != standard.layers && !skewed)
        finder.unused("routing.layers", "Independent layers", balanced, "\"alike\"");
    if (r.exact && !skewed)
        finder.unused("routing.exact", "An exact permutation of the experts", balanced, "false");
    if (r.seed != standard.seed && !(r.exact && skewed))
        finder.unused("routing.seed", fmt::format("Routing seed {}", r.seed),
                      skewed ? "without routing.exact the hottest rank is the mean over all permutations" : balanced, "1");
    if (r.nodeLimit <= 0 || r.nodeLimit == standard.nodeLimit)
        return;
    const std::string limit = fmt::format("A limit of {}", formatCounted(r.nodeLimit, "node"));
    if (s.model.moe.groups <= 1)
        finder.unused("routing.node_limit", limit, s.model.title + " does not group its experts", "4");
    else if (groups.expertNodes > 0 && r.nodeLimit >= groups.expertNodes)
        finder.unused("routing.node_limit", limit,
                      fmt::format("EP {} spans {}", s.plan.ep, formatCounted(groups.expertNodes, "node")), "4");
}

void checkTiming(Finder &finder, const Scenario &s)
{
    const Timing &timing = s.timing;
    const char *source = timing.source == TimingSource::Model ? "model"
        : timing.source == TimingSource::Calibrated           ? "calibrated"
                                                              : "manual";
    const std::string reason = fmt::format("the source of the durations is {}", source);
    if (timing.source != TimingSource::Calibrated && !timing.profileName.empty())
        finder.unused("timing.profile", "The profile " + timing.profileName, reason);
    const ManualTimes &manual = timing.manual;
    const std::pair<const char *, double> durations[] = { { "timing.f", manual.f },
                                                          { "timing.b", manual.b },
                                                          { "timing.w", manual.w },
                                                          { "timing.fb", manual.pair },
                                                          { "timing.p2p", manual.p2p } };
    for (const auto &[field, seconds] : durations) {
        if (timing.source != TimingSource::Manual && seconds > 0)
            finder.unused(field, fmt::format("A duration of {:g} s", seconds), reason);
    }
    if (timing.source == TimingSource::Manual && manual.pair > 0 && !hasPairs(s.plan.schedule))
        finder.unused("timing.fb", fmt::format("A pair of {:g} s", manual.pair),
                      std::string(title(s.plan.schedule)) + " has no overlapped pairs");
}

} // namespace

Diagnostics checkEffects(const Scenario &scenario, const Groups &groups)
{
    Finder finder;
    checkSchedule(finder, scenario);
    checkPlacement(finder, scenario, groups);
    checkSharding(finder, scenario, groups);
    if (scenario.model.moe.experts == 0)
        checkDense(finder, scenario);
    else {
        checkMoeRuntime(finder, scenario);
        checkRouting(finder, scenario, groups);
    }
    checkTiming(finder, scenario);
    return finder.take();
}

} // namespace pipeloom
