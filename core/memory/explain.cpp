// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/explain.h"

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

std::string formula(const BreakdownRow &b)
{
    const LedgerRow &row = b.row;
    if (row.rows <= 0)
        return "as stated";
    std::string text = "rows x columns x bytes";
    const bool weight = row.memoryClass <= MemoryClass::Optimizer;
    if (weight && row.split.ways > 1)
        text += row.split.cut == TensorSplit::Cut::Expert ? "" : " / TP";
    if (row.split.shards > 1)
        text += row.split.cut == TensorSplit::Cut::Expert ? " / EDP" : " / (DP x CP)";
    if (row.count > 1)
        text += " x instances";
    if (b.inFlight > 1)
        text += " x in flight";
    return text;
}

std::string inputs(const BreakdownRow &b)
{
    const LedgerRow &row = b.row;
    std::string text = row.rows > 0 ? fmt::format("{} {}, ", shapeText(row), row.dtype) : std::string();
    text += fmt::format("{:.2f} MiB", static_cast<double>(row.bytes) / bytesPerMiB);
    if (row.split.shards > 1 || row.split.ways > 1)
        text += fmt::format(" after {}", splitText(row));
    if (row.count > 1)
        text += fmt::format(" x {}", row.count);
    if (b.inFlight > 1)
        text += fmt::format(" x {} in flight", b.inFlight);
    return fmt::format("{}; {}", text, keptByText(row));
}

struct Origin
{
    std::string source;
    Provenance tag;
};

Origin origin(const LedgerRow &row, const Scenario &s)
{
    switch (row.memoryClass) {
    case MemoryClass::ParametersDense:
    case MemoryClass::ParametersExpert:
    case MemoryClass::Optimizer:
        return { s.precision.source, Provenance::Counted };
    case MemoryClass::Gradients:
        if (row.lifetime == Lifetime::FirstBackward)
            return { "Transformer Engine keeps one for each distinct weight shape; without it measured B200 peaks are missed by "
                     "as much",
                     Provenance::Counted };
        return { s.precision.source, Provenance::Counted };
    case MemoryClass::Activations:
        if (s.precision.deepseekActivations)
            return { "DeepSeek-V3 report 3.2.3 and 3.3.3, tensor list reconstructed; no measured run covers it",
                     Provenance::Modelled };
        return { "tensors that Megatron-Core and Transformer Engine save; sums checked against allocator peaks on B200",
                 Provenance::Counted };
    case MemoryClass::Transient:
        if (row.split.cut == TensorSplit::Cut::Routed && row.lifetime == Lifetime::MlpBackward && row.droppedBy == 0
            && row.name.find("gradients") != std::string_view::npos)
            return { "five copies of the dispatched tokens: one constant fitted on six B200 runs", Provenance::Modelled };
        return { "shapes of what the op has alive; checked against allocator peaks on B200", Provenance::Modelled };
    case MemoryClass::Buffers:
        if (row.name.starts_with("DeepEP"))
            return { "DeepEP's size hints, scaled by hidden size and nodes", Provenance::Assumed };
        return { "memory.context_gib", Provenance::Assumed };
    }
    return { {}, Provenance::Modelled };
}

} // namespace

Term explain(const BreakdownRow &b, const Scenario &scenario)
{
    const LedgerRow &row = b.row;
    Term term;
    term.id = fmt::format("tensor.{}.{}", name(row.place), row.name);
    term.label = row.place == LedgerPlace::Rank ? std::string(row.name) : fmt::format("{}: {}", name(row.place), row.name);
    term.value = static_cast<double>(b.bytes);
    term.unit = "B";
    term.formula = formula(b);
    term.inputs = inputs(b);
    Origin from = origin(row, scenario);
    term.source = std::move(from.source);
    term.tag = from.tag;
    return term;
}

} // namespace pipeloom
