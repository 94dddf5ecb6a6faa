// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/coreattention.h"

#include "core/memory/linearstorage.h"

namespace pipeloom
{

void addCoreAttention(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens)
{
    const double heads = static_cast<double>(scenario.model.attention.heads) / scenario.plan.tp;
    if (!scenario.runtime.materialisesScores()) {
        out.push_back({ "softmax log-sum-exp", tokens.tokens, heads, 4, "fp32" });
        return;
    }
    const double scores = heads * scenario.plan.seq;
    const char *half = halfName(scenario.precision);
    out.push_back({ "attention scores, softmax output", tokens.tokens, scores, 2, half, Recompute::CoreAttention });
    out.push_back({ "attention scores, dropout output", tokens.tokens, scores, 2, half, Recompute::CoreAttention });
    out.push_back({ "attention scores, dropout mask", tokens.tokens, scores, 1, "bool", Recompute::CoreAttention });
}

} // namespace pipeloom
