// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of the numbers, and what tensor, context and sequence parallelism ask of the model (Megatron-Core arguments and
// transformer_config: heads % TP, query groups and TP divide one another, widths % TP, sequence % (2 CP), sequence parallelism
// under EP).
#include "core/base/format.h"
#include "core/plan/planrules.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>

namespace pipeloom
{

namespace
{

struct Range
{
    const char *field;
    const char *label;
    std::int64_t value;
    std::int64_t least;
    std::int64_t most;
    std::function<PlanChange(std::int64_t)> change;
};

template<class Set>
std::function<PlanChange(std::int64_t)> asInt(Set set)
{
    return [set](std::int64_t value) { return set(static_cast<int>(value)); };
}

std::vector<Range> ranges(const ParallelPlan &p)
{
    return { { "plan.gpus", "GPU count", p.gpus, 1, mostGpus, setGpus },
             { "plan.tp", "TP", p.tp, 1, mostSplit, asInt(setTp) },
             { "plan.pp", "PP", p.pp, 1, mostSplit, asInt(setPp) },
             { "plan.vpp", "VPP", p.vpp, 1, mostChunksPerRank, asInt(setVpp) },
             { "plan.ep", "EP", p.ep, 1, mostExpertParallel, asInt(setEp) },
             { "plan.etp", "ETP", p.etp, 1, mostSplit, asInt(setEtp) },
             { "plan.cp", "CP", p.cp, 1, mostSplit, asInt(setCp) },
             { "plan.micro_batch", "Micro-batch", p.microBatch, 1, mostMicroBatch, asInt(setMicroBatch) },
             { "plan.global_batch", "Global batch", p.globalBatch, 1, mostGlobalBatch, setGlobalBatch },
             { "plan.seq", "Sequence", p.seq, 1, mostSequence, asInt(setSeq) },
             { "plan.zero", "ZeRO", p.zero, 0, 3, asInt(setZero) } };
}

/// What TP must divide: the heads, the key-value heads one way or the other, and the widths that are cut.
bool keyValueWorks(const AttentionSpec &a, int tp)
{
    if (a.kind == AttentionKind::Latent || a.kvHeads < 1)
        return true;
    return a.kvHeads % tp == 0 || tp % a.kvHeads == 0;
}

std::int64_t cutWidths(const ModelSpec &model, int tp)
{
    if (model.denseWidth % tp != 0)
        return model.denseWidth;
    return model.moe.sharedWidth % tp != 0 ? model.moe.sharedWidth : 0;
}

bool tensorWorks(const ModelSpec &model, int tp)
{
    return model.attention.heads % tp == 0 && keyValueWorks(model.attention, tp) && cutWidths(model, tp) == 0;
}

void offerTensor(Candidates &out, const PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const auto works = [&](int tp) { return tensorWorks(c.model, tp); };
    const auto fits = [&](int tp) { return works(tp) && p.gpus % (std::int64_t{ tp } * p.cp * p.pp) == 0; };
    for (const auto &rule : { std::function<bool(int)>(fits), std::function<bool(int)>(works) }) {
        for (const int tp : nearestValues(p.tp, mostSplit, rule))
            out.push_back({ fmt::format("Use TP {}", tp), { setTp(tp) } });
    }
}

} // namespace

bool checkRanges(PlanContext &c)
{
    for (const Range &r : ranges(c.plan)) {
        if (r.value >= r.least && r.value <= r.most)
            continue;
        const std::int64_t limit = r.value < r.least ? r.least : r.most;
        c.findings.error("range-" + std::string(r.field).substr(5), r.field,
                         fmt::format("{} {} is too {}. It goes from {} to {}.", r.label, formatCount(r.value),
                                     r.value < r.least ? "small" : "large", r.least, formatCount(r.most)),
                         [&](Candidates &out) {
                             out.push_back({ fmt::format("Use {} {}", r.label, formatCount(limit)), { r.change(limit) } });
                         });
    }
    const std::int64_t tokens = std::int64_t{ c.plan.microBatch } * c.plan.seq;
    if (!c.findings.hasError() && tokens > mostTokens) {
        c.findings.error(
            "range-tokens", "plan.micro_batch",
            fmt::format("{} tokens a microbatch are too many. At most {} are modelled.", formatCount(tokens),
                        formatCount(mostTokens)),
            [&](Candidates &out) {
                const auto fitting = static_cast<int>(mostTokens / c.plan.seq);
                if (fitting >= 1)
                    out.push_back({ fmt::format("Use micro-batch {}", formatCount(fitting)), { setMicroBatch(fitting) } });
                const auto shorter = static_cast<int>(mostTokens / c.plan.microBatch);
                out.push_back({ fmt::format("Use sequence {}", formatCount(shorter)), { setSeq(shorter) } });
            });
    }
    if (c.model.layers < 1)
        c.findings.error("model-layers", "model", fmt::format("The model has {} layers. It needs at least 1.", c.model.layers));
    return !c.findings.hasError();
}

void checkTensorSplit(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const AttentionSpec &a = c.model.attention;
    const auto repairs = [&](Candidates &out) { offerTensor(out, c); };
    if (a.heads % p.tp != 0)
        c.findings.error("tp-heads", "plan.tp", fmt::format("TP {} does not divide {} attention heads.", p.tp, a.heads), repairs);
    if (!keyValueWorks(a, p.tp)) {
        c.findings.error("tp-kv-heads", "plan.tp",
                         fmt::format("TP {} and {} key-value heads: one must divide the other.", p.tp, a.kvHeads), repairs);
    } else if (a.kind == AttentionKind::GroupedQuery && a.kvHeads > 0 && p.tp > a.kvHeads) {
        c.findings.warning(
            "tp-kv-copies", "plan.tp",
            fmt::format("TP {} exceeds {} key-value heads: each is kept {} times.", p.tp, a.kvHeads, p.tp / a.kvHeads));
    }
    if (const std::int64_t width = cutWidths(c.model, p.tp); width != 0)
        c.findings.error("tp-width", "plan.tp", fmt::format("TP {} does not divide the MLP width {}.", p.tp, formatCount(width)),
                         repairs);
    if (p.tp > 1 && c.model.vocab % p.tp != 0)
        c.findings.info("vocab-padding", "plan.tp",
                        fmt::format("Vocabulary {} is padded to a multiple of TP {}", formatCount(c.model.vocab), p.tp));
    const MoeSpec &moe = c.model.moe;
    if (moe.experts > 0 && moe.groups > 1 && moe.topGroups > 0 && moe.topK % moe.topGroups != 0)
        c.findings.error(
            "router-groups", "model",
            fmt::format("Top-k {} does not divide by the {} expert groups a token may use.", moe.topK, moe.topGroups));
}

void checkSequenceSplit(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const std::int64_t halves =
        p.cp > 1 ? std::int64_t{ 2 } * p.cp : 1; // each rank takes one early and one late piece: causal balance
    const bool cutByTp = p.sequenceParallel && p.tp > 1;
    const std::int64_t step = std::lcm(halves, cutByTp ? std::int64_t{ p.cp } * p.tp : 1);
    const auto offerSequences = [&](Candidates &out) {
        for (const std::int64_t seq : nearestMultiples(p.seq, step, mostSequence))
            out.push_back({ fmt::format("Use sequence {}", formatCount(seq)), { setSeq(static_cast<int>(seq)) } });
    };
    if (p.seq % halves != 0) {
        c.findings.error(
            "cp-sequence", "plan.cp",
            fmt::format("CP {} needs a sequence that divides by {}, {} does not.", p.cp, formatCount(halves), formatCount(p.seq)),
            [&](Candidates &out) {
                const auto works = [&](int cp) { return cp == 1 || p.seq % (2 * cp) == 0; };
                for (const int cp : nearestValues(p.cp, mostSplit, works))
                    out.push_back({ fmt::format("Use CP {}", cp), { setCp(cp) } });
                offerSequences(out);
                out.push_back({ "Use CP 1", { setCp(1) } });
            });
    } else if (cutByTp && p.seq % step != 0) {
        c.findings.error("tp-sequence", "plan.tp",
                         fmt::format("Sequence parallelism over TP {}{} needs a sequence that divides by {}, {} does not.", p.tp,
                                     p.cp > 1 ? fmt::format(" and CP {}", p.cp) : "", formatCount(step), formatCount(p.seq)),
                         [&](Candidates &out) {
                             offerSequences(out);
                             const auto works = [&](int tp) { return p.seq % std::lcm(halves, std::int64_t{ p.cp } * tp) == 0; };
                             for (const int tp : nearestValues(p.tp, mostSplit, works))
                                 out.push_back({ fmt::format("Use TP {}", tp), { setTp(tp) } });
                             out.push_back({ "Use TP 1", { setTp(1) } });
                         });
    }
    if (p.tp > 1 && p.ep > 1 && !p.sequenceParallel && c.hasExperts()) {
        c.findings.error(
            "sequence-parallel", "plan.sequence_parallel",
            fmt::format("TP {} with EP {} needs sequence parallelism: without it every TP rank dispatches the same tokens.", p.tp,
                        p.ep),
            [](Candidates &out) {
                out.push_back({ "Turn on sequence parallelism", { setSequenceParallel(true) } });
                out.push_back({ "Use TP 1", { setTp(1) } });
            });
    }
}

} // namespace pipeloom
