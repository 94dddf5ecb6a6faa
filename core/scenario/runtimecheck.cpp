// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/runtimecheck.h"

#include "core/base/format.h"
#include "core/memory/layertensors.h"
#include "core/memory/moepolicy.h"
#include "core/plan/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

Diagnostic finding(Severity severity, std::string code, std::string field, std::string message, std::vector<Fix> fixes = {})
{
    return { severity, std::move(code), std::move(field), std::move(message), std::move(fixes) };
}

Fix useMoe(const std::string &name) { return { "Use " + name, { { "runtime.moe", '"' + name + '"' } } }; }

Fix sizes(const ParallelPlan &plan, const ParallelPlan &before)
{
    Fix fix;
    const auto change = [&fix](const char *path, const char *name, int now, int then) {
        if (now == then)
            return;
        fix.label += fmt::format("{}{} {}", fix.label.empty() ? "" : ", ", name, now);
        fix.set.push_back({ path, std::to_string(now) });
    };
    change("plan.tp", "TP", plan.tp, before.tp);
    change("plan.ep", "EP", plan.ep, before.ep);
    change("plan.etp", "ETP", plan.etp, before.etp);
    return fix;
}

/// The plan with experts cut `etp` ways, with the largest EP that runs with it, and with attention cut as experts are; the first
/// that runs on these GPUs. When something else is wrong with the plan as well, nothing would: then ETP alone.
std::vector<Fix> expertTensorFixes(const Scenario &s, int etp)
{
    ParallelPlan plan = s.plan;
    plan.sequenceParallel = true;
    plan.etp = etp;
    const ParallelPlan first = plan;
    if (planRuns(s.model, s.cluster, plan))
        return { sizes(plan, s.plan) };
    for (int ep = std::min(s.plan.ep, s.model.moe.experts); ep >= 1; --ep) {
        plan.ep = ep;
        if (s.model.moe.experts % ep == 0 && planRuns(s.model, s.cluster, plan))
            return { sizes(plan, s.plan) };
    }
    plan = s.plan;
    plan.sequenceParallel = true;
    plan.tp = s.plan.etp;
    if (etp != 1 && planRuns(s.model, s.cluster, plan))
        return { sizes(plan, s.plan) };
    return { sizes(first, s.plan) };
}

void checkExpertTensor(Diagnostics &out, const Scenario &s, const MoePolicy &policy)
{
    if (policy.expertTensor == MoePolicy::ExpertTensor::One && s.plan.etp > 1) {
        out.push_back(finding(Severity::Error, "runtime-etp", "plan.etp",
                              fmt::format("Under {} experts stay whole, but ETP is {}.", policy.title, s.plan.etp),
                              expertTensorFixes(s, 1)));
    }
    if (policy.expertTensor == MoePolicy::ExpertTensor::AsTensor && s.plan.etp != s.plan.tp) {
        std::vector<Fix> fixes = expertTensorFixes(s, s.plan.tp);
        if (std::string_view(policy.name) == "x-moe" && s.plan.etp == 1)
            fixes.push_back(useMoe("x-moe-ssmb"));
        out.push_back(finding(Severity::Error, "runtime-etp", "plan.etp",
                              fmt::format("Under {} experts are cut as attention is, but ETP is {} and TP is {}.", policy.title,
                                          s.plan.etp, s.plan.tp),
                              std::move(fixes)));
    }
}

/// Padded slots, masks and scores grow with the square of the tokens; the plan's own rule bounds what grows with the tokens.
void checkSize(Diagnostics &out, const Scenario &s)
{
    const ParallelPlan &p = s.plan;
    if (p.seq < 1 || p.microBatch < 1 || p.cp < 1 || p.tp < 1 || p.etp < 1 || s.model.moe.topK < 1)
        return;
    const Scenario run = asRun(s);
    RoutingLoad worst; // one expert gets every token
    worst.expertMaxOverMean = static_cast<double>(s.model.moe.experts) / s.model.moe.topK;
    const RankTokens tokens = rankTokens(run, bufferLoad(run, worst).rowsOverMean);
    const double bytes = s.model.layers * keptBytes(layerTensors(run, LayerKind::Moe, tokens), Recompute{});
    // 4,096 microbatches in flight of this size still fit 64 bits.
    constexpr double most = 1e15;
    if (bytes > most) {
        out.push_back(finding(Severity::Error, "runtime-size", "runtime.moe",
                              fmt::format("A microbatch of {} tokens may keep more than 10^15 bytes under {}.",
                                          formatCount(std::llround(tokens.tokens)), moePolicy(s).title),
                              { useMoe(standInExchange) }));
    }
}

void checkExchange(Diagnostics &out, const Scenario &s)
{
    const MoePolicy *policy = findMoePolicy(s.runtime.moe);
    if (!policy) {
        out.push_back(finding(Severity::Error, "runtime-moe", "runtime.moe",
                              fmt::format("\"{}\" is no MoE runtime.", s.runtime.moe), { useMoe(standInExchange) }));
        return;
    }
    if (s.model.moe.experts == 0)
        return;
    if (!policy->timed) {
        out.push_back(
            finding(Severity::Warning, "runtime-moe", "runtime.moe",
                    fmt::format("Memory is that of {}. Times are those of {} instead: the runtime's own are not modelled yet.",
                                policy->title, findMoePolicy(standInExchange)->title),
                    { useMoe(standInExchange) }));
    }
    checkExpertTensor(out, s, *policy);
    checkSize(out, s);
}

