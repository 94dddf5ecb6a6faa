// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/optimes.h"
#include "core/cost/steptime.h"
#include "core/memory/rankmemory.h"
#include "core/scenario/effectcheck.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/layoutadvice.h"
#include "core/scenario/runtimecheck.h"
#include "core/scenario/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

ScheduleRequest scheduleRequest(const Scenario &s, const Groups &groups)
{
    return { s.plan.schedule, s.plan.pp, static_cast<int>(groups.microbatches), s.plan.vpp, s.plan.interleaveGroup };
}

/// A rule that only the generator or the simulator knows: shown like any other finding.
void refuse(Evaluation &out, const Error &error)
{
    out.diagnostics.push_back({ Severity::Error,
                                "schedule",
                                "plan.schedule",
                                error.hint.empty() ? error.message : error.message + "; " + error.hint,
                                {} });
}

/// Durations of one chunk for the closed form: a middle stage, since the form assumes equal stages.
ClosedForm closedFormOf(const Evaluation &e, const ScheduleRequest &request)
{
    const auto middle = static_cast<std::size_t>(e.schedule.stages / 2);
    const StageTimes &stage = e.times.stages[middle];
    const Nanoseconds pair = e.time.pair > 0 ? fromSeconds(e.time.pair) : stage.f + stage.b;
    return closedForm(request, stage.f, stage.bi, stage.w, pair);
}

/// The scenario as the frameworks run it: embedding and head are padded so that every tensor-parallel rank holds whole multiples.
Scenario paddedVocabulary(const Scenario &s)
{
    Scenario padded = s;
    const std::int64_t multiple = std::int64_t{ s.runtime.vocabMultiple } * s.plan.tp;
    if (multiple > 0)
        padded.model.vocab = (s.model.vocab + multiple - 1) / multiple * multiple;
    return padded;
}

/// The plan as its rules should see it: that tensor-parallel ranks must not route the same tokens is Megatron's, and DeepSpeed's
/// runtimes deal with it themselves.
ParallelPlan checkedPlan(const Scenario &scenario)
{
    ParallelPlan plan = scenario.plan;
    plan.sequenceParallel = plan.sequenceParallel || !onMegatron(scenario);
    return plan;
}

/// Rows of the expert buffers in the layers of every stage.
std::vector<StageLoad> stageLoads(const Evaluation &e, const Scenario &run, const RoutingRequest &request,
                                  const RoutingLoad &load, ExpertRank rank)
{
    std::vector<StageLoad> out;
    out.reserve(e.layout.stages.size());
    for (const StageContent &stage : e.layout.stages) {
        const int layers = stage.moeLayers + stage.mtpModules;
        const HeldLoad held = heldLoad(load, request, std::max(0, stage.firstLayer - run.model.denseLayers), layers);
        double average = held.hottest;
        double layer = held.hottestLayer;
        if (rank == ExpertRank::Mean || rank == ExpertRank::Coldest)
            layer = average = rank == ExpertRank::Mean ? 1 : held.coldest;
        out.push_back({ bufferRows(run, load, average), bufferRows(run, load, layer) });
    }
    return out;
}

/// On an expert-parallel rank, and under the bad routing that one of the instants assumes, which is never the better one.
MemoryImbalance imbalance(const Evaluation &e, const Scenario &run, ExpertRank rank)
{
    MemoryImbalance out;
    out.asked = stageLoads(e, run, run.routing, e.routing, rank);
    out.bad = out.asked;
    if (run.model.moe.experts == 0)
        return out;
    RoutingRequest bad = run.routing;
    bad.family = RoutingFamily::Lognormal;
    bad.sigma = run.memory.badRoutingSigma;
    bad.exact = false;
    const RoutingLoad load = routingLoad(run.model, bad, run.plan.ep, e.groups.expertNodes);
    const std::vector<StageLoad> loads = stageLoads(e, run, bad, load, ExpertRank::Hottest);
    for (std::size_t i = 0; i < loads.size(); ++i) {
        out.bad[i].held = std::max(out.bad[i].held, loads[i].held);
        out.bad[i].layer = std::max(out.bad[i].layer, loads[i].layer);
    }
    if (rank == ExpertRank::BadRouting)
        out.asked = out.bad;
    return out;
}

/// The scenario that the cost model knows: another exchange stands for one whose times are not modelled.
Scenario timedAs(Scenario scenario)
{
    scenario.plan = checkedPlan(scenario);
    const MoePolicy &policy = moePolicy(scenario);
    if (!policy.timed) {
        if (policy.padding != MoePolicy::Padding::OnRequest)
            scenario.runtime.padToCapacity = policy.padding == MoePolicy::Padding::Always && scenario.runtime.capacityFactor;
        scenario.runtime.moe = standInExchange;
    }
    return scenario;
}

/// The routing with the rows of the buffers in place of the hottest rank's load.
RoutingLoad inBuffers(RoutingLoad routing, const BufferLoad &buffers)
{
    routing.rankMaxOverMean = buffers.rowsOverMean;
    return routing;
}

