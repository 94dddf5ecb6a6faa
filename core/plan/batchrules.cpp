// SPDX-License-Identifier: GPL-3.0-or-later
// Microbatches (Megatron-Core num_microbatches_calculator: global batch % (micro-batch x DP)) and what the schedule asks of them.
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

void offerGlobalBatch(Candidates &out, std::int64_t value)
{
    if (value >= 1 && value <= mostGlobalBatch)
        out.push_back({ fmt::format("Use global batch {}", formatCount(value)), { setGlobalBatch(value) } });
}

void offerOneForwardOneBackward(Candidates &out)
{
    out.push_back({ "Use 1F1B instead", { setSchedule(ScheduleKind::OneForwardOneBackward) } });
}

/// Micro-batches around the plan's that cut the global batch into a number of microbatches the schedule accepts.
void offerMicroBatches(Candidates &out, const PlanContext &c)
{
    const auto works = [&](int value) {
        const std::int64_t step = value * c.groups.dp;
        return c.plan.globalBatch % step == 0 && !findProblem(request(c, c.plan.globalBatch / step));
    };
    for (const int value : nearestValues(c.plan.microBatch, mostMicroBatch, works))
        out.push_back({ fmt::format("Use micro-batch {}", value), { setMicroBatch(value) } });
}

/// Global batches around the plan's that give a number of microbatches the schedule accepts.
void offerScheduledBatches(Candidates &out, const PlanContext &c, std::int64_t microbatches)
{
    const std::optional<ScheduleProblem> problem = findProblem(request(c, std::max<std::int64_t>(1, microbatches)));
    if (problem && problem->subject != ScheduleSubject::Microbatches)
        return;
    for (const int m : nearestMicrobatches(request(c, microbatches)))
        offerGlobalBatch(out, m * perMicrobatch(c));
    for (const int m : nearestMicrobatches(request(c, microbatches + 1)))
        offerGlobalBatch(out, m * perMicrobatch(c));
}

/// Ways to a step of at least one microbatch.
void offerFirstMicrobatch(Candidates &out, const PlanContext &c)
{
    offerScheduledBatches(out, c, 1);
    offerGlobalBatch(out, perMicrobatch(c));
    if (const std::int64_t fitting = c.plan.globalBatch / c.groups.dp; fitting >= 1)
        out.push_back({ fmt::format("Use micro-batch {}", fitting), { setMicroBatch(static_cast<int>(fitting)) } });
    // With fewer data-parallel ranks the batch reaches all of them.
    const std::int64_t ranks = std::int64_t{ c.plan.tp } * c.plan.cp * c.plan.pp;
    if (const std::int64_t gpus = c.plan.globalBatch / c.plan.microBatch * ranks; gpus >= 1)
        out.push_back({ fmt::format("Use {} GPUs", formatCount(gpus)), { setGpus(gpus) } });
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
    out.push_back({ fmt::format("Use VPP {}", vpp), { setVpp(vpp) } });
    ScheduleRequest changed = request(c, c.groups.microbatches);
    changed.vpp = vpp;
    const std::optional<ScheduleProblem> problem = findProblem(changed);
    if (!problem || problem->subject != ScheduleSubject::Microbatches || c.groups.dp < 1)
        return;
    for (const int m : problem->nearest) {
        const std::int64_t batch = m * perMicrobatch(c);
        if (batch <= mostGlobalBatch)
            out.push_back({ fmt::format("Use VPP {} and global batch {}", vpp, formatCount(batch)),
                            { setVpp(vpp), setGlobalBatch(batch) } });
    }
}

void offerForSchedule(Candidates &out, const PlanContext &c, const ScheduleProblem &problem)
{
    for (const int value : problem.nearest) {
        switch (problem.subject) {
        case ScheduleSubject::Kind:
            break;
        case ScheduleSubject::Ranks:
            out.push_back({ fmt::format("Use PP {}", value), pipelineChange(c.plan, value) });
            break;
        case ScheduleSubject::Chunks:
            offerChunks(out, c, value);
            break;
        case ScheduleSubject::Group:
            break;
        case ScheduleSubject::Microbatches:
        case ScheduleSubject::Size:
            if (c.groups.dp > 0)
                offerGlobalBatch(out, value * perMicrobatch(c));
            break;
        }
    }
    if (problem.subject == ScheduleSubject::Group || c.plan.interleaveGroup)
        out.push_back({ "Use groups of PP microbatches", { clearInterleaveGroup() } });
    offerOneForwardOneBackward(out);
    if (problem.subject == ScheduleSubject::Kind)
        out.push_back({ "Use DualPipe instead", { setSchedule(ScheduleKind::DualPipe) } });
}

