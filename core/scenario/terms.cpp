// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/terms.h"

#include "core/cost/optimes.h"
#include "core/cost/steptime.h"
#include "core/memory/rankmemory.h"

#include <algorithm>
#include <cmath>

#include "core/base/counted.h"

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

constexpr const char *reportSource = "DeepSeek-V3 report; counted from the published config";
constexpr const char *simulatedSource = "op orders of the schedule, simulated with the durations above";

double gib(ByteCount bytes) { return static_cast<double>(bytes) / bytesPerGiB; }

/// What is alive beside the kept tensors, in the words of the ledger.
std::string transientFormula(const Scenario &s)
{
    const char *rest = "head tensors, layers computed again";
    if (s.model.moe.experts == 0)
        return fmt::format("MLP gradients, {}", rest);
    const MoePolicy &policy = moePolicy(s);
    if (policy.megatron)
        return fmt::format("5 x 2 B x dispatched tokens x hidden{}, {}", policy.gathersTokens ? " + gathered hidden states" : "",
                           rest);
    std::string text = fmt::format("{:g} B x rows of the buffers x hidden", policy.transientRows);
    if (policy.transientMask > 0)
        text += fmt::format(" + {:g} B x tokens x experts x capacity", policy.transientMask);
    if (policy.transientTokens > 0)
        text += fmt::format(" + {:g} B x tokens x k x hidden", policy.transientTokens);
    return fmt::format("{}, {}", text, rest);
}

class Builder
{
public:
    explicit Builder(const Evaluation &evaluation)
        : m_e(evaluation)
    {
    }

    void add(std::string id, std::string label, double value, std::string unit, std::string formula, std::string inputs,
             std::string source, Provenance tag)
    {
        m_terms.push_back({ std::move(id), std::move(label), value, std::move(unit), std::move(formula), std::move(inputs),
                            std::move(source), tag });
    }

    void addModel();
    void addGroups();
    void addRouting();
    void addDurations();
    void addStep();
    void addThroughput();
    [[nodiscard]] Terms take() { return std::move(m_terms); }

private:
    [[nodiscard]] Provenance timeTag() const
    {
        switch (m_e.scenario.timing.source) {
        case TimingSource::Model:
            return Provenance::Modelled;
        case TimingSource::Calibrated:
            return Provenance::Calibrated;
        case TimingSource::Manual:
            return Provenance::Assumed;
        }
        return Provenance::Modelled;
    }
    [[nodiscard]] std::string timeSource() const
    {
        switch (m_e.scenario.timing.source) {
        case TimingSource::Model:
            return "matmul shapes with DeepGEMM and DeepSeek trace efficiencies; memory-bound kernels scaled from that trace";
        case TimingSource::Calibrated:
            return fmt::format("profile {}: {}. Dense layers, embedding, head, MTP, P2P and optimizer are modelled",
                               m_e.scenario.timing.profile.name, m_e.scenario.timing.profile.source);
        case TimingSource::Manual:
            return "typed durations";
        }
        return {};
    }

    const Evaluation &m_e;
    Terms m_terms;
};

void Builder::addModel()
{
    const ParameterCounts &p = m_e.parameters;
    const ModelSpec &m = m_e.scenario.model;
    const auto billions = [](std::int64_t n) { return fmt::format("{:.2f} B", static_cast<double>(n) / 1e9); };
    add("model.parameters", "Parameters", static_cast<double>(p.total), "",
        "sum over all weight matrices of rows x columns x count, MTP left out",
        fmt::format("{} x {} + {} x {} + embedding {} + head {}",
                    formatCounted(m.moe.experts == 0 ? m.layers : m.denseLayers, "dense layer"), billions(p.denseLayer),
                    formatCounted(m.moe.experts == 0 ? 0 : m.layers - m.denseLayers, "MoE layer"), billions(p.moeLayer),
                    billions(p.embedding), billions(p.head)),
        m.source.empty() ? reportSource : m.source, Provenance::Counted);
    add("model.active", "Active parameters", static_cast<double>(p.activeWithHead), "",
        "weights that one token passes through; head counted, embedding not",
        fmt::format("with embedding and head {}, with neither {}", billions(p.activeWithBoth), billions(p.activeBlocks)),
        m.source.empty() ? reportSource : m.source, Provenance::Counted);
    add("model.flops", "Model FLOPs per token", m_e.flops.trainPerToken, "FLOP",
        "3 x (2 x matmul weights + 2 heads (d_qk + d_v) seq / 2 x layers)",
        fmt::format("non-causal {:.2f} GF, with MTP {:.2f} GF", m_e.flops.trainPerTokenNonCausal / 1e9,
                    m_e.flops.trainPerTokenWithMtp / 1e9),
        "1 MAC = 2 FLOP; the convention of ISCA'25 Table 2", Provenance::Counted);
}

