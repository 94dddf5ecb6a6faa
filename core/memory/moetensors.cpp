// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/moetensors.h"

#include "core/memory/deepspeedtensors.h"
#include "core/memory/linearstorage.h"
#include "core/memory/moepolicy.h"

namespace pipeloom
{

namespace
{

/// A residual MoE (arXiv:2201.05596, 4.1.2): a dense MLP beside the routed experts, both outputs weighted by a softmax over two
/// numbers a token, so that both are kept.
void addResidual(std::vector<LayerTensor> &out, const Scenario &s, const RankTokens &n)
{
    const int residual = s.model.moe.residualWidth;
    if (residual == 0)
        return;
    const double h = s.model.hidden;
    const double width = static_cast<double>(residual) / s.plan.tp;
    const char *half = halfName(s.precision);
    out.push_back({ "residual MLP fc1 output", n.tokens, firstLinearWidth(s.model, width), 2, half });
    out.push_back({ "residual MLP activation output", n.tokens, width, 2, half });
    out.push_back({ "residual MLP output", n.sequenceShard, h, 2, half });
    out.push_back({ "routed output", n.sequenceShard, h, 2, half });
    out.push_back({ "residual coefficients", n.sequenceShard, 2, 2, half });
}

using Module = Recompute::Module;

void addMegatron(std::vector<LayerTensor> &out, const Scenario &s, const RankTokens &n)
{
    const ModelSpec &model = s.model;
    const ParallelPlan &plan = s.plan;
    const Precision &precision = s.precision;
    const MoeSpec &moe = model.moe;
    const LinearStorage linear = linearStorage(precision);
    const LinearStorage glu = gluStorage(precision);
    const double h = model.hidden;
    const TokenRows ts = n.sequenceShard;
    const double experts = moe.experts;
    out.push_back({ "mlp_norm output", ts, h, 2, "bf16", Module::LayerNorm });
    if (precision.deepseekActivations) {
        out.push_back({ "router probabilities", ts, experts, 4, "fp32", Module::Moe });
        out.push_back({ "top-k ids and weights", ts, static_cast<double>(moe.topK), 8, "int32 + fp32", Module::Moe });
    } else {
        out.push_back({ "router probabilities", ts, experts, 2, "bf16", Module::Moe });
        out.push_back({ "permute row map", ts, experts, 8, "int64", Module::Moe });
    }
    if (moe.sharedWidth > 0) {
        const double width = static_cast<double>(moe.sharedWidth) / plan.tp;
        const std::uint32_t drops = Module::SharedExperts | Module::Moe;
        const std::uint32_t actDrops = drops | (precision.deepseekActivations ? Module::MoeActivation : 0U);
        out.push_back({ "shared expert fc1 output", n.tokens, firstLinearWidth(model, width), glu.bytes, glu.dtype, drops });
        out.push_back({ "shared expert activation output", n.tokens, width, linear.bytes, linear.dtype, actDrops });
    }
    const double width = static_cast<double>(moe.expertWidth) / plan.etp;
    out.push_back({ "dispatched expert input", n.routed, h, linear.bytes, linear.dtype, Module::Moe });
    out.push_back({ "expert fc1 output", n.routed, firstLinearWidth(model, width), glu.bytes, glu.dtype, Module::Moe });
    out.push_back(
        { "expert activation output", n.routed, width, linear.bytes, linear.dtype, Module::MoeActivation | Module::Moe });
}

} // namespace

void addMoeTensors(std::vector<LayerTensor> &out, const Scenario &scenario, const RankTokens &tokens)
{
    addResidual(out, scenario, tokens);
    if (onMegatron(scenario)) {
        addMegatron(out, scenario, tokens);
        return;
    }
    addDeepSpeedGate(out, scenario, tokens);
    addDeepSpeedExperts(out, scenario, tokens);
}

std::vector<LayerTensor> moeTransients(const Scenario &scenario, const RankTokens &tokens)
{
    const MoePolicy &policy = moePolicy(scenario);
    const char *half = halfName(scenario.precision);
    const double h = scenario.model.hidden;
    std::vector<LayerTensor> out;
    if (policy.transientMask > 0)
        out.push_back({ "gate weights and mask, one-hot", tokens.router, tokens.routed, policy.transientMask, "fp32 + bool" });
    out.push_back({ "gradients of the dispatched tokens", tokens.routed, h, policy.transientRows, half });
    if (policy.transientTokens > 0)
        out.push_back({ "rows times gate weights", TokenRows(tokens.router * scenario.model.moe.topK, tokens.router.cut), h,
                        policy.transientTokens, "fp32" });
    if (policy.gathersTokens)
        out.push_back(
            { "gathered hidden states", TokenRows(tokens.sequenceShard * scenario.plan.ep * scenario.plan.etp), h, 2, half });
    return out;
}

} // namespace pipeloom