/// "Global batch 2,048 gives M 16."
std::string batchAdvice(const PlanContext &c, const ScheduleProblem &problem)
{
    if (problem.subject != ScheduleSubject::Microbatches || problem.nearest.empty() || c.groups.dp < 1)
        return {};
    const std::int64_t batch = problem.nearest.front() * perMicrobatch(c);
    return batch > mostGlobalBatch
        ? ""
        : fmt::format(" Global batch {} gives M {}.", formatCount(batch), formatCount(problem.nearest.front()));
}

void checkOverlap(PlanContext &c)
{
    if (c.plan.schedule != ScheduleKind::CombinedAllToAll)
        return;
    const auto repairs = [&](Candidates &out) {
        out.push_back({ "Use interleaved 1F1B instead", { setSchedule(ScheduleKind::Interleaved) } });
        offerOneForwardOneBackward(out);
    };
    if (c.plan.ep == 1 || !c.hasExperts())
        c.findings.error("overlap-ep", "plan.schedule",
                         "1F1B with all-to-all overlap needs EP > 1: with EP 1 there is no all-to-all to hide.", repairs);
    if (c.model.mtpDepth > 1)
        c.findings.error(
            "overlap-mtp", "plan.schedule",
            fmt::format("1F1B with all-to-all overlap takes at most 1 MTP module, the model has {}.", c.model.mtpDepth), repairs);
}

void describeMicrobatches(PlanContext &c)
{
    const std::int64_t m = c.groups.microbatches;
    const std::string needs = microbatchRule(request(c, m));
    if (!needs.empty()) {
        c.findings.info("microbatches", "plan.global_batch",
                        fmt::format("M = {}. {} needs {}", formatCount(m), title(c.plan.schedule), needs));
        return;
    }
    c.findings.info("microbatches", "plan.global_batch",
                    fmt::format("M = {} microbatch{} on {} rank{}", formatCount(m), m == 1 ? "" : "es", c.plan.pp,
                                c.plan.pp == 1 ? "" : "s"));
    if (m < c.plan.pp) {
        c.findings.warning("microbatches-few", "plan.global_batch",
                           fmt::format("M = {} is below the {} ranks: no more than {} of them work at once.", m, c.plan.pp, m),
                           [&](Candidates &out) { offerGlobalBatch(out, c.plan.pp * perMicrobatch(c)); });
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
        const std::string group = c.plan.microBatch == 1
            ? fmt::format("DP {}", formatCount(c.groups.dp))
            : fmt::format("DP {} × {}", formatCount(c.groups.dp), formatCount(c.plan.microBatch));
        c.findings.error("global-batch-small", "plan.global_batch",
                         fmt::format("No microbatch: {} exceeds global batch {}.", group, formatCount(batch)),
                         [&](Candidates &out) { offerFirstMicrobatch(out, c); });
        return;
    }
    if (batch % step != 0) {
        const std::vector<std::int64_t> nearest = nearestMultiples(batch, step, mostGlobalBatch);
        c.findings.error("global-batch", "plan.global_batch",
                         fmt::format("Global batch {} does not divide by micro-batch {} × DP {} = {}. {} work{}.",
                                     formatCount(batch), formatCount(c.plan.microBatch), formatCount(c.groups.dp),
                                     formatCount(step), listOr(nearest), nearest.size() == 1 ? "s" : ""),
                         [&](Candidates &out) {
                             offerScheduledBatches(out, c, batch / step);
                             for (const std::int64_t value : nearest)
                                 offerGlobalBatch(out, value);
                             offerMicroBatches(out, c);
                         });
        return;
    }
    c.groups.microbatches = batch / step;
}

void checkScheduleRules(PlanContext &c)
{
    checkOverlap(c);
    if (c.plan.vpp > 1 && chunksPerRank(c.plan.schedule, 2) == chunksPerRank(c.plan.schedule, 3)) {
        const int chunks = chunksPerRank(c.plan.schedule, c.plan.vpp);
        c.findings.info("vpp-unused", "plan.vpp",
                        fmt::format("{} holds {} stage{} a rank, VPP {} has no effect", title(c.plan.schedule), chunks,
                                    chunks == 1 ? "" : "s", c.plan.vpp));
    }
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
    c.findings.error(problem->code, fieldOf(problem->subject), problem->message + "." + batchAdvice(c, *problem),
                     [&](Candidates &out) { offerForSchedule(out, c, *problem); });
}

} // namespace pipeloom
