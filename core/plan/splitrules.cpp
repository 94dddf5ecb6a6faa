// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of the numbers, and what tensor, context and sequence parallelism ask of the model (Megatron-Core arguments and
// transformer_config: heads % TP, query groups and TP divide one another, widths % TP, sequence % (2 CP), sequence parallelism
// under EP).
#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/plan/planrules.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>

namespace pipeloom
{

namespace
{

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
    if (model.moe.sharedWidth % tp != 0)
        return model.moe.sharedWidth;
    return model.moe.residualWidth % tp != 0 ? model.moe.residualWidth : 0;
}

} // namespace

bool checkRanges(PlanContext &c)
{
    for (const PlanNumber &n : planNumbers()) {
        if (n.inRange(c.plan))
            continue;
        const std::int64_t value = n.get(c.plan);
        c.findings.error(n.rangeCode, n.path, [&] {
            return fmt::format("{} {} is too {}. It goes from {} to {}.", n.label, formatCount(value),
                               value < n.least ? "small" : "large", n.least, formatCount(n.most));
        });
    }
    const std::int64_t tokens = std::int64_t{ c.plan.microBatch } * c.plan.seq;
    if (!c.findings.hasError() && tokens > mostTokens(c.model)) {
        c.findings.error("range-tokens", "plan.micro_batch", [&] {
            return fmt::format("{} tokens a microbatch are too many. At most {} are modelled.", formatCount(tokens),
                               formatCount(mostTokens(c.model)));
        });
    }
    if (c.model.layers < 1)
        c.findings.error("model-layers", "model",
                         [&] { return fmt::format("The model has {} layers. It needs at least 1.", c.model.layers); });
    return !c.findings.hasError();
}

void checkTensorSplit(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const AttentionSpec &a = c.model.attention;
    if (a.heads % p.tp != 0)
        c.findings.error("tp-heads", "plan.tp", [&] {
            return fmt::format("TP {} does not divide {}.", p.tp, formatCounted(a.heads, "attention head"));
        });
    if (!keyValueWorks(a, p.tp)) {
        c.findings.error("tp-kv-heads", "plan.tp", [&] {
            return fmt::format("TP {} and {}: one must divide the other.", p.tp, formatCounted(a.kvHeads, "key-value head"));
        });
    } else if (a.kind == AttentionKind::GroupedQuery && a.kvHeads > 0 && p.tp > a.kvHeads) {
        c.findings.warning("tp-kv-copies", "plan.tp", [&] {
            return fmt::format("TP {} exceeds {}: each is kept {} times.", p.tp, formatCounted(a.kvHeads, "key-value head"),
                               p.tp / a.kvHeads);
        });
    }
    if (const std::int64_t width = cutWidths(c.model, p.tp); width != 0)
        c.findings.error("tp-width", "plan.tp",
                         [&] { return fmt::format("TP {} does not divide the MLP width {}.", p.tp, formatCount(width)); });
    if (p.tp > 1 && c.model.vocab % p.tp != 0)
        c.findings.info("vocab-padding", "plan.tp", [&] {
            return fmt::format("Vocabulary {} is padded to a multiple of TP {}", formatCount(c.model.vocab), p.tp);
        });
    const MoeSpec &moe = c.model.moe;
    if (moe.experts > 0 && moe.groups > 1 && moe.topGroups > 0 && moe.topK % moe.topGroups != 0)
        c.findings.error("router-groups", "model", [&] {
            return fmt::format("Top-k {} does not divide by the {} expert groups a token may use.", moe.topK, moe.topGroups);
        });
}

void checkSequenceSplit(PlanContext &c)
{
    const ParallelPlan &p = c.plan;
    const std::int64_t halves =
        p.cp > 1 ? std::int64_t{ 2 } * p.cp : 1; // each rank takes one early and one late piece: causal balance
    const bool cutByTp = p.sequenceParallel && p.tp > 1;
    const std::int64_t step = std::lcm(halves, cutByTp ? std::int64_t{ p.cp } * p.tp : 1);
    if (p.seq % halves != 0) {
        c.findings.error("cp-sequence", "plan.cp", [&] {
            return fmt::format("CP {} needs a sequence that divides by {}, {} does not.", p.cp, formatCount(halves),
                               formatCount(p.seq));
        });
    } else if (cutByTp && p.seq % step != 0) {
        c.findings.error("tp-sequence", "plan.tp", [&] {
            return fmt::format("Sequence parallelism over TP {}{} needs a sequence that divides by {}, {} does not.", p.tp,
                               p.cp > 1 ? fmt::format(" and CP {}", p.cp) : "", formatCount(step), formatCount(p.seq));
        });
    }
    if (p.tp > 1 && p.ep > 1 && !p.sequenceParallel && c.hasExperts()) {
        c.findings.error(
            "sequence-parallel", "plan.sequence_parallel",
            [&] {
                return fmt::format(
                    "TP {} with EP {} needs sequence parallelism: without it every TP rank dispatches the same tokens.", p.tp,
                    p.ep);
            },
            [&](Candidates &out) {
                Candidate candidate{ c.plan, "Turn on sequence parallelism" };
                candidate.plan.sequenceParallel = true;
                out.push_back(std::move(candidate));
            });
    }
}

} // namespace pipeloom
