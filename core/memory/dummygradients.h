// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/ledger.h"
#include "core/model/modelspec.h"
#include "core/plan/groups.h"
#include "core/plan/plan.h"

#include <vector>

namespace pipeloom
{

/// The dummy weight gradients that Transformer Engine keeps: one bf16 buffer for each distinct weight shape of the rank's stages
/// (gradient accumulation fusion; TE >= 2.3, grouped matmuls >= 2.10).
void addDummyGradientRows(Ledger &rows, const ModelSpec &model, const ParallelPlan &plan,
                          const std::vector<StageContent> &stages);

} // namespace pipeloom
