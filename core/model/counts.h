// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelspec.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// How the parallel groups cut a weight matrix (Megatron-Core's split).
enum class WeightSplit
{
    Replicated, ///< a whole copy on every tensor-parallel rank
    Tensor, ///< rows or columns over TP
    Expert, ///< whole experts over EP, each cut over ETP; its states shard over EDP, all others over DP x CP
    Vocabulary, ///< rows over TP
};

/// Where in the model a matrix sits.
enum class WeightPlace
{
    DenseLayer, ///< in each dense layer only
    MoeLayer, ///< in each MoE layer only
    EveryLayer, ///< attention and norms
    Embedding,
    Head, ///< final norm and output projection
    Mtp, ///< unique to a multi-token prediction module, beside its MoE layer
};

/// One weight matrix (or vector: cols == 1) and how often it stands in one layer of its place.
struct WeightMatrix
{
    std::string_view name; ///< "W_UQ", "expert.gate"; a literal
    std::int64_t rows = 0; ///< outputs
    std::int64_t cols = 0; ///< inputs
    std::int64_t count = 1; ///< copies in one layer (the routed experts: N)
    double active = 1; ///< copies a token passes through (the routed experts: N_r)
    WeightSplit split = WeightSplit::Replicated;
    WeightPlace place = WeightPlace::EveryLayer;
    bool matmul = true; ///< counts 2 FLOP a weight and token; false for norms and the embedding
    bool operator==(const WeightMatrix &) const = default;

    [[nodiscard]] std::int64_t elements() const { return rows * cols; }
    [[nodiscard]] std::int64_t parameters() const { return rows * cols * count; }
};

/// Every weight matrix of the model, in the order a token meets them. Sources: the models' published configs;
/// DeepSeek-V3 report section 2.1 for MLA; parameter golden values in the tests.
[[nodiscard]] std::vector<WeightMatrix> weightMatrices(const ModelSpec &model);

/// Parameter counts, exact. Score-correction biases are not counted (DeepSeek does not either).
struct ParameterCounts
{
    std::int64_t total = 0; ///< without MTP
    std::int64_t mtp = 0; ///< unique to all MTP modules (embedding and head shared)
    std::int64_t attentionPerLayer = 0; ///< projection matrices, no norms
    std::int64_t denseLayer = 0; ///< 0 when the model has no dense layer
    std::int64_t moeLayer = 0; ///< 0 when the model has no MoE layer
    std::int64_t routedExpert = 0; ///< one routed expert
    std::int64_t embedding = 0;
    std::int64_t head = 0; ///< 0 when tied
    std::int64_t activeWithHead = 0; ///< a token's share; head counted, embedding (a lookup) not
    std::int64_t activeWithBoth = 0; ///< embedding and head counted
    std::int64_t activeBlocks = 0; ///< neither
    std::int64_t scoreBias = 0; ///< e_score_correction_bias elements, in none of the sums above
    bool operator==(const ParameterCounts &) const = default;
};

[[nodiscard]] ParameterCounts countParameters(const ModelSpec &model);

/// Model FLOPs of one token through one component: 1 MAC = 2 FLOP, forward; the backward of a matmul is twice that
/// (input and weight gradient), of core attention twice the forward. Recompute is not counted.
struct FlopCounts
{
    double attentionLinear = 0; ///< forward, one layer
    double attentionCore = 0; ///< forward, one layer; causal counts seq/2 keys
    double attentionCoreBackwardHardware = 0; ///< what FlashAttention executes: 2 H s (3 d_qk + 2 d_v)
    double denseMlp = 0; ///< forward, one dense layer
    double router = 0; ///< forward, one MoE layer
    double routedExperts = 0; ///< forward, one MoE layer
    double sharedExperts = 0; ///< forward, one MoE layer
    double head = 0; ///< forward
    double mtp = 0; ///< forward, all MTP modules with their heads
    double trainPerToken = 0; ///< forward + backward of the main model, MTP left out: the published convention
    double trainPerTokenWithMtp = 0;
    double trainPerTokenNonCausal = 0; ///< as trainPerToken with s keys instead of s/2
    bool operator==(const FlopCounts &) const = default;
};

/// seq: tokens of one sequence (> 0).
[[nodiscard]] FlopCounts countFlops(const ModelSpec &model, int seq, bool causal = true);

} // namespace pipeloom
