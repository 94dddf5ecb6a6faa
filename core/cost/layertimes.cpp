// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/layertimes.h"

#include "core/cost/memorybound.h"
#include "core/model/counts.h"

#include <vector>

namespace pipeloom
{

namespace
{

/// Which block a matmul belongs to, for recompute.
enum class Block
{
    Attention,
    UpProjection, ///< MLA q and kv up-projections
    Mlp, ///< dense MLP
    Router,
    Routed,
    Shared,
};

/// A matmul as the framework launches it (gate and up fused, query and rotary parts fused), on one rank.
struct Gemm
{
    Block block;
    double rows; ///< of one launch, or of one expert
    double n;
    double k;
    double count = 1; ///< experts on the rank in a grouped launch
    bool fp8 = true;
};

using Gemms = std::vector<Gemm>;

void addAttention(Gemms &out, const Scenario &s, const RankTokens &n)
{
    const AttentionSpec &a = s.model.attention;
    const double h = s.model.hidden;
    const double heads = static_cast<double>(a.heads) / s.plan.tp;
    if (a.kind == AttentionKind::GroupedQuery) {
        const double kvHeads = a.kvHeads >= s.plan.tp ? static_cast<double>(a.kvHeads) / s.plan.tp : 1.0;
        out.push_back({ Block::Attention, n.tokens, (heads + 2 * kvHeads) * a.headDim, h });
    } else {
        const double queries = heads * a.qkDim();
        if (a.queryRank > 0) {
            out.push_back({ Block::Attention, n.sequenceShard, static_cast<double>(a.queryRank), h });
            out.push_back({ Block::UpProjection, n.tokens, queries, static_cast<double>(a.queryRank) });
        } else {
            out.push_back({ Block::Attention, n.tokens, queries, h });
        }
        out.push_back({ Block::Attention, n.sequenceShard, static_cast<double>(a.kvRank + a.ropeDim), h });
        out.push_back({ Block::UpProjection, n.tokens, heads * (a.nopeDim + a.valueDim), static_cast<double>(a.kvRank) });
    }
    out.push_back({ Block::Attention, n.tokens, h, heads * a.vDim() });
}

void addMlp(Gemms &out, const Scenario &s, Block block, double rows, double width, double count)
{
    const double h = s.model.hidden;
    out.push_back({ block, rows, (s.model.mlpMatrices - 1) * width, h, count });
    out.push_back({ block, rows, h, width, count });
}

Gemms layerGemms(const Scenario &s, LayerKind kind, const RankTokens &n)
{
    Gemms out;
    out.reserve(12);
    addAttention(out, s, n);
    if (kind == LayerKind::Dense) {
        addMlp(out, s, Block::Mlp, n.tokens, static_cast<double>(s.model.denseWidth) / s.plan.tp, 1);
        return out;
    }
    const MoeSpec &moe = s.model.moe;
    out.push_back(
        { Block::Router, n.sequenceShard, static_cast<double>(moe.experts), static_cast<double>(s.model.hidden), 1, false });
    const double experts = static_cast<double>(moe.experts) / s.plan.ep;
    addMlp(out, s, Block::Routed, n.routed / experts, static_cast<double>(moe.expertWidth) / s.plan.etp, experts);
    if (moe.besideWidth() > 0)
        addMlp(out, s, Block::Shared, n.tokens, static_cast<double>(moe.besideWidth()) / s.plan.tp, 1);
    return out;
}

bool repeats(const Recompute &r, Block block)
{
    switch (block) {
    case Block::Attention:
        return r.full;
    case Block::UpProjection:
        return r.full || r.drops(Recompute::MlaUpProjection);
    case Block::Mlp:
        return r.full || r.drops(Recompute::Mlp);
    case Block::Router:
    case Block::Routed:
        return r.full || r.drops(Recompute::Moe);
    case Block::Shared:
        return r.full || r.drops(Recompute::Moe) || r.drops(Recompute::SharedExperts);
    }
    return false;
}

/// Forward seconds of the memory-bound kernels of the MLP block that the setting repeats.
double repeatedInMlp(const Recompute &r, const MemoryBound &memory, LayerKind kind)
{
    if (r.full || (kind == LayerKind::Moe ? r.drops(Recompute::Moe) : r.drops(Recompute::Mlp)))
        return memory.moe;
    return r.drops(Recompute::MoeActivation) ? memory.activation : 0;
}

/// The same of the whole layer.
double repeatedMemoryBound(const Recompute &r, const MemoryBound &memory, LayerKind kind)
{
    if (r.full)
        return memory.f;
    double seconds = repeatedInMlp(r, memory, kind);
    if (r.drops(Recompute::LayerNorm))
        seconds += memory.norms;
    if (r.drops(Recompute::MlaUpProjection))
        seconds += memory.upProjection;
    return seconds;
}

} // namespace

LayerCompute layerCompute(const Scenario &s, LayerKind kind, GpuShare share, const RankTokens &tokens)
{
    LayerCompute out;
    double total = 0;
    double routed = 0;
    for (const Gemm &g : layerGemms(s, kind, tokens)) {
        const bool fp8 = g.fp8 && s.precision.fp8Compute;
        const double forward = g.count * gemmSeconds(s.cluster, fp8, GemmKind::Forward, share, g.rows, g.n, g.k);
        const double weight = g.count * gemmSeconds(s.cluster, fp8, GemmKind::WeightGradient, share, g.rows, g.n, g.k);
        const double again = repeats(s.recompute, g.block) ? forward : 0;
        out.f += forward;
        out.bi += forward + again;
        out.w += weight;
        out.recompute += again;
        out.matmul += 2 * forward + again + weight;
        if (g.block == Block::Attention || g.block == Block::UpProjection) {
            out.attentionF += forward;
            out.attentionBi += forward + again;
            out.attentionW += weight;
        }
        if (g.block == Block::Routed)
            routed += 2 * forward + again + weight;
    }
    const FlopCounts flops = countFlops(s.model, s.plan.seq);
    const double perRank = tokens.tokens / s.plan.tp;
    const double core = attentionSeconds(s.cluster, share, flops.attentionCore * perRank, false);
    const double coreBackward = attentionSeconds(s.cluster, share, flops.attentionCoreBackwardHardware * perRank, true);
    const bool scoresAgain = s.runtime.materialisesScores() && s.recompute.drops(Recompute::CoreAttention);
    const double coreAgain = s.recompute.full || scoresAgain ? core : 0;
    out.f += core;
    out.bi += coreBackward + coreAgain;
    out.recompute += coreAgain;
    out.attention = core + coreBackward + coreAgain;

    const MemoryBound memory = memoryBoundSeconds(s, kind, tokens);
    const double memoryAgain = repeatedMemoryBound(s.recompute, memory, kind);
    out.f += memory.f;
    out.bi += memory.bi + memoryAgain;
    out.w += memory.w;
    out.recompute += memoryAgain;
    out.memoryBound = memory.f + memory.bi + memory.w + memoryAgain;
    const double mlpAgain = repeatedInMlp(s.recompute, memory, kind);
    out.attentionF += core + memory.f - memory.moe;
    out.attentionBi += coreBackward + coreAgain + memory.bi - memory.mlpBi + memoryAgain - mlpAgain;
    out.attentionW += memory.w - memory.mlpW;
    total = out.f + out.bi + out.w;
    out.routedShare = total > 0 ? (routed + memory.routed) / total : 0;
    return out;
}

HeadCompute headCompute(const Scenario &s, GpuShare share, const RankTokens &tokens)
{
    const double vocab = static_cast<double>(s.model.vocab) / s.plan.tp;
    const double h = s.model.hidden;
    const double logits = tokens.tokens * vocab;
    HeadCompute out;
    // The head runs in BF16 (DeepSeek-V3 report 3.3.1). Logits are written and read once each way; softmax reads them once more.
    const double matmul = gemmSeconds(s.cluster, false, GemmKind::Forward, share, tokens.tokens, vocab, h);
    out.f = matmul + streamSeconds(s.cluster, 3 * 2 * logits);
    out.bi = matmul + streamSeconds(s.cluster, 2 * 2 * logits);
    out.w = gemmSeconds(s.cluster, false, GemmKind::WeightGradient, share, tokens.tokens, vocab, h);
    return out;
}

HeadCompute embeddingCompute(const Scenario &s, const RankTokens &tokens)
{
    const double bytes = tokens.tokens * s.model.hidden;
    // Forward: read and write bf16 rows. Backward: read bf16, add into main gradients; all of it is weight gradient.
    return { streamSeconds(s.cluster, 4 * bytes), 0, streamSeconds(s.cluster, (2 + 2 * s.precision.mainGrad) * bytes) };
}

HeadCompute mtpProjectionCompute(const Scenario &s, GpuShare share, const RankTokens &tokens)
{
    const double h = s.model.hidden;
    const bool fp8 = s.precision.fp8Compute;
    const double matmul = gemmSeconds(s.cluster, fp8, GemmKind::Forward, share, tokens.sequenceShard, h, 2 * h);
    const double norms = streamSeconds(s.cluster, 3 * 4 * tokens.sequenceShard * h);
    return { matmul + norms, matmul + 2 * norms,
             gemmSeconds(s.cluster, fp8, GemmKind::WeightGradient, share, tokens.sequenceShard, h, 2 * h) };
}

} // namespace pipeloom
