// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// The stack of one rank, bottom to top.
enum class MemoryClass : std::uint8_t
{
    ParametersDense,
    ParametersExpert,
    Gradients,
    Optimizer,
    Activations,
    Transient,
    Buffers, ///< NCCL, context: outside the allocator
};
inline constexpr std::size_t memoryClassCount = 7;

[[nodiscard]] const char *name(MemoryClass memoryClass); ///< "Parameters, dense"

/// From which op to which op a tensor is there.
enum class Lifetime : std::uint8_t
{
    Run, ///< from the start of the run
    FirstBackward, ///< from the first backward of the run: Transformer Engine's dummy weight gradients
    FirstStep, ///< from the first optimizer step: the moments
    Microbatch, ///< from the start of a microbatch's F to the end of its B or W on the stage
    Head, ///< while the head runs: in the F and at the start of the B of the last stage
    MlpBackward, ///< while the MLP or MoE part of a layer's backward runs
    AttentionBackward, ///< while the attention part of a layer's backward runs; the MLP part's tensors of the layer are gone
    Op, ///< while any op of the stage runs: gathered weights
    OptimizerStep, ///< while the optimizer steps; no activations are there
};
[[nodiscard]] const char *name(Lifetime lifetime); ///< "F to B or W of a microbatch"

/// The part of the model a tensor belongs to: the level between rank and tensor when a reader drills down.
enum class LedgerPlace : std::uint8_t
{
    Embedding,
    DenseLayer,
    MoeLayer,
    AnyLayer, ///< the same in layers of both kinds: attention and norms
    Mtp,
    Head,
    Rank, ///< belongs to the rank, not to a stage: dummy weight gradients, buffers
};
[[nodiscard]] const char *name(LedgerPlace place); ///< "MoE layer"

/// How the ranks of a group share a tensor.
struct TensorSplit
{
    enum class Cut : std::uint8_t
    {
        Whole, ///< every rank of the group holds all of it
        Tensor, ///< heads, columns or rows over TP
        Sequence, ///< tokens over TP: sequence parallelism
        Expert, ///< whole experts over EP, each cut over ETP
        Routed, ///< token copies of the rank's own experts
    };
    Cut cut = Cut::Whole;
    int ways = 1; ///< ranks that share it by `cut`
    int expertTensor = 1; ///< ETP, for Expert and Routed
    int context = 1; ///< CP, for tensors that hold tokens
    std::int64_t shards = 1; ///< ranks of the data-parallel group that share it by ZeRO or FSDP
    bool operator==(const TensorSplit &) const = default;
};

/// One tensor of one stage on one rank. `bytes` is what this rank holds of one instance; rows of the same shape in several
/// layers are one row with their number in `count`. Sums of bytes x count over the rows are the totals, to the byte.
struct LedgerRow
{
    std::string_view name; ///< "W_UQ", "dispatched expert input"; storage that outlives the program's ledgers
    std::string_view dtype; ///< "bf16", "fp8", "e5m6", "fp32", "bf16 + fp8 twice"
    double rows = 0; ///< shape; 0 when it has none
    double cols = 0;
    ByteCount bytes = 0; ///< of one instance on this rank
    std::int64_t count = 1; ///< instances on the rank; of one microbatch for Lifetime::Microbatch
    int stage = 0; ///< -1 for LedgerPlace::Rank
    MemoryClass memoryClass = MemoryClass::Activations;
    Lifetime lifetime = Lifetime::Run;
    LedgerPlace place = LedgerPlace::Rank;
    std::uint32_t droppedBy = 0; ///< Recompute::Module bits, any of which drops it
    bool checkpoint = false; ///< the layer input, all that full recompute keeps
    bool host = false; ///< lies in the memory of the node, not of the GPU: an offloaded optimizer
    TensorSplit split;
    bool operator==(const LedgerRow &) const = default;

    [[nodiscard]] ByteCount total() const { return bytes * count; }
};

using Ledger = std::vector<LedgerRow>;

/// The rows of ZeRO and FSDP: both live while an op runs, the gradients only in a backward.
inline constexpr std::string_view gatheredWeightsName = "gathered weights";
inline constexpr std::string_view gradientBucketName = "gradients before their reduce-scatter";

/// What does not move during a step, by the parts of the stack.
struct StateBytes
{
    ByteCount weightsDense = 0, weightsExpert = 0;
    ByteCount gradients = 0; ///< dummy weight gradients among them
    ByteCount dummyGradients = 0; ///< part of gradients
    ByteCount optimizer = 0; ///< on the GPU
    ByteCount moments = 0; ///< part of optimizer
    ByteCount hostOptimizer = 0; ///< in the memory of the node
    ByteCount buffers = 0; ///< outside the allocator
};

[[nodiscard]] StateBytes sumStates(const Ledger &rows);

[[nodiscard]] std::string shapeText(const LedgerRow &row); ///< "[4096, 7168]", or empty
[[nodiscard]] std::string splitText(const LedgerRow &row); ///< "EP 64, EDP x copies 4", "SP 2, CP 4", "whole"
/// Why the tensor is there and what would drop it: "F to B or W of a microbatch; dropped by moe_act, moe".
[[nodiscard]] std::string keptByText(const LedgerRow &row);

} // namespace pipeloom
