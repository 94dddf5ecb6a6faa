// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/model/modelspec.h"
#include "core/plan/plan.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace pipeloom
{

/// A plan one field away from another. A layout written for another number of stages goes with the field that asks for it.
struct Neighbour
{
    std::string_view field; ///< "plan.pp"
    const ParallelPlan &plan;
    std::int64_t moved = 0; ///< how far the number moved, down or up; 0 for what is no number
};

enum class Walk
{
    On,
    Arrived, ///< go no farther in this direction of this field
    Stop, ///< nothing else is wanted
};

/// Visits every plan one field away that could keep all rules, field after field, each number outwards from its present value,
/// down and then up. What no other value of the field could mend is skipped: with TP it is only what divides the heads, with the
/// global batch what gives whole microbatches. Looks at most 4,096 steps away in each direction. Terminates for any integers.
void walkNeighbours(const ModelSpec &model, const ParallelPlan &plan, const std::function<Walk(const Neighbour &)> &visit);

/// GPU counts around the plan's, nearest first, that both meshes and `step` divide and that cut the global batch into whole
/// microbatches: the nearest below and above.
[[nodiscard]] std::vector<std::int64_t> nearestGpus(const ModelSpec &model, const ParallelPlan &plan, std::int64_t step);

} // namespace pipeloom
