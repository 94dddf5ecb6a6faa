// SPDX-License-Identifier: GPL-3.0-or-later
// The two meshes: how ranks form groups (Megatron-Core parallel_state: world % (TP x CP x PP) and world % (ETP x EP x PP)), and
// where the groups lie on the nodes.
#include "core/base/format.h"
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

void offerGpus(Candidates &out, std::int64_t gpus, std::int64_t step)
{
    for (const std::int64_t value : nearestMultiples(gpus, step, mostGpus))
        out.push_back({ fmt::format("Use {} GPUs", formatCount(value)), { setGpus(value) } });
}

/// The pipeline sizes next to the plan's that leave whole groups of `rest` ranks a stage.
void offerPipelines(Candidates &out, const PlanContext &c, std::int64_t rest)
{
    const auto works = [&](int pp) { return c.plan.gpus % (rest * pp) == 0; };
    for (const int pp : nearestValues(c.plan.pp, mostSplit, works))
        out.push_back({ fmt::format("Use PP {}", pp), pipelineChange(c.plan, pp) });
}

void offerAttentionMesh(Candidates &out, const PlanContext &c, std::int64_t ranks)
{
    const ParallelPlan &p = c.plan;
    const auto whole = [&](std::int64_t group) { return p.gpus % group == 0; };
    offerGpus(out, p.gpus, ranks);
    offerPipelines(out, c, std::int64_t{ p.tp } * p.cp);
    for (const int tp : nearestValues(p.tp, mostSplit, [&](int v) { return whole(std::int64_t{ v } * p.cp * p.pp); }))
        out.push_back({ fmt::format("Use TP {}", tp), { setTp(tp) } });
    for (const int cp : nearestValues(p.cp, mostSplit, [&](int v) { return whole(std::int64_t{ v } * p.tp * p.pp); }))
        out.push_back({ fmt::format("Use CP {}", cp), { setCp(cp) } });
    std::vector<PlanChange> single = pipelineChange(p, 1);
    single.push_back(setTp(1));
    single.push_back(setCp(1));
    out.push_back({ "Use TP 1, CP 1, PP 1", std::move(single) });
}

void offerExpertMesh(Candidates &out, const PlanContext &c, std::int64_t ranks)
{
    const ParallelPlan &p = c.plan;
    const auto works = [&](int ep) { return c.model.moe.experts % ep == 0 && p.gpus % (std::int64_t{ p.etp } * ep * p.pp) == 0; };
    for (const int ep : nearestValues(p.ep, mostExpertParallel, works))
        out.push_back({ fmt::format("Use EP {}", ep), { setEp(ep) } });
    if (p.etp > 1)
        out.push_back({ "Use ETP 1", { setEtp(1) } });
    offerPipelines(out, c, std::int64_t{ p.etp } * p.ep);
    const std::int64_t attention = std::int64_t{ p.tp } * p.cp * p.pp;
    const std::int64_t factor = attention / std::gcd(ranks, attention);
    if (factor <= mostGpus / ranks) // else no world is large enough for both meshes
        offerGpus(out, p.gpus, ranks * factor);
    out.push_back({ "Use EP 1, ETP 1", { setEp(1), setEtp(1) } });
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
    const auto works = [&](int value) { return experts % value == 0; };
    const std::vector<int> nearest = nearestValues(ep, std::min(experts, mostExpertParallel), works);
    c.findings.error("ep-experts", "plan.ep",
                     fmt::format("EP {} does not divide {} routed experts. {} work{}.", ep, experts,
                                 listOr({ nearest.begin(), nearest.end() }), nearest.size() == 1 ? "s" : ""),
                     [&](Candidates &out) {
                         for (const int value : nearest)
                             out.push_back({ fmt::format("Use EP {}", value), { setEp(value) } });
                         // Of the divisors, the nearest that also keeps the expert mesh.
                         const auto fits = [&](int value) {
                             return works(value) && c.plan.gpus % (std::int64_t{ c.plan.etp } * value * c.plan.pp) == 0;
                         };
                         for (const int value : nearestValues(ep, std::min(experts, mostExpertParallel), fits)) {
                             if (std::ranges::find(nearest, value) == nearest.end())
                                 out.push_back({ fmt::format("Use EP {}", value), { setEp(value) } });
                         }
                     });
}

