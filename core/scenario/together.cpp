// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

/// A generous bound of the activation bytes of one micro-batch over all layers, in floating point.
double activationBound(const Scenario &scenario)
{
    const ModelSpec &m = scenario.model;
    const AttentionSpec &a = m.attention;
    const auto n = [](auto value) { return static_cast<double>(value); };
    const double tokens = n(scenario.plan.seq) * n(scenario.plan.microBatch);
    const double attention = n(a.heads) * (2 * n(a.qkDim()) + 2 * n(a.vDim())) + 2 * (n(a.queryRank) + n(a.kvRank));
    const double experts =
        n(m.moe.topK) * (2 * n(m.hidden) + 3 * n(m.moe.expertWidth)) + 3 * n(m.moe.sharedWidth) + 4 * n(m.moe.experts);
    const double perToken = 8 * n(m.hidden) + attention + experts + 3 * n(m.denseWidth);
    return 4 * tokens * ((n(m.layers) + n(m.mtpDepth)) * perToken + 3 * (1 + n(m.mtpDepth)) * n(m.vocab));
}

} // namespace

void checkTogether(JsonReport &report, const Scenario &scenario)
{
    // 4,096 micro-batches in flight of this size still fit 64 bits.
    constexpr double most = 1e15;
    if (activationBound(scenario) > most)
        report.error(ErrorCode::OutOfRange, "/plan/seq",
                     fmt::format("{} tokens in {} sequences give more than 10^15 bytes of activations", scenario.plan.seq,
                                 scenario.plan.microBatch),
                     "lower seq or micro_batch");
    const bool skewed = scenario.routing.family != RoutingFamily::Uniform && scenario.routing.sigma > 0;
    if (scenario.runtime.capacityFactor && skewed && scenario.model.moe.experts > 0)
        report.error(ErrorCode::Unsupported, "/runtime/capacity_factor",
                     "drops tokens under skewed routing, which is not modelled yet",
                     "set routing.family to \"uniform\" or capacity_factor to null");
}

} // namespace pipeloom
