// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/routing.h"

#include "core/routing/fanout.h"
#include "core/routing/normal.h"
#include "core/routing/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

namespace pipeloom
{

namespace
{

constexpr int mostExperts = 1 << 16;
constexpr double mostSigma = 10; ///< beyond it one expert has everything

/// Expected order statistics of E standard normals, largest first (Blom). Kept: every slider move asks for the same.
std::shared_ptr<const std::vector<double>> orderStatistics(int experts)
{
    static std::mutex mutex;
    static std::map<int, std::shared_ptr<const std::vector<double>>> known;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const std::vector<double>> &entry = known[experts];
    if (!entry) {
        std::vector<double> z(static_cast<std::size_t>(experts));
        for (std::size_t i = 0; i < z.size(); ++i)
            z[i] = normalQuantile((static_cast<double>(z.size() - i) - 0.375) / (experts + 0.25));
        entry = std::make_shared<const std::vector<double>>(std::move(z));
    }
    return entry;
}

/// Popularity of the experts, hottest first, mean 1.
std::vector<double> lognormalWeights(int experts, double sigma)
{
    std::vector<double> weights(*orderStatistics(experts));
    const double largest = sigma * weights.front(); // taken out, so that nothing overflows
    for (double &weight : weights)
        weight = std::exp(sigma * weight - largest);
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / experts;
    for (double &weight : weights)
        weight /= mean;
    return weights;
}

/// Turns popularity into loads (mean 1): an expert is among a token's k with probability 1 - exp(-lambda w), where lambda makes
/// the probabilities sum to k (exponential clocks). No expert can get more than every token.
void takeTopK(std::vector<double> &weights, int topK)
{
    const auto experts = static_cast<double>(weights.size());
    if (topK >= static_cast<int>(weights.size())) {
        std::ranges::fill(weights, 1.0);
        return;
    }
    // The sum is concave in lambda and lambda starts too small: Newton's steps approach from below and never overshoot.
    double lambda = 0;
    for (int i = 0; i < 60; ++i) {
        double sum = 0;
        double slope = 0;
        for (const double weight : weights) {
            const double stays = std::exp(-lambda * weight);
            sum += 1 - stays;
            slope += weight * stays;
        }
        const double missing = topK - sum;
        if (missing <= 1e-12 * topK || slope <= 0)
            break;
        lambda += missing / slope;
    }
    for (double &weight : weights)
        weight = -std::expm1(-lambda * weight) * experts / topK;
}

double coefficientOfVariation(const std::vector<double> &loads)
{
    double squares = 0;
    for (const double load : loads)
        squares += (load - 1) * (load - 1);
    return std::sqrt(squares / static_cast<double>(loads.size()));
}

/// Loads sorted, hottest first, mean 1.
double gini(const std::vector<double> &loads)
{
    const auto n = static_cast<double>(loads.size());
    double sum = 0;
    for (std::size_t i = 0; i < loads.size(); ++i)
        sum += (n - 1 - 2 * static_cast<double>(i)) * loads[i];
    return sum / (n * n);
}

/// Expected loads of the hottest and the coldest of `ranks` ranks when the experts are dealt out at random: extremes of
/// lognormals with the variation of a mean of E/R draws in each of `layers` layers, but no less than the rank that holds one
/// layer's hottest expert.
HeldLoad extremes(const RoutingLoad &load, int ranks, int layers)
{
    const auto experts = static_cast<double>(load.expertLoads.size());
    if (ranks <= 1 || experts <= 1)
        return {};
    const double perRank = experts / ranks;
    const double cv = load.expertCv / std::sqrt(perRank) * std::sqrt((experts - perRank) / (experts - 1));
    const auto at = [](double deviation, double z) {
        const double variance = std::log1p(deviation * deviation);
        return std::exp(std::sqrt(variance) * z - variance / 2);
    };
    const double withHottest =
        (load.expertMaxOverMean + (perRank - 1) * (experts - load.expertMaxOverMean) / (experts - 1)) / perRank;
    const double deviation = cv / std::sqrt(layers);
    const double z = expectedNormalMaximum(ranks);
    HeldLoad out;
    out.hottest = std::max(at(deviation, z), 1 + (withHottest - 1) / layers);
    out.coldest = at(deviation, -z);
    out.hottestLayer = std::max(at(cv, expectedNormalMaximum(ranks * layers)), withHottest);
    return out;
}

/// Mean load of each rank when the experts are shuffled by the seed and dealt out in blocks.
std::vector<double> dealOut(const std::vector<double> &loads, std::uint64_t seed, int ranks)
{
    std::vector<double> shuffled(loads);
    Random random(seed);
    for (std::size_t i = shuffled.size() - 1; i > 0; --i)
        std::swap(shuffled[i], shuffled[random.below(static_cast<std::uint32_t>(i + 1))]);
    const std::size_t perRank = shuffled.size() / static_cast<std::size_t>(ranks);
    std::vector<double> out(static_cast<std::size_t>(ranks));
    for (std::size_t r = 0; r < out.size(); ++r) {
        const auto first = shuffled.begin() + static_cast<std::ptrdiff_t>(r * perRank);
        out[r] = std::accumulate(first, first + static_cast<std::ptrdiff_t>(perRank), 0.0) / static_cast<double>(perRank);
    }
    return out;
}

/// Every layer dealt out with a seed of its own, the first with the request's. Models far beyond any that exist repeat the layers
/// that were dealt out, so that a slider never waits.
void dealOutLayers(RoutingLoad &out, std::uint64_t seed, int ranks, int layers)
{
    constexpr std::size_t mostDealt = 1 << 20;
    layers = std::clamp(layers, 1, std::max(1, static_cast<int>(mostDealt / out.expertLoads.size())));
    double sum = 0;
    out.layerRankLoads.reserve(static_cast<std::size_t>(layers));
    for (int layer = 0; layer < layers; ++layer) {
        out.layerRankLoads.push_back(dealOut(out.expertLoads, seed + static_cast<std::uint64_t>(layer), ranks));
        const std::vector<double> &loads = out.layerRankLoads.back();
        const auto hottest = std::ranges::max_element(loads);
        sum += *hottest;
        if (layer == 0 || *hottest > out.layerMaxOverMean) {
            out.layerMaxOverMean = *hottest;
            out.hotLayer = layer;
            out.hotRank = static_cast<int>(hottest - loads.begin());
        }
    }
    out.rankMaxOverMean = sum / layers;
}

} // namespace

HeldLoad heldLoad(const RoutingLoad &load, const RoutingRequest &request, int first, int layers)
{
    HeldLoad out{ load.rankMaxOverMean, 1, load.rankMaxOverMean };
    if (load.rankLoads.empty())
        return out;
    out.coldest = *std::ranges::min_element(load.rankLoads);
    if (request.layers == LayerRouting::Alike || layers < 1)
        return out;
    if (load.layerRankLoads.empty())
        return load.expertCv > 0 ? extremes(load, static_cast<int>(load.rankLoads.size()), layers) : HeldLoad{};
    std::vector<double> sums(load.rankLoads.size());
    out.hottestLayer = 0;
    for (int i = 0; i < layers; ++i) {
        const std::vector<double> &loads = load.layerRankLoads[static_cast<std::size_t>(first + i) % load.layerRankLoads.size()];
        for (std::size_t rank = 0; rank < sums.size(); ++rank)
            sums[rank] += loads[rank];
        out.hottestLayer = std::max(out.hottestLayer, *std::ranges::max_element(loads));
    }
    out.hottest = *std::ranges::max_element(sums) / layers;
    out.coldest = *std::ranges::min_element(sums) / layers;
    return out;
}

RoutingLoad routingLoad(const ModelSpec &model, const RoutingRequest &request, int ep, int nodes)
{
    const MoeSpec &moe = model.moe;
    RoutingLoad out;
    if (moe.experts < 1 || moe.experts > mostExperts || moe.topK < 1 || ep < 1 || moe.experts % ep != 0)
        return out;
    const FanOut reach = fanOut(moe, request.nodeLimit, ep, nodes);
    out.nodesPerToken = reach.nodes;
    out.remoteNodesPerToken = reach.remoteNodes;
    out.ranksPerToken = reach.ranks;

    const double sigma = request.sigma > 0 ? std::min(request.sigma, mostSigma) : 0; // NaN becomes 0
    if (request.family == RoutingFamily::Uniform || sigma == 0 || moe.experts == 1) {
        out.expertLoads.assign(static_cast<std::size_t>(moe.experts), 1.0);
        out.rankLoads.assign(static_cast<std::size_t>(ep), 1.0);
        return out;
    }
    out.expertLoads = lognormalWeights(moe.experts, sigma);
    takeTopK(out.expertLoads, moe.topK);
    out.expertMaxOverMean = out.expertLoads.front();
    out.expertCv = coefficientOfVariation(out.expertLoads);
    out.gini = gini(out.expertLoads);
    out.rankLoads = dealOut(out.expertLoads, request.seed, ep);
    const int layers = std::max(1, model.layers - model.denseLayers);
    if (request.exact && request.layers == LayerRouting::Independent) {
        dealOutLayers(out, request.seed, ep, layers);
        return out;
    }
    const auto hottest = std::ranges::max_element(out.rankLoads);
    if (request.exact) {
        out.rankMaxOverMean = *hottest;
        out.hotRank = static_cast<int>(hottest - out.rankLoads.begin());
    } else {
        out.rankMaxOverMean = extremes(out, ep, 1).hottest;
    }
    const bool alike = request.exact || request.layers == LayerRouting::Alike;
    out.layerMaxOverMean = alike ? out.rankMaxOverMean : extremes(out, ep, layers).hottestLayer;
    return out;
}

} // namespace pipeloom
