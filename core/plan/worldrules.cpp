// SPDX-License-Identifier: GPL-3.0-or-later
// The two meshes: how ranks form groups (Megatron-Core parallel_state: world % (TP x CP x PP) and world % (ETP x EP x PP)), and
// where the groups lie on the nodes.
#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/plan/neighbours.h"
#include "core/plan/planrules.h"
#include "core/routing/fanout.h"
#include "core/routing/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pipeloom
{

namespace
{

using Factor = std::pair<const char *, std::int64_t>;

/// "TP 4 · PP 8": factors of 1 say nothing.
std::string named(const std::vector<Factor> &factors)
{
    std::string out;
    for (const auto &[label, value] : factors) {
        if (value != 1)
            out += fmt::format("{}{} {}", out.empty() ? "" : " · ", label, formatCount(value));
    }
    return out.empty() ? "1" : out;
}

/// "8·128"
std::string product(const std::vector<std::int64_t> &factors)
{
    std::string out;
    for (const std::int64_t value : factors) {
        if (value != 1)
            out += fmt::format("{}{}", out.empty() ? "" : "·", formatCount(value));
    }
    return out.empty() ? "1" : out;
}

/// A repair of several fields for plans that no single one mends.
template<class Change>
void offer(Candidates &out, const PlanContext &c, const Change &change)
{
    Candidate candidate{ c.plan, {} };
    change(candidate.plan);
    out.push_back(std::move(candidate));
}

int ceilDivide(int a, int b) { return a / b + (a % b == 0 ? 0 : 1); }

void placeExpertGroup(PlanContext &c)
{
    // Neighbouring ranks hold the tensor split of one expert, then (placement) the other experts or the other copies.
    const int domain = std::max(1, c.cluster.scaleUpDomain);
    std::int64_t stride = c.plan.etp;
    if (c.plan.placement == Placement::DataFirst)
        stride *= std::max<std::int64_t>(1, c.groups.edp);
    c.groups.expertRanksPerNode = static_cast<int>(std::clamp<std::int64_t>(domain / stride, 1, c.plan.ep));
    c.groups.expertNodes = ceilDivide(c.plan.ep, c.groups.expertRanksPerNode);
}

/// "EP 64 spans 8 nodes: 3.47 of 4 destinations are remote." Its fan-out may have to be sampled.
std::string remoteShare(const PlanContext &c)
{
    const FanOut reach = fanOut(c.model.moe, RoutingRequest{}.nodeLimit, c.plan.ep, c.groups.expertNodes);
    const bool whole = std::abs(reach.nodes - std::round(reach.nodes)) < 0.05;
    return fmt::format("EP {} spans {} nodes: {} of {} destinations are remote.", c.plan.ep, c.groups.expertNodes,
                       formatFixed(reach.remoteNodes, 2), formatFixed(reach.nodes, whole ? 0 : 2));
}

void checkExpertDivision(PlanContext &c)
{
    const int experts = c.model.moe.experts;
    const int ep = c.plan.ep;
    if (experts % ep == 0)
        return;
    c.findings.error(
        "ep-experts", "plan.ep",
        [&] { return fmt::format("EP {} does not divide {}.", ep, formatCounted(experts, "routed expert")); }, Advice::Values);
}

void refuseExpertsOfDense(PlanContext &c)
{
    const std::string &who = c.model.title.empty() ? std::string("the model") : c.model.title;
    // A dense model has one way out of both: no expert groups at all.
    const auto none = [&](Candidates &out) { offer(out, c, [](ParallelPlan &p) { p.ep = p.etp = 1; }); };
    if (c.plan.ep > 1)
        c.findings.error(
            "ep-dense", "plan.ep", [&] { return fmt::format("EP {} has no experts to spread: {} is dense.", c.plan.ep, who); },
            none);
    if (c.plan.etp > 1)
        c.findings.error(
            "etp-dense", "plan.etp", [&] { return fmt::format("ETP {} has no experts to cut: {} is dense.", c.plan.etp, who); },
            none);
}

} // namespace

void checkAttentionMesh(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const std::int64_t ranks = std::int64_t{ p.tp } * p.cp * p.pp;
    if (p.gpus % ranks == 0) {
        c.groups.dp = p.gpus / ranks;
        return;
    }
    const auto words = [&] {
        const std::string group = named({ { "TP", p.tp }, { "CP", p.cp }, { "PP", p.pp } });
        const bool single = group.find("·") == std::string::npos;
        return p.gpus < ranks
            ? fmt::format("{} need{} {}, {} given.", group, single ? "s" : "", formatCounted(ranks, "GPU"), formatCount(p.gpus))
            : fmt::format("{} GPUs do not divide by {}{}.", formatCount(p.gpus), group, single ? "" : " = " + formatCount(ranks));
    };
    const auto unsplit = [&](Candidates &out) { offer(out, c, [](ParallelPlan &plan) { plan.tp = plan.cp = plan.pp = 1; }); };
    c.findings.error("gpus-mesh", "plan.gpus", words, unsplit, Advice::Values);
}

void checkExpertMesh(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const std::int64_t ranks = std::int64_t{ p.etp } * p.ep * p.pp;
    c.groups.edp = p.gpus % ranks == 0 ? p.gpus / ranks : 0;
    placeExpertGroup(c);
    if (!c.hasExperts()) {
        refuseExpertsOfDense(c);
        return;
    }
    checkExpertDivision(c);
    const int width = c.model.moe.expertWidth;
    if (width % p.etp != 0) {
        c.findings.error("etp-width", "plan.etp",
                         [&] { return fmt::format("ETP {} does not divide the expert width {}.", p.etp, formatCount(width)); });
    }
    // A world that fails for the pipeline alone is reported by the attention mesh.
    if (c.groups.edp > 0 || p.gpus % p.pp != 0)
        return;
    c.findings.error(
        "ep-mesh", "plan.ep",
        [&] {
            return fmt::format("The expert groups need a multiple of {} GPUs ({}), {} given.", formatCount(ranks),
                               named({ { "ETP", p.etp }, { "EP", p.ep }, { "PP", p.pp } }), formatCount(p.gpus));
        },
        [&](Candidates &out) { offer(out, c, [](ParallelPlan &plan) { plan.ep = plan.etp = 1; }); });
}

void checkNodes(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const int perNode = std::max(1, c.cluster.gpusPerNode);
    const int domain = std::max(1, c.cluster.scaleUpDomain);
    c.groups.nodes = p.gpus / perNode + (p.gpus % perNode == 0 ? 0 : 1);
    c.groups.pipelineCrossesNodes = p.pp > 1 && p.gpus > domain;
    if (p.gpus > perNode && p.gpus % perNode != 0) {
        c.findings.warning(
            "gpus-nodes", "plan.gpus",
            [&] {
                return fmt::format("{} GPUs leave the last node with {} of {}.", formatCount(p.gpus), p.gpus % perNode, perNode);
            },
            [&](Candidates &out) {
                for (const std::int64_t gpus : nearestGpus(c.model, p, perNode))
                    offer(out, c, [gpus](ParallelPlan &plan) { plan.gpus = gpus; });
            });
    }
    if (p.tp > domain) {
        c.findings.warning(
            "tp-nodes", "plan.tp",
            [&] { return fmt::format("TP {} exceeds the {} GPUs of the fast link: its collectives cross nodes.", p.tp, domain); },
            [&](Candidates &out) {
                const auto works = [&](int tp) { return tp <= domain && p.gpus % (std::int64_t{ tp } * p.cp * p.pp) == 0; };
                for (const int tp : nearestValues(p.tp, mostSplit, works))
                    offer(out, c, [tp](ParallelPlan &plan) { plan.tp = tp; });
            });
    }
    if (c.hasExperts() && c.groups.expertNodes > 1 && c.model.moe.experts % p.ep == 0)
        c.findings.warning("ep-nodes", "plan.ep", [&] { return remoteShare(c); });
}

void describeSatisfied(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const Groups &g = c.groups;
    if (g.dp < 1 || (c.hasExperts() && g.edp < 1))
        return;
    c.findings.info("meshes", "plan.gpus", [&] {
        const std::string attention = product({ p.tp, p.cp, p.pp, g.dp });
        const std::string world = formatCount(p.gpus);
        return c.hasExperts() ? fmt::format("Both meshes: {} = {} = {}", attention, product({ p.etp, p.ep, p.pp, g.edp }), world)
                              : fmt::format("Mesh: {} = {}", attention, world);
    });
}

} // namespace pipeloom
