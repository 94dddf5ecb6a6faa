// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/stagememory.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

/// Copies of the dispatched tokens alive in an MoE backward; the only fitted constant of the memory model.
constexpr double moeTransientCopies = 5.0;

ByteCount whole(double bytes) { return std::llround(bytes); }

std::string shapeText(double rows, double cols) { return fmt::format("[{:.0f}, {:.0f}]", rows, cols); }

void addRows(StageMemory &out, const std::vector<LayerTensor> &tensors, const Recompute &recompute, const char *where,
             std::int64_t layers, int stage)
{
    for (const LayerTensor &tensor : tensors) {
        if (!isKept(tensor, recompute))
            continue;
        out.tensors.push_back({ fmt::format("{}: {}", where, tensor.name), shapeText(tensor.rows, tensor.cols), tensor.dtype,
                                whole(tensor.bytes()), droppedByText(tensor), layers, MemoryClass::Activations, stage });
    }
}

/// Layers of a kind that keep only their input, that keep everything, and checkpoints that start at a layer of the kind.
struct FullRecomputeSplit
{
    double checkpoints = 0;
    double kept = 0;
};

FullRecomputeSplit splitFull(const Recompute &recompute, int layers, int stageLayers)
{
    if (layers == 0 || stageLayers == 0)
        return {};
    const double share = static_cast<double>(layers) / stageLayers;
    if (recompute.fullBlock) {
        const double recomputed = std::min(recompute.fullLayers, stageLayers) * share;
        return { recomputed, layers - recomputed };
    }
    return { std::ceil(static_cast<double>(stageLayers) / std::max(1, recompute.fullLayers)) * share, 0 };
}

struct LayerSums
{
    double activation = 0;
    double rematerialised = 0; ///< what a backward under full recompute brings back
};

LayerSums addLayers(StageMemory &out, const Scenario &s, LayerKind kind, int layers, const StageContent &stage,
                    const RankTokens &tokens)
{
    LayerSums sums;
    if (layers == 0)
        return sums;
    const std::vector<LayerTensor> tensors = layerTensors(s.model, kind, s.plan, s.precision, tokens);
    const char *where = kind == LayerKind::Moe ? "MoE layer" : "dense layer";
    if (!s.recompute.full) {
        addRows(out, tensors, s.recompute, where, layers, stage.stage);
        sums.activation = layers * keptBytes(tensors, s.recompute);
        return sums;
    }
    const double input = keptBytes(tensors, s.recompute);
    const double everything = keptBytes(tensors, Recompute{});
    const FullRecomputeSplit split = splitFull(s.recompute, layers, stage.layers + stage.mtpModules);
    sums.activation = split.checkpoints * input + split.kept * everything;
    const double atOnce =
        s.recompute.fullBlock ? std::min(1.0, split.checkpoints) : std::min(s.recompute.fullLayers, stage.layers);
    sums.rematerialised = std::max(0.0, atOnce * everything - input);
    addRows(out, tensors, s.recompute, where, std::llround(split.checkpoints), stage.stage);
    if (split.kept > 0)
        addRows(out, tensors, Recompute{}, where, std::llround(split.kept), stage.stage);
    return sums;
}

double backwardTransient(const Scenario &s, LayerKind kind, const RankTokens &tokens)
{
    const double h = s.model.hidden;
    if (kind == LayerKind::Moe)
        return moeTransientCopies * 2 * tokens.routed * h;
    return 6 * tokens.tokens * s.model.denseWidth / s.plan.tp + (s.plan.tp > 1 ? 4 : 2) * tokens.tokens * h;
}

double headTransient(const Scenario &s, const StageContent &stage, const RankTokens &tokens)
{
    if (!stage.head)
        return 0;
    const double logits = tokens.tokens * static_cast<double>(s.model.vocab) / s.plan.tp;
    const double bytes = s.runtime.lossFusion == "te" ? 2 : s.runtime.lossFusion == "native" ? 6 : 10;
    return (1 + stage.mtpModules) * (4 * tokens.sequenceShard * s.model.hidden + logits * bytes);
}

} // namespace

StageMemory stageMemory(const Scenario &s, const StageContent &stage, double imbalance)
{
    const RankTokens tokens = rankTokens(s.model, s.plan, imbalance);
    const LayerKind mtpKind = s.model.moe.experts > 0 ? LayerKind::Moe : LayerKind::Dense;
    const int moeLayers = stage.moeLayers + (mtpKind == LayerKind::Moe ? stage.mtpModules : 0);
    const int denseLayers = stage.denseLayers + (mtpKind == LayerKind::Dense ? stage.mtpModules : 0);

    StageMemory out;
    const LayerSums dense = addLayers(out, s, LayerKind::Dense, denseLayers, stage, tokens);
    const LayerSums moe = addLayers(out, s, LayerKind::Moe, moeLayers, stage, tokens);
    out.activation = dense.activation + moe.activation;
    if (stage.mtpModules > 0) {
        const std::vector<LayerTensor> tensors = mtpTensors(s.model, s.precision, tokens);
        addRows(out, tensors, s.recompute.full ? Recompute{} : s.recompute, "MTP", stage.mtpModules, stage.stage);
        out.activation += stage.mtpModules * keptBytes(tensors, s.recompute.full ? Recompute{} : s.recompute);
    }

    // The last layer's backward comes while all others still hold their activations, so its kind sets the transient.
    const double head = headTransient(s, stage, tokens);
    double gradients = 0;
    if (moeLayers > 0)
        gradients = backwardTransient(s, LayerKind::Moe, tokens);
    else if (denseLayers > 0)
        gradients = backwardTransient(s, LayerKind::Dense, tokens);
    const double rematerialised = moeLayers > 0 ? moe.rematerialised : dense.rematerialised;
    out.forward = head;
    out.backward = std::max(head, gradients) + rematerialised;

    const auto transientRow = [&](const char *name, double bytes, const char *why) {
        if (bytes > 0)
            out.tensors.push_back({ name, "", "bf16", whole(bytes), why, 1, MemoryClass::Transient, stage.stage });
    };
    transientRow("head, logits and loss", head, "while the head runs");
    transientRow(moeLayers > 0 ? "gradients of the dispatched tokens" : "gradients of the MLP", gradients,
                 "while a backward runs");
    transientRow("layers computed again", rematerialised, "full recompute, while a backward runs");
    return out;
}

} // namespace pipeloom
