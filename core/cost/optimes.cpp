// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/optimes.h"

#include "core/cost/stageparts.h"
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

AllToAll contended(const AllToAll &a)
{
    return { overlapContention * a.dispatchF, overlapContention * a.combineF, overlapContention * a.dispatchB,
             overlapContention * a.combineB };
}

/// The parts as they lasted in the recorded pair, stretched like the rest.
void applyPairParts(LayerTimes &times, const TimingProfile::PairParts &parts, const LayerCompute &now, const LayerCompute &then,
                    double sent)
{
    if (parts == TimingProfile::PairParts{})
        return;
    LayerCompute &c = times.beside;
    c.attentionF = parts.attentionF * now.attentionF / then.attentionF;
    c.attentionBi = parts.attentionB * now.attentionBi / then.attentionBi;
    c.attentionW = parts.attentionW * now.attentionW / then.attentionW;
    c.f = c.attentionF + parts.mlpF * (now.f - now.attentionF) / (then.f - then.attentionF);
    c.bi = c.attentionBi + parts.mlpB * (now.bi - now.attentionBi) / (then.bi - then.attentionBi);
    c.w = c.attentionW + parts.mlpW * (now.w - now.attentionW) / (then.w - then.attentionW);
    times.exchangeBeside = { parts.dispatchF * sent, parts.combineF * sent, parts.dispatchB * sent, parts.combineB * sent };
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
    // The profile has each pass as a whole: attention keeps the share that the model gives it.
    const auto share = [](double &part, double partNow, double whole, double wholeNow) {
        part = wholeNow > 0 ? partNow / wholeNow * whole : 0;
    };
    share(times.alone.attentionF, now.attentionF, times.alone.f, now.f);
    share(times.alone.attentionBi, now.attentionBi, times.alone.bi, now.bi);
    share(times.alone.attentionW, now.attentionW, times.alone.w, now.w);
    take(times.exchange.dispatchF, p.dispatchF, sent);
    take(times.exchange.combineF, p.combineF, sent);
    take(times.exchange.dispatchB, p.dispatchB, sent);
    take(times.exchange.combineB, p.combineB, sent);
    times.beside = times.alone;
    // Recorded beside compute already; what the profile lacks is modelled.
    const auto beside = [](double profile, double value) { return profile > 0 ? value : overlapContention * value; };
    times.exchangeBeside = { beside(p.dispatchF, times.exchange.dispatchF), beside(p.combineF, times.exchange.combineF),
                             beside(p.dispatchB, times.exchange.dispatchB), beside(p.combineB, times.exchange.combineB) };
    if (p.pair > 0 && p.pairLayers > 0) {
        applyPairParts(times, p.pairParts, now, then, sent);
        times.recordedPair = (now.f + now.bi + now.w) / (then.f + then.bi + then.w) * p.pair / p.pairLayers;
    }
}

/// Which order the schedule's pairs have.
PairOrder pairOrder(const Scenario &s, const Schedule &schedule)
{
    if (!s.runtime.overlap)
        return PairOrder::Serial;
    return schedule.kind == ScheduleKind::CombinedAllToAll ? PairOrder::Megatron : PairOrder::DeepSeek;
}

void addPairs(OpTimes &out, const Schedule &schedule)
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
                const std::size_t i = pairIndex(schedule, rank, cf, cb);
                const PairTimes pair = pairTimes({ out.beside[f], out.alone[f] }, { out.beside[b], out.alone[b] }, out.pairOrder);
                const auto layers = static_cast<Nanoseconds>(std::min(out.beside[f].layers.size(), out.beside[b].layers.size()));
                out.durations.pair[i] = std::max(pair.compute, pair.duration + layers * out.pairGap);
                // A recorded pair may be shorter than its parts: then less of it is exposed.
                out.exposedPair[i] = std::min(pair.duration, out.durations.pair[i]) - pair.compute;
            }
        }
    }
}

bool hasPairs(const Schedule &schedule)
{
    return std::ranges::any_of(schedule.ops, [](const Op &op) { return op.kind == OpKind::FB; });
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
        times.exchangeBeside = contended(times.exchange);
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
    out.pairOrder = pairOrder(s, schedule);
    // Megatron keeps no multiprocessors back for communication (schedule facts, the overlapped pair).
    const GpuShare pairShare = out.pairOrder == PairOrder::Megatron ? GpuShare::Alone : GpuShare::BesideCommunication;
    const int copies = stageCopies(schedule);
    for (const StageContent &stage : layout.stages) {
        const StageParameters own = stageParameters(matrices, s.model, s.plan, stage, stage.mtpModules > 0);
        const LayerCollectives sharding = shardingCollectives(s, groups, own.dense, own.expert, copies);
        out.alone.push_back(stageParts(s, kinds, stage, { false, GpuShare::Alone }, sharding));
        out.beside.push_back(stageParts(s, kinds, stage, { true, pairShare }, sharding));
        const StageTimes t = stageTimes(out.alone.back());
        out.stages.push_back(t);
        out.durations.f.push_back(t.f);
        out.durations.b.push_back(t.b);
        out.durations.bi.push_back(t.bi);
        out.durations.w.push_back(t.w);
    }
    out.durations.p2p = fromSeconds(pipelineHopSeconds(s, groups));
    if (out.pairOrder != PairOrder::Serial && s.timing.source == TimingSource::Calibrated)
        out.pairGap = recordedPairGap(kinds.moe, s.timing.profile);
    if (hasPairs(schedule))
        addPairs(out, schedule);
    addOptimizer(out, s, matrices, groups, layout, schedule);
    return out;
}

} // namespace pipeloom
