// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/communication.h"

#include "core/cost/efficiency.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// One bf16 number, and an FP8 number with its share of the FP32 scale of a 1 x 128 tile.
constexpr double bf16Bytes = 2;
constexpr double fp8Bytes = 1 + 4.0 / 128;
/// Part of the data-parallel communication that runs under the last backwards.
constexpr double dataParallelOverlap = 0.5;

struct Fanout
{
    double remote = 0; ///< sends a token over the scale-out link
    double local = 0; ///< sends a token over the scale-up link
};

Fanout fanout(const Scenario &s, const Groups &groups, const RoutingLoad &routing)
{
    if (s.runtime.moe == "deepep")
        return { routing.remoteNodesPerToken, routing.ranksPerToken };
    const double copies = s.model.moe.topK;
    const double nodes = groups.expertNodes;
    const double perNode = groups.expertRanksPerNode;
    return { copies * (nodes - 1) / nodes, copies / nodes * (perNode - 1) / perNode };
}

/// Ring all-gather or reduce-scatter of `bytes` in total over `ranks`.
double ringSeconds(double bytes, double ranks, double bandwidth, double latency)
{
    return ranks > 1 ? bytes * (ranks - 1) / ranks / bandwidth + (ranks - 1) * latency : 0;
}

/// Half of an all-reduce over the tensor-parallel ranks: a gather or a scatter of all tokens' rows of `width` numbers in bf16.
double tensorRingSeconds(const Scenario &s, double width)
{
    const bool inNode = s.plan.tp <= s.cluster.scaleUpDomain;
    const double bandwidth = inNode ? s.cluster.scaleUpBandwidth : s.cluster.scaleOutBandwidth;
    const double latency = inNode ? s.cluster.scaleUpLatency : s.cluster.scaleOutLatency;
    return ringSeconds(rankTokens(s.model, s.plan, 1.0).tokens * width * bf16Bytes, s.plan.tp, bandwidth, latency);
}

/// Numbers of a token that enter the tensor-parallel part of attention.
double attentionInputWidth(const ModelSpec &model)
{
    const AttentionSpec &a = model.attention;
    if (a.kind != AttentionKind::Latent)
        return model.hidden;
    return (a.queryRank > 0 ? a.queryRank : model.hidden) + a.kvRank + a.ropeDim;
}

} // namespace

AllToAll expertAllToAll(const Scenario &s, const Groups &groups, const RoutingLoad &routing)
{
    AllToAll out;
    if (s.model.moe.experts == 0 || s.plan.ep <= 1)
        return out;
    const RankTokens tokens = rankTokens(s.model, s.plan, 1.0);
    const Fanout sends = fanout(s, groups, routing);
    const double latency = groups.expertNodes > 1 ? s.cluster.scaleOutLatency : s.cluster.scaleUpLatency;
    const auto seconds = [&](double bytesPerNumber) {
        const double bytes = tokens.sequenceShard * s.model.hidden * bytesPerNumber;
        return latency
            + routing.rankMaxOverMean
            * std::max(bytes * sends.remote / s.cluster.expertScaleOutBandwidth,
                       bytes * sends.local / s.cluster.expertScaleUpBandwidth);
    };
    const double dispatch = seconds(s.precision.fp8Compute ? fp8Bytes : bf16Bytes);
    const double combine = seconds(bf16Bytes);
    return { dispatch, combine, combine, dispatch };
}

LayerCollectives layerCollectives(const Scenario &s, LayerKind kind)
{
    LayerCollectives out;
    const double tokens = rankTokens(s.model, s.plan, 1.0).tokens;
    if (s.plan.tp > 1) {
        const double hidden = tensorRingSeconds(s, s.model.hidden);
        const double input = tensorRingSeconds(s, attentionInputWidth(s.model));
        // Around the dense MLP or the shared expert: two halves each way, together or apart.
        const double mlp = kind == LayerKind::Dense || s.model.moe.besideWidth() > 0 ? 2 * hidden : 0;
        out.f = (s.plan.sequenceParallel ? input + hidden : 2 * hidden) + mlp;
        out.bi = (s.plan.sequenceParallel ? input + hidden : 2 * input) + mlp;
    }
    if (s.plan.cp > 1) {
        const bool inNode = s.plan.cp * s.plan.tp <= s.cluster.scaleUpDomain;
        const double bandwidth = inNode ? s.cluster.scaleUpBandwidth : s.cluster.scaleOutBandwidth;
        const AttentionSpec &a = s.model.attention;
        const double kvHeads = a.kind == AttentionKind::Latent ? a.heads : std::max(a.kvHeads, s.plan.tp);
        const double width =
            (a.heads * (a.qkDim() + a.vDim()) + kvHeads * (a.qkDim() + a.vDim())) / static_cast<double>(s.plan.tp);
        const double seconds = tokens * width * bf16Bytes * (s.plan.cp - 1) / s.plan.cp / bandwidth;
        out.f += seconds;
        out.bi += seconds;
    }
    if (s.recompute.full)
        out.bi += out.f;
    return out;
}

