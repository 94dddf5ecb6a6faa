// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/cluster/cluster.h"
#include "core/cost/profile.h"
#include "core/memory/precision.h"
#include "core/memory/recompute.h"
#include "core/model/modelspec.h"
#include "core/plan/plan.h"
#include "core/routing/routing.h"

#include <optional>
#include <string>
#include <vector>

namespace pipeloom
{

/// How a part of the scenario was written, so that it can be written the same way: a preset name, a config.json path, and
/// overrides as settings relative to the part ("layers" -> "4").
struct Choice
{
    std::string preset;
    std::string configPath; ///< model only
    std::vector<Setting> overrides;
    bool operator==(const Choice &) const = default;
};

/// The execution of the MoE blocks and of attention.
struct Runtime
{
    std::string moe = "deepep"; ///< a MoePolicy (memory/moepolicy.h)
    std::optional<double> capacityFactor;
    bool padToCapacity = false; ///< Megatron policies; the others always or never pad
    std::string attention = "flash"; ///< or "materialised": scores are kept for the backward
    std::string lossFusion = "te"; ///< te, native, unfused
    bool dummyWeightGradients = true; ///< Transformer Engine's, so of the Megatron policies
    std::string contextParallelComm = "a2a";
    bool overlap = true; ///< all-to-all under the compute of the paired op
    int vocabMultiple = 128;
    bool operator==(const Runtime &) const = default;

    /// Attention keeps the scores of every pair of tokens.
    [[nodiscard]] bool materialisesScores() const { return attention == "materialised"; }
};

enum class TimingSource
{
    Model,
    Calibrated,
    Manual,
};

struct Timing
{
    TimingSource source = TimingSource::Model;
    std::string profileName; ///< as written
    TimingProfile profile; ///< resolved; used when source is Calibrated
    ManualTimes manual;
    bool operator==(const Timing &) const = default;
};

struct MemoryOptions
{
    double reserve = 1.053; ///< reserved / allocated, measured mean of 19 B200 runs
    double contextGib = 1.6; ///< NCCL and CUDA context; an assumption
    double badRoutingSigma = 0.5; ///< lognormal sigma of the instant "peak, bad routing"; an assumption
    bool operator==(const MemoryOptions &) const = default;
};

/// What a published run of this plan measured, mean over ranks, seconds. 0 = not published.
struct MeasuredStep
{
    double step = 0;
    double f = 0; ///< forwards outside pairs
    double bi = 0; ///< input backwards outside pairs
    double w = 0; ///< weight backwards outside pairs
    double pair = 0; ///< overlapped pairs
    double bubble = 0;
    double optimizer = 0;
    std::string source;
    bool operator==(const MeasuredStep &) const = default;
};

/// Another plan: the scenario with some fields set.
struct Alternative
{
    std::string name;
    std::vector<Setting> set;
    bool operator==(const Alternative &) const = default;
};

/// Everything evaluate() needs, resolved: no file is read and no preset looked up after this.
struct Scenario
{
    std::string name = "Untitled";
    Choice modelChoice;
    ModelSpec model;
    Choice clusterChoice;
    Cluster cluster;
    ParallelPlan plan;
    Choice precisionChoice;
    Precision precision;
    Recompute recompute;
    Runtime runtime;
    RoutingRequest routing;
    Timing timing;
    MemoryOptions memory;
    double usdPerGpuHour = 2.0;
    std::optional<MeasuredStep> measured;
    std::vector<Alternative> alternatives;
    bool operator==(const Scenario &) const = default;
};

} // namespace pipeloom
