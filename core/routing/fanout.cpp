// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/fanout.h"

#include "core/routing/normal.h"
#include "core/routing/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

constexpr int sampledTokens = 8192; ///< standard error of the nodes about 0.002

/// Distinct bins among `bins` equal ones that k of E experts hit, in closed form.
double distinctBins(int experts, int topK, int bins)
{
    const double perBin = static_cast<double>(experts) / bins;
    double missed = 1; // C(E-E/N, k) / C(E, k)
    for (int i = 0; i < topK; ++i)
        missed *= std::max(0.0, experts - perBin - i) / (experts - i);
    return bins * (1 - missed);
}

/// Experts and ranks that one node holds.
struct NodeShare
{
    int experts = 0;
    std::vector<double> distinctRanks; ///< mean, by the number of the token's experts on the node: which rank an expert is on
                                       ///< does not depend on its affinity
};

std::vector<NodeShare> shareOut(int experts, int topK, int ranks, int nodes)
{
    const int perRank = experts / ranks;
    const int ranksPerNode = (ranks + nodes - 1) / nodes;
    std::vector<NodeShare> out;
    for (int first = 0; first < ranks; first += ranksPerNode) {
        const int here = std::min(ranksPerNode, ranks - first);
        NodeShare node{ .experts = here * perRank, .distinctRanks = {} };
        for (int count = 0; count <= std::min(topK, node.experts); ++count)
            node.distinctRanks.push_back(distinctBins(node.experts, count, here));
        out.push_back(std::move(node));
    }
    return out;
}

/// One token under a node limit. Affinities are drawn node by node, best first, and only as far as they matter.
class TokenSample
{
public:
    TokenSample(std::vector<NodeShare> shares, int topK, int limit)
        : m_shares(std::move(shares))
        , m_draws(m_shares.size())
        , m_order(m_shares.size())
        , m_topK(topK)
        , m_limit(std::min(static_cast<std::size_t>(limit), m_shares.size()))
        , m_scored(std::max(1, topK / limit))
    {
    }

    /// The token's distinct nodes and ranks.
    FanOut draw(Random &random)
    {
        for (std::size_t node = 0; node < m_draws.size(); ++node)
            score(node, random);
        std::iota(m_order.begin(), m_order.end(), std::size_t{ 0 });
        const auto chosen = m_order.begin() + static_cast<std::ptrdiff_t>(m_limit);
        std::nth_element(m_order.begin(), chosen - 1, m_order.end(),
                         [&](std::size_t a, std::size_t b) { return m_draws[a].score > m_draws[b].score; });
        for (int expert = 0; expert < m_topK; ++expert) {
            const auto best = std::min_element(m_order.begin(), chosen, [&](std::size_t a, std::size_t b) {
                return m_draws[a].minusLog[at(m_draws[a].taken)] < m_draws[b].minusLog[at(m_draws[b].taken)];
            });
            Draw &draw = m_draws[*best];
            if (++draw.taken == static_cast<int>(draw.minusLog.size()))
                drawNext(*best, random);
        }
        FanOut out{ .nodes = 0, .remoteNodes = 0, .ranks = 0 };
        for (auto node = m_order.begin(); node != chosen; ++node) {
            const int taken = m_draws[*node].taken;
            out.nodes += taken > 0 ? 1 : 0;
            out.ranks += m_shares[*node].distinctRanks[at(taken)];
        }
        return out;
    }

private:
    struct Draw
    {
        std::vector<double> minusLog; ///< -log of the affinities as uniforms, ascending: the best expert first
        int taken = 0; ///< experts among the token's k
        double score = 0;
    };

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    /// -log of the next largest of n uniforms grows by an exponential variate over the number that is left.
    void drawNext(std::size_t node, Random &random)
    {
        std::vector<double> &drawn = m_draws[node].minusLog;
        const int left = m_shares[node].experts - static_cast<int>(drawn.size());
        const double before = drawn.empty() ? 0 : drawn.back();
        drawn.push_back(left > 0 ? before - std::log(random.uniform()) / left : std::numeric_limits<double>::infinity());
    }

    /// Affinities are normal: the node's score is the sum of its best as normal variates.
    void score(std::size_t node, Random &random)
    {
        Draw &draw = m_draws[node];
        draw.minusLog.clear();
        draw.taken = 0;
        draw.score = 0;
        for (int i = 0; i < std::min(m_scored, m_shares[node].experts); ++i) {
            drawNext(node, random);
            draw.score += roughUpperTailQuantile(-std::expm1(-draw.minusLog.back()));
        }
    }

    std::vector<NodeShare> m_shares;
    std::vector<Draw> m_draws;
    std::vector<std::size_t> m_order;
    int m_topK;
    std::size_t m_limit;
    int m_scored; ///< experts a node's score counts
};

FanOut sampled(int experts, int topK, int limit, int ranks, int nodes)
{
    TokenSample sample(shareOut(experts, topK, ranks, nodes), topK, limit);
    Random random(1);
    FanOut sum{ .nodes = 0, .remoteNodes = 0, .ranks = 0 };
    for (int token = 0; token < sampledTokens; ++token) {
        const FanOut one = sample.draw(random);
        sum.nodes += one.nodes;
        sum.ranks += one.ranks;
    }
    return { .nodes = sum.nodes / sampledTokens, .remoteNodes = 0, .ranks = sum.ranks / sampledTokens };
}

FanOut remembered(int experts, int topK, int limit, int ranks, int nodes)
{
    static std::mutex mutex;
    static std::map<std::tuple<int, int, int, int, int>, FanOut> known;
    const std::tuple key{ experts, topK, limit, ranks, nodes };
    {
        const std::lock_guard lock(mutex);
        if (const auto found = known.find(key); found != known.end())
            return found->second;
    }
    // Unlocked: two threads may sample the same, with the same result, rather than wait for each other.
    const FanOut fresh = sampled(experts, topK, limit, ranks, nodes);
    const std::lock_guard lock(mutex);
    return known.emplace(key, fresh).first->second;
}

} // namespace

FanOut fanOut(const MoeSpec &moe, int nodeLimit, int ep, int nodes)
{
    constexpr int mostExperts = 1 << 16;
    if (moe.experts < 1 || moe.experts > mostExperts || moe.topK < 1 || moe.topK > moe.experts || ep < 1 || moe.experts % ep != 0)
        return {};
    nodes = std::clamp(nodes, 1, ep);
    const bool limited = moe.groups > 1 && nodeLimit > 0 && nodeLimit < nodes && nodeLimit * (moe.experts / nodes) >= moe.topK;
    FanOut out;
    if (limited) {
        out = remembered(moe.experts, moe.topK, nodeLimit, ep, nodes);
    } else {
        out.nodes = distinctBins(moe.experts, moe.topK, nodes);
        out.ranks = distinctBins(moe.experts, moe.topK, ep);
    }
    out.remoteNodes = out.nodes * (nodes - 1) / nodes;
    return out;
}

} // namespace pipeloom
