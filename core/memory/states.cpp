// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/states.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace pipeloom
{

double rankElements(const WeightMatrix &matrix, const ModelSpec &model, const ParallelPlan &plan)
{
    const double all = static_cast<double>(matrix.parameters());
    switch (matrix.split) {
    case WeightSplit::Replicated:
        return all;
    case WeightSplit::Vocabulary:
        return all / plan.tp;
    case WeightSplit::Expert:
        return all / plan.ep / plan.etp;
    case WeightSplit::Tensor:
        break;
    }
    const AttentionSpec &a = model.attention;
    const bool keyOrValue = matrix.name == "W_K" || matrix.name == "W_V" || matrix.name == "b_K" || matrix.name == "b_V";
    return all / (keyOrValue ? std::min(plan.tp, a.kvHeads) : plan.tp);
}

namespace
{

void add(StageParameters &sum, const WeightMatrix &matrix, double elements)
{
    (matrix.split == WeightSplit::Expert ? sum.expert : sum.dense) += elements;
}

/// How often the place stands in the stage.
double timesInStage(WeightPlace place, const ModelSpec &model, const StageContent &stage, bool embeddingCopy)
{
    const bool moeModel = model.moe.experts > 0;
    switch (place) {
    case WeightPlace::EveryLayer:
        return stage.layers + stage.mtpModules;
    case WeightPlace::DenseLayer:
        return stage.denseLayers + (moeModel ? 0 : stage.mtpModules);
    case WeightPlace::MoeLayer:
        return stage.moeLayers + (moeModel ? stage.mtpModules : 0);
    case WeightPlace::Embedding:
        // A tied head is the embedding again: the last stage needs its copy.
        return (stage.embedding ? 1 : 0) + ((embeddingCopy || (stage.head && model.tiedEmbeddings)) && !stage.embedding ? 1 : 0);
    case WeightPlace::Head:
        return stage.head ? 1 : 0;
    case WeightPlace::Mtp:
        return stage.mtpModules;
    }
    return 0;
}

} // namespace

StageParameters stageParameters(const std::vector<WeightMatrix> &matrices, const ModelSpec &model, const ParallelPlan &plan,
                                const StageContent &stage, bool embeddingCopy)
{
    StageParameters sum;
    for (const WeightMatrix &matrix : matrices) {
        const double times = timesInStage(matrix.place, model, stage, embeddingCopy);
        if (times > 0)
            add(sum, matrix, times * rankElements(matrix, model, plan));
    }
    return sum;
}

StageParameters largestLayer(const std::vector<WeightMatrix> &matrices, const ModelSpec &model, const ParallelPlan &plan,
                             const StageContent &stage)
{
    const bool moe = stage.moeLayers > 0 || (stage.mtpModules > 0 && model.moe.experts > 0);
    StageParameters sum;
    if (stage.layers + stage.mtpModules == 0)
        return sum;
    for (const WeightMatrix &matrix : matrices) {
        if (matrix.place == WeightPlace::EveryLayer || matrix.place == (moe ? WeightPlace::MoeLayer : WeightPlace::DenseLayer))
            add(sum, matrix, rankElements(matrix, model, plan));
    }
    return sum;
}

StateBytes stateBytes(const StageParameters &parameters, const Precision &precision, const ParallelPlan &plan,
                      const Groups &groups, int copies)
{
    const double denseShards = static_cast<double>(groups.dp) * plan.cp * copies;
    const double expertShards = static_cast<double>(groups.edp) * copies;
    const double denseOptimizer = plan.zero >= 1 ? denseShards : 1;
    const double expertOptimizer = plan.zero >= 1 ? expertShards : 1;
    const double denseGradient = plan.zero >= 2 ? denseShards : 1;
    const double expertGradient = plan.zero >= 2 ? expertShards : 1;
    const double denseWeight = plan.zero >= 3 ? denseShards : 1;
    const double expertWeight = plan.zero >= 3 ? expertShards : 1;
    const double optimizer = precision.master + precision.moments;
    StateBytes bytes;
    bytes.weightsDense = parameters.dense * precision.weight / denseWeight;
    bytes.weightsExpert = parameters.expert * precision.weight / expertWeight;
    bytes.gradients = precision.mainGrad * (parameters.dense / denseGradient + parameters.expert / expertGradient);
    bytes.optimizer = optimizer * (parameters.dense / denseOptimizer + parameters.expert / expertOptimizer);
    return bytes;
}

namespace
{

using Shapes = std::set<std::pair<std::int64_t, std::int64_t>>;

void addMlpShapes(Shapes &shapes, const ModelSpec &model, std::int64_t width)
{
    const std::int64_t h = model.hidden;
    shapes.emplace((model.mlpMatrices - 1) * width, h);
    shapes.emplace(h, width);
}

/// Shapes of the fused weight matrices as Transformer Engine holds them.
void addAttentionShapes(Shapes &shapes, const ModelSpec &model, int tp)
{
    const AttentionSpec &a = model.attention;
    const std::int64_t h = model.hidden;
    if (a.kind == AttentionKind::GroupedQuery) {
        const std::int64_t kvHeads = std::max(1, a.kvHeads / tp);
        shapes.emplace((std::int64_t{ a.heads } / tp + 2 * kvHeads) * a.headDim, h);
        shapes.emplace(h, std::int64_t{ a.heads } * a.headDim / tp);
        return;
    }
    const std::int64_t queries = std::int64_t{ a.heads } * a.qkDim() / tp;
    if (a.queryRank > 0) {
        shapes.emplace(a.queryRank, h);
        shapes.emplace(queries, a.queryRank);
    } else {
        shapes.emplace(queries, h);
    }
    shapes.emplace(a.kvRank + a.ropeDim, h);
    shapes.emplace(std::int64_t{ a.heads } * (a.nopeDim + a.valueDim) / tp, a.kvRank);
    shapes.emplace(h, std::int64_t{ a.heads } * a.valueDim / tp);
}

} // namespace

double dummyGradientBytes(const ModelSpec &model, const ParallelPlan &plan, const std::vector<StageContent> &stages)
{
    Shapes shapes;
    const std::int64_t h = model.hidden;
    for (const StageContent &stage : stages) {
        if (stage.layers + stage.mtpModules > 0)
            addAttentionShapes(shapes, model, plan.tp);
        const bool mtpMoe = stage.mtpModules > 0 && model.moe.experts > 0;
        if (stage.denseLayers > 0 || (stage.mtpModules > 0 && !mtpMoe))
            addMlpShapes(shapes, model, model.denseWidth / plan.tp);
        if (stage.moeLayers > 0 || mtpMoe) {
            addMlpShapes(shapes, model, model.moe.expertWidth / plan.etp);
            if (model.moe.sharedWidth > 0)
                addMlpShapes(shapes, model, model.moe.sharedWidth / plan.tp);
        }
        if (stage.mtpModules > 0)
            shapes.emplace(h, 2 * h);
        if (stage.head)
            shapes.emplace(model.vocab / plan.tp, h);
    }
    double elements = 0;
    for (const auto &[rows, cols] : shapes)
        elements += static_cast<double>(rows) * static_cast<double>(cols);
    return 2 * elements;
}

} // namespace pipeloom
