// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/base/term.h"
#include "core/cost/cost.h"
#include "core/memory/memory.h"
#include "core/memory/moepolicy.h"
#include "core/model/counts.h"
#include "core/plan/groups.h"
#include "core/routing/routing.h"
#include "core/scenario/scenario.h"
#include "core/schedule/schedule.h"

#include <memory>
#include <stop_token>

namespace pipeloom
{

/// Everything the views, reports and exports show. Immutable once made; share it as shared_ptr<const Evaluation>.
struct Evaluation
{
    Scenario scenario;
    Diagnostics diagnostics;
    bool valid = false; ///< false: a diagnostic is an error; then schedule, timeline and all that follows are empty
    ParameterCounts parameters;
    FlopCounts flops;
    Groups groups;
    StageLayout layout;
    RoutingLoad routing;
    BufferLoad buffers; ///< what the MoE runtime makes of the routing
    OpTimes times;
    Schedule schedule;
    Timeline timeline;
    ClosedForm closedForm;
    MemoryResult memory;
    StepTime time;
    Throughput throughput;
    MoneyCost cost;
    Terms terms; ///< every shown number with formula, inputs, source and tag
};

/// Evaluates the scenario itself (plan A). Pure and thread-safe. When a stop is requested the result is nullptr.
[[nodiscard]] std::shared_ptr<const Evaluation> evaluate(const Scenario &scenario, const std::stop_token &stop = {});

/// The same without looking for a layout that would be better: for searches that evaluate many plans.
[[nodiscard]] std::shared_ptr<const Evaluation> evaluatePlain(const Scenario &scenario, const std::stop_token &stop = {});

/// An expert-parallel rank whose memory is asked for.
enum class ExpertRank
{
    Hottest, ///< with the most rows in its layers: what evaluate() takes
    Mean,
    Coldest,
    BadRouting, ///< the hottest when the router is as skewed as MemoryOptions::badRoutingSigma
};

/// The memory of a valid evaluation on another expert-parallel rank. Schedule and timeline stay.
[[nodiscard]] MemoryResult memoryAt(const Evaluation &evaluation, ExpertRank rank);

} // namespace pipeloom
