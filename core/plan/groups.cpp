// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/groups.h"

#include "core/plan/planrules.h"
#include "core/plan/repairs.h"

#include <array>
#include <utility>

namespace pipeloom
{

PlanContext applyRules(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan, Depth depth)
{
    static constexpr std::array rules = { checkAttentionMesh, checkExpertMesh, checkTensorSplit, checkSequenceSplit, checkNodes,
                                          describeSatisfied,  checkLayout,     checkBatch,       checkScheduleRules };
    PlanContext context{ model, cluster, plan,
                         {},    {},      Findings(depth == Depth::Words ? Findings::Detail::Words : Findings::Detail::Codes) };
    context.layout.layersRequested = model.layers;
    if (!checkRanges(context))
        return context;
    for (const auto rule : rules) {
        rule(context);
        if (depth == Depth::FirstError && context.findings.hasError())
            break;
    }
    return context;
}

PlanCheck checkPlan(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan)
{
    PlanContext context = applyRules(model, cluster, plan, Depth::Words);
    findRepairs(context);
    PlanCheck out{ context.groups, std::move(context.layout), {} };
    for (Finding &finding : context.findings.list())
        out.diagnostics.push_back(std::move(finding.diagnostic));
    return out;
}

bool planRuns(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan)
{
    return !applyRules(model, cluster, plan, Depth::FirstError).findings.hasError();
}

} // namespace pipeloom