LayerCollectives embeddingCollectives(const Scenario &s)
{
    const double half = tensorRingSeconds(s, s.model.hidden);
    return s.plan.sequenceParallel ? LayerCollectives{ half, half } : LayerCollectives{ 2 * half, 0 };
}

LayerCollectives headCollectives(const Scenario &s)
{
    const double half = tensorRingSeconds(s, s.model.hidden);
    return s.plan.sequenceParallel ? LayerCollectives{ half, half } : LayerCollectives{ 0, 2 * half };
}

double pipelineHopSeconds(const Scenario &s, const Groups &groups)
{
    if (s.plan.pp <= 1)
        return 0;
    const double bytes = rankTokens(s.model, s.plan, 1.0).sequenceShard * s.model.hidden * bf16Bytes;
    return groups.pipelineCrossesNodes ? s.cluster.scaleOutLatency + bytes / s.cluster.scaleOutBandwidth
                                       : s.cluster.scaleUpLatency + bytes / s.cluster.scaleUpBandwidth;
}

namespace
{

/// Visible seconds of one reduce-scatter or all-gather of `bytes` a parameter over the two data-parallel groups.
double shardExchange(const Scenario &s, const Groups &groups, double dense, double expert, int copies, double bytes)
{
    const double bandwidth = groups.nodes > 1 ? s.cluster.scaleOutBandwidth : s.cluster.scaleUpBandwidth;
    const double denseRanks = static_cast<double>(groups.dp) * s.plan.cp * copies;
    const double expertRanks = static_cast<double>(groups.edp) * copies;
    // Latency is negligible beside buckets of this size.
    return (1 - dataParallelOverlap)
        * (ringSeconds(dense * bytes, denseRanks, bandwidth, 0) + ringSeconds(expert * bytes, expertRanks, bandwidth, 0));
}

} // namespace

LayerCollectives shardingCollectives(const Scenario &s, const Groups &groups, double dense, double expert, int copies)
{
    LayerCollectives out;
    if (s.plan.shardingStage() >= 3) {
        out.f = shardExchange(s, groups, dense, expert, copies, s.precision.gathered.value_or(s.precision.weight));
        out.bi = out.f;
    }
    if (s.plan.shardingStage() >= 2)
        out.bi += shardExchange(s, groups, dense, expert, copies, s.precision.mainGrad);
    return out;
}

OptimizerSeconds optimizerSeconds(const Scenario &s, const Groups &groups, double dense, double expert, int copies)
{
    const Precision &p = s.precision;
    const double denseShard = s.plan.shardingStage() >= 1 ? dense / (static_cast<double>(groups.dp) * s.plan.cp * copies) : dense;
    const double expertShard = s.plan.shardingStage() >= 1 ? expert / (static_cast<double>(groups.edp) * copies) : expert;
    // Read gradient, read and write master and moments, write the weight.
    const double perParameter = p.mainGrad + 2 * (p.master + p.moments) + p.weight;
    OptimizerSeconds out;
    out.update = streamSeconds(s.cluster, (denseShard + expertShard) * perParameter);
    // ZeRO 0 reduces every gradient to every rank (twice a reduce-scatter) and has no weights to gather; ZeRO 2 has reduced its
    // gradients microbatch by microbatch already, and ZeRO 3 gathers weights when a layer runs.
    const double gradients = s.plan.shardingStage() == 0 ? 2 * p.mainGrad : s.plan.shardingStage() == 1 ? p.mainGrad : 0;
    const double weights = s.plan.shardingStage() == 1 || s.plan.shardingStage() == 2 ? p.weight : 0;
    out.exposedComm = shardExchange(s, groups, dense, expert, copies, gradients + weights);
    return out;
}

} // namespace pipeloom
