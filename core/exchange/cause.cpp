// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/cause.h"

#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/exchange/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pipeloom
{

namespace
{

/// One part of a sum that two plans share.
struct Part
{
    std::string label;
    double before = 0, after = 0;
    std::string detail; ///< what moved it; may be empty

    [[nodiscard]] double delta() const { return after - before; }
};

const RankMemory &worstRank(const Evaluation &e) { return e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)]; }

int layersOn(const Evaluation &e, const RankMemory &rank)
{
    int layers = 0;
    for (const int stage : rank.stages)
        layers += e.layout.stages[static_cast<std::size_t>(stage)].layers;
    return layers;
}

std::string held(const Evaluation &e)
{
    const RankMemory &rank = worstRank(e);
    const ByteCount each = rank.inFlightAtPeak > 0 ? rank.activationsPeak / rank.inFlightAtPeak : 0;
    return fmt::format("{} of {} on rank {}", rank.inFlightAtPeak, formatBytes(each, 2), rank.rank);
}

std::string holding(const Evaluation &e)
{
    const RankMemory &rank = worstRank(e);
    return fmt::format("{} in {} on rank {}", formatCounted(layersOn(e, rank), "layer"),
                       formatCounted(static_cast<std::int64_t>(rank.stages.size()), "stage"), rank.rank);
}

std::string sharding(const Evaluation &e)
{
    return fmt::format("{}, ZeRO {} over DP {} and EDP {}", formatCounted(layersOn(e, worstRank(e)), "layer"),
                       e.scenario.plan.zero, formatCount(e.groups.dp), formatCount(e.groups.edp));
}

/// ZeRO shards gradients from stage 2 on only.
std::string gradients(const Evaluation &e) { return e.scenario.plan.zero >= 2 ? sharding(e) : holding(e); }

/// "a, against b", or only one of them when they are equal.
std::string instead(const std::string &after, const std::string &before)
{
    return after == before ? after : fmt::format("{}, against {}", after, before);
}

std::vector<Part> memoryParts(const Evaluation &a, const Evaluation &b)
{
    const auto before = worstRank(a).stackAtPeak();
    const auto after = worstRank(b).stackAtPeak();
    std::vector<Part> parts;
    for (std::size_t i = 0; i < memoryClassCount; ++i) {
        const auto memoryClass = static_cast<MemoryClass>(i);
        std::string detail;
        switch (memoryClass) {
        case MemoryClass::Activations:
            detail = instead(held(b), held(a));
            break;
        case MemoryClass::ParametersDense:
        case MemoryClass::ParametersExpert:
            detail = instead(holding(b), holding(a));
            break;
        case MemoryClass::Gradients:
            detail = instead(gradients(b), gradients(a));
            break;
        case MemoryClass::Optimizer:
            detail = instead(sharding(b), sharding(a));
            break;
        case MemoryClass::Transient:
        case MemoryClass::Buffers:
            break;
        }
        parts.push_back({ name(memoryClass), static_cast<double>(before[i]), static_cast<double>(after[i]), std::move(detail) });
    }
    return parts;
}

std::string stageWork(const Evaluation &e)
{
    return fmt::format("{} of F {} and B {} a stage", formatCounted(e.groups.microbatches, "microbatch"),
                       formatDuration(e.time.f), formatDuration(e.time.b));
}

/// The all-to-all of a stage, and whether a paired op covers it.
std::string exchange(const Evaluation &e)
{
    if (e.time.dispatch + e.time.combine == 0)
        return "no all-to-all";
    const bool paired =
        e.scenario.runtime.overlap && std::ranges::find(e.schedule.ops, OpKind::FB, &Op::kind) != e.schedule.ops.end();
    return fmt::format("dispatch {} and combine {} a stage, {}", formatDuration(e.time.dispatch), formatDuration(e.time.combine),
                       paired ? "covered by the other half of a pair" : "in the open");
}

