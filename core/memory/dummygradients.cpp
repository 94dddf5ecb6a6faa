// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/dummygradients.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace pipeloom
{

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

void addDummyGradientRows(Ledger &rows, const ModelSpec &model, const ParallelPlan &plan, const std::vector<StageContent> &stages)
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
            if (model.moe.residualWidth > 0)
                addMlpShapes(shapes, model, model.moe.residualWidth / plan.tp);
        }
        if (stage.mtpModules > 0)
            shapes.emplace(h, 2 * h);
        if (stage.head)
            shapes.emplace(model.vocab / plan.tp, h);
    }
    for (const auto &[outputs, inputs] : shapes) {
        LedgerRow row;
        row.name = "dummy weight gradient";
        row.dtype = "bf16";
        row.rows = static_cast<double>(outputs);
        row.cols = static_cast<double>(inputs);
        row.bytes = 2 * outputs * inputs;
        row.stage = -1;
        row.memoryClass = MemoryClass::Gradients;
        row.lifetime = Lifetime::FirstBackward;
        rows.push_back(row);
    }
}

} // namespace pipeloom
