// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace pipeloom
{

enum class AttentionKind
{
    GroupedQuery, ///< GQA; multi-head attention is the case kvHeads == heads
    Latent, ///< MLA
};

/// Shapes of one attention block.
struct AttentionSpec
{
    AttentionKind kind = AttentionKind::GroupedQuery;
    int heads = 0;
    int kvHeads = 0; ///< GQA only
    int headDim = 0; ///< GQA only: width of one query, key or value head
    bool qkNorm = false; ///< GQA only: an RMSNorm of headDim on queries and on keys (Qwen3)
    bool qkvBias = false; ///< GQA only: bias vectors on q, k and v
    int queryRank = 0; ///< MLA d_c' (q_lora_rank); 0 = queries are projected directly
    int kvRank = 0; ///< MLA d_c (kv_lora_rank)
    int nopeDim = 0; ///< MLA d_h, the part of a head without rotary embedding
    int ropeDim = 0; ///< MLA d_h^R
    int valueDim = 0; ///< MLA d_v
    bool operator==(const AttentionSpec &) const = default;

    /// Width of one query or key head.
    [[nodiscard]] int qkDim() const { return kind == AttentionKind::Latent ? nopeDim + ropeDim : headDim; }
    /// Width of one value head.
    [[nodiscard]] int vDim() const { return kind == AttentionKind::Latent ? valueDim : headDim; }
};

/// Shapes of one mixture-of-experts block. experts == 0 means the model is dense.
struct MoeSpec
{
    int experts = 0; ///< routed experts N
    int topK = 0; ///< routed experts per token N_r
    int expertWidth = 0; ///< intermediate width of one routed expert h_E
    int sharedWidth = 0; ///< total intermediate width of all shared experts; 0 = none
    int residualWidth = 0; ///< intermediate width of the dense MLP beside the routed experts (residual MoE); 0 = none
    int groups = 1; ///< expert groups of group-limited routing (n_group)
    int topGroups = 1; ///< groups a token may use (topk_group); == groups means no limit
    bool scoreBias = false; ///< auxiliary-loss-free correction bias (one number an expert)
    bool operator==(const MoeSpec &) const = default;

    /// Width of the dense MLPs that every token passes beside its routed experts.
    [[nodiscard]] int besideWidth() const { return sharedWidth + residualWidth; }
};

enum class LayerKind
{
    Dense,
    Moe,
};

/// A decoder-only transformer as published. Values only; counts are functions of it (model/counts.h).
struct ModelSpec
{
    std::string name; ///< preset name or file stem: "deepseek-v3"
    std::string title; ///< "DeepSeek-V3"
    std::string source; ///< where the shapes were published
    int hidden = 0;
    int layers = 0;
    int denseLayers = 0; ///< leading layers with a dense MLP; == layers for a dense model
    int denseWidth = 0; ///< intermediate width of a dense MLP; 0 when there is none
    int mlpMatrices = 3; ///< 3 = gated (SwiGLU), 2 = plain
    std::int64_t vocab = 0;
    bool tiedEmbeddings = false;
    int mtpDepth = 0; ///< multi-token prediction modules after the last layer
    AttentionSpec attention;
    MoeSpec moe;
    bool operator==(const ModelSpec &) const = default;

    /// Precondition: 0 <= layer < layers.
    [[nodiscard]] LayerKind layerKind(int layer) const
    {
        return moe.experts == 0 || layer < denseLayers ? LayerKind::Dense : LayerKind::Moe;
    }
};

} // namespace pipeloom