/// What the schedule leaves idle, with its closed form where it has one.
std::string idling(const Evaluation &e)
{
    const std::string worst = fmt::format("the worst rank idles {}", formatPercent(e.time.bubbleFractionWorst));
    const std::optional<ClosedForm::Shown> form = e.closedForm.shown();
    return form ? fmt::format("{} with {} = {} in closed form", worst, form->expression, formatSeconds(toSeconds(form->bubble)))
                : worst;
}

std::vector<Part> timeParts(const Evaluation &a, const Evaluation &b)
{
    return {
        { "Compute", a.time.compute, b.time.compute, instead(stageWork(b), stageWork(a)) },
        { "Exposed communication", a.time.exposedComm, b.time.exposedComm, instead(exchange(b), exchange(a)) },
        { "Bubble", a.time.bubble, b.time.bubble, instead(idling(b), idling(a)) },
        { "Optimizer", a.time.optimizer, b.time.optimizer, instead(sharding(b), sharding(a)) },
    };
}

/// The part that moved most; parts that moved against the sum are named when they are more than half as large.
std::string largestPart(std::vector<Part> parts, bool bytes)
{
    const double total = [&parts] {
        double sum = 0;
        for (const Part &part : parts)
            sum += part.delta();
        return sum;
    }();
    const auto text = [bytes](const Part &part) {
        const std::string amount = bytes
            ? formatSignedBytes(std::llround(part.delta()))
            : (std::abs(part.delta()) < 0.1 ? formatSigned(1e3 * part.delta(), 2) + " ms" : formatSigned(part.delta(), 2) + " s");
        return part.detail.empty() ? fmt::format("{} {}", part.label, amount)
                                   : fmt::format("{} {} ({})", part.label, amount, part.detail);
    };
    std::ranges::sort(parts, [total](const Part &x, const Part &y) { return x.delta() * total > y.delta() * total; });
    const Part &most = parts.front();
    const Part &against = parts.back();
    if (against.delta() * total < 0 && std::abs(against.delta()) > std::abs(most.delta()) / 2)
        return fmt::format("{}; against it {}", text(most), text(against));
    return text(most);
}

std::string capital(std::string sentence)
{
    if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z')
        sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
    return sentence;
}

std::string with(const Evaluation &a, const Evaluation &b)
{
    const std::string fields = changedFields(a, b);
    return fields.empty() ? std::string(".") : fmt::format(", with {}.", fields);
}

/// tokens/s/GPU = tokens of a step / step time / GPUs.
std::string throughputCause(const Evaluation &a, const Evaluation &b)
{
    const ParallelPlan &p = a.scenario.plan;
    const ParallelPlan &q = b.scenario.plan;
    const bool sameWork = p.globalBatch * p.seq == q.globalBatch * q.seq && p.gpus == q.gpus;
    const int decimals = formatSeconds(a.time.step) == formatSeconds(b.time.step) ? 4 : 2;
    const std::string step = fmt::format("the step takes {} instead of {}", formatSeconds(b.time.step, decimals),
                                         formatSeconds(a.time.step, decimals));
    if (sameWork)
        return fmt::format("The same tokens on the same GPUs, and {}.", step);
    return fmt::format("{} tokens a step on {} instead of {} on {}, and {}.", formatCount(q.globalBatch * q.seq),
                       formatCounted(q.gpus, "GPU"), formatCount(p.globalBatch * p.seq), formatCount(p.gpus), step);
}

