// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/rankmemory.h"

#include "core/memory/dummygradients.h"
#include "core/memory/stagememory.h"
#include "core/memory/states.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "core/base/counted.h"

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
    Lifetime forwardRows = Lifetime::Op; ///< whose rows the forward adds beside gathered weights
    Lifetime backwardRows = Lifetime::Op;
    ByteCount givenBack = 0; ///< see PeakTransient
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

bool releases(OpKind kind) { return kind == OpKind::B || kind == OpKind::W || kind == OpKind::FB; }

/// What the rank holds at its peak.
struct Peak
{
    ByteCount activations = 0;
    ByteCount transient = 0;
    std::size_t op = 0;
    std::vector<int> inFlight; ///< per chunk

    [[nodiscard]] ByteCount bytes() const { return activations + transient; }
};

/// Walks the rank's ops. `visit` is called with the state after each op's start and end.
template<class Visit>
Peak walk(int rankIndex, const Schedule &schedule, const std::vector<ChunkBytes> &chunks, Visit visit)
{
    const auto rank = static_cast<std::size_t>(rankIndex);
    Peak peak;
    peak.op = schedule.begin[rank];
    peak.inFlight.assign(chunks.size(), 0);
    std::vector<int> inFlight(chunks.size(), 0);
    ByteCount activations = 0;
    ByteCount highest = -1;
    for (std::size_t i = schedule.begin[rank]; i < schedule.begin[rank + 1]; ++i) {
        const Op &op = schedule.ops[i];
        if (op.kind == OpKind::F || op.kind == OpKind::FB) {
            activations += chunks[op.chunk].activation;
            ++inFlight[op.chunk];
        }
        const ByteCount transient = opTransient(op, chunks);
        visit(i, false, activations, transient, inFlight);
        if (activations + transient > highest) {
            highest = activations + transient;
            peak.activations = activations;
            peak.transient = transient;
            peak.op = i;
            peak.inFlight = inFlight;
        }
        if (releases(op.kind)) {
            const std::uint8_t chunk = op.kind == OpKind::FB ? op.chunkB : op.chunk;
            activations -= chunks[chunk].activation;
            --inFlight[chunk];
        }
        visit(i, true, activations, ByteCount{ 0 }, inFlight);
    }
    return peak;
}

PeakTransient transientAt(const Peak &peak, const Schedule &schedule, const std::vector<ChunkBytes> &chunks)
{
    const Op &op = schedule.ops[peak.op];
    PeakTransient out;
    if (op.kind == OpKind::W)
        return out;
    const bool pair = op.kind == OpKind::FB;
    // Of a pair the heavier half counts.
    out.backward = op.kind != OpKind::F && !(pair && chunks[op.chunk].forward > chunks[op.chunkB].backward);
    const ChunkBytes &chunk = chunks[pair && out.backward ? op.chunkB : op.chunk];
    out.stage = pair && out.backward ? op.stageB : op.stage;
    out.lifetime = out.backward ? chunk.backwardRows : chunk.forwardRows;
    out.givenBack = out.lifetime == Lifetime::AttentionBackward ? chunk.givenBack : 0;
    return out;
}

PeakPhase phaseOf(const Peak &peak, const PeakTransient &transient, int rankIndex, const Schedule &schedule)
{
    if (transient.lifetime == Lifetime::Head)
        return PeakPhase::Head;
    if (transient.lifetime != Lifetime::Op)
        return PeakPhase::BackwardTransient;
    for (std::size_t i = schedule.begin[static_cast<std::size_t>(rankIndex)]; i < peak.op; ++i) {
        if (schedule.ops[i].kind != OpKind::F)
            return PeakPhase::Steady;
    }
    return schedule.ops[peak.op].kind == OpKind::F ? PeakPhase::WarmUp : PeakPhase::Steady;
}

