// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/groups.h"

#include "core/plan/planrules.h"

#include <algorithm>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr std::size_t mostFixes = 4;

PlanContext applyRules(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan, bool wantRepairs)
{
    PlanContext context{ model, cluster, plan, {}, {}, Findings(wantRepairs) };
    context.layout.layersRequested = model.layers;
    if (!checkRanges(context))
        return context;
    checkAttentionMesh(context);
    checkExpertMesh(context);
    checkTensorSplit(context);
    checkSequenceSplit(context);
    checkNodes(context);
    describeSatisfied(context);
    checkLayout(context);
    checkBatch(context);
    checkScheduleRules(context);
    return context;
}

/// The candidates that really repair: on the changed plan the finding is gone. Those that break nothing new come first; the
/// others stand in only when there are none.
std::vector<Fix> provenFixes(const PlanContext &before, const Finding &finding)
{
    std::vector<Fix> clean;
    std::vector<Fix> partial;
    for (const Candidate &candidate : finding.candidates) {
        ParallelPlan changed = before.plan;
        Fix fix{ candidate.label, {} };
        for (const PlanChange &change : candidate.changes) {
            change.apply(changed);
            fix.set.push_back(change.setting);
        }
        const auto same = [&](const Fix &other) { return other.set == fix.set; };
        if (changed == before.plan || std::ranges::any_of(clean, same) || std::ranges::any_of(partial, same))
            continue;
        const PlanContext after = applyRules(before.model, before.cluster, changed, false);
        if (after.findings.has(finding.diagnostic.code))
            continue;
        const bool breaksNew = std::ranges::any_of(after.findings.list(), [&](const Finding &f) {
            return f.diagnostic.severity == Severity::Error && !before.findings.has(f.diagnostic.code);
        });
        (breaksNew ? partial : clean).push_back(std::move(fix));
    }
    std::vector<Fix> &chosen = clean.empty() ? partial : clean;
    chosen.resize(std::min(chosen.size(), mostFixes));
    return std::move(chosen);
}

} // namespace

PlanCheck checkPlan(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan)
{
    PlanContext context = applyRules(model, cluster, plan, true);
    PlanCheck out{ context.groups, std::move(context.layout), {} };
    for (const Finding &finding : context.findings.list()) {
        out.diagnostics.push_back(finding.diagnostic);
        out.diagnostics.back().fixes = provenFixes(context, finding);
    }
    return out;
}

bool planRuns(const ModelSpec &model, const Cluster &cluster, const ParallelPlan &plan)
{
    return !applyRules(model, cluster, plan, false).findings.hasError();
}

} // namespace pipeloom
