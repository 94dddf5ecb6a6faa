// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include "core/schedule/generators.h"
#include "core/schedule/orderbuilder.h"
#include "core/schedule/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

std::string hint(const ScheduleProblem &problem)
{
    if (problem.subject == ScheduleSubject::Kind)
        return "use 1f1b or dualpipe";
    if (problem.nearest.empty())
        return "use 1f1b";
    static constexpr auto subjectWord = [](ScheduleSubject subject) {
        switch (subject) {
        case ScheduleSubject::Ranks:
            return "P";
        case ScheduleSubject::Chunks:
            return "chunks";
        case ScheduleSubject::Group:
            return "group";
        default:
            return "M";
        }
    };
    std::string out = fmt::format("use {} {}", subjectWord(problem.subject), problem.nearest.front());
    for (std::size_t i = 1; i < problem.nearest.size(); ++i)
        out += fmt::format(" or {}", problem.nearest[i]);
    return out;
}

} // namespace

const char *name(OpKind kind)
{
    switch (kind) {
    case OpKind::F:
        return "F";
    case OpKind::B:
        return "B";
    case OpKind::Bi:
        return "Bi";
    case OpKind::W:
        return "W";
    case OpKind::FB:
        return "FB";
    }
    return "";
}

OrderBuilder::OrderBuilder(const ScheduleRequest &request, std::int64_t opsPerRank)
{
    m_schedule.kind = request.kind;
    m_schedule.ranks = request.ranks;
    m_schedule.stages = stageCount(request.kind, request.ranks, request.vpp);
    m_schedule.microbatches = request.microbatches;
    m_schedule.chunks = chunksPerRank(request.kind, request.vpp);
    m_schedule.ops.reserve(static_cast<std::size_t>(opsPerRank * request.ranks));
    m_schedule.begin.reserve(static_cast<std::size_t>(request.ranks) + 1);
    m_schedule.begin.push_back(0);
}

std::optional<Error> checkSchedule(const ScheduleRequest &request)
{
    const std::optional<ScheduleProblem> problem = findProblem(request);
    if (!problem)
        return std::nullopt;
    const ErrorCode code = problem->subject == ScheduleSubject::Kind ? ErrorCode::Unsupported : ErrorCode::OutOfRange;
    return Error{ .code = code, .message = problem->message, .file = {}, .where = {}, .hint = hint(*problem) };
}

Expected<Schedule> generate(const ScheduleRequest &request)
{
    if (std::optional<Error> error = checkSchedule(request))
        return *std::move(error);
    switch (request.kind) {
    case ScheduleKind::GPipe:
        return generateGPipe(request);
    case ScheduleKind::OneForwardOneBackward:
        return generateOneForwardOneBackward(request);
    case ScheduleKind::Interleaved:
    case ScheduleKind::CombinedAllToAll:
        return generateInterleaved(request);
    case ScheduleKind::LoopedBfs:
        return generateLoopedBfs(request);
    case ScheduleKind::ZeroBubbleH1:
    case ScheduleKind::InterleavedZeroBubble:
        return generateZeroBubbleH1(request);
    case ScheduleKind::ZeroBubbleH2:
        return generateZeroBubbleH2(request);
    case ScheduleKind::ZeroBubbleV:
        return generateZeroBubbleV(request);
    case ScheduleKind::DualPipe:
    case ScheduleKind::DualPipeV:
        return generateDualPipe(request);
    case ScheduleKind::Chimera:
        return generateChimera(request);
    case ScheduleKind::VHalf:
    case ScheduleKind::VMin:
    case ScheduleKind::OneForwardOneBackwardV:
        return generateMemoryLimited(request);
    case ScheduleKind::Custom:
        break;
    }
    return Error{
        .code = ErrorCode::Unsupported, .message = "the schedule is not modelled yet", .file = {}, .where = {}, .hint = {}
    };
}

OpDurations uniformDurations(const Schedule &schedule, Nanoseconds f, Nanoseconds b, Nanoseconds w, Nanoseconds pair,
                             Nanoseconds p2p)
{
    const auto stages = static_cast<std::size_t>(std::max(0, schedule.stages));
    OpDurations out;
    out.f.assign(stages, f);
    out.b.assign(stages, b);
    out.bi.assign(stages, b - w);
    out.w.assign(stages, w);
    if (pair > 0) {
        const auto chunks = static_cast<std::size_t>(schedule.chunks);
        out.pair.assign(static_cast<std::size_t>(schedule.ranks) * chunks * chunks, pair);
    }
    out.p2p = p2p;
    return out;
}

} // namespace pipeloom
