// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/deepspeedtensors.h"

#include "core/memory/coreattention.h"
#include "core/memory/linearstorage.h"
#include "core/memory/moepolicy.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

using Tensors = std::vector<LayerTensor>;

/// The kernels have a 16-bit path for FP16 on CUDA alone.
bool widensRows(const Scenario &s, const MoePolicy &policy)
{
    return policy.combine == MoePolicy::Combine::ExpertOutputWide && (s.cluster.rocm || !s.precision.fp16);
}

} // namespace

void addDeepSpeedAttention(Tensors &out, const Scenario &s, const RankTokens &n)
{
    const AttentionSpec &a = s.model.attention;
    const char *half = halfName(s.precision);
    const double h = s.model.hidden;
    const double heads = static_cast<double>(a.heads) / s.plan.tp;
    const double kvHeads = a.kind == AttentionKind::Latent ? heads : std::max(1.0, static_cast<double>(a.kvHeads) / s.plan.tp);
    const TokenRows every = { n.tokens, TensorSplit::Cut::Whole };
    out.push_back({ "layer input", every, h, 2, half, 0, true });
    out.push_back({ "input_norm output", every, h, 2, half });
    out.push_back({ "q", n.tokens, heads * a.qkDim(), 2, half });
    out.push_back({ "k", n.tokens, kvHeads * a.qkDim(), 2, half });
    out.push_back({ "v", n.tokens, kvHeads * a.vDim(), 2, half });
    out.push_back({ "rotated q", n.tokens, heads * a.qkDim(), 2, half });
    out.push_back({ "rotated k", n.tokens, kvHeads * a.qkDim(), 2, half });
    addCoreAttention(out, s, n);
    out.push_back({ "attention output", n.tokens, heads * a.vDim(), 2, half });
    out.push_back({ "attention residual", every, h, 2, half });
    out.push_back({ "dropout masks after attention and after the MLP", every, 2 * h, 1, "bool" });
}

void addDeepSpeedGate(Tensors &out, const Scenario &s, const RankTokens &n)
{
    const MoePolicy &policy = moePolicy(s);
    const MoeSpec &moe = s.model.moe;
    const double h = s.model.hidden;
    const char *half = halfName(s.precision);
    out.push_back({ "gate input", n.router, h, 4, "fp32" });
    out.push_back({ "router probabilities", n.router, static_cast<double>(moe.experts), 4, "fp32" });
    if (moe.sharedWidth > 0) {
        const double width = static_cast<double>(moe.sharedWidth) / s.plan.tp;
        out.push_back({ "shared expert input", TokenRows(n.tokens, TensorSplit::Cut::Whole), h, 2, half });
        out.push_back({ "shared expert fc1 output", n.tokens, firstLinearWidth(s.model, width), 2, half });
        out.push_back({ "shared expert activation output", n.tokens, width, 2, half });
    }
    if (policy.padding == MoePolicy::Padding::Never)
        out.push_back(
            { "route map: indices, experts, gate weights", n.router, static_cast<double>(moe.topK), 16, "int64 + int32 + fp32" });
    if (widensRows(s, policy))
        out.push_back({ "encoder input", n.router, h, 4, "fp32" });
}

void addDeepSpeedExperts(Tensors &out, const Scenario &s, const RankTokens &n)
{
    using Combine = MoePolicy::Combine;
    const MoePolicy &policy = moePolicy(s);
    const char *half = halfName(s.precision);
    const double h = s.model.hidden;
    const double width = static_cast<double>(s.model.moe.expertWidth) / s.plan.etp;
    // Whole experts under tensor parallelism: each rank of the group runs its cut of the slots that all of them hold.
    const bool cut = policy.expertTensor == MoePolicy::ExpertTensor::One && !policy.tokensSharded;
    const TokenRows rows = { n.routed / (cut ? s.plan.tp : 1), TensorSplit::Cut::Routed };
    if (policy.maskBytes > 0) {
        out.push_back({ "one-hot slots of the routes", n.router, n.routed, 4, "fp32" });
        out.push_back({ "one-hot mask and gate weights, cast", n.router, n.routed, 4, half });
        out.push_back({ "one-hot mask", n.router, n.routed, policy.maskBytes - 8, "bool" });
    }
    out.push_back({ "dispatched expert input", rows, h, 2, half });
    out.push_back({ "expert fc1 output", rows, firstLinearWidth(s.model, width), 2, half });
    out.push_back({ "expert activation output", rows, width, 2, half });
    // Back on the rank that sent them: all slots, or k rows a token.
    const bool slots = policy.padding == MoePolicy::Padding::Always && policy.combine != Combine::GatheredRows;
    const TokenRows back = { slots ? n.routed.count : n.router * s.model.moe.topK, n.router.cut };
    const bool wide = widensRows(s, policy);
    out.push_back({ "expert output to combine", back, h, wide ? 4.0 : 2.0, wide ? "fp32" : half });
}

} // namespace pipeloom
