// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/planrules.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// What the ways to write a layout share.

inline constexpr const char *layoutField = "plan.layout";

/// Where the parts beside the layers sit; -1 = on the last stage.
struct LayoutEnds
{
    int head = -1;
    int mtp = -1;
};

void offerLayout(Candidates &out, const PlanContext &context, LayoutRequest layout, std::string label);
void offerEvenSplit(Candidates &out, const PlanContext &context);

/// Fills context.layout. Precondition: the counts are not negative and sum to the model's layers.
void buildLayout(PlanContext &context, const std::vector<int> &layersOf, LayoutEnds ends);

/// False, with a diagnostic, when a count is negative or they do not sum to the model's layers.
[[nodiscard]] bool checkLayerSum(PlanContext &context, const std::vector<int> &layersOf,
                                 const std::function<void(Candidates &)> &repairs);

/// Says that a layout of `given` stages does not suit the plan's.
void refuseStageCount(PlanContext &context, std::size_t given, int stages);

/// "7 stages of 8, last of 5"
[[nodiscard]] std::string describeCounts(const std::vector<StageContent> &stages);

/// A Megatron layout string.
void useLayoutString(PlanContext &context, const std::string &text, int stages);

} // namespace pipeloom
