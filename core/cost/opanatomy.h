// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <cstdint>
#include <vector>

namespace pipeloom
{

/// A component of an op, in DeepSeek-V3's words (report, figure 4).
enum class OpPart : std::uint8_t
{
    Embedding, ///< lookup, or the scatter of its gradient
    AttentionF,
    DispatchF,
    MlpF,
    CombineF,
    Head, ///< final norm, output projection and loss, and an MTP module's projection, either way
    HeadW, ///< their weight gradients
    CombineB, ///< gradient of the combine: runs the dispatch kernel
    Replay, ///< dispatch and combine once more, where the recomputed MoE block needs them
    MlpB,
    MlpW,
    DispatchB, ///< gradient of the dispatch: runs the combine kernel
    AttentionB,
    AttentionW,
    Collectives, ///< tensor- and context-parallel collectives, gathering and reduction of sharded weights: nothing hides them
    SendF, ///< activations on their way to the next stage: after the op, the latency between ranks
    SendB,
};
[[nodiscard]] const char *name(OpPart part); ///< "MLP(B)", "DISP(F)"

/// The two queues of a GPU that run beside each other: kernels of one follow each other.
enum class GpuStream : std::uint8_t
{
    Compute,
    Communication,
};

/// Durations of one layer and microbatch. Zero where a layer has no such part (a dense layer has no all-to-all).
struct LayerParts
{
    int layer = 0; ///< in the model; MTP modules follow the last layer
    Nanoseconds attentionF = 0, dispatchF = 0, mlpF = 0, combineF = 0;
    Nanoseconds combineB = 0, replay = 0, mlpB = 0, mlpW = 0, dispatchB = 0, attentionB = 0, attentionW = 0;
    Nanoseconds collectivesF = 0, collectivesB = 0;
};

/// Everything a stage runs for one microbatch.
struct StageParts
{
    std::vector<LayerParts> layers; ///< in the order of the forward
    Nanoseconds embeddingF = 0, embeddingW = 0;
    Nanoseconds headF = 0, headB = 0, headW = 0;
    Nanoseconds collectivesF = 0, collectivesB = 0; ///< of embedding and head, and of sharded weights
};

/// How the halves of an overlapped pair share the GPU.
enum class PairOrder : std::uint8_t
{
    Serial, ///< one part after the other: nothing is hidden
    /// DeepSeek-V3 report, figure 4. Compute: ATTN(F) MLP(B) MLP(W) MLP(F) ATTN(B) ATTN(W); communication beside it: COMB(B)
    /// DISP(F) DISP(B) COMB(F), layer by layer; layer i of the forward meets layer L-1-i of the backward.
    DeepSeek,
    /// Megatron's combined 1F1B: the same order, but a backward computes its weight gradients before its result leaves, as it
    /// does without delayed weight gradients. Compute keeps the whole GPU.
    Megatron,
};

struct AnatomyPart
{
    OpPart part = OpPart::AttentionF;
    GpuStream stream = GpuStream::Compute;
    int layer = -1; ///< -1 outside the layers
    Nanoseconds start = 0, end = 0; ///< from the start of the op
    bool operator==(const AnatomyPart &) const = default;
};

struct OpAnatomy
{
    std::vector<AnatomyPart> parts; ///< ordered by stream queue: neighbours of one stream do not overlap; none is empty
    Nanoseconds duration = 0; ///< until the last part ends, parts that send left out
    Nanoseconds compute = 0; ///< busy time of the compute stream, collectives left out
    /// Communication that no compute covers: what the op lasts beyond its compute.
    [[nodiscard]] Nanoseconds exposed() const { return duration - compute; }
};

/// Ops that run by themselves: part after part.
[[nodiscard]] OpAnatomy forwardAnatomy(const StageParts &stage);
/// input, weight: which of the halves the op has; both for a full backward.
[[nodiscard]] OpAnatomy backwardAnatomy(const StageParts &stage, bool input, bool weight);

/// One half of a pair: its durations beside the other half, and by itself for the layers that have no partner there.
struct PairHalf
{
    const StageParts &beside;
    const StageParts &alone;
};

/// A forward with a full backward of another microbatch. Each stream runs its parts in order; a part starts when its stream is
/// free and what it needs is there: DISP(F) its ATTN(F), MLP(F) its DISP(F), COMB(F) its MLP(F), the next ATTN(F) that COMB(F);
/// MLP(B) its COMB(B), DISP(B) its MLP(B), ATTN(B) its DISP(B), the next COMB(B) that ATTN(B). A replayed exchange stands before
/// COMB(B) in its queue and needs no gradient. O(layers).
[[nodiscard]] OpAnatomy pairAnatomy(const PairHalf &forward, const PairHalf &backward, PairOrder order);

/// The same without the list of parts.
struct PairTimes
{
    Nanoseconds duration = 0, compute = 0;
};
[[nodiscard]] PairTimes pairTimes(const PairHalf &forward, const PairHalf &backward, PairOrder order);

} // namespace pipeloom