void Builder::addGroups()
{
    const ParallelPlan &p = m_e.scenario.plan;
    const Groups &g = m_e.groups;
    add("groups.dp", "Data parallel", static_cast<double>(g.dp), "", "GPUs / (TP x CP x PP)",
        fmt::format("{} / ({} x {} x {})", p.gpus, p.tp, p.cp, p.pp), "Megatron-Core's arithmetic", Provenance::Counted);
    add("groups.edp", "Expert data parallel", static_cast<double>(g.edp), "", "GPUs / (ETP x EP x PP)",
        fmt::format("{} / ({} x {} x {})", p.gpus, p.etp, p.ep, p.pp), "Megatron-Core's arithmetic", Provenance::Counted);
    add("groups.microbatches", "Microbatches", static_cast<double>(g.microbatches), "", "global batch / (micro-batch x DP)",
        fmt::format("{} / ({} x {})", p.globalBatch, p.microBatch, g.dp), "Megatron-Core's arithmetic", Provenance::Counted);
}

void Builder::addRouting()
{
    if (m_e.scenario.model.moe.experts == 0)
        return;
    const RoutingLoad &r = m_e.routing;
    const std::string source = "closed form for top-k without replacement, mean error 1.4 % against sampling";
    add("routing.rank", "Hottest expert rank over mean", r.rankMaxOverMean, "",
        "max{exp(s z - s^2/2), (m1 + (n-1)(E-m1)/(E-1)) / n}",
        fmt::format("sigma {:g}, {} over EP {}", m_e.scenario.routing.sigma,
                    formatCounted(m_e.scenario.model.moe.experts, "expert"), m_e.scenario.plan.ep),
        source, Provenance::Modelled);
    if (m_e.scenario.routing.layers == LayerRouting::Independent) {
        const bool counted = r.hotLayer >= 0;
        add("routing.layer", "Hottest layer on its hottest rank over mean", r.layerMaxOverMean, "",
            counted ? "largest over ranks and layers" : "exp(s z - s^2/2), z of ranks x layers draws",
            counted ? fmt::format("layer {}, rank {}", r.hotLayer + m_e.scenario.model.denseLayers, r.hotRank)
                    : formatCounted(m_e.scenario.model.layers - m_e.scenario.model.denseLayers, "MoE layer"),
            "layers independent of each other", Provenance::Modelled);
    }
    add("routing.expert", "Hottest expert over mean", r.expertMaxOverMean, "",
        "inclusion probability of the most popular expert / (k / E)", fmt::format("CV {:.3f}, Gini {:.3f}", r.expertCv, r.gini),
        source, Provenance::Modelled);
    if (m_e.scenario.runtime.capacityFactor) {
        add("routing.dropped", "Dropped routes", r.droppedFraction, "", "mean excess of a binomial load over the capacity",
            fmt::format("capacity factor {:g}, {}", *m_e.scenario.runtime.capacityFactor, moePolicy(m_e.scenario).title),
            "normal approximation, each expert of each source rank", Provenance::Modelled);
    }
    add("routing.nodes", "Remote nodes per token", r.remoteNodesPerToken, "", "distinct nodes of the k experts, its own left out",
        fmt::format("{:.2f} nodes, {:.2f} ranks", r.nodesPerToken, r.ranksPerToken),
        "seeded sample of the router's group limit, or counted without one", Provenance::Modelled);
}

