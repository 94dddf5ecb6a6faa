// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/rankmemory.h"

#include "core/memory/stagememory.h"
#include "core/memory/states.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

ByteCount whole(double bytes) { return std::llround(bytes); }

/// Per chunk of a rank: bytes that its ops move.
struct ChunkBytes
{
    ByteCount activation = 0;
    ByteCount forward = 0;
    ByteCount backward = 0;
};

/// Appends, or replaces the last point when it stands at the same time: releases and the next op's start are one moment.
void append(std::vector<MemoryPoint> &curve, const MemoryPoint &point)
{
    if (!curve.empty() && curve.back().time == point.time)
        curve.back() = point;
    else
        curve.push_back(point);
}

ByteCount opTransient(const Op &op, const std::vector<ChunkBytes> &chunks)
{
    switch (op.kind) {
    case OpKind::F:
        return chunks[op.chunk].forward;
    case OpKind::B:
    case OpKind::Bi:
        return chunks[op.chunk].backward;
    case OpKind::FB:
        return std::max(chunks[op.chunk].forward, chunks[op.chunkB].backward);
    case OpKind::W:
        return 0;
    }
    return 0;
}

void trace(RankMemory &out, const Schedule &schedule, const Timeline &timeline, const std::vector<ChunkBytes> &chunks)
{
    const auto rank = static_cast<std::size_t>(out.rank);
    out.curve.reserve(2 * (schedule.begin[rank + 1] - schedule.begin[rank]) + 1);
    MemoryPoint now;
    append(out.curve, now);
    ByteCount highest = -1;
    for (std::size_t i = schedule.begin[rank]; i < schedule.begin[rank + 1]; ++i) {
        const Op &op = schedule.ops[i];
        now.time = timeline.start[i];
        if (op.kind == OpKind::F || op.kind == OpKind::FB) {
            now.activations += chunks[op.chunk].activation;
            ++now.inFlight;
        }
        now.transient = opTransient(op, chunks);
        append(out.curve, now);
        if (now.activations + now.transient > highest) {
            highest = now.activations + now.transient;
            out.activationsPeak = now.activations;
            out.transientPeak = now.transient;
            out.peakTime = now.time;
            out.inFlightAtPeak = now.inFlight;
        }
        now.time = timeline.end[i];
        now.transient = 0;
        if (op.kind == OpKind::B || op.kind == OpKind::W || op.kind == OpKind::FB) {
            now.activations -= chunks[op.kind == OpKind::FB ? op.chunkB : op.chunk].activation;
            --now.inFlight;
        }
        append(out.curve, now);
    }
}

void addStateRows(RankMemory &out, const StateBytes &bytes, const Precision &precision, const StageContent &stage)
{
    const auto row = [&](const char *name, double size, double perParameter, const char *why, MemoryClass memoryClass) {
        if (size > 0)
            out.tensors.push_back(
                { name, "", fmt::format("{:g} B a parameter", perParameter), whole(size), why, 1, memoryClass, stage.stage });
    };
    row("weights, dense", bytes.weightsDense, precision.weight, "always", MemoryClass::ParametersDense);
    row("weights, routed experts", bytes.weightsExpert, precision.weight, "always", MemoryClass::ParametersExpert);
    row("main gradients", bytes.gradients, precision.mainGrad, "always", MemoryClass::Gradients);
    row("master weights and moments", bytes.optimizer, precision.master + precision.moments, "from the first optimizer step",
        MemoryClass::Optimizer);
}

/// What ZeRO-3 gathers while a layer runs: its weights, and its gradients before they are reduced (ZeRO-2 too).
ByteCount gatherBytes(const Scenario &s, const StageParameters &layer)
{
    double bytes = 0;
    if (s.plan.zero >= 3)
        bytes += s.precision.weight * (layer.dense + layer.expert);
    if (s.plan.zero >= 2)
        bytes += s.precision.mainGrad * (layer.dense + layer.expert);
    return whole(bytes);
}

struct Inputs
{
    const Scenario &scenario;
    const std::vector<WeightMatrix> &matrices;
    const Groups &groups;
    const StageLayout &layout;
    const Schedule &schedule;
    const Timeline &timeline;
    int copies;
    const std::vector<StageMemory> &stageMemories;
};

RankMemory rankMemory(const Inputs &in, int rank)
{
    const Scenario &s = in.scenario;
    RankMemory out;
    out.rank = rank;
    const std::vector<StageContent> stages = rankStages(in.schedule, in.layout, rank);
    std::vector<ChunkBytes> chunks;
    StateBytes sum;
    for (const StageContent &stage : stages) {
        const StageParameters parameters =
            stageParameters(in.matrices, s.model, s.plan, stage, needsEmbeddingCopy(stages, stage));
        const StateBytes states = stateBytes(parameters, s.precision, s.plan, in.groups, in.copies);
        sum.weightsDense += states.weightsDense;
        sum.weightsExpert += states.weightsExpert;
        sum.gradients += states.gradients;
        sum.optimizer += states.optimizer;
        addStateRows(out, states, s.precision, stage);
        const StageMemory &memory = in.stageMemories[static_cast<std::size_t>(stage.stage)];
        out.tensors.insert(out.tensors.end(), memory.tensors.begin(), memory.tensors.end());
        const ByteCount gather = gatherBytes(s, largestLayer(in.matrices, s.model, s.plan, stage));
        if (gather > 0)
            out.tensors.push_back(
                { "gathered layer (ZeRO)", "", "", gather, "while a layer runs", 1, MemoryClass::Transient, stage.stage });
        chunks.push_back({ whole(memory.activation), whole(memory.forward) + gather, whole(memory.backward) + gather });
        out.stages.push_back(stage.stage);
        out.activationPerMicrobatch.push_back(chunks.back().activation);
    }
    if (s.runtime.dummyWeightGradients) {
        out.dummyWeightGradients = whole(dummyGradientBytes(s.model, s.plan, stages));
        out.tensors.push_back({ "dummy weight gradients", "", "bf16", out.dummyWeightGradients,
                                "one for each distinct weight shape", 1, MemoryClass::Gradients, stages.front().stage });
    }
    out.weightsDense = whole(sum.weightsDense);
    out.weightsExpert = whole(sum.weightsExpert);
    out.gradients = whole(sum.gradients) + out.dummyWeightGradients;
    out.optimizer = whole(sum.optimizer);
    out.buffers = bufferBytes(s, in.groups);
    trace(out, in.schedule, in.timeline, chunks);
    out.peakAllocated = out.states() + out.activationsPeak + out.transientPeak;
    out.peakReserved = whole(static_cast<double>(out.peakAllocated) * s.memory.reserve);
    out.peak = out.peakAllocated + out.buffers;
    return out;
}

