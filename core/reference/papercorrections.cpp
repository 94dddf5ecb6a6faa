// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reference/papercorrections.h"

#include "core/base/counted.h"
#include "core/memory/layertensors.h"
#include "core/memory/states.h"
#include "core/reference/referencefiles.h"
#include "core/scenario/scenariofile.h"
#include "core/schedule/schedulekind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr const char *megatron = "Megatron-Core's split and data-parallel groups";
constexpr const char *flashAttention = "FlashAttention (arXiv:2205.14135): scores are never stored";
constexpr const char *saved = "tensors that Megatron-Core and Transformer Engine save for the backward";
constexpr const char *simulated = "simulation of the schedule";
constexpr const char *unitsSource = "GiB = 2^30 B, GB = 10^9 B";

constexpr std::array<const char *, 4> zeroNames{ "none", "os", "os+g", "os+g+params" };

double gib(double bytes) { return bytes / bytesPerGiB; }
double gib(ByteCount bytes) { return gib(static_cast<double>(bytes)); }

/// Everything the rows are computed from.
struct Inputs
{
    const Scenario &scenario;
    const PaperMemory &paper;
    const Evaluation &evaluation;
    const RankMemory &rank;
    std::vector<WeightMatrix> matrices;
    StageContent device; ///< the paper's stage: MoE layers alone
    RankTokens tokens; ///< balanced
    std::string stage; ///< "stage 1"
};

class Rows
{
public:
    void counted(const char *id, std::string what, const char *unit, double paper, double corrected, std::string cause,
                 const char *source)
    {
        add(id, std::move(what), unit, paper, corrected, std::move(cause), source, Provenance::Counted);
    }
    void modelled(const char *id, std::string what, const char *unit, double paper, double corrected, std::string cause,
                  const char *source)
    {
        add(id, std::move(what), unit, paper, corrected, std::move(cause), source, Provenance::Modelled);
    }
    std::vector<PaperCorrection> take() { return std::move(m_rows); }

private:
    void add(const std::string &id, std::string what, const char *unit, double paper, double corrected, std::string cause,
             const char *source, Provenance tag)
    {
        m_rows.push_back({ "paper." + id, std::move(what), unit, paper, corrected, std::move(cause), source, tag });
    }

    std::vector<PaperCorrection> m_rows;
};

/// Elements of the matrices that `counts` picks, on one rank and all layers of the device.
template<class Predicate>
double elements(const Inputs &in, Predicate counts)
{
    double sum = 0;
    for (const WeightMatrix &matrix : in.matrices) {
        if (counts(matrix))
            sum += in.device.layers * rankElements(matrix, in.scenario.model, in.scenario.plan);
    }
    return sum;
}

StateBytes deviceStates(const Inputs &in, int zero, double optimizerBytes)
{
    Precision precision;
    precision.weight = paperWeightBytes;
    precision.mainGrad = paperGradientBytes;
    precision.master = 4;
    precision.moments = optimizerBytes - precision.master;
    ParallelPlan plan = in.scenario.plan;
    plan.zero = zero;
    Ledger rows;
    addStateRows(rows, in.matrices, { in.scenario.model, plan, precision, in.evaluation.groups, 1 }, in.device, false);
    return sumStates(rows);
}

void addParameters(Rows &rows, const Inputs &in)
{
    const PaperParameters &p = in.paper.parameters;
    const auto isShared = [](const WeightMatrix &m) { return m.name.starts_with("shared."); };
    const double rotary = elements(in, [](const WeightMatrix &m) { return m.name == "W_QR"; });
    rows.counted("parameters.w_qr", "W_QR on one device", "parameters", rotary * in.scenario.plan.tp, rotary,
                 "W_QR is cut over TP like the rest of the query projection: both are one matrix", megatron);
    if (p.shared > 0) {
        rows.counted("parameters.shared", "Shared experts on one device", "parameters", static_cast<double>(p.shared),
                     elements(in, isShared), "shared experts are cut over TP", megatron);
    }
    const StageParameters device = stageParameters(in.matrices, in.scenario.model, in.scenario.plan, in.device, false);
    const double total = device.dense + device.expert;
    rows.counted("parameters.device", "Parameters on one device", "parameters", static_cast<double>(p.total()), total,
                 "W_QR and shared experts cut over TP", megatron);
    rows.counted("weights.device", "Weights on one device, BF16", "GiB", gib(in.paper.zero[0].parameters),
                 gib(paperWeightBytes * total), "W_QR and shared experts cut over TP", megatron);
    rows.counted("weights.unit", "Weights on one device: the figure printed as GB", "GB", gib(in.paper.zero[0].parameters),
                 in.paper.zero[0].parameters / 1e9, "the printed figure is in GiB", unitsSource);
    const double whole = static_cast<double>(p.shared + p.router);
    const double sharded = whole / static_cast<double>(in.evaluation.groups.dp);
    rows.counted("shard.groups", "Shared experts and routers in one ZeRO shard, uncut", "parameters",
                 whole / static_cast<double>(in.paper.edp), sharded,
                 fmt::format("both are replicated over EP, so they shard over DP = {}, not EDP = {}", in.evaluation.groups.dp,
                             in.paper.edp),
                 megatron);
}