std::string utilisationCause(const Evaluation &a, const Evaluation &b)
{
    std::vector<std::string> reasons;
    if (a.throughput.flopsPerToken != b.throughput.flopsPerToken) {
        reasons.push_back(fmt::format("{} GFLOP a token instead of {}", formatFixed(b.throughput.flopsPerToken / 1e9, 2),
                                      formatFixed(a.throughput.flopsPerToken / 1e9, 2)));
    }
    if (a.throughput.mfuPeakTflops != b.throughput.mfuPeakTflops) {
        reasons.push_back(fmt::format("a peak of {} TFLOP/s instead of {}", formatFixed(b.throughput.mfuPeakTflops, 1),
                                      formatFixed(a.throughput.mfuPeakTflops, 1)));
    }
    reasons.push_back(fmt::format("{} tokens/s/GPU instead of {}", formatFixed(b.throughput.tokensPerSecondPerGpu, 0),
                                  formatFixed(a.throughput.tokensPerSecondPerGpu, 0)));
    return fmt::format("{}.", fmt::join(reasons, ", "));
}

std::string costCause(const Evaluation &a, const Evaluation &b)
{
    const std::string rate = fmt::format("{} tokens/s/GPU instead of {}", formatFixed(b.throughput.tokensPerSecondPerGpu, 0),
                                         formatFixed(a.throughput.tokensPerSecondPerGpu, 0));
    if (a.cost.usdPerGpuHour == b.cost.usdPerGpuHour)
        return fmt::format("{} at the same price.", rate);
    return fmt::format("{}, at {:.2f} USD a GPU-hour instead of {:.2f}.", rate, b.cost.usdPerGpuHour, a.cost.usdPerGpuHour);
}

std::string modelCause(const Evaluation &a, const Evaluation &b)
{
    if (a.scenario.model != b.scenario.model)
        return fmt::format("Another model: {} instead of {}.", b.scenario.model.title, a.scenario.model.title);
    return fmt::format("The sequence is {} instead of {} tokens.", formatCount(b.scenario.plan.seq),
                       formatCount(a.scenario.plan.seq));
}

bool isAny(std::string_view id, std::initializer_list<std::string_view> ids) { return std::ranges::find(ids, id) != ids.end(); }

/// Precondition: both plans are valid and the quantity differs.
std::string differenceCause(std::string_view id, const Evaluation &a, const Evaluation &b)
{
    if (id.starts_with("model."))
        return modelCause(a, b);
    if (id == "groups.dp")
        return "GPUs / (TP x CP x PP)" + with(a, b);
    if (id == "groups.edp")
        return "GPUs / (ETP x EP x PP)" + with(a, b);
    if (id == "groups.microbatches")
        return "Global batch / (microbatch size x DP)" + with(a, b);
    if (isAny(id, { "memory.peak", "memory.headroom", "memory.peak_reserved" }))
        return largestPart(memoryParts(a, b), true) + with(a, b);
    if (id == "memory.activations")
        return fmt::format("Chunk activations held at the peak: {}{}", instead(held(b), held(a)), with(a, b));
    if (isAny(id, { "memory.weights_dense", "memory.weights_expert" }))
        return fmt::format("The worst rank holds {}{}", instead(holding(b), holding(a)), with(a, b));
    if (id == "memory.gradients")
        return fmt::format("The worst rank has {}{}", instead(gradients(b), gradients(a)), with(a, b));
    if (isAny(id, { "memory.optimizer", "time.optimizer_s" }))
        return fmt::format("The worst rank has {}{}", instead(sharding(b), sharding(a)), with(a, b));
    if (isAny(id, { "memory.usable", "memory.capacity" }))
        return fmt::format("{} and a reserve of {:.3f} instead of {} and {:.3f}.", b.scenario.cluster.title,
                           b.scenario.memory.reserve, a.scenario.cluster.title, a.scenario.memory.reserve);
    if (id == "time.step_s")
        return largestPart(timeParts(a, b), false) + with(a, b);
    if (isAny(id, { "time.bubble_s", "schedule.bubble_fraction_worst" }))
        return fmt::format("{}{}", capital(instead(idling(b), idling(a))), with(a, b));
    if (id == "time.exposed_comm_s")
        return fmt::format("{}{}", capital(instead(exchange(b), exchange(a))), with(a, b));
    if (isAny(id, { "time.compute_s", "time.f_s", "time.b_s" }))
        return fmt::format("{}{}", instead(stageWork(b), stageWork(a)), with(a, b));
    if (id.starts_with("throughput.model") || id == "throughput.mfu")
        return utilisationCause(a, b);
    if (id.starts_with("throughput."))
        return throughputCause(a, b);
    if (id.starts_with("cost."))
        return costCause(a, b);
    const std::string fields = changedFields(a, b);
    return fields.empty() ? "The plans differ outside their parallel fields." : fmt::format("It follows from {}.", fields);
}

