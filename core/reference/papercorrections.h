// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/paper.h"
#include "core/scenario/evaluation.h"

#include <memory>
#include <string>
#include <vector>

namespace pipeloom
{

/// One figure of arXiv:2502.07846 beside what it should be.
struct PaperCorrection
{
    std::string id; ///< "paper.parameters.device"
    std::string what;
    std::string unit; ///< "parameters", "GiB", "token copies", "microbatches", "x mean", "GB"
    double paper = 0;
    double corrected = 0;
    std::string cause;
    std::string source; ///< of the cause
    Provenance tag = Provenance::Counted; ///< of the corrected value
};

/// The paper's accounting of a plan beside this program's.
struct PaperComparison
{
    Scenario scenario; ///< as evaluated: without MTP, balanced routing
    PaperMemory paper;
    std::shared_ptr<const Evaluation> evaluation; ///< valid; its ranks are "every stage" to the paper's one
    int rank = 0; ///< the pipeline rank that answers to the paper's device: the first whose stages hold the most MoE layers alone
    std::vector<PaperCorrection> corrections;
};

/// The paper's own case: V3 without MTP on 1,024 GPUs, PP16 (4 layers a stage), TP2 with SP, EP8, one sequence of 4,096, 1F1B.
[[nodiscard]] const Scenario &paperScenario();

/// The paper's figures for the scenario's model and plan, each corrected by this program's model functions and evaluations of the
/// plan (also under full recompute, under skewed routing and under DualPipe, where they run). Refuses what paperMemory() refuses
/// and plans that are not valid.
[[nodiscard]] Expected<PaperComparison> comparePaper(const Scenario &scenario);

} // namespace pipeloom