void Builder::addDurations()
{
    const StepTime &t = m_e.time;
    const auto middle = static_cast<std::size_t>(m_e.schedule.stages / 2);
    const StageTimes &stage = m_e.times.stages[middle];
    const StageContent &content = m_e.layout.stages[middle];
    const std::string layers = fmt::format("stage {}: {}; exposed communication {:.2f} ms of it", middle,
                                           formatCounted(content.layers, "layer"), toSeconds(stage.exposedF) * 1e3);
    add("time.f", "Forward of a middle stage", t.f, "s", "sum over its layers of compute + dispatch + combine", layers,
        timeSource(), timeTag());
    add("time.bi", "Input backward of a middle stage", t.bi, "s",
        "sum over its layers of compute + recompute + dispatch + combine",
        fmt::format("stage {}: {}; exposed communication {:.2f} ms of it", middle, formatCounted(content.layers, "layer"),
                    toSeconds(stage.exposedBi) * 1e3),
        timeSource(), timeTag());
    add("time.w", "Weight backward of a middle stage", t.w, "s", "sum over its layers of the weight-gradient matmuls",
        formatCounted(content.layers, "layer"), timeSource(), timeTag());
    if (t.pair > 0) {
        const bool calibrated = m_e.scenario.timing.source == TimingSource::Calibrated;
        add("time.pair", "Overlapped pair of a middle stage", t.pair, "s",
            calibrated
                ? "recorded parts of both halves on two streams, layer by layer, + what the recorded pair lasts beyond them"
                : "parts of both halves on two streams, layer by layer: compute on the remaining SMs, contention x exchange "
                  "beside it",
            fmt::format("not paired F {:.1f} ms + B {:.1f} ms; contention {}", t.f * 1e3, t.b * 1e3, overlapContention),
            timeSource(), timeTag());
    }
    if (m_e.scenario.plan.tp > 1 && m_e.scenario.timing.source != TimingSource::Manual) {
        const Scenario &s = m_e.scenario;
        const LayerKind kind = content.moeLayers > 0 ? LayerKind::Moe : LayerKind::Dense;
        const LayerCollectives c = layerCollectives(s, kind);
        add("time.tensor", "TP and CP collectives of a layer", c.f + c.bi, "s",
            s.plan.sequenceParallel ? "all-gather before and reduce-scatter after attention and MLP, forward and backward"
                                    : "all-reduce after attention and after the MLP, forward and backward",
            fmt::format("forward {:.3f} ms, backward {:.3f} ms, TP {}, CP {}, sequence parallelism {}", c.f * 1e3, c.bi * 1e3,
                        s.plan.tp, s.plan.cp, s.plan.sequenceParallel ? "on" : "off"),
            "rings, arXiv 2205.05198 section 4.2.2; bandwidths of the cluster preset", Provenance::Modelled);
    }
    add("time.p2p", "Pipeline hop", toSeconds(m_e.times.durations.p2p), "s", "latency + micro-batch x seq x hidden x 2 B / link",
        m_e.groups.pipelineCrossesNodes ? "between nodes" : "inside a node", m_e.scenario.cluster.source, Provenance::Modelled);
}

void Builder::addStep()
{
    const StepTime &t = m_e.time;
    add("time.pipeline", "Pipeline makespan", t.pipeline, "s", "end of the last op",
        fmt::format("{} on {}", formatCounted(static_cast<std::int64_t>(m_e.schedule.ops.size()), "op"),
                    formatCounted(m_e.schedule.ranks, "rank")),
        simulatedSource, timeTag());
    add("time.optimizer", "Optimizer step", t.optimizer, "s",
        "states through HBM + (reduce-scatter + all-gather) x the half that is not hidden",
        fmt::format("{:.3f} s of it communication", toSeconds(m_e.times.optimizerExposed)),
        "bandwidths of the cluster preset; the hidden half is assumed", Provenance::Modelled);
    add("time.step", "Step time", t.step, "s", "makespan + optimizer", fmt::format("{:.3f} + {:.3f} s", t.pipeline, t.optimizer),
        simulatedSource, timeTag());
    add("time.compute", "Compute", t.compute, "s", "busy time less exposed communication, mean over ranks", "", simulatedSource,
        timeTag());
    add("time.exposed", "Exposed communication", t.exposedComm, "s",
        "all-to-all of ops that run alone + what the pairs leave visible, mean over ranks", "", simulatedSource, timeTag());
    add("time.bubble", "Bubble, worst rank", t.bubbleFractionWorst * 100, "%",
        "idle of the worst rank / makespan, optimizer left out",
        fmt::format("mean over ranks {:.2f} %", t.bubbleFractionMean * 100), simulatedSource, timeTag());
    add("time.bubblesplit", "Bubble of unequal stages", t.bubbleOfImbalance, "s",
        "mean idle of the ranks - mean idle of the same order when every stage takes the mean time",
        fmt::format("{:.3f} - {:.3f} s", t.bubble, t.bubbleOfSchedule), simulatedSource, timeTag());
    const ClosedForm &form = m_e.closedForm;
    if (const std::optional<ClosedForm::Shown> shown = form.shown(); shown && t.pipeline > 0) {
        std::string source = "equal to the simulation for equal stages and no P2P";
        if (!form.expression.empty())
            source += fmt::format("; published as {}{}", form.expression,
                                  *form.condition == 0 ? "" : fmt::format(", right for {}", form.condition));
        add("time.closedform", "Bubble, closed form", toSeconds(shown->bubble) / t.pipeline * 100, "%",
            shown->expression + ", / makespan",
            fmt::format("{:.3f} s with the durations of a middle stage", toSeconds(shown->bubble)), std::move(source),
            Provenance::Modelled);
    }
}

