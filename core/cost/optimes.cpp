// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/optimes.h"

#include "core/memory/rankmemory.h"
#include "core/memory/states.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

/// The scenario as the trace was recorded, for what the model can tell: tensor and context parallelism, sequence, micro-batch.
Scenario recordedConditions(const Scenario &s)
{
    Scenario recorded = s;
    recorded.plan.tp = 1;
    recorded.plan.etp = 1;
    recorded.plan.cp = 1;
    if (s.timing.profile.seq > 0)
        recorded.plan.seq = s.timing.profile.seq;
    if (s.timing.profile.microBatch > 0)
        recorded.plan.microBatch = s.timing.profile.microBatch;
    return recorded;
}

/// Recorded durations, each stretched by what the model says that this plan changes against the recorded one: 1 under the
/// recorded conditions and balanced routing.
void applyProfile(LayerTimes &times, const Scenario &s, const RoutingLoad &routing)
{
    const TimingProfile &p = s.timing.profile;
    const Scenario recorded = recordedConditions(s);
    const LayerCompute then =
        layerCompute(recorded, LayerKind::Moe, GpuShare::BesideCommunication, rankTokens(recorded.model, recorded.plan, 1.0));
    const LayerCompute now = times.beside;
    const double sent = rankTokens(s.model, s.plan, 1.0).sequenceShard
        / rankTokens(recorded.model, recorded.plan, 1.0).sequenceShard * routing.rankMaxOverMean;
    const auto take = [](double &value, double recordedSeconds, double factor) {
        if (recordedSeconds > 0)
            value = recordedSeconds * factor;
    };
    take(times.alone.f, p.f, now.f / then.f);
    take(times.alone.bi, p.bi, now.bi / then.bi);
    take(times.alone.w, p.w, now.w / then.w);
    take(times.exchange.dispatchF, p.dispatchF, sent);
    take(times.exchange.combineF, p.combineF, sent);
    take(times.exchange.dispatchB, p.dispatchB, sent);
    take(times.exchange.combineB, p.combineB, sent);
    times.beside = times.alone;
    if (p.pair > 0 && p.pairLayers > 0) {
        const double halves = p.f + p.dispatchF + p.combineF + p.bi + p.w + p.dispatchB + p.combineB;
        const double stretch = (now.f + now.bi + now.w) / (then.f + then.bi + then.w);
        times.pairGain = stretch * (halves - p.pair / p.pairLayers);
    }
}

struct KindTimes
{
    LayerTimes dense, moe;
};

/// Sums over a stage in one GPU share, seconds.
struct StageSeconds
{
    double f = 0, bi = 0, w = 0; ///< compute
    double exposedF = 0, exposedBi = 0; ///< communication of an op that runs by itself
    AllToAll exchange;
    double collectivesF = 0, collectivesBi = 0;
    double gain = 0; ///< pair gain of the stage's layers under a profile
};

void addLayers(StageSeconds &sum, const LayerTimes &times, const LayerCompute &compute, double layers, const Recompute &recompute)
{
    sum.f += layers * compute.f;
    sum.bi += layers * compute.bi;
    sum.w += layers * compute.w;
    const bool replay = recompute.full || recompute.drops(Recompute::Moe);
    const double backward = times.exchange.backward() + (replay ? times.exchange.forward() : 0);
    sum.exchange.dispatchF += layers * times.exchange.dispatchF;
    sum.exchange.combineF += layers * times.exchange.combineF;
    sum.exchange.dispatchB += layers * (times.exchange.dispatchB + (replay ? times.exchange.forward() : 0));
    sum.exchange.combineB += layers * times.exchange.combineB;
    sum.collectivesF += layers * times.collectives.f;
    sum.collectivesBi += layers * times.collectives.bi;
    sum.exposedF += layers * (times.exchange.forward() + times.collectives.f);
    sum.exposedBi += layers * (backward + times.collectives.bi);
    sum.gain += layers * std::max(0.0, times.pairGain);
}

void addPart(StageSeconds &sum, const HeadCompute &part, double times)
{
    sum.f += times * part.f;
    sum.bi += times * part.bi;
    sum.w += times * part.w;
}

void addCollectives(StageSeconds &sum, const LayerCollectives &visible, double times = 1)
{
    sum.collectivesF += times * visible.f;
    sum.collectivesBi += times * visible.bi;
    sum.exposedF += times * visible.f;
    sum.exposedBi += times * visible.bi;
}

