// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/runtimecheck.h"

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

Diagnostic finding(Severity severity, std::string code, std::string field, std::string message, std::vector<Fix> fixes = {})
{
    return { severity, std::move(code), std::move(field), std::move(message), std::move(fixes) };
}

void checkExchange(Diagnostics &out, const Scenario &s)
{
    if (s.model.moe.experts == 0 || s.runtime.moe == "deepep" || s.runtime.moe == "megatron-alltoall")
        return;
    out.push_back(
        finding(Severity::Error, "runtime-moe", "runtime.moe",
                fmt::format("The MoE runtime {} is not modelled yet. DeepEP and Megatron's all-to-all are.", s.runtime.moe),
                { { "Use deepep", { { "runtime.moe", "\"deepep\"" } } },
                  { "Use megatron-alltoall", { { "runtime.moe", "\"megatron-alltoall\"" } } } }));
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
    without(Recompute::CoreAttention, false, "core_attn", "fused attention keeps nothing that it could drop");
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
    checkPrecision(out, scenario);
    checkProfile(out, scenario);
    checkRecompute(out, scenario);
    checkOffload(out, scenario);
    return out;
}

} // namespace pipeloom
