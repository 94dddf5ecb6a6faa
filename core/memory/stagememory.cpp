// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/stagememory.h"

#include "core/memory/linearstorage.h"
#include "core/memory/moetensors.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

/// Collects the rows of one stage; what it returns are the bytes it added.
class StageRows
{
public:
    StageRows(StageMemory &out, const StageContent &stage, const ParallelPlan &plan)
        : m_out(out)
        , m_stage(stage.stage)
        , m_plan(plan)
    {
    }

    ByteCount activation(const LayerTensor &tensor, LedgerPlace place, std::int64_t layers)
    {
        LedgerRow row = fromTensor(tensor, place);
        row.count = layers;
        row.droppedBy = tensor.droppedBy;
        row.checkpoint = tensor.checkpoint;
        row.memoryClass = MemoryClass::Activations;
        row.lifetime = Lifetime::Microbatch;
        return push(row);
    }

    /// A tensor that is there while the backward runs: computed again, or on its way.
    ByteCount again(const LayerTensor &tensor, LedgerPlace place, Lifetime lifetime, std::int64_t layers = 1)
    {
        LedgerRow row = fromTensor(tensor, place);
        row.count = layers;
        row.memoryClass = MemoryClass::Transient;
        row.lifetime = lifetime;
        return push(row);
    }

    ByteCount transient(std::string_view name, LedgerPlace place, Lifetime lifetime, double rows, double cols, double bytes,
                        std::string_view dtype, TensorSplit::Cut cut, std::int64_t count = 1)
    {
        LedgerRow row;
        row.name = name;
        row.place = place;
        row.lifetime = lifetime;
        row.memoryClass = MemoryClass::Transient;
        row.rows = rows;
        row.cols = cols;
        row.dtype = dtype;
        row.bytes = std::llround(rows * cols * bytes);
        row.count = count;
        row.split = split(cut);
        return push(row);
    }

private:
    StageMemory &m_out;
    int m_stage;
    const ParallelPlan &m_plan;

    [[nodiscard]] TensorSplit split(TensorSplit::Cut cut) const
    {
        TensorSplit s;
        s.cut = cut;
        s.context = m_plan.cp;
        if (cut == TensorSplit::Cut::Routed) {
            s.ways = m_plan.ep;
            s.expertTensor = m_plan.etp;
        } else if (cut == TensorSplit::Cut::Tensor || cut == TensorSplit::Cut::Sequence) {
            s.ways = m_plan.tp;
        }
        return s;
    }

    [[nodiscard]] LedgerRow fromTensor(const LayerTensor &tensor, LedgerPlace place) const
    {
        LedgerRow row;
        row.name = tensor.name;
        row.place = place;
        row.rows = tensor.rows;
        row.cols = tensor.cols;
        row.dtype = tensor.dtype;
        row.bytes = std::llround(tensor.bytes());
        row.split = split(tensor.rows.cut);
        return row;
    }

    ByteCount push(LedgerRow &row)
    {
        row.stage = m_stage;
        if (row.bytes <= 0 || row.count <= 0)
            return 0;
        m_out.rows.push_back(row);
        return row.total();
    }
};

/// The layers of a stage in the order of the forward: dense layers lead, MTP modules follow.
struct StageLayers
{
    int dense = 0;
    int moe = 0;

    [[nodiscard]] int all() const { return dense + moe; }
    /// Layers of the kind among the positions [begin, end).
    [[nodiscard]] int between(LayerKind kind, int begin, int end) const
    {
        const int leading = std::clamp(dense, begin, end) - begin;
        return kind == LayerKind::Dense ? leading : end - begin - leading;
    }
};

StageLayers stageLayers(const ModelSpec &model, const StageContent &stage)
{
    const bool moeModel = model.moe.experts > 0;
    return { stage.denseLayers + (moeModel ? 0 : stage.mtpModules), stage.moeLayers + (moeModel ? stage.mtpModules : 0) };
}

struct KindTensors
{
    std::vector<LayerTensor> dense;
    std::vector<LayerTensor> moe;

    [[nodiscard]] const std::vector<LayerTensor> &of(LayerKind kind) const { return kind == LayerKind::Dense ? dense : moe; }
};

LedgerPlace placeOf(LayerKind kind) { return kind == LayerKind::Dense ? LedgerPlace::DenseLayer : LedgerPlace::MoeLayer; }

/// A run of layers that is computed again from one kept input.
struct RecomputedGroup
{
    int begin = 0;
    int end = 0;
};