StageSeconds stageSeconds(const Scenario &s, const KindTimes &kinds, const StageContent &stage, GpuShare share)
{
    StageSeconds sum;
    const RankTokens tokens = rankTokens(s.model, s.plan, 1.0);
    const bool moeModel = s.model.moe.experts > 0;
    const auto compute = [share](const LayerTimes &t) -> const LayerCompute & {
        return share == GpuShare::Alone ? t.alone : t.beside;
    };
    const double mtp = stage.mtpModules;
    addLayers(sum, kinds.dense, compute(kinds.dense), stage.denseLayers + (moeModel ? 0 : mtp), s.recompute);
    addLayers(sum, kinds.moe, compute(kinds.moe), stage.moeLayers + (moeModel ? mtp : 0), s.recompute);
    const double embeddings = (stage.embedding ? 1 : 0) + mtp;
    const double heads = stage.head ? 1 + mtp : 0;
    if (embeddings > 0) {
        addPart(sum, embeddingCompute(s, tokens), embeddings);
        addCollectives(sum, embeddingCollectives(s), embeddings);
    }
    if (heads > 0) {
        addPart(sum, headCompute(s, share, tokens), heads);
        addCollectives(sum, headCollectives(s), heads);
    }
    if (mtp > 0)
        addPart(sum, mtpProjectionCompute(s, share, tokens), mtp);
    return sum;
}

struct PairTime
{
    Nanoseconds duration = 0;
    Nanoseconds exposed = 0;
};

/// A forward of one stage with a full backward of another. The all-to-all of both halves runs beside the compute of both.
PairTime pairTime(const Scenario &s, const StageSeconds &forward, const StageSeconds &backward, const StageTimes &forwardAlone,
                  const StageTimes &backwardAlone)
{
    const double compute = forward.f + backward.bi + backward.w;
    const double collectives = forward.collectivesF + backward.collectivesBi;
    if (!s.runtime.overlap)
        return { forwardAlone.f + backwardAlone.b, forwardAlone.exposedF + backwardAlone.exposedBi };
    if (forward.gain > 0 && backward.gain > 0) {
        // Layers without a partner gain nothing: the smaller half limits the saving.
        const double gain = std::min(forward.gain, backward.gain);
        const Nanoseconds serial = forwardAlone.f + backwardAlone.b;
        const Nanoseconds duration = serial - fromSeconds(gain);
        return { duration, std::max<Nanoseconds>(0, duration - fromSeconds(compute)) };
    }
    const double exchange = forward.exchange.forward() + backward.exchange.backward();
    const double exposed = std::max(0.0, overlapContention * exchange - compute) + overlapLeak * exchange + collectives;
    return { fromSeconds(compute + exposed), fromSeconds(exposed) };
}

void addPairs(OpTimes &out, const Scenario &s, const Schedule &schedule, const std::vector<StageSeconds> &beside)
{
    const auto chunks = static_cast<std::size_t>(schedule.chunks);
    const std::size_t size = static_cast<std::size_t>(schedule.ranks) * chunks * chunks;
    out.durations.pair.resize(size);
    out.exposedPair.resize(size);
    for (int rank = 0; rank < schedule.ranks; ++rank) {
        for (int cf = 0; cf < schedule.chunks; ++cf) {
            for (int cb = 0; cb < schedule.chunks; ++cb) {
                const auto f = static_cast<std::size_t>(stageOf(schedule.kind, schedule.ranks, rank, cf));
                const auto b = static_cast<std::size_t>(stageOf(schedule.kind, schedule.ranks, rank, cb));
                const std::size_t i = (static_cast<std::size_t>(rank) * chunks + static_cast<std::size_t>(cf)) * chunks
                    + static_cast<std::size_t>(cb);
                const PairTime pair = pairTime(s, beside[f], beside[b], out.stages[f], out.stages[b]);
                out.durations.pair[i] = pair.duration;
                out.exposedPair[i] = pair.exposed;
            }
        }
    }
}

bool hasPairs(const Schedule &schedule)
{
    return std::ranges::any_of(schedule.ops, [](const Op &op) { return op.kind == OpKind::FB; });
}

StageTimes toStageTimes(const StageSeconds &sum)
{
    StageTimes t;
    t.exposedF = fromSeconds(sum.exposedF);
    t.exposedBi = fromSeconds(sum.exposedBi);
    t.f = fromSeconds(sum.f + sum.exposedF);
    t.bi = fromSeconds(sum.bi + sum.exposedBi);
    t.w = fromSeconds(sum.w);
    t.b = t.bi + t.w;
    t.dispatchF = fromSeconds(sum.exchange.dispatchF);
    t.combineF = fromSeconds(sum.exchange.combineF);
    t.dispatchB = fromSeconds(sum.exchange.dispatchB);
    t.combineB = fromSeconds(sum.exchange.combineB);
    return t;
}

