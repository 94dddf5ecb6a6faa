// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/quantity.h"

#include "core/base/counted.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Where the durations come from decides the tag of everything that follows from them.
Provenance timeTag(const Scenario &scenario)
{
    switch (scenario.timing.source) {
    case TimingSource::Calibrated:
        return Provenance::Calibrated;
    case TimingSource::Manual:
        return Provenance::Assumed;
    case TimingSource::Model:
        return Provenance::Modelled;
    }
    return Provenance::Modelled;
}

/// Builds the list; each number takes tag and source from the evaluation's term where there is one.
class List
{
public:
    explicit List(const Evaluation &evaluation)
        : m_evaluation(evaluation)
    {
    }

    void add(const char *id, const char *label, double value, const char *unit, Provenance tag, int better = 0,
             const std::string &termId = {})
    {
        Quantity quantity{ id, label, value, unit, tag, {}, better };
        if (const Term *term = findTerm(m_evaluation.terms, termId)) {
            quantity.tag = term->tag;
            quantity.source = term->formula;
            if (!term->source.empty())
                quantity.source += quantity.source.empty() ? term->source : "; " + term->source;
        }
        m_quantities.push_back(std::move(quantity));
    }

    std::vector<Quantity> take() { return std::move(m_quantities); }

private:
    const Evaluation &m_evaluation;
    std::vector<Quantity> m_quantities;
};

void addModel(List &list, const Evaluation &e)
{
    const auto counted = Provenance::Counted;
    list.add("model.params_total", "Parameters", static_cast<double>(e.parameters.total), "parameters", counted, 0,
             "model.parameters");
    list.add("model.params_active", "Active parameters, head counted", static_cast<double>(e.parameters.activeWithHead),
             "parameters", counted, 0, "model.active");
    list.add("model.flops_per_token", "FLOPs of a trained token", e.flops.trainPerToken, "FLOP/token", counted, 0, "model.flops");
    list.add("groups.dp", "Data parallel", static_cast<double>(e.groups.dp), "ranks", counted);
    list.add("groups.edp", "Expert data parallel", static_cast<double>(e.groups.edp), "ranks", counted);
    list.add("groups.microbatches", "Microbatches of a pipeline", static_cast<double>(e.groups.microbatches), "microbatches",
             counted);
}

void addMemory(List &list, const Evaluation &e)
{
    const RankMemory *rank = e.memory.ranks.empty() ? nullptr : &e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)];
    const auto bytes = [rank](ByteCount RankMemory::*member) {
        return rank != nullptr ? static_cast<double>(rank->*member) : unknown;
    };
    const std::string prefix = rank != nullptr ? fmt::format("memory.rank{}.", rank->rank) : std::string();
    const auto counted = Provenance::Counted;
    const auto modelled = Provenance::Modelled;
    list.add("memory.peak", "Peak memory, worst rank", bytes(&RankMemory::peak), "B", modelled, -1, prefix + "peak");
    list.add("memory.peak_rank", "Worst rank", rank != nullptr ? rank->rank : unknown, "rank", modelled);
    list.add("memory.weights_dense", "  parameters, dense", bytes(&RankMemory::weightsDense), "B", counted, -1,
             prefix + "weightsDense");
    list.add("memory.weights_expert", "  parameters, expert", bytes(&RankMemory::weightsExpert), "B", counted, -1,
             prefix + "weightsExpert");
    list.add("memory.gradients", "  gradients", bytes(&RankMemory::gradients), "B", counted, -1, prefix + "gradients");
    list.add("memory.optimizer", "  optimizer", bytes(&RankMemory::optimizer), "B", counted, -1, prefix + "optimizer");
    list.add("memory.activations", "  activations in flight", bytes(&RankMemory::activationsPeak), "B", modelled, -1,
             prefix + "activations");
    list.add("memory.transient", "  transient", bytes(&RankMemory::transientPeak), "B", modelled, -1, prefix + "transient");
    list.add("memory.buffers", "  buffers, context", bytes(&RankMemory::buffers), "B", Provenance::Assumed, -1,
             prefix + "buffers");
    list.add("memory.peak_reserved", "Reserved by the allocator, worst rank", bytes(&RankMemory::peakReserved), "B", modelled, -1,
             prefix + "reserved");
    list.add("memory.usable", "Usable memory", static_cast<double>(e.memory.usable), "B", Provenance::Assumed, 0,
             "memory.usable");
    list.add("memory.capacity", "HBM of the GPU", static_cast<double>(e.memory.capacity), "B", Provenance::Measured, 0,
             "memory.capacity");
    list.add("memory.headroom", "Left to usable", rank != nullptr ? static_cast<double>(e.memory.usable - rank->peak) : unknown,
             "B", modelled, 1);
}