void refuseExpertsOfDense(PlanContext &c)
{
    const std::string &who = c.model.title.empty() ? std::string("the model") : c.model.title;
    if (c.plan.ep > 1)
        c.findings.error("ep-dense", "plan.ep", fmt::format("EP {} has no experts to spread: {} is dense.", c.plan.ep, who),
                         [](Candidates &out) {
                             out.push_back({ "Use EP 1", { setEp(1) } });
                         });
    if (c.plan.etp > 1)
        c.findings.error("etp-dense", "plan.etp", fmt::format("ETP {} has no experts to cut: {} is dense.", c.plan.etp, who),
                         [](Candidates &out) {
                             out.push_back({ "Use ETP 1", { setEtp(1) } });
                         });
}

} // namespace

std::vector<PlanChange> pipelineChange(const ParallelPlan &plan, int pp)
{
    std::vector<PlanChange> out{ setPp(pp) };
    if (!std::holds_alternative<std::monostate>(plan.layout))
        out.push_back(setLayout({}));
    return out;
}

void checkAttentionMesh(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const std::int64_t ranks = std::int64_t{ p.tp } * p.cp * p.pp;
    if (p.gpus % ranks == 0) {
        c.groups.dp = p.gpus / ranks;
        return;
    }
    const std::string group = named({ { "TP", p.tp }, { "CP", p.cp }, { "PP", p.pp } });
    const bool single = group.find("·") == std::string::npos;
    const std::vector<std::int64_t> nearest = nearestMultiples(p.gpus, ranks, mostGpus);
    std::string message = p.gpus < ranks
        ? fmt::format("{} need{} {} GPUs, {} given.", group, single ? "s" : "", formatCount(ranks), formatCount(p.gpus))
        : fmt::format("{} GPUs do not divide by {}{}.", formatCount(p.gpus), group, single ? "" : " = " + formatCount(ranks));
    if (!nearest.empty())
        message += fmt::format(" {} work{}.", listOr(nearest), nearest.size() == 1 ? "s" : "");
    c.findings.error("gpus-mesh", "plan.gpus", std::move(message), [&](Candidates &out) { offerAttentionMesh(out, c, ranks); });
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
                         fmt::format("ETP {} does not divide the expert width {}.", p.etp, formatCount(width)),
                         [&](Candidates &out) {
                             for (const int v : nearestValues(p.etp, mostSplit, [&](int value) { return width % value == 0; }))
                                 out.push_back({ fmt::format("Use ETP {}", v), { setEtp(v) } });
                         });
    }
    // A world that fails for the pipeline alone is reported by the attention mesh.
    if (c.groups.edp > 0 || p.gpus % p.pp != 0)
        return;
    c.findings.error("ep-mesh", "plan.ep",
                     fmt::format("The expert groups need a multiple of {} GPUs ({}), {} given.", formatCount(ranks),
                                 named({ { "ETP", p.etp }, { "EP", p.ep }, { "PP", p.pp } }), formatCount(p.gpus)),
                     [&](Candidates &out) { offerExpertMesh(out, c, ranks); });
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
            fmt::format("{} GPUs leave the last node with {} of {}.", formatCount(p.gpus), p.gpus % perNode, perNode),
            [&](Candidates &out) { offerGpus(out, p.gpus, perNode); });
    }
    if (p.tp > domain) {
        c.findings.warning("tp-nodes", "plan.tp",
                           fmt::format("TP {} exceeds the {} GPUs of the fast link: its collectives cross nodes.", p.tp, domain),
                           [&](Candidates &out) {
                               const auto works = [&](int tp) {
                                   return tp <= domain && p.gpus % (std::int64_t{ tp } * p.cp * p.pp) == 0;
                               };
                               for (const int tp : nearestValues(p.tp, mostSplit, works))
                                   out.push_back({ fmt::format("Use TP {}", tp), { setTp(tp) } });
                           });
    }
    if (c.hasExperts() && c.groups.expertNodes > 1 && c.model.moe.experts % p.ep == 0)
        c.findings.warning("ep-nodes", "plan.ep", c.findings.wantsWords() ? remoteShare(c) : std::string());
}

void describeSatisfied(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const Groups &g = c.groups;
    if (g.dp < 1)
        return;
    const std::string attention = product({ p.tp, p.cp, p.pp, g.dp });
    if (!c.hasExperts()) {
        c.findings.info("meshes", "plan.gpus", fmt::format("Mesh: {} = {}", attention, formatCount(p.gpus)));
    } else if (g.edp > 0) {
        c.findings.info(
            "meshes", "plan.gpus",
            fmt::format("Both meshes: {} = {} = {}", attention, product({ p.etp, p.ep, p.pp, g.edp }), formatCount(p.gpus)));
    }
}

} // namespace pipeloom