void trace(RankMemory &out, const Schedule &schedule, const Timeline &timeline, const std::vector<ChunkBytes> &chunks)
{
    const auto rank = static_cast<std::size_t>(out.rank);
    out.curve.reserve(2 * (schedule.begin[rank + 1] - schedule.begin[rank]) + 1);
    append(out.curve, {});
    Peak peak = walk(out.rank, schedule, chunks,
                     [&](std::size_t op, bool end, ByteCount activations, ByteCount transient, const std::vector<int> &inFlight) {
                         const int alive = std::accumulate(inFlight.begin(), inFlight.end(), 0);
                         append(out.curve, { end ? timeline.end[op] : timeline.start[op], activations, transient, alive });
                     });
    out.activationsPeak = peak.activations;
    out.transientPeak = peak.transient;
    out.peakTime = timeline.start[peak.op];
    out.inFlightAtPeak = std::accumulate(peak.inFlight.begin(), peak.inFlight.end(), 0);
    out.transient = transientAt(peak, schedule, chunks);
    out.phase = phaseOf(peak, out.transient, out.rank, schedule);
    out.chunksAtPeak = std::move(peak.inFlight);
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
    const std::vector<StageMemory> &badStages; ///< at the imbalance of Instant::BadRoutingPeak
};

/// Bytes that ops of a chunk move; `gathered` is there in every op, `reduced` in the backward too.
ChunkBytes chunkBytes(const StageMemory &memory, ByteCount gathered, ByteCount reduced)
{
    ChunkBytes bytes;
    bytes.activation = memory.activation;
    bytes.forward = memory.head + gathered;
    bytes.forwardRows = memory.head > 0 ? Lifetime::Head : Lifetime::Op;
    const ByteCount most = std::max({ memory.head, memory.mlpBackward, memory.attentionBackward });
    bytes.backward = most + gathered + reduced;
    if (most > 0) {
        bytes.backwardRows = most == memory.head ? Lifetime::Head
            : most == memory.mlpBackward         ? Lifetime::MlpBackward
                                                 : Lifetime::AttentionBackward;
    }
    bytes.givenBack = memory.mlpGivenBack;
    return bytes;
}

LedgerRow transientRow(std::string_view name, int stage, ByteCount bytes)
{
    LedgerRow row;
    row.name = name;
    row.stage = stage;
    row.bytes = bytes;
    row.memoryClass = MemoryClass::Transient;
    row.lifetime = Lifetime::Op;
    return row;
}

void setStates(RankMemory &out)
{
    const StateBytes sums = sumStates(out.tensors);
    out.weightsDense = sums.weightsDense;
    out.weightsExpert = sums.weightsExpert;
    out.gradients = sums.gradients;
    out.dummyWeightGradients = sums.dummyGradients;
    out.optimizer = sums.optimizer;
    out.moments = sums.moments;
    out.hostOptimizer = sums.hostOptimizer;
    out.buffers = sums.buffers;
}