void addStates(Rows &rows, const Inputs &in)
{
    static constexpr std::array<const char *, 4> ids{ "zero.none", "zero.os", "zero.os+g", "zero.os+g+params" };
    for (int level = 0; level < 4; ++level) {
        const auto i = static_cast<std::size_t>(level);
        const StateBytes ours = deviceStates(in, level, paperOptimizerBytes);
        rows.counted(ids[i], fmt::format("States on one device, ZeRO {}", zeroNames[i]), "GiB", gib(in.paper.zero[i].total()),
                     gib(ours.weightsDense + ours.weightsExpert + ours.gradients + ours.optimizer),
                     level == 0 ? "W_QR and shared experts cut over TP"
                                : "W_QR and shared experts cut over TP; shared experts and routers shard over DP",
                     megatron);
    }
    constexpr double fp32Moments = 12;
    rows.counted("optimizer.moments", "Optimizer states on one device, ZeRO os", "GiB", gib(in.paper.zero[1].optimizer),
                 gib(deviceStates(in, 1, fp32Moments).optimizer), "Megatron's default keeps both moments in FP32: 12 B, not 8",
                 "Megatron-LM's memory estimator");
}

void addRouting(Rows &rows, const Inputs &in)
{
    const PaperActivations &a = in.paper.activations;
    const int sp = in.scenario.plan.sequenceParallel ? in.scenario.plan.tp : 1;
    const std::string cause = fmt::format("a rank's experts receive tokens from all {} expert-parallel ranks, each holding 1/{} "
                                          "of its sequences: x EP / SP",
                                          in.scenario.plan.ep, sp);
    rows.counted("routed.copies", "Token copies that one device's experts receive in a layer", "token copies", a.routedCopies,
                 in.tokens.routed, cause, "balanced all-to-all: copies sent equal copies received");
    rows.counted("routed.bytes", fmt::format("Routed experts' tensors of {}, one microbatch", formatCounted(a.layers, "layer")),
                 "GiB", gib(a.routedBytes()), gib(a.layers * a.routedPerCopy * in.tokens.routed), cause,
                 "balanced all-to-all: copies sent equal copies received");
}

void addActivations(Rows &rows, const Inputs &in)
{
    const PaperActivations &a = in.paper.activations;
    const Scenario &s = in.scenario;
    const std::vector<LayerTensor> tensors = layerTensors(s, LayerKind::Moe, in.tokens);
    double logSumExp = 0;
    for (const LayerTensor &tensor : tensors) {
        if (std::string_view(tensor.name).find("log-sum-exp") != std::string_view::npos)
            logSumExp += a.layers * tensor.bytes();
    }
    rows.counted("attention.scores",
                 fmt::format("Attention scores, softmax and mask of {}, one microbatch", formatCounted(a.layers, "layer")), "GiB",
                 gib(a.scoreBytes()), gib(logSumExp),
                 "flash attention keeps the log-sum-exp of each row instead of the s x s matrices", flashAttention);
    rows.counted("activations.microbatch", fmt::format("Activations of {}, one microbatch", formatCounted(a.layers, "layer")),
                 "GiB", gib(a.total()), gib(a.layers * keptBytes(tensors, s.recompute)),
                 "flash attention, tokens from all ranks, no dropout masks, sequence parallelism on every norm and router",
                 saved);
    rows.counted("activations.unit", "Activations: the figure printed as GB", "GB", gib(a.total()), a.total() / 1e9,
                 "the printed figure is in GiB", unitsSource);
    Recompute full;
    full.full = true;
    rows.counted("activations.full", fmt::format("Full recompute: kept of {}, one microbatch", formatCounted(a.layers, "layer")),
                 "GiB", gib(a.fullBytes()), gib(a.layers * keptBytes(tensors, full)),
                 "only the layer's input is kept; the layer in backward comes back whole (see the peak)", saved);
}

