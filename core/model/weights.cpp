// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/counts.h"

namespace pipeloom
{

namespace
{

using Rows = std::vector<WeightMatrix>;

void add(Rows &rows, const char *name, std::int64_t out, std::int64_t in, WeightSplit split, WeightPlace place,
         bool matmul = true)
{
    rows.push_back({ name, out, in, 1, 1.0, split, place, matmul });
}

void addLatentAttention(Rows &rows, const ModelSpec &model)
{
    const AttentionSpec &a = model.attention;
    const std::int64_t h = model.hidden;
    const auto every = WeightPlace::EveryLayer;
    const std::int64_t queryInput = a.queryRank > 0 ? a.queryRank : h;
    if (a.queryRank > 0) {
        add(rows, "W_DQ", a.queryRank, h, WeightSplit::Replicated, every);
        add(rows, "q_norm", a.queryRank, 1, WeightSplit::Replicated, every, false);
    }
    add(rows, a.queryRank > 0 ? "W_UQ" : "W_Q", std::int64_t{ a.heads } * a.nopeDim, queryInput, WeightSplit::Tensor, every);
    add(rows, "W_QR", std::int64_t{ a.heads } * a.ropeDim, queryInput, WeightSplit::Tensor, every);
    add(rows, "W_DKV", a.kvRank, h, WeightSplit::Replicated, every);
    add(rows, "W_KR", a.ropeDim, h, WeightSplit::Replicated, every);
    add(rows, "kv_norm", a.kvRank, 1, WeightSplit::Replicated, every, false);
    add(rows, "W_UK", std::int64_t{ a.heads } * a.nopeDim, a.kvRank, WeightSplit::Tensor, every);
    add(rows, "W_UV", std::int64_t{ a.heads } * a.valueDim, a.kvRank, WeightSplit::Tensor, every);
    add(rows, "W_O", h, std::int64_t{ a.heads } * a.valueDim, WeightSplit::Tensor, every);
}

void addGroupedAttention(Rows &rows, const ModelSpec &model)
{
    const AttentionSpec &a = model.attention;
    const std::int64_t h = model.hidden;
    const std::int64_t queries = std::int64_t{ a.heads } * a.headDim;
    const std::int64_t keys = std::int64_t{ a.kvHeads } * a.headDim;
    const auto every = WeightPlace::EveryLayer;
    add(rows, "W_Q", queries, h, WeightSplit::Tensor, every);
    add(rows, "W_K", keys, h, WeightSplit::Tensor, every);
    add(rows, "W_V", keys, h, WeightSplit::Tensor, every);
    if (a.qkvBias) {
        add(rows, "b_Q", queries, 1, WeightSplit::Tensor, every, false);
        add(rows, "b_K", keys, 1, WeightSplit::Tensor, every, false);
        add(rows, "b_V", keys, 1, WeightSplit::Tensor, every, false);
    }
    if (a.qkNorm) {
        add(rows, "q_norm", a.headDim, 1, WeightSplit::Replicated, every, false);
        add(rows, "k_norm", a.headDim, 1, WeightSplit::Replicated, every, false);
    }
    add(rows, "W_O", h, queries, WeightSplit::Tensor, every);
}

struct MlpNames
{
    const char *gate;
    const char *up;
    const char *down;
};
constexpr MlpNames denseNames{ "mlp.gate", "mlp.up", "mlp.down" };
constexpr MlpNames expertNames{ "expert.gate", "expert.up", "expert.down" };
constexpr MlpNames sharedNames{ "shared.gate", "shared.up", "shared.down" };
constexpr MlpNames residualNames{ "residual.gate", "residual.up", "residual.down" };

/// Gate, up and down (or up and down) of one MLP of the given width.
void addMlp(Rows &rows, const ModelSpec &model, const MlpNames &names, std::int64_t width, WeightSplit split, WeightPlace place,
            std::int64_t count = 1, double active = 1)
{
    if (model.mlpMatrices == 3)
        rows.push_back({ names.gate, width, model.hidden, count, active, split, place, true });
    rows.push_back({ names.up, width, model.hidden, count, active, split, place, true });
    rows.push_back({ names.down, model.hidden, width, count, active, split, place, true });
}

} // namespace

std::vector<WeightMatrix> weightMatrices(const ModelSpec &model)
{
    Rows rows;
    const std::int64_t h = model.hidden;
    add(rows, "embedding", model.vocab, h, WeightSplit::Vocabulary, WeightPlace::Embedding, false);
    add(rows, "input_norm", h, 1, WeightSplit::Replicated, WeightPlace::EveryLayer, false);
    if (model.attention.kind == AttentionKind::Latent)
        addLatentAttention(rows, model);
    else
        addGroupedAttention(rows, model);
    add(rows, "post_attention_norm", h, 1, WeightSplit::Replicated, WeightPlace::EveryLayer, false);
    if (model.denseLayers > 0 || model.moe.experts == 0)
        addMlp(rows, model, denseNames, model.denseWidth, WeightSplit::Tensor, WeightPlace::DenseLayer);
    if (model.moe.experts > 0) {
        add(rows, "router", model.moe.experts, h, WeightSplit::Replicated, WeightPlace::MoeLayer);
        addMlp(rows, model, expertNames, model.moe.expertWidth, WeightSplit::Expert, WeightPlace::MoeLayer, model.moe.experts,
               model.moe.topK);
        if (model.moe.sharedWidth > 0)
            addMlp(rows, model, sharedNames, model.moe.sharedWidth, WeightSplit::Tensor, WeightPlace::MoeLayer);
        if (model.moe.residualWidth > 0) {
            addMlp(rows, model, residualNames, model.moe.residualWidth, WeightSplit::Tensor, WeightPlace::MoeLayer);
            add(rows, "residual.coefficient", 2, h, WeightSplit::Replicated, WeightPlace::MoeLayer);
            add(rows, "residual.coefficient_bias", 2, 1, WeightSplit::Replicated, WeightPlace::MoeLayer, false);
        }
    }
    add(rows, "final_norm", h, 1, WeightSplit::Replicated, WeightPlace::Head, false);
    if (!model.tiedEmbeddings)
        add(rows, "head", model.vocab, h, WeightSplit::Vocabulary, WeightPlace::Head);
    if (model.mtpDepth > 0) {
        add(rows, "mtp.embedding_norm", h, 1, WeightSplit::Replicated, WeightPlace::Mtp, false);
        add(rows, "mtp.hidden_norm", h, 1, WeightSplit::Replicated, WeightPlace::Mtp, false);
        add(rows, "mtp.projection", h, 2 * h, WeightSplit::Replicated, WeightPlace::Mtp);
        add(rows, "mtp.final_norm", h, 1, WeightSplit::Replicated, WeightPlace::Mtp, false);
    }
    return rows;
}

} // namespace pipeloom