std::string gib(ByteCount bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / bytesPerGiB); }

/// The term without which the plan would fit; the second copy of a bidirectional schedule first, since it is the choice that
/// brought it.
std::string blame(const RankMemory &rank, ByteCount usable)
{
    const ByteCount over = rank.peak - usable;
    if (rank.stages.size() == 2 && rank.weights() > 0) {
        ByteCount second = 0;
        for (const TensorRow &row : rank.tensors) {
            const bool state = row.memoryClass == MemoryClass::ParametersDense || row.memoryClass == MemoryClass::ParametersExpert
                || row.memoryClass == MemoryClass::Gradients;
            if (state && row.stage == rank.stages[1] && row.name != "dummy weight gradients")
                second += row.bytes * row.count;
        }
        if (second >= over)
            return fmt::format("two stages per rank add {} of parameters and gradients", gib(second));
    }
    const auto stack = rank.stackAtPeak();
    std::size_t largest = 0;
    for (std::size_t i = 0; i < memoryClassCount; ++i) {
        if (stack[i] > stack[largest])
            largest = i;
    }
    if (static_cast<MemoryClass>(largest) == MemoryClass::Activations) {
        return fmt::format("{} {} in flight hold {} of activations", rank.inFlightAtPeak,
                           rank.inFlightAtPeak == 1 ? "microbatch" : "microbatches", gib(stack[largest]));
    }
    std::string term = name(static_cast<MemoryClass>(largest));
    term[0] = static_cast<char>(std::tolower(term[0]));
    return fmt::format("{} take {}", term, gib(stack[largest]));
}

} // namespace

std::vector<StageContent> rankStages(const Schedule &schedule, const StageLayout &layout, int rank)
{
    std::vector<StageContent> stages;
    for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
        const int stage = stageOf(schedule.kind, schedule.ranks, rank, chunk);
        stages.push_back(layout.stages[static_cast<std::size_t>(stage)]);
    }
    return stages;
}

bool needsEmbeddingCopy(const std::vector<StageContent> &rankStages, const StageContent &stage)
{
    return stage.mtpModules > 0 && std::ranges::none_of(rankStages, &StageContent::embedding);
}

ByteCount bufferBytes(const Scenario &scenario, const Groups &groups)
{
    double bytes = scenario.memory.contextGib * bytesPerGiB;
    if (scenario.model.moe.experts > 0 && scenario.plan.ep > 1 && scenario.runtime.moe == "deepep") {
        // DeepEP's own size hints at hidden 7,168 over two nodes; the NVLink part does not grow with nodes, the RDMA part does.
        const double width = scenario.model.hidden / 7168.0;
        bytes += 453380736.0 * width;
        if (groups.expertNodes > 1)
            bytes += 56774016.0 * width * groups.expertNodes / 2.0;
    }
    return whole(bytes);
}

MemoryResult computeMemory(const Scenario &scenario, const std::vector<WeightMatrix> &matrices, const Groups &groups,
                           const StageLayout &layout, const RoutingLoad &routing, const Schedule &schedule,
                           const Timeline &timeline)
{
    MemoryResult result;
    result.capacity = scenario.cluster.hbmBytes;
    result.usable = whole(static_cast<double>(result.capacity) / scenario.memory.reserve);
    std::vector<StageMemory> stageMemories;
    stageMemories.reserve(layout.stages.size());
    for (const StageContent &stage : layout.stages)
        stageMemories.push_back(stageMemory(scenario, stage, routing.rankMaxOverMean));
    const int copies = schedule.ranks * schedule.chunks / std::max(1, schedule.stages);
    const Inputs in{ scenario, matrices, groups, layout, schedule, timeline, copies, stageMemories };
    result.ranks.reserve(static_cast<std::size_t>(schedule.ranks));
    for (int rank = 0; rank < schedule.ranks; ++rank)
        result.ranks.push_back(rankMemory(in, rank));
    const auto heaviest = std::ranges::max_element(result.ranks, {}, &RankMemory::peak);
    result.peakRank = heaviest->rank;
    if (heaviest->peak <= result.usable)
        result.verdict = Verdict::Fits;
    else
        result.verdict = heaviest->peak <= result.capacity ? Verdict::Tight : Verdict::Over;
    if (result.verdict != Verdict::Fits)
        result.blame = blame(*heaviest, result.usable);
    return result;
}

} // namespace pipeloom
