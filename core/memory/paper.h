// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/model/modelspec.h"
#include "core/plan/plan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pipeloom
{

// Memory as arXiv:2502.07846 accounts for it: one device of a stage that holds MoE layers only, one microbatch. Reproduced to the
// byte, faults included, so that the corrected value can stand beside it (core/reference/papercorrections.h). A reconstruction:
// no other split of the weights over TP, and no other bytes a parameter, give the published totals; the tensors behind the closed
// forms are one reading, and their sums equal the forms for every b and s.

/// Bytes a parameter that the published totals force.
inline constexpr double paperWeightBytes = 2;
inline constexpr double paperGradientBytes = 4;
inline constexpr double paperOptimizerBytes = 8; ///< FP32 master weights and BF16 moments

/// Parameters of the device by what they are. W_QR and the shared experts are whole on every tensor-parallel rank.
struct PaperParameters
{
    std::int64_t attention = 0;
    std::int64_t norms = 0;
    std::int64_t routed = 0;
    std::int64_t shared = 0;
    std::int64_t router = 0;

    /// The group that ZeRO shards over DP.
    [[nodiscard]] std::int64_t dense() const { return attention + norms; }
    /// The group that ZeRO shards over EDP, shared experts and routers included.
    [[nodiscard]] std::int64_t moe() const { return routed + shared + router; }
    [[nodiscard]] std::int64_t total() const { return dense() + moe(); }
    bool operator==(const PaperParameters &) const = default;
};

/// Bytes of one row of the ZeRO table.
struct PaperStates
{
    double parameters = 0, gradients = 0, optimizer = 0;

    [[nodiscard]] double total() const { return parameters + gradients + optimizer; }
};

/// One tensor of one layer and one microbatch.
struct PaperTensor
{
    enum class Kind
    {
        Other,
        Scores, ///< of size s x s
        Routed, ///< of the routed experts
    };

    std::string name;
    std::string formula; ///< "2 b s h / SP"
    double bytes = 0;
    Kind kind = Kind::Other;
};

/// What a microbatch keeps on the device.
struct PaperActivations
{
    std::vector<PaperTensor> attention, moe; ///< of one layer, nothing recomputed
    std::vector<PaperTensor> full; ///< of one layer under full recompute
    int layers = 0;

    // Of all layers of the stage.
    [[nodiscard]] double attentionBytes() const;
    [[nodiscard]] double moeBytes() const;
    [[nodiscard]] double fullBytes() const;
    [[nodiscard]] double total() const { return attentionBytes() + moeBytes(); }
    [[nodiscard]] double scoreBytes() const; ///< of attention: the s^2 terms
    [[nodiscard]] double routedBytes() const; ///< of the MoE block: the routed experts' tensors
    double routedPerCopy = 0; ///< bytes of one token copy in one expert
    double routedCopies = 0; ///< token copies the device's experts are said to receive in one layer
};

struct PaperMemory
{
    int layers = 0; ///< of the stage: the model's layers over the stages, rounded up
    std::int64_t dp = 0, edp = 0;
    PaperParameters parameters; ///< of the device
    std::array<PaperStates, 4> zero; ///< ZeRO 0 to 3: "none", "os", "os+g", "os+g+params"
    PaperActivations activations;

    /// Parameters in one ZeRO shard.
    [[nodiscard]] double shard() const;
};

/// The accounting for any model with latent attention and routed experts and any plan of TP (with or without SP), EP, PP, DP,
/// micro-batch and sequence. Refuses, naming the field, what the formulas do not know (CP, ETP, grouped-query attention, dense
/// models) and sizes that do not divide. Golden: V3 at PP16, TP2, EP8, 1,024 GPUs holds 6,250,364,928 parameters on the device.
[[nodiscard]] Expected<PaperMemory> paperMemory(const ModelSpec &model, const ParallelPlan &plan);

} // namespace pipeloom
