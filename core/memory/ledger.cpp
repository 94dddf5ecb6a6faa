// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/ledger.h"

#include "core/memory/recompute.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace pipeloom
{

const char *name(MemoryClass memoryClass)
{
    switch (memoryClass) {
    case MemoryClass::ParametersDense:
        return "Parameters, dense";
    case MemoryClass::ParametersExpert:
        return "Parameters, expert";
    case MemoryClass::Gradients:
        return "Gradients";
    case MemoryClass::Optimizer:
        return "Optimizer states";
    case MemoryClass::Activations:
        return "Activations in flight";
    case MemoryClass::Transient:
        return "Transient";
    case MemoryClass::Buffers:
        return "Buffers, context";
    }
    return "";
}

const char *name(Lifetime lifetime)
{
    switch (lifetime) {
    case Lifetime::Run:
        return "the whole run";
    case Lifetime::FirstBackward:
        return "from the first backward on";
    case Lifetime::FirstStep:
        return "from the first optimizer step on";
    case Lifetime::Microbatch:
        return "F to B or W of a microbatch";
    case Lifetime::Head:
        return "while the head runs";
    case Lifetime::MlpBackward:
        return "while the MLP part of a layer's backward runs";
    case Lifetime::AttentionBackward:
        return "while the attention part of a layer's backward runs";
    case Lifetime::Op:
        return "while an op of the stage runs";
    case Lifetime::OptimizerStep:
        return "while the optimizer steps";
    }
    return "";
}

const char *name(LedgerPlace place)
{
    switch (place) {
    case LedgerPlace::Embedding:
        return "Embedding";
    case LedgerPlace::DenseLayer:
        return "Dense layer";
    case LedgerPlace::MoeLayer:
        return "MoE layer";
    case LedgerPlace::AnyLayer:
        return "Every layer";
    case LedgerPlace::Mtp:
        return "MTP";
    case LedgerPlace::Head:
        return "Head";
    case LedgerPlace::Rank:
        return "Rank";
    }
    return "";
}

StateBytes sumStates(const Ledger &rows)
{
    StateBytes sums;
    for (const LedgerRow &row : rows) {
        if (row.host) {
            sums.hostOptimizer += row.total();
            continue;
        }
        switch (row.memoryClass) {
        case MemoryClass::ParametersDense:
            sums.weightsDense += row.total();
            break;
        case MemoryClass::ParametersExpert:
            sums.weightsExpert += row.total();
            break;
        case MemoryClass::Gradients:
            sums.gradients += row.total();
            sums.dummyGradients += row.lifetime == Lifetime::FirstBackward ? row.total() : 0;
            break;
        case MemoryClass::Optimizer:
            sums.optimizer += row.total();
            sums.moments += row.lifetime == Lifetime::FirstStep ? row.total() : 0;
            break;
        case MemoryClass::Buffers:
            sums.buffers += row.total();
            break;
        case MemoryClass::Activations:
        case MemoryClass::Transient:
            break;
        }
    }
    return sums;
}

std::string shapeText(const LedgerRow &row)
{
    if (row.rows <= 0)
        return {};
    return row.cols > 1 ? fmt::format("[{:.0f}, {:.0f}]", row.rows, row.cols) : fmt::format("[{:.0f}]", row.rows);
}

std::string splitText(const LedgerRow &row)
{
    const TensorSplit &s = row.split;
    std::string text;
    const auto add = [&text](const char *axis, std::int64_t ways) {
        if (ways > 1)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, ways);
    };
    switch (s.cut) {
    case TensorSplit::Cut::Whole:
        break;
    case TensorSplit::Cut::Tensor:
        add("TP", s.ways);
        break;
    case TensorSplit::Cut::Sequence:
        add("SP", s.ways);
        break;
    case TensorSplit::Cut::Expert:
    case TensorSplit::Cut::Routed:
        add("EP", s.ways);
        add("ETP", s.expertTensor);
        break;
    }
    add("CP", s.context);
    add(s.cut == TensorSplit::Cut::Expert ? "EDP" : "DP", s.shards);
    return text.empty() ? "whole" : text;
}

std::string keptByText(const LedgerRow &row)
{
    std::string text = name(row.lifetime);
    if (row.lifetime != Lifetime::Microbatch)
        return text;
    if (row.checkpoint)
        return text + "; kept by every recompute mode";
    static constexpr std::array<std::pair<Recompute::Module, const char *>, 7> modules = {
        { { Recompute::CoreAttention, "core_attn" },
          { Recompute::MoeActivation, "moe_act" },
          { Recompute::LayerNorm, "layernorm" },
          { Recompute::MlaUpProjection, "mla_up_proj" },
          { Recompute::Mlp, "mlp" },
          { Recompute::Moe, "moe" },
          { Recompute::SharedExperts, "shared_experts" } }
    };
    std::string dropped;
    for (const auto &[module, moduleName] : modules) {
        if ((row.droppedBy & module) != 0)
            dropped += (dropped.empty() ? "" : ", ") + std::string(moduleName);
    }
    return text + (dropped.empty() ? "; dropped only by full" : "; dropped by " + dropped);
}

} // namespace pipeloom
