// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/states.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

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

double weightBytes(const WeightMatrix &matrix, const Precision &precision)
{
    const bool linear = matrix.matmul && matrix.place != WeightPlace::Head && matrix.name != "router";
    return linear ? precision.weight : precision.weightOther.value_or(precision.weight);
}

namespace
{

std::string_view formatName(double bytes)
{
    if (bytes == 1)
        return "fp8";
    if (bytes == 2)
        return "bf16";
    return bytes == 4 ? "fp32" : "mixed";
}

/// The weights' format: FP8 policies keep more than one copy, so bytes alone do not name it.
std::string_view weightFormat(double bytes, const Precision &precision)
{
    if (!precision.fp8Compute || bytes == precision.weightOther.value_or(-1) || precision.deepseekActivations)
        return formatName(bytes);
    if (bytes == 2)
        return "fp8, two layouts";
    return bytes == 4 ? "bf16 + fp8, two layouts" : formatName(bytes);
}

LedgerPlace ledgerPlace(WeightPlace place)
{
    switch (place) {
    case WeightPlace::DenseLayer:
        return LedgerPlace::DenseLayer;
    case WeightPlace::MoeLayer:
        return LedgerPlace::MoeLayer;
    case WeightPlace::EveryLayer:
        return LedgerPlace::AnyLayer;
    case WeightPlace::Embedding:
        return LedgerPlace::Embedding;
    case WeightPlace::Head:
        return LedgerPlace::Head;
    case WeightPlace::Mtp:
        return LedgerPlace::Mtp;
    }
    return LedgerPlace::Rank;
}

TensorSplit weightSplit(const WeightMatrix &matrix, const ParallelPlan &plan)
{
    TensorSplit split;
    if (matrix.split == WeightSplit::Expert) {
        split.cut = TensorSplit::Cut::Expert;
        split.ways = plan.ep;
        split.expertTensor = plan.etp;
    } else if (matrix.split != WeightSplit::Replicated) {
        split.cut = TensorSplit::Cut::Tensor;
        split.ways = plan.tp;
    }
    return split;
}

} // namespace

void addStateRows(Ledger &rows, const std::vector<WeightMatrix> &matrices, const StateRules &rules, const StageContent &stage,
                  bool embeddingCopy)
{
    const ParallelPlan &plan = rules.plan;
    const Precision &precision = rules.precision;
    const int sharding = plan.shardingStage();
    const std::int64_t dense = rules.groups.dp * plan.cp * rules.copies;
    const std::int64_t expert = rules.groups.edp * rules.copies;
    for (const WeightMatrix &matrix : matrices) {
        const double times = timesInStage(matrix.place, rules.model, stage, embeddingCopy);
        if (times <= 0)
            continue;
        const bool routed = matrix.split == WeightSplit::Expert;
        LedgerRow row;
        row.name = matrix.name;
        row.rows = static_cast<double>(matrix.rows);
        row.cols = static_cast<double>(matrix.cols);
        row.stage = stage.stage;
        row.place = ledgerPlace(matrix.place);
        row.split = weightSplit(matrix, plan);
        // A rank holds whole experts, each cut over ETP; a single expert over fewer ranks than EP cannot occur in a valid plan.
        const std::int64_t instances = routed ? std::max<std::int64_t>(1, matrix.count / plan.ep) : matrix.count;
        row.count = std::llround(times) * instances;
        const double elements = rankElements(matrix, rules.model, plan) / static_cast<double>(instances);
        const std::int64_t group = routed ? expert : dense;
        const auto add = [&](MemoryClass memoryClass, Lifetime lifetime, double bytes, std::string_view dtype, bool sharded) {
            if (bytes <= 0)
                return;
            row.memoryClass = memoryClass;
            row.lifetime = lifetime;
            row.dtype = dtype;
            row.split.shards = sharded ? group : 1;
            row.bytes = std::llround(elements * bytes / static_cast<double>(row.split.shards));
            row.host = memoryClass == MemoryClass::Optimizer && plan.optimizerOffload;
            rows.push_back(row);
        };
        const double weight = weightBytes(matrix, precision);
        add(routed ? MemoryClass::ParametersExpert : MemoryClass::ParametersDense, Lifetime::Run, weight,
            weightFormat(weight, precision), sharding >= 3);
        add(MemoryClass::Gradients, Lifetime::Run, precision.mainGrad, formatName(precision.mainGrad), sharding >= 2);
        add(MemoryClass::Optimizer, Lifetime::Run, precision.master, formatName(precision.master), sharding >= 1);
        add(MemoryClass::Optimizer, Lifetime::FirstStep, precision.moments,
            precision.moments == 8       ? "2 x fp32"
                : precision.moments == 4 ? "2 x bf16"
                                         : "two numbers",
            sharding >= 1);
        // Without the precision-aware optimizer, Adam reads fp32 gradients: a shard of narrower ones is cast before the step.
        if (precision.mainGrad > 0 && precision.mainGrad < 4 && precision.master == 4 && precision.moments == 8) {
            add(MemoryClass::Transient, Lifetime::OptimizerStep, 4, "fp32", sharding >= 1);
        }
    }
}

GatherBuckets gatherBuckets(const std::vector<WeightMatrix> &matrices, const StateRules &rules, const StageContent &stage)
{
    const ModelSpec &model = rules.model;
    const ParallelPlan &plan = rules.plan;
    GatherBuckets out;
    if (plan.shardingStage() < 2)
        return out;
    double layer = 0;
    double head = 0;
    double embedding = 0;
    const bool moe = stage.moeLayers > 0 || (stage.mtpModules > 0 && model.moe.experts > 0);
    const LayerKind kind = moe ? LayerKind::Moe : LayerKind::Dense;
    const bool layers = stage.layers + stage.mtpModules > 0;
    for (const WeightMatrix &matrix : matrices) {
        const std::int64_t group =
            (matrix.split == WeightSplit::Expert ? rules.groups.edp : rules.groups.dp * plan.cp) * rules.copies;
        if (group <= 1)
            continue; // nothing of it is elsewhere
        const double elements = rankElements(matrix, model, plan);
        const bool inLayer = matrix.place == WeightPlace::EveryLayer
            || matrix.place == (kind == LayerKind::Moe ? WeightPlace::MoeLayer : WeightPlace::DenseLayer);
        if (inLayer && layers)
            layer += elements;
        if (matrix.place == WeightPlace::Embedding && (stage.embedding || (stage.head && model.tiedEmbeddings)))
            embedding += elements;
        if (matrix.place == WeightPlace::Head && stage.head)
            head += elements;
    }
    out.gradients = std::max({ layer, head, embedding });
    if (plan.shardingStage() < 3)
        return out;
    if (!plan.fsdp) {
        out.weights = out.gradients;
        return out;
    }
    // The units run one after another: embedding, layers, head; with each the next one is prefetched.
    const bool several = stage.layers + stage.mtpModules > 1;
    out.weights = std::max({ layer * (several ? 2 : 1), layer + head, layer + embedding });
    return out;
}

} // namespace pipeloom
