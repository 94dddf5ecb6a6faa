// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"
#include "core/memory/stagememory.h"
#include "core/model/counts.h"
#include "core/plan/groups.h"
#include "core/scenario/scenario.h"
#include "core/schedule/schedule.h"

#include <vector>

namespace pipeloom
{

/// Of every stage, in the order of the layout: as asked for, and when routing is bad.
struct MemoryImbalance
{
    std::vector<StageLoad> asked;
    std::vector<StageLoad> bad;
};

/// Memory of every pipeline rank over the step: states from the two data-parallel groups, activations in flight from the
/// simulated timeline (an activation lives from the start of its F to the end of its B or W), transients while ops run.
/// Every sum is the sum of the rank's ledger rows, to the byte. Precondition: the plan has no error.
/// O(ops + ranks x tensors).
[[nodiscard]] MemoryResult computeMemory(const Scenario &scenario, const std::vector<WeightMatrix> &matrices,
                                         const Groups &groups, const StageLayout &layout, const MemoryImbalance &imbalance,
                                         const Schedule &schedule, const Timeline &timeline);

/// The stages a rank holds, chunk after chunk.
[[nodiscard]] std::vector<StageContent> rankStages(const Schedule &schedule, const StageLayout &layout, int rank);

/// True when the MTP module of the stage needs its own copy of the embedding: no chunk of the rank holds stage 0's.
[[nodiscard]] bool needsEmbeddingCopy(const std::vector<StageContent> &rankStages, const StageContent &stage);

/// Pipeline ranks that hold each stage: 2 for bidirectional schedules.
[[nodiscard]] int stageCopies(const Schedule &schedule);

/// What lies outside the allocator: context, and the buffers of the DeepEP kernels when they run.
void addBufferRows(Ledger &rows, const Scenario &scenario, const Groups &groups);

} // namespace pipeloom