OpTimes manualTimes(const Scenario &s, const Schedule &schedule)
{
    const ManualTimes &m = s.timing.manual;
    OpTimes out;
    StageTimes t;
    t.f = fromSeconds(m.f);
    t.b = fromSeconds(m.b);
    t.w = fromSeconds(m.w);
    t.bi = t.b - t.w;
    out.stages.assign(static_cast<std::size_t>(schedule.stages), t);
    const Nanoseconds pair = m.pair > 0 ? fromSeconds(m.pair) : t.f + t.b;
    out.durations = uniformDurations(schedule, t.f, t.b, t.w, pair, fromSeconds(m.p2p));
    out.exposedPair.assign(out.durations.pair.size(), 0);
    return out;
}

void addOptimizer(OpTimes &out, const Scenario &s, const std::vector<WeightMatrix> &matrices, const Groups &groups,
                  const StageLayout &layout, const Schedule &schedule)
{
    const int copies = stageCopies(schedule);
    double slowest = -1;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
        StageParameters sum;
        const std::vector<StageContent> stages = rankStages(schedule, layout, rank);
        for (const StageContent &stage : stages) {
            const StageParameters p = stageParameters(matrices, s.model, s.plan, stage, needsEmbeddingCopy(stages, stage));
            sum.dense += p.dense;
            sum.expert += p.expert;
        }
        const OptimizerSeconds seconds = optimizerSeconds(s, groups, sum.dense, sum.expert, copies);
        if (seconds.update + seconds.exposedComm > slowest) {
            slowest = seconds.update + seconds.exposedComm;
            out.optimizer = fromSeconds(slowest);
            out.optimizerExposed = fromSeconds(seconds.exposedComm);
        }
    }
}

} // namespace

LayerTimes layerTimes(const Scenario &s, LayerKind kind, const Groups &groups, const RoutingLoad &routing)
{
    LayerTimes times;
    const RankTokens tokens = rankTokens(s.model, s.plan, routing.rankMaxOverMean);
    times.alone = layerCompute(s, kind, GpuShare::Alone, tokens);
    times.beside = layerCompute(s, kind, GpuShare::BesideCommunication, tokens);
    times.collectives = layerCollectives(s, kind);
    if (kind == LayerKind::Moe) {
        times.exchange = expertAllToAll(s, groups, routing);
        if (s.timing.source == TimingSource::Calibrated)
            applyProfile(times, s, routing);
    }
    return times;
}

OpTimes computeOpTimes(const Scenario &s, const std::vector<WeightMatrix> &matrices, const Groups &groups,
                       const StageLayout &layout, const RoutingLoad &routing, const Schedule &schedule)
{
    if (s.timing.source == TimingSource::Manual) {
        OpTimes out = manualTimes(s, schedule);
        addOptimizer(out, s, matrices, groups, layout, schedule);
        return out;
    }
    OpTimes out;
    KindTimes kinds;
    if (s.model.moe.experts == 0 || s.model.denseLayers > 0)
        kinds.dense = layerTimes(s, LayerKind::Dense, groups, routing);
    if (s.model.moe.experts > 0)
        kinds.moe = layerTimes(s, LayerKind::Moe, groups, routing);
    std::vector<StageSeconds> beside;
    const int copies = stageCopies(schedule);
    for (const StageContent &stage : layout.stages) {
        const StageParameters own = stageParameters(matrices, s.model, s.plan, stage, stage.mtpModules > 0);
        const LayerCollectives sharding = shardingCollectives(s, groups, own.dense, own.expert, copies);
        StageSeconds alone = stageSeconds(s, kinds, stage, GpuShare::Alone);
        addCollectives(alone, sharding);
        const StageTimes t = toStageTimes(alone);
        out.stages.push_back(t);
        out.durations.f.push_back(t.f);
        out.durations.b.push_back(t.b);
        out.durations.bi.push_back(t.bi);
        out.durations.w.push_back(t.w);
        beside.push_back(stageSeconds(s, kinds, stage, GpuShare::BesideCommunication));
        addCollectives(beside.back(), sharding);
    }
    out.durations.p2p = fromSeconds(pipelineHopSeconds(s, groups));
    if (hasPairs(schedule))
        addPairs(out, s, schedule, beside);
    addOptimizer(out, s, matrices, groups, layout, schedule);
    return out;
}

} // namespace pipeloom
