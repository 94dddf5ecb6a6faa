// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"
#include "core/memory/ledger.h"
#include "core/memory/precision.h"
#include "core/memory/recompute.h"
#include "core/model/modelspec.h"
#include "core/plan/plan.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace pipeloom
{

/// A number of token rows, and which group shares the tensor they belong to. Reads as the number.
struct TokenRows
{
    double count = 0;
    TensorSplit::Cut cut = TensorSplit::Cut::Whole;

    TokenRows(double number = 0, TensorSplit::Cut by = TensorSplit::Cut::Whole) // NOLINT(google-explicit-constructor)
        : count(number)
        , cut(by)
    {
    }
    operator double() const { return count; } // NOLINT(google-explicit-constructor)
};

/// Tokens as one rank sees them, for one microbatch.
struct RankTokens
{
    TokenRows tokens; ///< T = micro-batch x seq / CP: inputs of the tensor-parallel matmuls
    TokenRows sequenceShard; ///< T / TP under sequence parallelism, else T
    TokenRows routed; ///< token copies the rank's experts receive: shard x top-k x ETP x imbalance
    TokenRows router; ///< tokens the rank feeds to the router
};

/// imbalance: copies on this rank over the balanced average (>= 0).
[[nodiscard]] RankTokens rankTokens(const ModelSpec &model, const ParallelPlan &plan, double imbalance);

/// The same under the scenario's MoE runtime, which may route every token on each tensor-parallel rank. imbalance: rows of this
/// rank's buffers over the balanced average, filled or not (bufferLoad()).
[[nodiscard]] RankTokens rankTokens(const Scenario &scenario, double imbalance);

/// Half of a layer; its backward runs the MLP half first.
enum class LayerPart : std::uint8_t
{
    Attention,
    Mlp,
};

/// One tensor that a layer keeps from its forward to its backward, before recompute is applied.
struct LayerTensor
{
    const char *name = "";
    TokenRows rows; ///< tokens, or token copies
    double cols = 0; ///< elements a row
    double bytesPerElement = 2;
    const char *dtype = "bf16";
    std::uint32_t droppedBy = 0; ///< Recompute::Module bits, any of which drops it
    bool checkpoint = false; ///< the layer input: all that `full` keeps
    LayerPart part = LayerPart::Attention; ///< set by layerTensors()

    [[nodiscard]] double bytes() const { return rows * cols * bytesPerElement; }
};

/// Everything one layer of the kind keeps of one microbatch, under the scenario's attention and MoE runtime. Megatron-Core +
/// Transformer Engine storage, or DeepSeek-V3's own (V3 report 3.2.3 and 3.3.3) when precision.deepseekActivations is set, or
/// Megatron-DeepSpeed's (memory/deepspeedtensors.h).
/// Golden: a V3 MoE layer at 4,096 tokens and TP1 keeps 1,788 MiB in BF16.
[[nodiscard]] std::vector<LayerTensor> layerTensors(const Scenario &scenario, LayerKind kind, const RankTokens &tokens);

/// What an MTP module keeps beside its layer: both norms' outputs and the concatenated projection input.
[[nodiscard]] std::vector<LayerTensor> mtpTensors(const ModelSpec &model, const Precision &precision, const RankTokens &tokens);

/// True when the tensor survives until the backward under the recompute setting.
[[nodiscard]] bool isKept(const LayerTensor &tensor, const Recompute &recompute);

/// Bytes kept of one layer.
[[nodiscard]] double keptBytes(const std::vector<LayerTensor> &tensors, const Recompute &recompute);

} // namespace pipeloom
