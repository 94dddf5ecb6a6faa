// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelspec.h"

namespace pipeloom
{

/// Where a token's experts sit, on average over tokens, when every expert is equally likely.
struct FanOut
{
    double nodes = 1; ///< distinct nodes
    double remoteNodes = 0; ///< of them, not the token's own
    double ranks = 1; ///< distinct expert-parallel ranks
    bool operator==(const FanOut &) const = default;
};

/// ep: ranks that share the experts, dividing their number; nodes: scale-up domains the ranks span; nodeLimit: as
/// RoutingRequest::nodeLimit. Without a limit in closed form, N (1 - C(E-E/N, k) / C(E, k)). With node-limited routing
/// (DeepSeek-V3 report, section 2.1.2: a token goes to the nodes with the highest sum of their best k / limit affinities) the
/// mean of a fixed sample of tokens, kept for the next call. Thread-safe. A dense model or impossible numbers give the defaults.
[[nodiscard]] FanOut fanOut(const MoeSpec &moe, int nodeLimit, int ep, int nodes);

} // namespace pipeloom