/// The groups of full recompute: uniform cuts the stage into groups of fullLayers, block recomputes the first fullLayers layers
/// one by one and keeps the others.
std::vector<RecomputedGroup> recomputedGroups(const Recompute &recompute, int layers)
{
    std::vector<RecomputedGroup> groups;
    const int size = std::max(1, recompute.fullLayers);
    if (recompute.fullBlock) {
        for (int i = 0; i < std::min(size, layers); ++i)
            groups.push_back({ i, i + 1 });
        return groups;
    }
    for (int begin = 0; begin < layers; begin += size)
        groups.push_back({ begin, std::min(layers, begin + size) });
    return groups;
}

/// Activations and what a backward brings back, under full recompute.
/// `hot`: the tensors of the hottest layer, of which a group is assumed to consist.
void addFullRecompute(StageMemory &out, StageRows &rows, const Recompute &recompute, const StageLayers &layers,
                      const KindTensors &tensors, const KindTensors &hot)
{
    const std::vector<RecomputedGroup> groups = recomputedGroups(recompute, layers.all());
    StageLayers checkpoints;
    const RecomputedGroup *largest = nullptr;
    double most = -1;
    for (const RecomputedGroup &group : groups) {
        (group.begin < layers.dense ? checkpoints.dense : checkpoints.moe) += 1;
        double bytes = 0;
        for (const LayerKind kind : { LayerKind::Dense, LayerKind::Moe })
            bytes += layers.between(kind, group.begin, group.end) * keptBytes(hot.of(kind), Recompute{});
        if (bytes > most) {
            most = bytes;
            largest = &group;
        }
    }
    const int recomputed = groups.empty() ? 0 : groups.back().end;
    for (const LayerKind kind : { LayerKind::Dense, LayerKind::Moe }) {
        const int inputs = kind == LayerKind::Dense ? checkpoints.dense : checkpoints.moe;
        const int whole = layers.between(kind, recomputed, layers.all());
        for (const LayerTensor &tensor : tensors.of(kind))
            out.activation += rows.activation(tensor, placeOf(kind), whole + (tensor.checkpoint ? inputs : 0));
        if (!largest)
            continue;
        for (const LayerTensor &tensor : hot.of(kind)) {
            // The group's first input was kept; the inputs of its other layers come back with the rest.
            const int again = layers.between(kind, largest->begin, largest->end)
                - (tensor.checkpoint && (largest->begin < layers.dense) == (kind == LayerKind::Dense) ? 1 : 0);
            const ByteCount bytes = rows.again(tensor, placeOf(kind), Lifetime::MlpBackward, again);
            out.mlpBackward += bytes;
        }
    }
}

/// What the modules of selective recompute bring back for one layer while its part of the backward runs.
void addRecomputedModules(StageMemory &out, StageRows &rows, const Recompute &recompute, LayerKind kind,
                          const std::vector<LayerTensor> &tensors, ByteCount &mlpKept)
{
    for (const LayerTensor &tensor : tensors) {
        const bool mlp = tensor.part == LayerPart::Mlp;
        if (isKept(tensor, recompute)) {
            mlpKept += mlp ? std::llround(tensor.bytes()) : 0;
            continue;
        }
        (mlp ? out.mlpBackward : out.attentionBackward) +=
            rows.again(tensor, placeOf(kind), mlp ? Lifetime::MlpBackward : Lifetime::AttentionBackward);
    }
}

void addMlpGradients(StageMemory &out, StageRows &rows, const Scenario &s, LayerKind kind, const RankTokens &tokens)
{
    const double h = s.model.hidden;
    if (kind == LayerKind::Moe) {
        for (const LayerTensor &tensor : moeTransients(s, tokens))
            out.mlpBackward += rows.again(tensor, LedgerPlace::MoeLayer, Lifetime::MlpBackward);
        return;
    }
    using Cut = TensorSplit::Cut;
    const char *half = halfName(s.precision);
    const double width = static_cast<double>(s.model.denseWidth) / s.plan.tp;
    const auto add = [&](std::string_view name, double cols, Cut cut) {
        out.mlpBackward +=
            rows.transient(name, LedgerPlace::DenseLayer, Lifetime::MlpBackward, tokens.tokens, cols, 2, half, cut);
    };
    add("gradient of the MLP activation", width, Cut::Tensor);
    add("gradient of mlp fc1 output", 2 * width, Cut::Tensor);
    add("gradient of the layer output", h, Cut::Whole);
    if (s.plan.tp > 1)
        add("gathered MLP input", h, Cut::Whole);
}

