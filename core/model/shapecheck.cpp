// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/shapecheck.h"

#include "core/base/counted.h"

#include <fmt/format.h>

#include <cstdint>

namespace pipeloom
{

namespace
{

using Faults = std::vector<ShapeFault>;

void requirePositive(Faults &faults, const char *key, std::int64_t value)
{
    if (value < 1)
        faults.push_back({ key, fmt::format("is {} and must be at least 1", value), {}, value == 0 });
}

void checkAttention(Faults &faults, const AttentionSpec &attention)
{
    requirePositive(faults, "attention.heads", attention.heads);
    if (attention.kind == AttentionKind::Latent) {
        requirePositive(faults, "attention.kv_rank", attention.kvRank);
        requirePositive(faults, "attention.nope_dim", attention.nopeDim);
        requirePositive(faults, "attention.v_dim", attention.valueDim);
        return;
    }
    requirePositive(faults, "attention.kv_heads", attention.kvHeads);
    requirePositive(faults, "attention.head_dim", attention.headDim);
    if (attention.kvHeads > 0 && attention.heads % attention.kvHeads != 0)
        faults.push_back({ "attention.kv_heads",
                           fmt::format("{} does not divide {}", attention.kvHeads, formatCounted(attention.heads, "head")),
                           {} });
}

void checkExperts(Faults &faults, const MoeSpec &moe)
{
    if (moe.experts == 0) {
        if (moe.topK > 0 || moe.expertWidth > 0 || moe.besideWidth() > 0)
            faults.push_back(
                { "moe.experts", "is 0, but the model has top_k, expert_width, shared_width or residual_width", "set experts" });
        return;
    }
    requirePositive(faults, "moe.expert_width", moe.expertWidth);
    requirePositive(faults, "moe.top_k", moe.topK);
    if (moe.topK > moe.experts)
        faults.push_back({ "moe.top_k", fmt::format("{} exceeds the {}", moe.topK, formatCounted(moe.experts, "expert")), {} });
    if (moe.groups < 1 || moe.experts % moe.groups != 0) {
        faults.push_back(
            { "moe.groups", fmt::format("{} does not divide {}", moe.groups, formatCounted(moe.experts, "expert")), {} });
        return;
    }
    if (moe.topK > moe.experts)
        return;
    if (moe.topGroups < 1 || moe.topGroups > moe.groups)
        faults.push_back(
            { "moe.top_groups", fmt::format("{} is outside 1 to {}", moe.topGroups, formatCounted(moe.groups, "group")), {} });
    else if (static_cast<std::int64_t>(moe.topGroups) * (moe.experts / moe.groups) < moe.topK)
        faults.push_back(
            { "moe.top_groups",
              fmt::format("{} of {} hold{} fewer than top_k {}", formatCounted(moe.topGroups, "group"),
                          formatCounted(moe.experts / moe.groups, "expert"), moe.topGroups == 1 ? "s" : "", moe.topK),
              {} });
}

void checkLayers(Faults &faults, const ModelSpec &model)
{
    requirePositive(faults, "layers", model.layers);
    if (model.denseLayers > model.layers)
        faults.push_back({ "dense_layers",
                           fmt::format("{} exceeds the {}", model.denseLayers, formatCounted(model.layers, "layer")),
                           fmt::format("set dense_layers to at most {}", model.layers) });
    else if (model.moe.experts == 0 && model.denseLayers != model.layers)
        faults.push_back({ "dense_layers",
                           fmt::format("is {}, but without experts all of the {} are dense", model.denseLayers,
                                       formatCounted(model.layers, "layer")),
                           {} });
    if (model.denseLayers > 0)
        requirePositive(faults, "dense_width", model.denseWidth);
    if (model.mlpMatrices != 2 && model.mlpMatrices != 3)
        faults.push_back({ "mlp_matrices", fmt::format("is {} and must be 2 (plain) or 3 (gated)", model.mlpMatrices), {} });
}

/// An upper bound in floating point, where nothing overflows.
double parameterBound(const ModelSpec &model)
{
    const AttentionSpec &a = model.attention;
    const auto n = [](auto value) { return static_cast<double>(value); };
    const double hidden = n(model.hidden);
    const double heads = n(a.heads) * (n(a.qkDim()) + n(a.vDim()));
    const double attention = 4 * (hidden + n(a.queryRank) + n(a.kvRank)) * (heads + n(a.queryRank) + n(a.kvRank) + n(a.ropeDim));
    const double widths = n(model.denseWidth) + n(model.moe.experts) * (n(model.moe.expertWidth) + 1) + n(model.moe.sharedWidth)
        + n(model.moe.residualWidth) + 4;
    const double layer = attention + 3 * hidden * widths + 4 * hidden;
    return (n(model.layers) + n(model.mtpDepth)) * layer + 2 * n(model.vocab) * hidden + 2 * n(model.mtpDepth) * hidden * hidden;
}

} // namespace

std::vector<ShapeFault> checkShapes(const ModelSpec &model)
{
    Faults faults;
    requirePositive(faults, "hidden", model.hidden);
    requirePositive(faults, "vocab", model.vocab);
    checkLayers(faults, model);
    checkAttention(faults, model.attention);
    checkExperts(faults, model.moe);
    constexpr double mostParameters = 1e15;
    if (faults.empty() && parameterBound(model) > mostParameters)
        faults.push_back({ "hidden", "the shapes together give more than 10^15 parameters", {} });
    return faults;
}

} // namespace pipeloom
