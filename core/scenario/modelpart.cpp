// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/partsjson.h"

#include "core/model/shapecheck.h"

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

// Far above any published model; products of these stay below 2^63 together with checkShapes().
constexpr std::int64_t mostLayers = 10'000;
constexpr std::int64_t mostWidth = 10'000'000;
constexpr std::int64_t mostExperts = 4'096; ///< twice Switch-C's 2,048; loads are drawn per expert

const std::array<std::string, 2> attentionNames{ "gqa", "mla" };

void readAttention(JsonReport &report, const Json &value, const std::string &where, AttentionSpec &attention)
{
    ObjectReader reader(report, value, where);
    auto kind = static_cast<std::size_t>(attention.kind);
    if (reader.choice("kind", kind, attentionNames))
        attention.kind = static_cast<AttentionKind>(kind);
    reader.integer("heads", attention.heads, 1, mostWidth);
    reader.integer("kv_heads", attention.kvHeads, 0, mostWidth);
    reader.integer("head_dim", attention.headDim, 0, mostWidth);
    reader.boolean("qk_norm", attention.qkNorm);
    reader.boolean("qkv_bias", attention.qkvBias);
    reader.integer("q_rank", attention.queryRank, 0, mostWidth);
    reader.integer("kv_rank", attention.kvRank, 0, mostWidth);
    reader.integer("nope_dim", attention.nopeDim, 0, mostWidth);
    reader.integer("rope_dim", attention.ropeDim, 0, mostWidth);
    reader.integer("v_dim", attention.valueDim, 0, mostWidth);
    reader.finish();
}

void readExperts(JsonReport &report, const Json &value, const std::string &where, MoeSpec &moe)
{
    ObjectReader reader(report, value, where);
    reader.integer("experts", moe.experts, 0, mostExperts);
    reader.integer("top_k", moe.topK, 0, mostExperts);
    reader.integer("expert_width", moe.expertWidth, 0, mostWidth);
    reader.integer("shared_width", moe.sharedWidth, 0, mostWidth);
    reader.integer("residual_width", moe.residualWidth, 0, mostWidth);
    reader.integer("groups", moe.groups, 1, mostExperts);
    reader.integer("top_groups", moe.topGroups, 1, mostExperts);
    reader.boolean("score_bias", moe.scoreBias);
    reader.finish();
}

/// "moe.top_k" under "/model" is "/model/moe/top_k".
std::string placeOf(const std::string &where, std::string key)
{
    std::ranges::replace(key, '.', '/');
    return where + '/' + key;
}

/// True when the object itself holds the key: "moe.top_k" is top_k in moe.
bool isGiven(ObjectReader &reader, const std::string &key)
{
    const std::size_t dot = key.find('.');
    const Json *value = reader.find(key.substr(0, dot));
    return value != nullptr && (dot == std::string::npos || (value->is_object() && value->contains(key.substr(dot + 1))));
}

} // namespace

void readModelKeys(ObjectReader &reader, ModelSpec &model)
{
    const std::size_t before = reader.report().errorCount();
    reader.text("name", model.name);
    reader.text("title", model.title);
    reader.text("source", model.source);
    reader.integer("hidden", model.hidden, 1, mostWidth);
    reader.integer("layers", model.layers, 1, mostLayers);
    const bool denseGiven = reader.integer("dense_layers", model.denseLayers, 0, mostLayers);
    reader.integer("dense_width", model.denseWidth, 0, mostWidth);
    reader.integer("mlp_matrices", model.mlpMatrices, 2, 3);
    reader.integer("vocab", model.vocab, 1, 100'000'000);
    reader.boolean("tied_embeddings", model.tiedEmbeddings);
    reader.integer("mtp_depth", model.mtpDepth, 0, 64);
    if (const Json *attention = reader.find("attention"))
        readAttention(reader.report(), *attention, reader.at("attention"), model.attention);
    if (const Json *moe = reader.find("moe"))
        readExperts(reader.report(), *moe, reader.at("moe"), model.moe);
    if (model.moe.experts == 0 && !denseGiven)
        model.denseLayers = model.layers;
    // Follow-up faults of a value that was refused would only confuse.
    if (reader.report().errorCount() != before)
        return;
    for (const ShapeFault &fault : checkShapes(model)) {
        const bool missing = fault.absent && !isGiven(reader, fault.key);
        reader.report().error(missing ? ErrorCode::WrongType : ErrorCode::OutOfRange, placeOf(reader.where(), fault.key),
                              missing ? "is missing" : fault.message, missing ? "add it, or name a preset" : fault.hint);
    }
}

Json modelJson(const ModelSpec &model)
{
    const AttentionSpec &a = model.attention;
    Json attention = Json::object();
    attention["kind"] = attentionNames[static_cast<std::size_t>(a.kind)];
    attention["heads"] = a.heads;
    attention["kv_heads"] = a.kvHeads;
    attention["head_dim"] = a.headDim;
    attention["qk_norm"] = a.qkNorm;
    attention["qkv_bias"] = a.qkvBias;
    attention["q_rank"] = a.queryRank;
    attention["kv_rank"] = a.kvRank;
    attention["nope_dim"] = a.nopeDim;
    attention["rope_dim"] = a.ropeDim;
    attention["v_dim"] = a.valueDim;
    const MoeSpec &m = model.moe;
    Json moe = Json::object();
    moe["experts"] = m.experts;
    moe["top_k"] = m.topK;
    moe["expert_width"] = m.expertWidth;
    moe["shared_width"] = m.sharedWidth;
    moe["residual_width"] = m.residualWidth;
    moe["groups"] = m.groups;
    moe["top_groups"] = m.topGroups;
    moe["score_bias"] = m.scoreBias;
    Json out = Json::object();
    out["name"] = model.name;
    out["title"] = model.title;
    out["source"] = model.source;
    out["hidden"] = model.hidden;
    out["layers"] = model.layers;
    out["dense_layers"] = model.denseLayers;
    out["dense_width"] = model.denseWidth;
    out["mlp_matrices"] = model.mlpMatrices;
    out["vocab"] = model.vocab;
    out["tied_embeddings"] = model.tiedEmbeddings;
    out["mtp_depth"] = model.mtpDepth;
    out["attention"] = std::move(attention);
    out["moe"] = std::move(moe);
    return out;
}

} // namespace pipeloom