std::string firstError(const Evaluation &e)
{
    const auto found = std::ranges::find(e.diagnostics, Severity::Error, &Diagnostic::severity);
    return found == e.diagnostics.end() ? "the plan is not valid" : found->message;
}

void note(std::vector<std::string> &out, const char *label, std::int64_t before, std::int64_t after)
{
    if (before != after)
        out.push_back(fmt::format("{} {} instead of {}", label, formatCount(after), formatCount(before)));
}

} // namespace

std::string changedFields(const Evaluation &before, const Evaluation &after)
{
    const ParallelPlan &p = before.scenario.plan;
    const ParallelPlan &q = after.scenario.plan;
    std::vector<std::string> out;
    const auto text = [&out](const std::string &from, const std::string &to) {
        if (from != to)
            out.push_back(fmt::format("{} instead of {}", to, from));
    };
    text(before.scenario.model.title, after.scenario.model.title);
    text(before.scenario.cluster.title, after.scenario.cluster.title);
    text(std::string(title(p.schedule)), std::string(title(q.schedule)));
    note(out, "GPUs", p.gpus, q.gpus);
    note(out, "PP", p.pp, q.pp);
    note(out, "VPP", p.vpp, q.vpp);
    note(out, "TP", p.tp, q.tp);
    note(out, "EP", p.ep, q.ep);
    note(out, "ETP", p.etp, q.etp);
    note(out, "CP", p.cp, q.cp);
    note(out, "microbatch size", p.microBatch, q.microBatch);
    note(out, "global batch", p.globalBatch, q.globalBatch);
    note(out, "sequence", p.seq, q.seq);
    note(out, "ZeRO", p.zero, q.zero);
    if (p.layout != q.layout)
        out.emplace_back("another split of the layers");
    if (before.scenario.recompute != after.scenario.recompute)
        out.push_back(fmt::format("recompute {} instead of {}", after.scenario.recompute.name, before.scenario.recompute.name));
    if (before.scenario.precision != after.scenario.precision)
        out.push_back(fmt::format("precision {} instead of {}", after.scenario.precision.name, before.scenario.precision.name));
    if (before.scenario.routing != after.scenario.routing)
        out.push_back(fmt::format("routing σ {} instead of {}", after.scenario.routing.sigma, before.scenario.routing.sigma));
    if (before.scenario.runtime != after.scenario.runtime)
        out.emplace_back("another runtime");
    if (before.scenario.timing != after.scenario.timing)
        out.emplace_back("another source of the durations");
    return fmt::format("{}", fmt::join(out, ", "));
}

std::string causeOf(std::string_view quantity, const Evaluation &before, const Evaluation &after)
{
    const auto value = [quantity](const Evaluation &e) {
        const std::vector<Quantity> all = quantities(e);
        const auto found = std::ranges::find(all, quantity, &Quantity::id);
        return found == all.end() ? Quantity{} : *found;
    };
    const Quantity a = value(before);
    const Quantity b = value(after);
    if (a.known() && b.known()) {
        if (a.value == b.value)
            return "equal";
        if (before.valid && after.valid)
            return differenceCause(quantity, before, after);
        return quantity.starts_with("model.") ? modelCause(before, after)
                                              : fmt::format("It follows from {}.", changedFields(before, after));
    }
    return fmt::format("Not valid: {}", firstError(before.valid ? after : before));
}

} // namespace pipeloom
