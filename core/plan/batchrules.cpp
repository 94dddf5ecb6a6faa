// SPDX-License-Identifier: GPL-3.0-or-later
// Microbatches (Megatron-Core num_microbatches_calculator: global batch % (micro-batch x DP)) and what the schedule asks of them.
#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/plan/planrules.h"
#include "core/schedule/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace pipeloom
{

namespace
{

ScheduleRequest request(const PlanContext &c, std::int64_t microbatches)
{
    const auto m = static_cast<int>(std::clamp<std::int64_t>(microbatches, 0, mostGlobalBatch));
    return { c.plan.schedule, c.plan.pp, m, c.plan.vpp, c.plan.interleaveGroup };
}

/// Sentences of one microbatch on every data-parallel rank.
std::int64_t perMicrobatch(const PlanContext &c) { return c.plan.microBatch * c.groups.dp; }

void offerSchedule(Candidates &out, const PlanContext &c, ScheduleKind kind)
{
    ParallelPlan plan = c.plan;
    plan.schedule = kind;
    out.push_back({ std::move(plan), {} });
}

const char *fieldOf(ScheduleSubject subject)
{
    switch (subject) {
    case ScheduleSubject::Kind:
        return "plan.schedule";
    case ScheduleSubject::Ranks:
        return "plan.pp";
    case ScheduleSubject::Chunks:
        return "plan.vpp";
    case ScheduleSubject::Group:
        return "plan.interleave_group";
    case ScheduleSubject::Microbatches:
    case ScheduleSubject::Size:
        return "plan.global_batch";
    }
    return "plan.schedule";
}

/// Another number of chunks, with the nearest global batch when the plan's does not suit it.
void offerChunks(Candidates &out, const PlanContext &c, int vpp)
{
    ParallelPlan plan = c.plan;
    plan.vpp = vpp;
    ScheduleRequest changed = request(c, c.groups.microbatches);
    changed.vpp = vpp;
    const std::optional<ScheduleProblem> problem = findProblem(changed);
    if (!problem || problem->subject != ScheduleSubject::Microbatches || c.groups.dp < 1)
        return; // the number of chunks by itself is tried anyway
    for (const int m : problem->nearest) {
        plan.globalBatch = m * perMicrobatch(c);
        if (plan.globalBatch <= mostGlobalBatch)
            out.push_back({ plan, {} });
    }
}

void offerForSchedule(Candidates &out, const PlanContext &c, const ScheduleProblem &problem)
{
    if (problem.subject == ScheduleSubject::Chunks) {
        for (const int vpp : problem.nearest)
            offerChunks(out, c, vpp);
    }
    if (c.plan.interleaveGroup) {
        ParallelPlan plan = c.plan;
        plan.interleaveGroup.reset();
        out.push_back({ std::move(plan), {} });
    }
    offerSchedule(out, c, ScheduleKind::OneForwardOneBackward);
    if (problem.subject == ScheduleSubject::Kind)
        offerSchedule(out, c, ScheduleKind::DualPipe);
}

void checkOverlap(PlanContext &c)
{
    if (c.plan.schedule != ScheduleKind::CombinedAllToAll)
        return;
    const auto repairs = [&](Candidates &out) {
        offerSchedule(out, c, ScheduleKind::Interleaved);
        offerSchedule(out, c, ScheduleKind::OneForwardOneBackward);
    };
    if (c.plan.ep == 1 || !c.hasExperts())
        c.findings.error(
            "overlap-ep", "plan.schedule",
            [&] { return "1F1B with all-to-all overlap needs EP > 1: with EP 1 there is no all-to-all to hide."; }, repairs);
    if (c.model.mtpDepth > 1)
        c.findings.error(
            "overlap-mtp", "plan.schedule",
            [&] {
                return fmt::format("1F1B with all-to-all overlap takes at most 1 MTP module, the model has {}.",
                                   c.model.mtpDepth);
            },
            repairs);
}

void describeMicrobatches(PlanContext &c)
{
    const std::int64_t m = c.groups.microbatches;
    const std::string needs = microbatchRule(request(c, m));
    c.findings.info("microbatches", "plan.global_batch", [&] {
        return needs.empty() ? fmt::format("M = {} on {}", formatCounted(m, "microbatch"), formatCounted(c.plan.pp, "rank"))
                             : fmt::format("M = {}. {} needs {}", formatCount(m), title(c.plan.schedule), needs);
    });
    if (needs.empty() && m < c.plan.pp) {
        c.findings.warning(
            "microbatches-few", "plan.global_batch",
            [&] { return fmt::format("M = {} is below the {} ranks: no more than {} of them work at once.", m, c.plan.pp, m); },
            [&](Candidates &out) {
                ParallelPlan plan = c.plan;
                plan.globalBatch = c.plan.pp * perMicrobatch(c);
                if (plan.globalBatch <= mostGlobalBatch)
                    out.push_back({ std::move(plan), {} });
            });
    }
}

} // namespace

void checkBatch(PlanContext &c)
{
    if (c.groups.dp < 1)
        return;
    const std::int64_t batch = c.plan.globalBatch;
    const std::int64_t step = perMicrobatch(c);
    if (batch < step) {
        c.findings.error("global-batch-small", "plan.global_batch", [&] {
            const std::string group = c.plan.microBatch == 1
                ? fmt::format("DP {}", formatCount(c.groups.dp))
                : fmt::format("DP {} × {}", formatCount(c.groups.dp), formatCount(c.plan.microBatch));
            return fmt::format("No microbatch: {} exceeds global batch {}.", group, formatCount(batch));
        });
        return;
    }
    if (batch % step != 0) {
        c.findings.error(
            "global-batch", "plan.global_batch",
            [&] {
                return fmt::format("Global batch {} does not divide by micro-batch {} × DP {} = {}.", formatCount(batch),
                                   formatCount(c.plan.microBatch), formatCount(c.groups.dp), formatCount(step));
            },
            Advice::Values);
        return;
    }
    c.groups.microbatches = batch / step;
}

void checkScheduleRules(PlanContext &c)
{
    checkOverlap(c);
    const bool counted = c.groups.microbatches > 0;
    const std::optional<ScheduleProblem> problem = findProblem(request(c, counted ? c.groups.microbatches : 1));
    if (!problem) {
        if (counted)
            describeMicrobatches(c);
        return;
    }
    const bool aboutMicrobatches = problem->subject != ScheduleSubject::Kind && problem->subject != ScheduleSubject::Ranks
        && problem->subject != ScheduleSubject::Chunks;
    if (aboutMicrobatches && !counted)
        return;
    c.findings.error(
        problem->code, fieldOf(problem->subject), [&] { return problem->message + "."; },
        [&](Candidates &out) { offerForSchedule(out, c, *problem); },
        problem->subject == ScheduleSubject::Microbatches ? Advice::Microbatches : Advice::None);
}

} // namespace pipeloom
