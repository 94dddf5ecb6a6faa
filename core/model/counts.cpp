// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/counts.h"

#include <cmath>

namespace pipeloom
{

namespace
{

/// All parameters, and those a token passes through, of one layer of each kind and of the parts outside the layers.
struct PlaceSums
{
    std::int64_t all[6] = {};
    std::int64_t active[6] = {};

    [[nodiscard]] std::int64_t total(WeightPlace place) const { return all[static_cast<int>(place)]; }
    [[nodiscard]] std::int64_t used(WeightPlace place) const { return active[static_cast<int>(place)]; }
};

PlaceSums sumPlaces(const std::vector<WeightMatrix> &matrices)
{
    PlaceSums sums;
    for (const WeightMatrix &m : matrices) {
        sums.all[static_cast<int>(m.place)] += m.parameters();
        sums.active[static_cast<int>(m.place)] += m.elements() * std::llround(m.active);
    }
    return sums;
}

std::int64_t denseLayerCount(const ModelSpec &model) { return model.moe.experts == 0 ? model.layers : model.denseLayers; }

} // namespace

ParameterCounts countParameters(const ModelSpec &model)
{
    const std::vector<WeightMatrix> matrices = weightMatrices(model);
    const PlaceSums sums = sumPlaces(matrices);
    ParameterCounts counts;
    for (const WeightMatrix &m : matrices) {
        if (m.place == WeightPlace::EveryLayer && m.matmul)
            counts.attentionPerLayer += m.parameters();
        if (m.split == WeightSplit::Expert)
            counts.routedExpert += m.elements();
    }
    const std::int64_t dense = denseLayerCount(model);
    const std::int64_t moe = model.layers - dense;
    const std::int64_t every = sums.total(WeightPlace::EveryLayer);
    const bool hasMoe = model.moe.experts > 0;
    counts.denseLayer = dense > 0 ? every + sums.total(WeightPlace::DenseLayer) : 0;
    counts.moeLayer = hasMoe ? every + sums.total(WeightPlace::MoeLayer) : 0;
    counts.embedding = sums.total(WeightPlace::Embedding);
    counts.head = model.tiedEmbeddings ? 0 : model.vocab * std::int64_t{ model.hidden };
    counts.total = counts.embedding + sums.total(WeightPlace::Head) + dense * counts.denseLayer + moe * counts.moeLayer;
    const std::int64_t mtpLayer = hasMoe ? counts.moeLayer : counts.denseLayer;
    counts.mtp = model.mtpDepth * (mtpLayer + sums.total(WeightPlace::Mtp));
    const std::int64_t finalNorm = sums.total(WeightPlace::Head) - counts.head;
    counts.activeBlocks =
        dense * (every + sums.used(WeightPlace::DenseLayer)) + moe * (every + sums.used(WeightPlace::MoeLayer)) + finalNorm;
    // A tied head is the embedding matrix, used once more as a matmul.
    counts.activeWithHead = counts.activeBlocks + counts.embedding;
    counts.activeWithBoth = counts.activeWithHead + counts.head;
    counts.scoreBias = model.moe.scoreBias ? moe * model.moe.experts : 0;
    return counts;
}

namespace
{

/// Forward FLOPs of one token of the matmuls that a predicate selects.
template<class Select>
double linearFlops(const std::vector<WeightMatrix> &matrices, Select select)
{
    double weights = 0;
    for (const WeightMatrix &m : matrices) {
        if (m.matmul && select(m))
            weights += static_cast<double>(m.elements()) * m.active;
    }
    return 2.0 * weights;
}

} // namespace

FlopCounts countFlops(const ModelSpec &model, int seq, bool causal)
{
    const std::vector<WeightMatrix> matrices = weightMatrices(model);
    const auto at = [&](WeightPlace place) {
        return linearFlops(matrices, [place](const WeightMatrix &m) { return m.place == place; });
    };
    FlopCounts flops;
    flops.attentionLinear = at(WeightPlace::EveryLayer);
    flops.denseMlp = at(WeightPlace::DenseLayer);
    flops.routedExperts = linearFlops(matrices, [](const WeightMatrix &m) { return m.split == WeightSplit::Expert; });
    flops.router = linearFlops(matrices, [](const WeightMatrix &m) { return m.name == "router"; });
    flops.sharedExperts = at(WeightPlace::MoeLayer) - flops.routedExperts - flops.router;
    flops.head = 2.0 * static_cast<double>(model.vocab) * model.hidden;

    const AttentionSpec &a = model.attention;
    const double keys = causal ? seq / 2.0 : seq;
    const double perHead = 2.0 * a.heads * keys;
    flops.attentionCore = perHead * (a.qkDim() + a.vDim());
    flops.attentionCoreBackwardHardware = perHead * (3.0 * a.qkDim() + 2.0 * a.vDim());

    const double dense = static_cast<double>(denseLayerCount(model));
    const double moe = model.layers - dense;
    const double moeMlp = flops.router + flops.routedExperts + flops.sharedExperts;
    const double linear = model.layers * flops.attentionLinear + dense * flops.denseMlp + moe * moeMlp + flops.head;
    flops.trainPerToken = 3.0 * (linear + model.layers * flops.attentionCore);
    flops.trainPerTokenNonCausal = 3.0 * (linear + model.layers * perHead * (seq / keys) * (a.qkDim() + a.vDim()));
    const double mtpMlp = model.moe.experts > 0 ? moeMlp : flops.denseMlp;
    flops.mtp = model.mtpDepth * (flops.attentionLinear + flops.attentionCore + mtpMlp + at(WeightPlace::Mtp) + flops.head);
    flops.trainPerTokenWithMtp = flops.trainPerToken + 3.0 * flops.mtp;
    return flops;
}

} // namespace pipeloom