int inFlight(const Evaluation &evaluation, int rank) { return evaluation.timeline.peakInFlight[static_cast<std::size_t>(rank)]; }

void addInFlight(Rows &rows, const Inputs &in)
{
    const char *cause = "a stage holds every microbatch between its forward and its backward";
    const std::string_view schedule = title(in.scenario.plan.schedule);
    const double held = inFlight(in.evaluation, in.rank.rank);
    rows.modelled("in-flight.device", fmt::format("Microbatches held at once, {}, {}", in.stage, schedule), "microbatches", 1,
                  held, cause, simulated);
    rows.modelled("in-flight.first", fmt::format("Microbatches held at once, stage 0, {}", schedule), "microbatches", 1,
                  inFlight(in.evaluation, 0), "the first stage starts first and ends last", simulated);
    Scenario dualPipe = in.scenario;
    dualPipe.plan.schedule = ScheduleKind::DualPipe;
    const auto other = evaluate(dualPipe);
    if (dualPipe.plan.schedule != in.scenario.plan.schedule && other->valid) {
        rows.modelled("in-flight.dualpipe", "Chunk activations held at once, DualPipe, most on a rank", "microbatches", 1,
                      std::ranges::max(other->timeline.peakInFlight), "PP + 1, beside two copies of the parameters", simulated);
    }
    const PaperActivations &a = in.paper.activations;
    rows.modelled("in-flight.form", fmt::format("The paper's activations, {}, all microbatches held", in.stage), "GiB",
                  gib(a.total()), gib(held * a.total()), "microbatches in flight", simulated);
    rows.modelled("in-flight.form-flash", "  without the s^2 terms", "GiB", gib(a.total()),
                  gib(held * (a.total() - a.scoreBytes())), "microbatches in flight; flash attention", simulated);
    rows.modelled("in-flight.form-full", "  under full recompute", "GiB", gib(a.fullBytes()), gib(held * a.fullBytes()),
                  "microbatches in flight", simulated);
    rows.modelled("activations.peak", fmt::format("Activations at the peak, {}", in.stage), "GiB", gib(a.total()),
                  gib(in.rank.activationsPeak), "all of the above", simulated);
    Scenario full = in.scenario;
    full.recompute = *recomputePreset("full");
    if (const auto recomputed = evaluate(full); recomputed->valid) {
        const RankMemory &rank = recomputed->memory.ranks[static_cast<std::size_t>(in.rank.rank)];
        rows.modelled("activations.full-peak", fmt::format("Full recompute: activations and transient at the peak, {}", in.stage),
                      "GiB", gib(a.fullBytes()), gib(rank.activationsPeak + rank.transientPeak),
                      "microbatches in flight, one layer brought back, gradients in transit", simulated);
    }
}

void addImbalance(Rows &rows, const Inputs &in, const RoutingRequest &asked)
{
    Scenario skewed = in.scenario;
    if (asked.family != RoutingFamily::Uniform)
        skewed.routing = asked;
    else
        skewed.routing = RoutingRequest{};
    const auto evaluation = evaluate(skewed);
    if (!evaluation->valid)
        return;
    const std::string cause = fmt::format("experts are not equally popular: lognormal, sigma {:g}", skewed.routing.sigma);
    constexpr const char *source = "routing model of this program";
    rows.modelled("imbalance.rank", "Token copies on the hottest expert-parallel rank", "x mean", 1,
                  evaluation->routing.rankMaxOverMean, cause, source);
    const RankMemory &rank = evaluation->memory.ranks[static_cast<std::size_t>(in.rank.rank)];
    rows.modelled("imbalance.peak", fmt::format("Activations at the peak on the hottest rank, {}", in.stage), "GiB",
                  gib(in.paper.activations.total()), gib(rank.activationsPeak), cause + ", and all of the above", source);
}

