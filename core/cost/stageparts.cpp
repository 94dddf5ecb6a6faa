// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/stageparts.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

LayerParts layerParts(const LayerTimes &times, OpSetting setting, const Recompute &recompute)
{
    LayerParts out;
    const bool replay = recompute.full || recompute.drops(Recompute::Moe);
    out.collectivesF = fromSeconds(times.collectives.f);
    out.collectivesB = fromSeconds(times.collectives.bi);
    const AllToAll &exchange = setting.paired ? times.exchangeBeside : times.exchange;
    out.dispatchF = fromSeconds(exchange.dispatchF);
    out.combineF = fromSeconds(exchange.combineF);
    out.dispatchB = fromSeconds(exchange.dispatchB);
    out.combineB = fromSeconds(exchange.combineB);
    out.replay = replay ? fromSeconds(exchange.forward()) : 0;
    const LayerCompute &c = setting.share == GpuShare::BesideCommunication ? times.beside : times.alone;
    out.attentionF = fromSeconds(c.attentionF);
    out.attentionB = fromSeconds(c.attentionBi);
    out.attentionW = fromSeconds(c.attentionW);
    // The rest of each op, so that the parts sum to it.
    out.mlpF = fromSeconds(c.f) - out.attentionF;
    out.mlpB = fromSeconds(c.bi) - out.attentionB;
    out.mlpW = fromSeconds(c.w) - out.attentionW;
    return out;
}

} // namespace

StageParts stageParts(const Scenario &s, const KindTimes &kinds, const StageContent &stage, OpSetting setting,
                      const LayerCollectives &sharding)
{
    StageParts out;
    const RankTokens tokens = rankTokens(s.model, s.plan, 1.0);
    const bool moeModel = s.model.moe.experts > 0;
    const LayerParts dense = layerParts(kinds.dense, setting, s.recompute);
    const LayerParts moe = layerParts(kinds.moe, setting, s.recompute);
    out.layers.reserve(static_cast<std::size_t>(stage.denseLayers + stage.moeLayers + stage.mtpModules));
    auto add = [&out, next = stage.firstLayer](const LayerParts &layer, int count) mutable {
        for (int i = 0; i < count; ++i) {
            out.layers.push_back(layer);
            out.layers.back().layer = next++;
        }
    };
    add(dense, stage.denseLayers);
    add(moe, stage.moeLayers);
    add(moeModel ? moe : dense, stage.mtpModules);

    double collectivesF = sharding.f, collectivesB = sharding.bi;
    const double embeddings = (stage.embedding ? 1 : 0) + stage.mtpModules;
    const double heads = stage.head ? 1 + stage.mtpModules : 0;
    if (embeddings > 0) {
        const HeadCompute embedding = embeddingCompute(s, tokens);
        const LayerCollectives visible = embeddingCollectives(s);
        out.embeddingF = fromSeconds(embeddings * embedding.f);
        out.embeddingW = fromSeconds(embeddings * embedding.w);
        collectivesF += embeddings * visible.f;
        collectivesB += embeddings * visible.bi;
    }
    const auto addHead = [&out](const HeadCompute &head, double times) {
        out.headF += fromSeconds(times * head.f);
        out.headB += fromSeconds(times * head.bi);
        out.headW += fromSeconds(times * head.w);
    };
    if (heads > 0) {
        const LayerCollectives visible = headCollectives(s);
        addHead(headCompute(s, setting.share, tokens), heads);
        collectivesF += heads * visible.f;
        collectivesB += heads * visible.bi;
    }
    if (stage.mtpModules > 0)
        addHead(mtpProjectionCompute(s, setting.share, tokens), stage.mtpModules);
    out.collectivesF = fromSeconds(collectivesF);
    out.collectivesB = fromSeconds(collectivesB);
    return out;
}

StageTimes stageTimes(const StageParts &alone)
{
    StageTimes t;
    for (const LayerParts &l : alone.layers) {
        t.dispatchF += l.dispatchF;
        t.combineF += l.combineF;
        t.dispatchB += l.dispatchB + l.replay;
        t.combineB += l.combineB;
        t.exposedF += l.collectivesF;
        t.exposedBi += l.collectivesB;
        t.f += l.attentionF + l.mlpF;
        t.bi += l.attentionB + l.mlpB;
        t.w += l.attentionW + l.mlpW;
    }
    t.exposedF += t.dispatchF + t.combineF + alone.collectivesF;
    t.exposedBi += t.dispatchB + t.combineB + alone.collectivesB;
    t.f += alone.embeddingF + alone.headF + t.exposedF;
    t.bi += alone.headB + t.exposedBi;
    t.w += alone.headW + alone.embeddingW;
    t.b = t.bi + t.w;
    return t;
}

Nanoseconds recordedPairGap(const LayerTimes &moe, const TimingProfile &profile)
{
    if (profile.pair <= 0 || profile.pairLayers <= 0 || moe.recordedPair <= 0)
        return 0;
    StageParts recorded;
    recorded.layers.assign(static_cast<std::size_t>(profile.pairLayers),
                           layerParts(moe, { true, GpuShare::BesideCommunication }, Recompute{}));
    const PairHalf half{ recorded, recorded };
    const Nanoseconds parts = pairTimes(half, half, PairOrder::DeepSeek).duration;
    return (fromSeconds(moe.recordedPair * profile.pairLayers) - parts) / profile.pairLayers;
}

} // namespace pipeloom