void addTime(List &list, const Evaluation &e)
{
    const Provenance tag = timeTag(e.scenario);
    const auto value = [&e](double v) { return e.valid ? v : unknown; };
    list.add("time.step_s", "Step time", value(e.time.step), "s", tag, -1, "time.step");
    list.add("time.compute_s", "  compute", value(e.time.compute), "s", tag, -1, "time.compute");
    list.add("time.exposed_comm_s", "  exposed communication", value(e.time.exposedComm), "s", tag, -1, "time.exposed");
    list.add("time.bubble_s", "  bubble, mean of the ranks", value(e.time.bubble), "s", tag, -1);
    list.add("time.bubble_schedule_s", "    of the schedule", value(e.time.bubbleOfSchedule), "s", tag, -1, "time.bubblesplit");
    list.add("time.bubble_imbalance_s", "    of unequal stages", value(e.time.bubbleOfImbalance), "s", tag, -1,
             "time.bubblesplit");
    list.add("time.optimizer_s", "  optimizer", value(e.time.optimizer), "s", tag, -1, "time.optimizer");
    list.add("schedule.bubble_fraction_worst", "Bubble of the worst rank", value(e.time.bubbleFractionWorst), "ratio", tag, -1,
             "time.bubble");
    list.add("time.f_s", "Forward, typical stage", value(e.time.f), "s", tag, -1, "time.f");
    list.add("time.b_s", "Backward, typical stage", value(e.time.b), "s", tag, -1);
    list.add("throughput.tokens_per_s_per_gpu", "Throughput", value(e.throughput.tokensPerSecondPerGpu), "tokens/s/GPU", tag, 1,
             "throughput.tokens");
    list.add("throughput.low", "  low end of the band", value(e.throughput.low), "tokens/s/GPU", tag, 1);
    list.add("throughput.high", "  high end of the band", value(e.throughput.high), "tokens/s/GPU", tag, 1);
    list.add("throughput.model_tflops_per_gpu", "Model FLOPs", value(e.throughput.modelTflopsPerGpu), "TFLOP/s/GPU", tag, 1,
             "throughput.tflops");
    list.add("throughput.mfu", "MFU", value(e.throughput.mfu), "ratio", tag, 1, "throughput.mfu");
    list.add("cost.gpu_hours_per_1t_tokens", "GPU-hours per 1T tokens", value(e.cost.gpuHoursPerTrillionTokens), "GPU-h", tag, -1,
             "cost.gpuhours");
    list.add("cost.usd_per_1t_tokens", "Cost per 1T tokens", value(e.cost.usdPerTrillionTokens), "USD", tag, -1, "cost.usd");
}

/// "ranks" of a count is "rank" of one.
std::string_view singular(std::string_view unit)
{
    unit.remove_suffix(unit.ends_with("ches") ? 2 : unit.ends_with('s') ? 1 : 0);
    return unit;
}

} // namespace

bool Quantity::known() const { return std::isfinite(value); }

std::vector<Quantity> quantities(const Evaluation &evaluation)
{
    List list(evaluation);
    addModel(list, evaluation);
    addMemory(list, evaluation);
    addTime(list, evaluation);
    return list.take();
}

std::string displayed(const Quantity &q)
{
    if (!q.known())
        return "not computed";
    if (q.unit == "B")
        return formatBytes(std::llround(q.value));
    if (q.unit == "s")
        return formatDuration(q.value);
    if (q.unit == "ratio")
        return formatPercent(q.value);
    if (q.unit == "tokens/s/GPU")
        return formatFixed(q.value, 0) + " tokens/s/GPU";
    if (q.unit == "TFLOP/s/GPU")
        return formatFixed(q.value, 0) + " TFLOP/s/GPU";
    if (q.unit == "FLOP/token")
        return formatFixed(q.value / 1e9, 2) + " GFLOP/token";
    if (q.unit == "GPU-h")
        return formatShort(q.value) + " GPU-h";
    if (q.unit == "USD")
        return formatShort(q.value) + " USD";
    if (q.unit == "rank")
        return formatCount(std::llround(q.value));
    return formatCounted(std::llround(q.value), singular(q.unit));
}

std::string displayedDelta(const Quantity &reference, const Quantity &value)
{
    if (!reference.known() || !value.known())
        return "not comparable";
    const double delta = value.value - reference.value;
    if (value.unit == "ratio")
        return formatSigned(100 * delta, 1) + " pt";
    if (value.unit == "B")
        return formatSignedBytes(std::llround(delta));
    if (value.unit == "rank")
        return {};
    const std::string change = formatChange(reference.value, value.value);
    const std::string relative = change.empty() ? std::string() : " (" + change + ")";
    if (value.unit == "s")
        return (std::abs(delta) < 0.1 ? formatSigned(1e3 * delta, 2) + " ms" : formatSigned(delta, 2) + " s") + relative;
    if (value.unit == "GPU-h" || value.unit == "USD")
        return (delta < 0 ? std::string(minusSign) : "+") + formatShort(std::abs(delta)) + ' ' + value.unit + relative;
    if (value.unit == "FLOP/token")
        return formatSigned(delta / 1e9, 2) + " GFLOP/token" + relative;
    return formatSigned(delta, 0) + relative;
}

} // namespace pipeloom
