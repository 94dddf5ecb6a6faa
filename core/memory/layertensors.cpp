// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/layertensors.h"

#include "core/memory/coreattention.h"
#include "core/memory/deepspeedtensors.h"
#include "core/memory/linearstorage.h"
#include "core/memory/moepolicy.h"
#include "core/memory/moetensors.h"

namespace pipeloom
{

namespace
{

using Module = Recompute::Module;
using Tensors = std::vector<LayerTensor>;

constexpr double e5m6 = 1.5;

void addLatentAttention(Tensors &out, const ModelSpec &model, double heads, const Precision &precision, const RankTokens &n)
{
    const AttentionSpec &a = model.attention;
    const LinearStorage linear = linearStorage(precision);
    const TokenRows t = n.tokens;
    const TokenRows ts = n.sequenceShard;
    if (a.queryRank > 0) {
        out.push_back({ "q_down output", ts, static_cast<double>(a.queryRank), 2, "bf16" });
        out.push_back(
            { "q_norm output", ts, static_cast<double>(a.queryRank), linear.bytes, linear.dtype, Module::MlaUpProjection });
    }
    // DeepSeek-V3 keeps the rotary key beside the latent: it recomputes k from both. Megatron keeps k itself.
    const double latent = a.kvRank + (precision.deepseekActivations ? a.ropeDim : 0);
    out.push_back({ precision.deepseekActivations ? "kv latent and rotary key" : "kv latent", ts, latent, 2, "bf16" });
    out.push_back({ "kv_norm output", ts, static_cast<double>(a.kvRank), linear.bytes, linear.dtype, Module::MlaUpProjection });
    out.push_back({ "q", t, heads * a.qkDim(), 2, "bf16", Module::MlaUpProjection });
    out.push_back({ "k", t, heads * a.qkDim(), 2, "bf16", Module::MlaUpProjection });
    out.push_back({ "v", t, heads * a.valueDim, 2, "bf16", Module::MlaUpProjection });
}

void addGroupedAttention(Tensors &out, const ModelSpec &model, double heads, int tp, const RankTokens &n)
{
    const AttentionSpec &a = model.attention;
    const double kvHeads = a.kvHeads >= tp ? static_cast<double>(a.kvHeads) / tp : 1.0;
    out.push_back({ "q", n.tokens, heads * a.headDim, 2, "bf16" });
    out.push_back({ "k", n.tokens, kvHeads * a.headDim, 2, "bf16" });
    out.push_back({ "v", n.tokens, kvHeads * a.headDim, 2, "bf16" });
}

void addAttention(Tensors &out, const Scenario &s, const RankTokens &n)
{
    const ModelSpec &model = s.model;
    const ParallelPlan &plan = s.plan;
    const Precision &precision = s.precision;
    const AttentionSpec &a = model.attention;
    const LinearStorage linear = linearStorage(precision);
    const TokenRows ts = n.sequenceShard;
    const double heads = static_cast<double>(a.heads) / plan.tp;
    out.push_back({ "layer input", ts, static_cast<double>(model.hidden), 2, "bf16", 0, true });
    out.push_back({ "input_norm output", ts, static_cast<double>(model.hidden), linear.bytes, linear.dtype, Module::LayerNorm });
    if (a.kind == AttentionKind::Latent)
        addLatentAttention(out, model, heads, precision, n);
    else
        addGroupedAttention(out, model, heads, plan.tp, n);
    const double valueWidth = heads * a.vDim();
    if (precision.deepseekActivations)
        out.push_back({ "attention output", n.tokens, valueWidth, e5m6, "e5m6" });
    else
        out.push_back({ "attention output", n.tokens, valueWidth, 2, "bf16" });
    // Transformer Engine >= 2.8 keeps the output before the all-to-all of context parallelism apart.
    if (plan.cp > 1)
        out.push_back({ "attention output before the context-parallel exchange", n.tokens, valueWidth, 2, "bf16" });
    if (precision.fp8Activations && !precision.deepseekActivations)
        out.push_back({ "o_proj input copy", n.tokens, valueWidth, 1, "fp8" });
    addCoreAttention(out, s, n);
    out.push_back({ "attention residual", ts, static_cast<double>(model.hidden), 2, "bf16" });
}

void addDenseMlp(Tensors &out, const ModelSpec &model, int tp, const Precision &precision, const RankTokens &n)
{
    const LinearStorage linear = linearStorage(precision);
    const LinearStorage glu = gluStorage(precision);
    const double width = static_cast<double>(model.denseWidth) / tp;
    out.push_back(
        { "mlp_norm output", n.sequenceShard, static_cast<double>(model.hidden), linear.bytes, linear.dtype, Module::LayerNorm });
    out.push_back({ "mlp fc1 output", n.tokens, firstLinearWidth(model, width), glu.bytes, glu.dtype, Module::Mlp });
    // DeepSeek-V3 recomputes every SwiGLU output; in its list of modules that is moe_act, dense layers included.
    const std::uint32_t drops = Module::Mlp | (precision.deepseekActivations ? Module::MoeActivation : 0U);
    out.push_back({ "mlp activation output", n.tokens, width, linear.bytes, linear.dtype, drops });
}

} // namespace

RankTokens rankTokens(const ModelSpec &model, const ParallelPlan &plan, double imbalance)
{
    RankTokens n;
    using Cut = TensorSplit::Cut;
    n.tokens = { static_cast<double>(plan.microBatch) * plan.seq / plan.cp, Cut::Tensor };
    n.sequenceShard = plan.sequenceParallel ? TokenRows(n.tokens / plan.tp, Cut::Sequence) : TokenRows(n.tokens, Cut::Whole);
    n.routed = { n.sequenceShard * model.moe.topK * plan.etp * imbalance, Cut::Routed };
    n.router = n.sequenceShard;
    return n;
}

RankTokens rankTokens(const Scenario &scenario, double imbalance)
{
    RankTokens n = rankTokens(scenario.model, scenario.plan, imbalance);
    const MoePolicy &policy = moePolicy(scenario);
    if (policy.megatron)
        return n;
    using Cut = TensorSplit::Cut;
    n.router = policy.tokensSharded ? TokenRows(n.tokens / scenario.plan.tp, Cut::Sequence) : TokenRows(n.tokens, Cut::Whole);
    n.routed = { n.router * scenario.model.moe.topK * imbalance, Cut::Routed };
    return n;
}

std::vector<LayerTensor> layerTensors(const Scenario &scenario, LayerKind kind, const RankTokens &tokens)
{
    Tensors out;
    out.reserve(24);
    if (onMegatron(scenario))
        addAttention(out, scenario, tokens);
    else
        addDeepSpeedAttention(out, scenario, tokens);
    const std::size_t attention = out.size();
    if (kind == LayerKind::Moe)
        addMoeTensors(out, scenario, tokens);
    else
        addDenseMlp(out, scenario.model, scenario.plan.tp, scenario.precision, tokens);
    for (std::size_t i = attention; i < out.size(); ++i)
        out[i].part = LayerPart::Mlp;
    return out;
}

std::vector<LayerTensor> mtpTensors(const ModelSpec &model, const Precision &precision, const RankTokens &tokens)
{
    const LinearStorage linear = linearStorage(precision);
    const double h = model.hidden;
    return {
        { "mtp norm inputs", tokens.sequenceShard, 2 * h, 2, "bf16", 0 },
        { "mtp projection input", tokens.sequenceShard, 2 * h, linear.bytes, linear.dtype, Module::LayerNorm },
    };
}

bool isKept(const LayerTensor &tensor, const Recompute &recompute)
{
    return recompute.full ? tensor.checkpoint : (tensor.droppedBy & recompute.modules) == 0;
}

double keptBytes(const std::vector<LayerTensor> &tensors, const Recompute &recompute)
{
    double bytes = 0;
    for (const LayerTensor &tensor : tensors) {
        if (isKept(tensor, recompute))
            bytes += tensor.bytes();
    }
    return bytes;
}

} // namespace pipeloom