/// dq, dk, dv, the gradient of the output, and the fp32 accumulator of dq.
void addAttentionGradients(StageMemory &out, StageRows &rows, const Scenario &s, LayerKind kind, const RankTokens &tokens)
{
    const AttentionSpec &a = s.model.attention;
    const double heads = static_cast<double>(a.heads) / s.plan.tp;
    const double kvHeads = a.kind == AttentionKind::Latent ? heads : std::max(1.0, static_cast<double>(a.kvHeads) / s.plan.tp);
    const char *half = halfName(s.precision);
    const auto add = [&](std::string_view name, double cols, double bytes, std::string_view dtype) {
        out.attentionBackward += rows.transient(name, placeOf(kind), Lifetime::AttentionBackward, tokens.tokens, cols, bytes,
                                                dtype, TensorSplit::Cut::Tensor);
    };
    add("gradient of the attention output", heads * a.vDim(), 2, half);
    add("gradients of q, k and v", heads * a.qkDim() + kvHeads * (a.qkDim() + a.vDim()), 2, half);
    add("accumulator of the query gradient", heads * a.qkDim(), 4, "fp32");
}

void addHead(StageMemory &out, StageRows &rows, const Scenario &s, const StageContent &stage, const RankTokens &tokens)
{
    if (!stage.head)
        return;
    using Cut = TensorSplit::Cut;
    const std::int64_t heads = 1 + stage.mtpModules;
    const double h = s.model.hidden;
    const char *half = halfName(s.precision);
    const double vocabulary = static_cast<double>(s.model.vocab) / s.plan.tp;
    const auto add = [&](std::string_view name, double tokenRows, double cols, double bytes, std::string_view dtype, Cut cut) {
        out.head += rows.transient(name, LedgerPlace::Head, Lifetime::Head, tokenRows, cols, bytes, dtype, cut, heads);
    };
    add("final_norm input", tokens.sequenceShard, h, 2, half, tokens.sequenceShard.cut);
    add("head input", tokens.sequenceShard, h, 2, half, tokens.sequenceShard.cut);
    add("logits", tokens.tokens, vocabulary, 2, half, Cut::Tensor);
    if (s.runtime.lossFusion != "te")
        add("softmax of the loss", tokens.tokens, vocabulary, 4, "fp32", Cut::Tensor);
    if (s.runtime.lossFusion == "unfused")
        add("logits in fp32", tokens.tokens, vocabulary, 4, "fp32", Cut::Tensor);
}

KindTensors kindTensors(const Scenario &s, const StageLayers &layers, const RankTokens &tokens)
{
    KindTensors out;
    if (layers.dense > 0)
        out.dense = layerTensors(s, LayerKind::Dense, tokens);
    if (layers.moe > 0)
        out.moe = layerTensors(s, LayerKind::Moe, tokens);
    return out;
}

} // namespace

StageMemory stageMemory(const Scenario &s, const StageContent &stage, const StageLoad &load)
{
    const RankTokens tokens = rankTokens(s, load.held);
    const RankTokens inLayer = rankTokens(s, load.layer);
    const StageLayers layers = stageLayers(s.model, stage);
    const KindTensors tensors = kindTensors(s, layers, tokens);
    const KindTensors hot = load.layer == load.held ? tensors : kindTensors(s, layers, inLayer);

    StageMemory out;
    out.rows.reserve(64);
    StageRows rows(out, stage, s.plan);
    // The last layer's backward comes while all others still hold their activations, so its kind sets the transients.
    const LayerKind last = layers.moe > 0 ? LayerKind::Moe : LayerKind::Dense;
    ByteCount mlpKept = 0;
    if (s.recompute.full) {
        addFullRecompute(out, rows, s.recompute, layers, tensors, hot);
    } else {
        for (const LayerKind kind : { LayerKind::Dense, LayerKind::Moe }) {
            for (const LayerTensor &tensor : tensors.of(kind)) {
                if (isKept(tensor, s.recompute))
                    out.activation +=
                        rows.activation(tensor, placeOf(kind), kind == LayerKind::Dense ? layers.dense : layers.moe);
            }
        }
        if (layers.all() > 0)
            addRecomputedModules(out, rows, s.recompute, last, hot.of(last), mlpKept);
    }
    if (stage.mtpModules > 0) {
        const Recompute recompute = s.recompute.full ? Recompute{} : s.recompute;
        for (const LayerTensor &tensor : mtpTensors(s.model, s.precision, tokens)) {
            if (isKept(tensor, recompute))
                out.activation += rows.activation(tensor, LedgerPlace::Mtp, stage.mtpModules);
        }
    }
    if (layers.all() > 0) {
        if (s.recompute.full) {
            // The whole group is there until its gradients are done; the MLP part of one layer has gone by then.
            out.attentionBackward = out.mlpBackward;
            for (const LayerTensor &tensor : hot.of(last))
                mlpKept += tensor.part == LayerPart::Mlp ? std::llround(tensor.bytes()) : 0;
        }
        addMlpGradients(out, rows, s, last, inLayer);
        addAttentionGradients(out, rows, s, last, tokens);
        out.mlpGivenBack = std::min(mlpKept, out.attentionBackward);
        out.attentionBackward -= out.mlpGivenBack;
    }
    addHead(out, rows, s, stage, tokens);
    return out;
}

} // namespace pipeloom
