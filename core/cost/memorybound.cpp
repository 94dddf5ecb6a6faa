// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/memorybound.h"

#include <array>

namespace pipeloom
{

namespace
{

/// What a kernel's time grows with.
enum class Scale
{
    Hidden, ///< tokens x hidden
    Heads, ///< tokens x query width
    RouterWidth, ///< tokens x experts
    MlpInput, ///< tokens in the MLP x hidden: routed copies and shared tokens, or the dense tokens
    MlpWidth, ///< tokens in the MLP x intermediate width
};

enum class Phase
{
    F,
    Bi,
    W,
};

/// What else the row belongs to.
enum Tag : unsigned
{
    Attention = 0,
    Fp8Only = 1,
    Norm = 2, ///< repeated by recompute layernorm
    UpProjection = 4, ///< repeated by recompute mla_up_proj
    Activation = 8, ///< repeated by recompute moe_act
    Mlp = 16, ///< in the MLP block
    RoutedOnly = 32, ///< only where tokens are routed
};

struct KernelClass
{
    Phase phase;
    Scale scale;
    double microseconds; ///< one V3 layer in the trace
    unsigned tags;
};

// Source: DeepSeek profile-data train.json, mean of four layers, per phase and class. Backward rows are net of what the trace
// recomputes (norms 269 us, SwiGLU 160 us, half of RoPE), since recompute is added from the forward rows.
constexpr std::array<KernelClass, 22> classes = { {
    { Phase::F, Scale::Hidden, 269.2, Norm },
    { Phase::F, Scale::Hidden, 463.5, Fp8Only },
    { Phase::F, Scale::Hidden, 144.2, Attention },
    { Phase::F, Scale::Hidden, 248.8, Attention },
    { Phase::F, Scale::Heads, 127.5, UpProjection },
    { Phase::F, Scale::RouterWidth, 159.8, Mlp | RoutedOnly },
    { Phase::F, Scale::MlpInput, 751.5, Mlp | RoutedOnly },
    { Phase::F, Scale::MlpInput, 157.0, Mlp | RoutedOnly },
    { Phase::F, Scale::MlpInput, 33.2, Mlp },
    { Phase::F, Scale::MlpWidth, 160.2, Mlp | Activation },
    { Phase::F, Scale::MlpWidth, 207.0, Mlp | Fp8Only },
    { Phase::Bi, Scale::Hidden, 200.6, Attention },
    { Phase::Bi, Scale::Hidden, 123.0, Mlp },
    { Phase::Bi, Scale::Hidden, 1125.2, Fp8Only },
    { Phase::Bi, Scale::Hidden, 395.0, Attention },
    { Phase::Bi, Scale::Heads, 485.8 + 475.5, Attention },
    { Phase::Bi, Scale::Heads, 123.0, Attention },
    { Phase::Bi, Scale::MlpInput, 880.5, Mlp | Fp8Only },
    { Phase::Bi, Scale::MlpInput, 515.2, Mlp | RoutedOnly },
    { Phase::Bi, Scale::MlpInput, 61.2 + 33.0, Mlp },
    { Phase::Bi, Scale::MlpWidth, 332.3, Mlp },
    { Phase::W, Scale::MlpInput, 577.8, Mlp | Fp8Only },
} };

/// Elements in the trace: 4,096 tokens of V3, 36,864 of them in the MLP (32,768 routed copies and the shared expert's 4,096).
constexpr double traceTokens = 4096;
constexpr double traceMlpTokens = 36864;
constexpr double traceHidden = 7168;
constexpr double traceQueries = 24576;
constexpr double traceExperts = 256;
constexpr double traceWidth = 2048;
constexpr double traceBandwidth = 3.35e12;

struct Elements
{
    double hidden = 0, heads = 0, router = 0, mlpInput = 0, mlpWidth = 0;
};

Elements elements(const Scenario &s, LayerKind kind, const RankTokens &n)
{
    Elements e;
    const double h = s.model.hidden;
    e.hidden = n.sequenceShard * h / (traceTokens * traceHidden);
    e.heads = n.tokens * s.model.attention.heads * s.model.attention.qkDim() / s.plan.tp / (traceTokens * traceQueries);
    if (kind == LayerKind::Moe) {
        const double shared = s.model.moe.besideWidth() > 0 ? n.tokens.count : 0;
        e.router = n.sequenceShard * s.model.moe.experts / (traceTokens * traceExperts);
        e.mlpInput = (n.routed + shared) * h / (traceMlpTokens * traceHidden);
        e.mlpWidth = (n.routed * s.model.moe.expertWidth / s.plan.etp + n.tokens * s.model.moe.besideWidth() / s.plan.tp)
            / (traceMlpTokens * traceWidth);
    } else {
        e.mlpInput = n.sequenceShard * h / (traceMlpTokens * traceHidden);
        e.mlpWidth = n.tokens * s.model.denseWidth / s.plan.tp / (traceMlpTokens * traceWidth);
    }
    return e;
}

double scaled(const Elements &e, Scale scale)
{
    switch (scale) {
    case Scale::Hidden:
        return e.hidden;
    case Scale::Heads:
        return e.heads;
    case Scale::RouterWidth:
        return e.router;
    case Scale::MlpInput:
        return e.mlpInput;
    case Scale::MlpWidth:
        return e.mlpWidth;
    }
    return 0;
}

} // namespace

MemoryBound memoryBoundSeconds(const Scenario &s, LayerKind kind, const RankTokens &tokens)
{
    MemoryBound out;
    const Elements e = elements(s, kind, tokens);
    const double bandwidth = traceBandwidth / s.cluster.hbmBandwidth;
    const double shared = kind == LayerKind::Moe && s.model.moe.besideWidth() > 0 ? tokens.tokens.count : 0;
    const double routedPart = kind == LayerKind::Moe && tokens.routed + shared > 0 ? tokens.routed / (tokens.routed + shared) : 0;
    const bool fp8 = s.precision.fp8Compute && s.cluster.fp8Flops > 0;
    for (const KernelClass &row : classes) {
        if (((row.tags & Fp8Only) != 0 && !fp8) || ((row.tags & RoutedOnly) != 0 && kind != LayerKind::Moe))
            continue;
        const double seconds = row.microseconds * 1e-6 * scaled(e, row.scale) * bandwidth;
        (row.phase == Phase::F ? out.f : row.phase == Phase::Bi ? out.bi : out.w) += seconds;
        if ((row.tags & Mlp) != 0 && row.scale != Scale::RouterWidth && row.scale != Scale::Hidden)
            out.routed += seconds * routedPart;
        if (row.phase != Phase::F) {
            if ((row.tags & Mlp) != 0)
                (row.phase == Phase::Bi ? out.mlpBi : out.mlpW) += seconds;
            continue;
        }
        if ((row.tags & Norm) != 0)
            out.norms += seconds;
        if ((row.tags & UpProjection) != 0)
            out.upProjection += seconds;
        if ((row.tags & Activation) != 0)
            out.activation += seconds;
        if ((row.tags & Mlp) != 0)
            out.moe += seconds;
    }
    return out;
}

} // namespace pipeloom