void checkAttention(Diagnostics &out, const Scenario &s)
{
    if (!s.runtime.materialisesScores())
        return;
    out.push_back(finding(Severity::Warning, "runtime-attention", "runtime.attention",
                          "Memory is that of attention with materialised scores. Times are those of flash attention.",
                          { { "Use flash", { { "runtime.attention", "\"flash\"" } } } }));
}

void checkPrecision(Diagnostics &out, const Scenario &s)
{
    if (s.precision.fp8Compute && s.cluster.fp8Flops <= 0) {
        out.push_back(finding(Severity::Error, "precision-fp8", "precision",
                              fmt::format("{} has no FP8. The precision {} computes in FP8.", s.cluster.title, s.precision.title),
                              { { "Use BF16", { { "precision", "\"megatron-bf16\"" } } } }));
    }
}

void checkProfile(Diagnostics &out, const Scenario &s)
{
    if (s.timing.source != TimingSource::Calibrated)
        return;
    const TimingProfile &p = s.timing.profile;
    const std::vector<Fix> fixes = { { "Use the model", { { "timing", R"({"source":"model"})" } } } };
    if (s.model.moe.experts == 0) {
        out.push_back(finding(Severity::Error, "profile-dense", "timing.profile",
                              fmt::format("The profile {} holds MoE layers; {} has none.", p.name, s.model.title), fixes));
        return;
    }
    std::string differs;
    const auto note = [&differs](bool different, const std::string &text) {
        if (different)
            differs += (differs.empty() ? "" : ", ") + text;
    };
    note(!p.model.empty() && s.model.name != p.model, fmt::format("model {} instead of {}", s.model.name, p.model));
    note(!p.gpu.empty() && s.cluster.title.find(p.gpu) == std::string::npos,
         fmt::format("{} instead of {}", s.cluster.title, p.gpu));
    note(s.plan.tp != 1, fmt::format("TP {} instead of 1, scaled by the model", s.plan.tp));
    note(s.plan.cp != 1, fmt::format("CP {} instead of 1, scaled by the model", s.plan.cp));
    note(p.seq > 0 && s.plan.seq != p.seq, fmt::format("sequence {} instead of {}, scaled by the model", s.plan.seq, p.seq));
    note(p.microBatch > 0 && s.plan.microBatch != p.microBatch,
         fmt::format("micro-batch {} instead of {}, scaled by the model", s.plan.microBatch, p.microBatch));
    // The one bundled trace: what its training run computed in, recomputed, and how many ranks shared the experts.
    if (p.name == "deepseek-v3-h800") {
        note(!s.precision.fp8Compute, fmt::format("{} instead of FP8 compute", s.precision.title));
        note(s.recompute.name != "deepseek-v3", fmt::format("recompute {} instead of deepseek-v3", s.recompute.name));
        note(s.plan.ep != 64, fmt::format("EP {} instead of 64", s.plan.ep));
    }
    if (!differs.empty()) {
        out.push_back(finding(Severity::Warning, "profile-conditions", "timing.profile",
                              fmt::format("The profile {} was recorded under other conditions: {}.", p.name, differs), fixes));
    }
}

void checkRecompute(Diagnostics &out, const Scenario &s)
{
    // Megatron-DeepSpeed recomputes core attention or whole layers.
    if (!onMegatron(s) && !s.recompute.full && (s.recompute.modules & ~std::uint32_t{ Recompute::CoreAttention }) != 0) {
        out.push_back(finding(Severity::Warning, "recompute-no-effect", "recompute",
                              "Megatron-DeepSpeed recomputes core attention or whole layers; the other modules have no effect.",
                              { { "Recompute nothing", { { "recompute", "\"none\"" } } } }));
        return;
    }
    const bool hasDense = s.model.moe.experts == 0 || s.model.denseLayers > 0;
    const auto without = [&](Recompute::Module module, bool present, const char *moduleName, const char *reason) {
        if (s.recompute.name == "custom" && s.recompute.drops(module) && !present)
            out.push_back(finding(Severity::Warning, "recompute-no-effect", "recompute",
                                  fmt::format("Recompute {} has no effect: {}.", moduleName, reason)));
    };
    without(Recompute::Mlp, hasDense, "mlp", "this model has no dense MLP layers");
    without(Recompute::MoeActivation, s.model.moe.experts > 0, "moe_act", "this model has no experts");
    without(Recompute::Moe, s.model.moe.experts > 0, "moe", "this model has no experts");
    without(Recompute::SharedExperts, s.model.moe.sharedWidth > 0, "shared_experts", "this model has no shared experts");
    without(Recompute::MlaUpProjection, s.model.attention.kind == AttentionKind::Latent, "mla_up_proj",
            "this model has no latent attention");
    without(Recompute::CoreAttention, s.runtime.materialisesScores(), "core_attn",
            "fused attention keeps nothing that it could drop");
}

void checkOffload(Diagnostics &out, const Scenario &s)
{
    if (!s.plan.optimizerOffload)
        return;
    out.push_back(
        finding(Severity::Warning, "optimizer-offload", "plan.optimizer_offload",
                "Optimizer states lie in the memory of the node. Their bytes are modelled; the time of the transfers and "
                "of the step on the CPU is not: the step time is that of the GPU.",
                { { "Keep them on the GPU", { { "plan.optimizer_offload", "false" } } } }));
}

} // namespace

Diagnostics checkRuntime(const Scenario &scenario)
{
    Diagnostics out;
    checkExchange(out, scenario);
    checkAttention(out, scenario);
    checkPrecision(out, scenario);
    checkProfile(out, scenario);
    checkRecompute(out, scenario);
    checkOffload(out, scenario);
    return out;
}

} // namespace pipeloom
