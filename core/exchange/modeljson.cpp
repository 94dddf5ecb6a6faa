// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/evaluationjson.h"

#include "core/model/counts.h"

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

using Json = nlohmann::ordered_json;

const char *name(WeightSplit split)
{
    switch (split) {
    case WeightSplit::Replicated:
        return "replicated";
    case WeightSplit::Tensor:
        return "tp";
    case WeightSplit::Expert:
        return "ep";
    case WeightSplit::Vocabulary:
        return "vocabulary";
    }
    return "";
}

const char *name(WeightPlace place)
{
    switch (place) {
    case WeightPlace::DenseLayer:
        return "dense";
    case WeightPlace::MoeLayer:
        return "moe";
    case WeightPlace::EveryLayer:
        return "every";
    case WeightPlace::Embedding:
        return "embedding";
    case WeightPlace::Head:
        return "head";
    case WeightPlace::Mtp:
        return "mtp";
    }
    return "";
}

/// How many layers (or parts) of the model hold a matrix of this place. MTP modules bring an own MoE layer beside their unique
/// matrices; params_mtp counts both.
int layersOf(const ModelSpec &model, WeightPlace place)
{
    const int dense = model.moe.experts == 0 ? model.layers : model.denseLayers;
    switch (place) {
    case WeightPlace::DenseLayer:
        return dense;
    case WeightPlace::MoeLayer:
        return model.layers - dense;
    case WeightPlace::EveryLayer:
        return model.layers;
    case WeightPlace::Embedding:
    case WeightPlace::Head:
        return 1;
    case WeightPlace::Mtp:
        return model.mtpDepth;
    }
    return 0;
}

Json matrixObject(const ModelSpec &model, const WeightMatrix &matrix)
{
    Json row;
    row["name"] = matrix.name;
    row["shape"] = matrix.cols == 1 ? Json::array({ matrix.rows }) : Json::array({ matrix.rows, matrix.cols });
    row["count"] = matrix.count;
    row["kind"] = name(matrix.place);
    row["split"] = name(matrix.split);
    row["layers"] = layersOf(model, matrix.place);
    row["active"] = matrix.active;
    return row;
}

} // namespace

nlohmann::ordered_json modelObject(const ModelSpec &model, const FlopCounts &flops)
{
    const ParameterCounts counts = countParameters(model);
    JsonNumbers number;
    Json out;
    out["name"] = model.name;
    out["title"] = model.title;
    out["source"] = model.source;
    out["params_total"] = counts.total;
    out["params_active"] = counts.activeWithHead;
    out["params_active_with_embedding"] = counts.activeWithBoth;
    out["params_active_blocks"] = counts.activeBlocks;
    out["params_mtp"] = counts.mtp;
    out["params_attention_per_layer"] = counts.attentionPerLayer;
    out["params_dense_layer"] = counts.denseLayer;
    out["params_moe_layer"] = counts.moeLayer;
    out["params_routed_expert"] = counts.routedExpert;
    out["params_embedding"] = counts.embedding;
    out["params_head"] = counts.head;
    out["hidden"] = model.hidden;
    out["layers"] = model.layers;
    out["dense_layers"] = model.denseLayers;
    out["mtp_depth"] = model.mtpDepth;
    out["vocab"] = model.vocab;
    out["experts"] = model.moe.experts;
    out["top_k"] = model.moe.topK;
    out["flops_per_token"] = number("flops_per_token", flops.trainPerToken);
    out["flops_per_token_with_mtp"] = number("flops_per_token_with_mtp", flops.trainPerTokenWithMtp);
    out["flops_per_token_non_causal"] = number("flops_per_token_non_causal", flops.trainPerTokenNonCausal);
    Json matrices = Json::array();
    for (const WeightMatrix &matrix : weightMatrices(model))
        matrices.push_back(matrixObject(model, matrix));
    out["matrices"] = std::move(matrices);
    return out;
}

} // namespace pipeloom