void addOutside(Rows &rows, const Inputs &in)
{
    constexpr const char *transient = "fitted on recorded B200 peaks";
    rows.modelled("outside.transient", fmt::format("Transients at the peak, {}", in.stage), "GiB", 0, gib(in.rank.transientPeak),
                  "gradients in transit while a backward runs", transient);
    rows.counted("outside.dummy", fmt::format("Dummy weight gradients, {}", in.stage), "GiB", 0,
                 gib(in.rank.dummyWeightGradients), "Transformer Engine keeps one BF16 buffer for each distinct weight shape",
                 "Transformer Engine 2.3 and later");
    rows.modelled("outside.reserve", fmt::format("Allocator reserve, {}", in.stage), "GiB", 0,
                  gib(in.rank.peakReserved - in.rank.peakAllocated),
                  fmt::format("reserved over allocated, {:g}", in.scenario.memory.reserve), "mean of recorded B200 runs");
    const auto zero = static_cast<std::size_t>(std::clamp(in.scenario.plan.zero, 0, 3));
    const double paper = in.paper.zero[zero].total() + in.paper.activations.total();
    rows.modelled("peak.device",
                  fmt::format("Peak of the device: states (ZeRO {}) and activations, {}", zeroNames[zero], in.stage), "GiB",
                  gib(paper), gib(in.rank.peakAllocated), "all of the above", simulated);
    const RankMemory &heaviest = in.evaluation.memory.ranks[static_cast<std::size_t>(in.evaluation.memory.peakRank)];
    rows.modelled("peak.heaviest", fmt::format("Peak of the heaviest rank, rank {}", heaviest.rank), "GiB", gib(paper),
                  gib(heaviest.peakAllocated),
                  "every stage counts: the first holds more microbatches and the embedding, the last the head", simulated);
}

/// The first rank whose stages hold MoE layers alone, and of those the most; without one, the rank with the most MoE layers.
int deviceRank(const Evaluation &e)
{
    int best = 0;
    std::pair<bool, int> bestKey{ false, -1 };
    for (const RankMemory &rank : e.memory.ranks) {
        std::pair<bool, int> key{ true, 0 };
        for (const int stage : rank.stages) {
            const StageContent &content = e.layout.stages[static_cast<std::size_t>(stage)];
            key.first = key.first && content.denseLayers == 0 && !content.embedding && !content.head;
            key.second += content.moeLayers;
        }
        if (key > bestKey) {
            bestKey = key;
            best = rank.rank;
        }
    }
    return best;
}

Errors planErrors(const Evaluation &evaluation)
{
    Errors errors;
    for (const Diagnostic &d : evaluation.diagnostics) {
        if (d.severity == Severity::Error)
            errors.push_back({ ErrorCode::Unsupported, d.message, {}, d.field, {} });
    }
    if (errors.empty())
        errors.push_back({ ErrorCode::Unsupported, "the plan cannot be evaluated", {}, {}, {} });
    return errors;
}

} // namespace

const Scenario &paperScenario()
{
    static const Scenario scenario = [] {
        Expected<LoadedScenario> loaded =
            parseScenario(referenceText("arxiv-2502.07846.loom.json"), "arxiv-2502.07846.loom.json", {}, { .strict = true });
        if (!loaded) {
            std::cerr << "Bundled file is broken:\n" << text(loaded.errors());
            std::abort();
        }
        return std::move(loaded->scenario);
    }();
    return scenario;
}

Expected<PaperComparison> comparePaper(const Scenario &scenario)
{
    PaperComparison out;
    out.scenario = scenario;
    out.scenario.model.mtpDepth = 0;
    out.scenario.routing = { .family = RoutingFamily::Uniform };
    Expected<PaperMemory> paper = paperMemory(out.scenario.model, out.scenario.plan);
    if (!paper)
        return paper.errors();
    out.paper = *std::move(paper);
    out.evaluation = evaluate(out.scenario);
    if (!out.evaluation->valid)
        return planErrors(*out.evaluation);
    out.rank = deviceRank(*out.evaluation);
    const RankMemory &rank = out.evaluation->memory.ranks[static_cast<std::size_t>(out.rank)];
    const int layers = out.paper.layers;
    const Inputs in{ out.scenario,
                     out.paper,
                     *out.evaluation,
                     rank,
                     weightMatrices(out.scenario.model),
                     { .layers = layers, .moeLayers = layers },
                     rankTokens(out.scenario, 1.0),
                     fmt::format("stage {}", fmt::join(rank.stages, "+")) };
    Rows rows;
    addParameters(rows, in);
    addStates(rows, in);
    addRouting(rows, in);
    addActivations(rows, in);
    addInFlight(rows, in);
    addImbalance(rows, in, scenario.routing);
    addOutside(rows, in);
    out.corrections = rows.take();
    return out;
}

} // namespace pipeloom
