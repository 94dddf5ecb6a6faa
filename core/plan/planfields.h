// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/plan/plan.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pipeloom
{

/// Limits of the plan's numbers: above any cluster that exists, and below any overflow.
inline constexpr std::int64_t mostGpus = 1'000'000;
inline constexpr int mostSplit = 4'096;
inline constexpr int mostExpertParallel = 65'536;
inline constexpr int mostChunksPerRank = 64;
inline constexpr int mostMicroBatch = 65'536;
inline constexpr std::int64_t mostGlobalBatch = 10'000'000;
inline constexpr int mostSequence = 16'777'216;

struct ModelSpec;

/// Tokens of one microbatch that are modelled: 8,388,608, less where a token of the model keeps so many activation bytes that
/// 4,096 such microbatches in flight would leave 64 bits.
[[nodiscard]] std::int64_t mostTokens(const ModelSpec &model);

/// A number of the plan: where it stands, what it is called, how far it goes.
struct PlanNumber
{
    const char *path; ///< "plan.micro_batch"
    const char *rangeCode; ///< of the finding when it goes too far: "range-micro_batch"
    const char *label; ///< at the start of a sentence: "Micro-batch"
    const char *noun; ///< before its value in a repair: "micro-batch"
    std::int64_t least, most;
    std::int64_t (*get)(const ParallelPlan &);
    void (*set)(ParallelPlan &, std::int64_t);

    [[nodiscard]] bool inRange(const ParallelPlan &plan) const { return get(plan) >= least && get(plan) <= most; }
};

/// All of them, each once.
[[nodiscard]] std::span<const PlanNumber> planNumbers();

/// What must be set to turn one plan into the other.
[[nodiscard]] std::vector<Setting> settingsBetween(const ParallelPlan &before, const ParallelPlan &after);

/// "Use PP 8 and global batch 2,048": settingsBetween in words.
[[nodiscard]] std::string changeLabel(const ParallelPlan &before, const ParallelPlan &after);

} // namespace pipeloom
