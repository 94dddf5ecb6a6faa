// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/paper.h"

#include "core/model/counts.h"

#include <fmt/format.h>

#include <numeric>

namespace pipeloom
{

namespace
{

using Tensors = std::vector<PaperTensor>;
using Kind = PaperTensor::Kind;

/// The quantities of the formulas, in the letters of the paper.
struct Letters
{
    double b, s, h, nh, dh, dhr, dv, dcq, dc, n, nr, hE, hShared, tp, sp;
};

Letters letters(const ModelSpec &model, const ParallelPlan &plan)
{
    const AttentionSpec &a = model.attention;
    Letters l{};
    l.b = plan.microBatch;
    l.s = plan.seq;
    l.h = model.hidden;
    l.nh = a.heads;
    l.dh = a.nopeDim;
    l.dhr = a.ropeDim;
    l.dv = a.valueDim;
    l.dcq = a.queryRank;
    l.dc = a.kvRank;
    l.n = model.moe.experts;
    l.nr = model.moe.topK;
    l.hE = model.moe.expertWidth;
    l.hShared = model.moe.sharedWidth;
    l.tp = plan.tp;
    l.sp = plan.sequenceParallel ? plan.tp : 1;
    return l;
}

Tensors attentionTensors(const Letters &l)
{
    const double t = l.b * l.s;
    const double scores = l.b * l.nh * l.s * l.s / l.tp;
    return {
        { "RMSNorm input", "2 b s h / SP", 2 * t * l.h / l.sp },
        { "RMSNorm output", "2 b s h / SP", 2 * t * l.h / l.sp },
        { "attention dropout mask", "b s h / SP", t * l.h / l.sp },
        { "latents and their RMSNorm outputs", "4 b s (d_cq + d_c) / SP", 4 * t * (l.dcq + l.dc) / l.sp },
        { "q without rotary part", "2 b s d_h n_h / TP", 2 * t * l.dh * l.nh / l.tp },
        { "k without rotary part", "2 b s d_h n_h / TP", 2 * t * l.dh * l.nh / l.tp },
        { "v", "2 b s d_v n_h / TP", 2 * t * l.dv * l.nh / l.tp },
        { "attention output", "2 b s d_v n_h / TP", 2 * t * l.dv * l.nh / l.tp },
        { "rotary q", "2 b s d_hr n_h / TP", 2 * t * l.dhr * l.nh / l.tp },
        { "rotary k, broadcast to the heads", "2 b s d_hr n_h / TP", 2 * t * l.dhr * l.nh / l.tp },
        { "attention scores", "2 b n_h s^2 / TP", 2 * scores, Kind::Scores },
        { "softmax output", "2 b n_h s^2 / TP", 2 * scores, Kind::Scores },
        { "softmax dropout mask", "b n_h s^2 / TP", scores, Kind::Scores },
    };
}

Tensors moeTensors(const Letters &l, double copies)
{
    const double t = l.b * l.s;
    Tensors out = {
        { "RMSNorm input", "2 b s h / SP", 2 * t * l.h / l.sp },
        { "RMSNorm output", "2 b s h / SP", 2 * t * l.h / l.sp },
        { "router logits and scores", "4 b s N", 4 * t * l.n },
        { "top-k weights", "2 b s N_r", 2 * t * l.nr },
    };
    if (l.hShared > 0) {
        out.push_back({ "shared expert input and mask", "3 b s h", 3 * t * l.h });
        out.push_back({ "shared expert gate, up, SiLU and product", "8 b s h_shared", 8 * t * l.hShared });
    }
    out.push_back({ "routed experts: input and mask", "(N / EP) (b s N_r / N) 3 h", copies * 3 * l.h, Kind::Routed });
    out.push_back(
        { "routed experts: gate, up, SiLU and product", "(N / EP) (b s N_r / N) 8 h_E", copies * 8 * l.hE, Kind::Routed });
    return out;
}

Tensors fullTensors(const Letters &l)
{
    const double t = l.b * l.s;
    return {
        { "attention block input", "2 b s h / SP", 2 * t * l.h / l.sp },
        { "MoE block input", "2 b s h / SP", 2 * t * l.h / l.sp },
        { "top-k weights", "2 b s N_r", 2 * t * l.nr },
    };
}

double sum(const Tensors &tensors)
{
    return std::accumulate(tensors.begin(), tensors.end(), 0.0,
                           [](double bytes, const PaperTensor &tensor) { return bytes + tensor.bytes; });
}

double sum(const Tensors &tensors, Kind kind)
{
    return std::accumulate(tensors.begin(), tensors.end(), 0.0, [kind](double bytes, const PaperTensor &tensor) {
        return bytes + (tensor.kind == kind ? tensor.bytes : 0);
    });
}

/// What of the matrix the paper puts on one rank: Megatron's split, but W_QR and the shared experts are not cut.
std::int64_t paperElements(const WeightMatrix &matrix, const ParallelPlan &plan)
{
    if (matrix.split == WeightSplit::Expert)
        return matrix.parameters() / plan.ep;
    const bool whole = matrix.split == WeightSplit::Replicated || matrix.name == "W_QR" || matrix.name.starts_with("shared.");
    return whole ? matrix.parameters() : matrix.parameters() / plan.tp;
}

PaperParameters layerParameters(const ModelSpec &model, const ParallelPlan &plan)
{
    PaperParameters out;
    for (const WeightMatrix &matrix : weightMatrices(model)) {
        if (matrix.place != WeightPlace::EveryLayer && matrix.place != WeightPlace::MoeLayer)
            continue;
        const std::int64_t elements = paperElements(matrix, plan);
        if (matrix.split == WeightSplit::Expert)
            out.routed += elements;
        else if (matrix.name.starts_with("shared."))
            out.shared += elements;
        else if (matrix.place == WeightPlace::MoeLayer)
            out.router += elements;
        else if (matrix.cols == 1)
            out.norms += elements;
        else
            out.attention += elements;
    }
    return out;
}

Error refused(const char *where, std::string message, std::string hint)
{
    return { ErrorCode::Unsupported, std::move(message), {}, where, std::move(hint) };
}

/// Everything that the formulas cannot take, all at once.
Errors faults(const ModelSpec &model, const ParallelPlan &plan)
{
    Errors out;
    if (model.attention.kind != AttentionKind::Latent)
        out.push_back(refused("/model/attention/kind", "the paper's formulas are those of latent attention (MLA)",
                              "use a DeepSeek-style model"));
    if (model.moe.experts <= 0)
        out.push_back(refused("/model/moe/experts", "the paper's device holds MoE layers, and this model has none",
                              "use a model with routed experts"));
    if (model.mlpMatrices != 3)
        out.push_back(refused("/model/mlp_matrices", "the paper's experts are gated: three matrices", "use 3"));
    if (plan.cp != 1)
        out.push_back(refused("/plan/cp", "the paper knows no context parallelism", "use 1"));
    if (plan.etp != 1)
        out.push_back(refused("/plan/etp", "the paper splits no expert over ranks", "use 1"));
    if (plan.tp < 1 || plan.pp < 1 || plan.ep < 1 || plan.gpus < 1 || plan.microBatch < 1 || plan.seq < 1)
        out.push_back(refused("/plan", "sizes are at least 1", "correct the plan first"));
    if (!out.empty())
        return out;
    if (model.attention.heads % plan.tp != 0)
        out.push_back(refused("/plan/tp", fmt::format("{} does not divide {} heads", plan.tp, model.attention.heads),
                              fmt::format("use {}", std::gcd(plan.tp, model.attention.heads))));
    if (model.moe.experts % plan.ep != 0)
        out.push_back(refused("/plan/ep", fmt::format("{} does not divide {} routed experts", plan.ep, model.moe.experts),
                              fmt::format("use {}", std::gcd(plan.ep, model.moe.experts))));
    const std::int64_t replica = std::int64_t{ plan.tp } * plan.pp;
    const std::int64_t expertReplica = std::int64_t{ plan.ep } * plan.pp;
    if (plan.gpus % replica != 0 || plan.gpus % expertReplica != 0) {
        const std::int64_t step = std::lcm(replica, expertReplica);
        out.push_back(
            refused("/plan/gpus",
                    fmt::format("{} GPUs are no multiple of TP x PP = {} and EP x PP = {}", plan.gpus, replica, expertReplica),
                    fmt::format("use a multiple of {}", step)));
    }
    return out;
}

} // namespace

double PaperActivations::attentionBytes() const { return layers * sum(attention); }

double PaperActivations::moeBytes() const { return layers * sum(moe); }

double PaperActivations::fullBytes() const { return layers * sum(full); }

double PaperActivations::scoreBytes() const { return layers * sum(attention, Kind::Scores); }

double PaperActivations::routedBytes() const { return layers * sum(moe, Kind::Routed); }

double PaperMemory::shard() const
{
    return static_cast<double>(parameters.dense()) / static_cast<double>(dp)
        + static_cast<double>(parameters.moe()) / static_cast<double>(edp);
}

Expected<PaperMemory> paperMemory(const ModelSpec &model, const ParallelPlan &plan)
{
    if (Errors found = faults(model, plan); !found.empty())
        return found;
    PaperMemory out;
    out.layers = (model.layers + plan.pp - 1) / plan.pp;
    out.dp = plan.gpus / (std::int64_t{ plan.tp } * plan.pp);
    out.edp = plan.gpus / (std::int64_t{ plan.ep } * plan.pp);
    const PaperParameters layer = layerParameters(model, plan);
    out.parameters = { out.layers * layer.attention, out.layers * layer.norms, out.layers * layer.routed,
                       out.layers * layer.shared, out.layers * layer.router };
    const auto whole = static_cast<double>(out.parameters.total());
    const double shard = out.shard();
    for (int level = 0; level < 4; ++level) {
        out.zero[static_cast<std::size_t>(level)] = { paperWeightBytes * (level >= 3 ? shard : whole),
                                                      paperGradientBytes * (level >= 2 ? shard : whole),
                                                      paperOptimizerBytes * (level >= 1 ? shard : whole) };
    }
    const Letters l = letters(model, plan);
    PaperActivations &a = out.activations;
    a.layers = out.layers;
    a.routedPerCopy = 3 * l.h + 8 * l.hE;
    a.routedCopies = l.n / plan.ep * (l.b * l.s * l.nr / l.n);
    a.attention = attentionTensors(l);
    a.moe = moeTensors(l, a.routedCopies);
    a.full = fullTensors(l);
    return out;
}

} // namespace pipeloom