void Builder::addThroughput()
{
    const Throughput &t = m_e.throughput;
    const ParallelPlan &p = m_e.scenario.plan;
    add("throughput.tokens", "Tokens per second and GPU", t.tokensPerSecondPerGpu, "tokens/s", "global batch x seq / step / GPUs",
        fmt::format("{} x {} / {:.3f} s / {}; band {:.0f} to {:.0f}", p.globalBatch, p.seq, m_e.time.step, p.gpus, t.low, t.high),
        "band: misses of first-order models against published runs", timeTag());
    add("throughput.mfu", "MFU", t.mfu * 100, "%", "model FLOPs per token x tokens/s/GPU / BF16 peak",
        fmt::format("{:.0f} of {:.1f} TFLOP/s BF16, causal, MTP not counted", t.modelTflopsPerGpu, t.mfuPeakTflops),
        "convention of ISCA'25 Table 4", timeTag());
    add("cost.gpuhours", "GPU-hours per 1T tokens", m_e.cost.gpuHoursPerTrillionTokens, "h", "1e12 / (tokens/s/GPU x 3600)",
        fmt::format("{:.0f} tokens/s/GPU", t.tokensPerSecondPerGpu), "no restarts", timeTag());
    add("cost.usd", "Cost per 1T tokens", m_e.cost.usdPerTrillionTokens, "$", "GPU-hours x price",
        fmt::format("${:.2f} a GPU-hour", m_e.cost.usdPerGpuHour), "the price is a setting", Provenance::Assumed);
}

std::string stagesText(const RankMemory &rank)
{
    std::string text;
    for (const int stage : rank.stages)
        text += (text.empty() ? "" : " + ") + std::to_string(stage);
    return text;
}

} // namespace