std::string verdictMessage(const Evaluation &e)
{
    const auto &rank = e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)];
    const auto gib = [](ByteCount bytes) { return static_cast<double>(bytes) / bytesPerGiB; };
    if (e.memory.verdict == Verdict::Tight) {
        return fmt::format("Rank {} needs {:.1f} GiB, {:.1f} GiB into the reserve of {:.1f} %.", rank.rank, gib(rank.peak),
                           gib(rank.peak - e.memory.usable), (e.scenario.memory.reserve - 1) * 100);
    }
    return fmt::format("Rank {} needs {:.1f} GiB, usable are {:.1f}: {:.1f} GiB over.", rank.rank, gib(rank.peak),
                       gib(e.memory.usable), gib(rank.peak - e.memory.usable));
}

/// Memory that does not fit is a finding about the plan, but no reason to refuse it: the views show by how much.
void addVerdict(Evaluation &e)
{
    if (e.memory.verdict == Verdict::Tight || e.memory.verdict == Verdict::Over)
        e.diagnostics.push_back({ Severity::Warning, "memory", "plan.pp", verdictMessage(e), {} });
}

/// Null on stop.
std::shared_ptr<Evaluation> evaluateOnce(const Scenario &scenario, const std::stop_token &stop)
{
    auto result = std::make_shared<Evaluation>();
    Evaluation &e = *result;
    e.scenario = scenario;
    e.parameters = countParameters(scenario.model);
    PlanCheck check = checkPlan(scenario.model, scenario.cluster, checkedPlan(scenario));
    e.groups = check.groups;
    e.layout = std::move(check.layout);
    e.diagnostics = std::move(check.diagnostics);
    for (Diagnostics found : { checkRuntime(scenario), checkEffects(scenario, e.groups) })
        e.diagnostics.insert(e.diagnostics.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    if (scenario.plan.seq > 0)
        e.flops = countFlops(scenario.model, scenario.plan.seq);
    e.memory.capacity = scenario.cluster.hbmBytes;
    e.memory.usable = static_cast<ByteCount>(static_cast<double>(scenario.cluster.hbmBytes) / scenario.memory.reserve);
    if (hasError(e.diagnostics))
        return result;
    e.routing = routingLoad(scenario.model, scenario.routing, scenario.plan.ep, e.groups.expertNodes);
    if (stop.stop_requested())
        return nullptr;

    const ScheduleRequest request = scheduleRequest(scenario, e.groups);
    Expected<Schedule> schedule = generate(request);
    if (!schedule) {
        refuse(e, schedule.error());
        return result;
    }
    e.schedule = std::move(schedule).value();
    if (stop.stop_requested())
        return nullptr;
    const Scenario padded = paddedVocabulary(scenario);
    const Scenario run = asRun(padded);
    const Scenario timed = timedAs(padded);
    e.buffers = bufferLoad(run, e.routing);
    e.routing.droppedFraction = e.buffers.droppedFraction;
    const std::vector<WeightMatrix> matrices = weightMatrices(padded.model);
    const RoutingLoad timedRouting = inBuffers(e.routing, bufferLoad(timed, e.routing));
    e.times = computeOpTimes(timed, matrices, e.groups, e.layout, timedRouting, e.schedule);
    Expected<Timeline> timeline = simulate(e.schedule, e.times.durations);
    if (!timeline) {
        refuse(e, timeline.error());
        e.schedule = {};
        return result;
    }
    e.timeline = std::move(timeline).value();
    if (stop.stop_requested())
        return nullptr;
    e.time = computeStepTime(e.schedule, e.timeline, e.times);
    e.closedForm = closedFormOf(e, request);
    e.memory = computeMemory(run, matrices, e.groups, e.layout, imbalance(e, run, ExpertRank::Hottest), e.schedule, e.timeline);
    e.throughput = computeThroughput(scenario, e.flops, e.time);
    e.cost = computeCost(scenario, e.throughput);
    e.valid = true;
    addVerdict(e);
    e.terms = describeTerms(e);
    return result;
}

} // namespace

std::shared_ptr<const Evaluation> evaluatePlain(const Scenario &scenario, const std::stop_token &stop)
{
    return evaluateOnce(scenario, stop);
}

std::shared_ptr<const Evaluation> evaluate(const Scenario &scenario, const std::stop_token &stop)
{
    const std::shared_ptr<Evaluation> result = evaluateOnce(scenario, stop);
    if (!result || !result->valid || scenario.timing.source == TimingSource::Manual)
        return result; // durations typed by hand are the same for every stage, whatever it holds
    if (std::optional<Diagnostic> finding = layoutFinding(*result, stop))
        result->diagnostics.push_back(std::move(*finding));
    return stop.stop_requested() ? nullptr : result;
}

MemoryResult memoryAt(const Evaluation &e, ExpertRank rank)
{
    const Scenario run = asRun(paddedVocabulary(e.scenario));
    return computeMemory(run, weightMatrices(run.model), e.groups, e.layout, imbalance(e, run, rank), e.schedule, e.timeline);
}

} // namespace pipeloom
