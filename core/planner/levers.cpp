// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planner/levers.h"

#include "core/plan/groups.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

struct Candidate
{
    std::string label;
    std::string note;
    std::vector<Setting> set;
    bool stepModelled = true;
};

struct ModuleText
{
    Recompute::Module module;
    const char *name;
    const char *note;
};

constexpr std::array<ModuleText, 7> modules = { {
    { Recompute::MoeActivation, "moe_act", "the experts' activation outputs again" },
    { Recompute::LayerNorm, "layernorm", "both norms' outputs again" },
    { Recompute::MlaUpProjection, "mla_up_proj", "q, k and v from their latents again" },
    { Recompute::CoreAttention, "core_attn", "the attention matrix again" },
    { Recompute::Mlp, "mlp", "the dense MLPs again" },
    { Recompute::SharedExperts, "shared_experts", "the shared experts again" },
    { Recompute::Moe, "moe", "the MoE block again, with its all-to-all" },
} };

std::string moduleList(std::uint32_t bits)
{
    std::string list;
    for (const ModuleText &m : modules) {
        if ((bits & m.module) != 0)
            list += fmt::format("{}\"{}\"", list.empty() ? "" : ",", m.name);
    }
    return "[" + list + "]";
}

void addRecompute(std::vector<Candidate> &out, const Scenario &s)
{
    if (s.recompute.full)
        return;
    for (const ModuleText &m : modules) {
        if (!s.recompute.drops(m.module)) {
            out.push_back(
                { fmt::format("Recompute {}", m.name), m.note, { { "recompute", moduleList(s.recompute.modules | m.module) } } });
        }
    }
    out.push_back({ "Recompute full", "every layer again, only its input kept", { { "recompute", "\"full\"" } } });
}

void addSizes(std::vector<Candidate> &out, const Scenario &s)
{
    const auto doubled = [&out](const char *path, const char *label, int value, const char *note) {
        out.push_back({ fmt::format("{} {}", label, value), note, { { path, std::to_string(value) } } });
    };
    doubled("plan.pp", "PP", 2 * s.plan.pp, "half the layers a stage");
    doubled("plan.tp", "TP", 2 * s.plan.tp, "dense matrices and sequences cut once more");
    doubled("plan.cp", "CP", 2 * s.plan.cp, "half the tokens a rank");
    if (s.model.moe.experts > 0)
        doubled("plan.ep", "EP", 2 * s.plan.ep, "half the experts a rank");
    if (s.plan.microBatch > 1)
        doubled("plan.micro_batch", "Micro-batch", s.plan.microBatch / 2, "half the tokens in flight");
    if (s.plan.shardingStage() < 3)
        doubled("plan.zero", "ZeRO", s.plan.zero + 1,
                s.plan.zero == 0       ? "optimizer states shared"
                    : s.plan.zero == 1 ? "gradients shared"
                                       : "weights shared");
    if (!s.plan.fsdp)
        out.push_back({ "FSDP", "all states shared, layers gathered", { { "plan.fsdp", "true" } } });
}

void addPrecision(std::vector<Candidate> &out, const Scenario &s)
{
    if (s.precision.mainGrad > 2)
        out.push_back({ "BF16 main gradients", "changes numerics", { { "precision.main_grad", "\"bf16\"" } } });
    if (s.precision.moments > 4)
        out.push_back({ "BF16 moments", "changes numerics", { { "precision.moment", "\"bf16\"" } } });
    if (!s.plan.optimizerOffload)
        out.push_back({ "Offload optimizer states", "needs host memory", { { "plan.optimizer_offload", "true" } }, false });
}

void addSchedules(std::vector<Candidate> &out, const Scenario &s)
{
    for (const ScheduleKind kind : { ScheduleKind::OneForwardOneBackward, ScheduleKind::DualPipeV, ScheduleKind::ZeroBubbleV }) {
        if (kind != s.plan.schedule && canGenerate(kind)) {
            out.push_back({ std::string(title(kind)),
                            "another order of the same work",
                            { { "plan.schedule", fmt::format("\"{}\"", name(kind)) } } });
        }
    }
}

const RankMemory &worst(const Evaluation &e) { return e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)]; }

} // namespace

std::vector<MemoryLever> memoryLevers(const Scenario &scenario, const std::stop_token &stop)
{
    std::vector<MemoryLever> out;
    const auto base = evaluate(scenario, stop);
    if (!base || !base->valid)
        return out;
    std::vector<Candidate> candidates;
    addRecompute(candidates, scenario);
    addSizes(candidates, scenario);
    addPrecision(candidates, scenario);
    addSchedules(candidates, scenario);
    for (Candidate &candidate : candidates) {
        const Expected<Scenario> changed = applySettings(scenario, candidate.set);
        if (!changed || !planRuns(changed->model, changed->cluster, changed->plan))
            continue;
        const auto e = evaluate(*changed, stop);
        if (!e)
            return {};
        if (!e->valid || worst(*e).peak >= worst(*base).peak)
            continue;
        if (e->groups.microbatches != base->groups.microbatches)
            candidate.label += fmt::format(", M {}", e->groups.microbatches);
        out.push_back({ std::move(candidate.label), std::move(candidate.note), std::move(candidate.set), worst(*e).peak,
                        worst(*e).rank, worst(*e).phase, e->memory.verdict, e->time.step, candidate.stepModelled });
    }
    std::ranges::stable_sort(out, [](const MemoryLever &a, const MemoryLever &b) {
        const bool aFits = a.verdict == Verdict::Fits;
        const bool bFits = b.verdict == Verdict::Fits;
        if (aFits != bFits)
            return aFits;
        return aFits ? a.step < b.step : a.peak < b.peak;
    });
    return out;
}

} // namespace pipeloom