RankMemory rankMemory(const Inputs &in, int rank)
{
    const Scenario &s = in.scenario;
    RankMemory out;
    out.rank = rank;
    out.reserve = s.memory.reserve;
    const std::vector<StageContent> stages = rankStages(in.schedule, in.layout, rank);
    out.tensors.reserve(stages.size() * 128 + 8);
    std::vector<ChunkBytes> chunks;
    std::vector<ChunkBytes> bad;
    const StateRules rules{ s.model, s.plan, s.precision, in.groups, in.copies };
    for (const StageContent &stage : stages) {
        addStateRows(out.tensors, in.matrices, rules, stage, needsEmbeddingCopy(stages, stage));
        const auto index = static_cast<std::size_t>(stage.stage);
        const StageMemory &memory = in.stageMemories[index];
        out.tensors.insert(out.tensors.end(), memory.rows.begin(), memory.rows.end());
        const GatherBuckets buckets = gatherBuckets(in.matrices, rules, stage);
        const ByteCount gathered = whole(buckets.weights * s.precision.gathered.value_or(s.precision.weight));
        const ByteCount reduced = whole(buckets.gradients * s.precision.mainGrad);
        if (gathered > 0)
            out.tensors.push_back(transientRow(gatheredWeightsName, stage.stage, gathered));
        if (reduced > 0)
            out.tensors.push_back(transientRow(gradientBucketName, stage.stage, reduced));
        chunks.push_back(chunkBytes(memory, gathered, reduced));
        bad.push_back(chunkBytes(in.badStages[index], gathered, reduced));
        out.stages.push_back(stage.stage);
        out.activationPerMicrobatch.push_back(memory.activation);
    }
    if (s.runtime.dummyWeightGradients)
        addDummyGradientRows(out.tensors, s.model, s.plan, stages);
    addBufferRows(out.tensors, s, in.groups);
    setStates(out);
    trace(out, in.schedule, in.timeline, chunks);
    ByteCount optimizerStep = 0;
    for (const LedgerRow &row : out.tensors)
        optimizerStep += row.lifetime == Lifetime::OptimizerStep ? row.total() : 0;
    if (optimizerStep > out.activationsPeak + out.transientPeak) {
        out.phase = PeakPhase::OptimizerStep;
        out.transient = {};
        out.activationsPeak = 0;
        out.transientPeak = optimizerStep;
        out.peakTime = in.timeline.makespan;
        out.inFlightAtPeak = 0;
        out.chunksAtPeak.assign(chunks.size(), 0);
    }
    out.peakAllocated = out.states() + out.activationsPeak + out.transientPeak;
    out.peakReserved = whole(static_cast<double>(out.peakAllocated) * s.memory.reserve);
    out.peak = out.peakAllocated + out.buffers;
    const Peak worst = walk(rank, in.schedule, bad, [](auto &&...) {});
    out.badRoutingPeak = out.states() + std::max(worst.bytes(), optimizerStep);
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
        for (const LedgerRow &row : rank.tensors) {
            const bool state = row.memoryClass == MemoryClass::ParametersDense || row.memoryClass == MemoryClass::ParametersExpert
                || row.memoryClass == MemoryClass::Gradients;
            if (state && row.stage == rank.stages[1])
                second += row.total();
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
        return fmt::format("{} in flight hold{} {} of activations", formatCounted(rank.inFlightAtPeak, "microbatch"),
                           rank.inFlightAtPeak == 1 ? "s" : "", gib(stack[largest]));
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

int stageCopies(const Schedule &schedule) { return schedule.ranks * schedule.chunks / std::max(1, schedule.stages); }

void addBufferRows(Ledger &rows, const Scenario &scenario, const Groups &groups)
{
    const auto add = [&rows](std::string_view name, double bytes) {
        LedgerRow row;
        row.name = name;
        row.stage = -1;
        row.memoryClass = MemoryClass::Buffers;
        row.bytes = whole(bytes);
        if (row.bytes > 0)
            rows.push_back(row);
    };
    add("CUDA context and NCCL", scenario.memory.contextGib * bytesPerGiB);
    if (scenario.model.moe.experts > 0 && scenario.plan.ep > 1 && scenario.runtime.moe == "deepep") {
        // DeepEP's own size hints at hidden 7,168 over two nodes; the NVLink part does not grow with nodes, the RDMA part does.
        const double width = scenario.model.hidden / 7168.0;
        add("DeepEP buffer, NVLink", 453380736.0 * width);
        if (groups.expertNodes > 1)
            add("DeepEP buffer, RDMA", 56774016.0 * width * groups.expertNodes / 2.0);
    }
}

MemoryResult computeMemory(const Scenario &scenario, const std::vector<WeightMatrix> &matrices, const Groups &groups,
                           const StageLayout &layout, const MemoryImbalance &imbalance, const Schedule &schedule,
                           const Timeline &timeline)
{
    MemoryResult result;
    result.capacity = scenario.cluster.hbmBytes;
    result.usable = whole(static_cast<double>(result.capacity) / scenario.memory.reserve);
    for (const StageLoad &load : imbalance.bad)
        result.badRouting = std::max(result.badRouting, load.held);
    std::vector<StageMemory> stageMemories;
    std::vector<StageMemory> badStages;
    stageMemories.reserve(layout.stages.size());
    badStages.reserve(layout.stages.size());
    for (std::size_t i = 0; i < layout.stages.size(); ++i) {
        stageMemories.push_back(stageMemory(scenario, layout.stages[i], imbalance.asked[i]));
        badStages.push_back(stageMemory(scenario, layout.stages[i], imbalance.bad[i]));
    }
    const Inputs in{ scenario, matrices, groups, layout, schedule, timeline, stageCopies(schedule), stageMemories, badStages };
    result.ranks.reserve(static_cast<std::size_t>(schedule.ranks));
    for (int rank = 0; rank < schedule.ranks; ++rank)
        result.ranks.push_back(rankMemory(in, rank));
    // Neighbouring GPUs belong to one pipeline rank: a node holds the states of gpusPerNode of them.
    for (const RankMemory &rank : result.ranks)
        result.hostPerNode = std::max(result.hostPerNode, rank.hostOptimizer * scenario.cluster.gpusPerNode);
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
