// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/moetensors.h"

#include "core/memory/linearstorage.h"

namespace pipeloom
{

namespace
{

using Module = Recompute::Module;

} // namespace

void addMoeTensors(std::vector<LayerTensor> &out, const ModelSpec &model, const ParallelPlan &plan, const Precision &precision,
                   const RankTokens &n)
{
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

} // namespace pipeloom