Terms memoryTerms(const Evaluation &e, int rankIndex)
{
    Terms terms;
    if (rankIndex < 0 || rankIndex >= static_cast<int>(e.memory.ranks.size()))
        return terms;
    const RankMemory &rank = e.memory.ranks[static_cast<std::size_t>(rankIndex)];
    const Precision &p = e.scenario.precision;
    const std::string prefix = fmt::format("memory.rank{}.", rankIndex);
    const auto add = [&](const char *id, const char *label, ByteCount bytes, std::string formula, std::string inputs,
                         std::string source, Provenance tag) {
        terms.push_back({ prefix + id, label, static_cast<double>(bytes), "B", std::move(formula), std::move(inputs),
                          std::move(source), tag });
    };
    const std::string stages = "stage " + stagesText(rank);
    add("weightsDense", "Parameters, dense", rank.weightsDense, fmt::format("parameters x {:g} B", p.weight), stages, p.source,
        Provenance::Counted);
    add("weightsExpert", "Parameters, expert", rank.weightsExpert, fmt::format("experts / EP x {:g} B", p.weight), stages,
        p.source, Provenance::Counted);
    add("gradients", "Gradients", rank.gradients, fmt::format("parameters x {:g} B + dummy weight gradients", p.mainGrad),
        fmt::format("dummy weight gradients {:.2f} GiB", gib(rank.dummyWeightGradients)), p.source, Provenance::Counted);
    const int copies = stageCopies(e.schedule);
    add("optimizer", "Optimizer states", rank.optimizer,
        p.master + p.moments > 0 && e.scenario.plan.zero >= 1
            ? fmt::format("dense x {0:g} B / (DP x CP x copies) + expert x {0:g} B / (EDP x copies)", p.master + p.moments)
            : fmt::format("parameters x {:g} B", p.master + p.moments),
        fmt::format("DP x CP {}, EDP {}, {} of each stage, ZeRO {}", e.groups.dp * e.scenario.plan.cp, e.groups.edp,
                    copies == 1 ? std::string("one copy") : fmt::format("{} copies", copies), e.scenario.plan.zero),
        p.source, Provenance::Counted);
    ByteCount largest = 0;
    for (const ByteCount bytes : rank.activationPerMicrobatch)
        largest = std::max(largest, bytes);
    add("activations", "Activations in flight", rank.activationsPeak, "sum over microbatches in flight of what their layers keep",
        fmt::format("{} in flight at {:.3f} s, {:.2f} GiB a microbatch, expert rows x {:.3f}", rank.inFlightAtPeak,
                    toSeconds(rank.peakTime), gib(largest), e.buffers.rowsOverMean),
        "tensor table checked against allocator peaks; in flight from the simulated timeline", Provenance::Modelled);
    add("transient", "Transient", rank.transientPeak, transientFormula(e.scenario), "at the moment of the peak",
        onMegatron(e.scenario) ? "one constant fitted on six B200 runs" : moePolicy(e.scenario).source, Provenance::Modelled);
    add("buffers", "Buffers, context", rank.buffers, "context + DeepEP buffers",
        fmt::format("context {:.1f} GiB", e.scenario.memory.contextGib), "assumed; DeepEP size hints scaled by hidden and nodes",
        Provenance::Assumed);
    add("peak", "Peak in the step", rank.peak, "states + activations + transient + buffers",
        fmt::format("reached at {:.3f} s", toSeconds(rank.peakTime)), "maximum over the simulated timeline",
        Provenance::Modelled);
    return terms;
}

Terms describeTerms(const Evaluation &e)
{
    Builder builder(e);
    builder.addModel();
    builder.addGroups();
    builder.addRouting();
    builder.addDurations();
    builder.addStep();
    builder.addThroughput();
    builder.add("memory.capacity", "HBM", static_cast<double>(e.memory.capacity), "B", "what the device reports",
                e.scenario.cluster.title, e.scenario.cluster.source, Provenance::Measured);
    builder.add("memory.usable", "Usable HBM", static_cast<double>(e.memory.usable), "B", "HBM / reserve",
                fmt::format("{:.1f} GiB / {:g}", gib(e.memory.capacity), e.scenario.memory.reserve),
                "reserved / allocated of 19 B200 runs: 1.028 to 1.093, mean 1.053", Provenance::Measured);
    Terms terms = builder.take();
    Terms memory = memoryTerms(e, e.memory.peakRank);
    terms.insert(terms.end(), std::make_move_iterator(memory.begin()), std::make_move_iterator(memory.end()));
    return terms;
}

std::vector<std::string> notModelled(const Evaluation &e)
{
    std::vector<std::string> out = {
        "Jitter and stragglers between ranks: every rank of a kind takes the same time.",
        "Host-bound launches: small matmuls run as fast as their shapes allow.",
        "Network congestion beyond a rack, and contention between data-parallel traffic and the all-to-all.",
        "Restarts, checkpoints and evaluation: GPU-hours hold training steps only.",
        "Fragmentation of the allocator beyond the reserve, and its growth over many steps.",
    };
    if (e.scenario.model.moe.experts > 0)
        out.emplace_back("Routing that changes from layer to layer: the hottest rank is taken to be the hottest in every layer.");
    if (e.scenario.timing.source == TimingSource::Model)
        out.emplace_back("The framework's own efficiency: published runs reached 0.6 to 0.9 of a first-order model.");
    return out;
}

} // namespace pipeloom
