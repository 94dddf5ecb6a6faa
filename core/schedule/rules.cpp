// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/rules.h"

#include "core/base/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr int mostStages = std::numeric_limits<std::int16_t>::max(); ///< Op::stage
constexpr int mostChunks = std::numeric_limits<std::uint8_t>::max(); ///< Op::chunk
constexpr int mostGridRanks = 1024; ///< V-Half, V-Min, 1F1B-V: the grid of their ways in and out grows with the square

/// Numbers of microbatches that work: step, step x 2, ... from `least` on.
struct MicrobatchRule
{
    std::int64_t least = 1;
    std::int64_t step = 1;
    std::int64_t remainderFrom = 0; ///< with it: M mod step may also be >= this (a short last group that still fills the ranks)

    [[nodiscard]] bool holds(std::int64_t m) const
    {
        if (m < least)
            return false;
        const std::int64_t remainder = m % step;
        return remainder == 0 || (remainderFrom > 0 && remainder >= remainderFrom);
    }
    /// Precondition: step <= mostOps, so that the sums stay in range.
    [[nodiscard]] std::int64_t atLeast(std::int64_t m) const
    {
        m = std::max(m, least);
        const std::int64_t remainder = m % step;
        if (remainder == 0 || (remainderFrom > 0 && remainder >= remainderFrom))
            return m;
        return remainderFrom > 0 ? m - remainder + remainderFrom : m - remainder + step;
    }
    /// The largest valid number <= m, or 0.
    [[nodiscard]] std::int64_t atMost(std::int64_t m) const
    {
        if (m < least)
            return 0;
        if (holds(m))
            return m;
        const std::int64_t below = m - m % step;
        return below >= least ? below : 0;
    }
};

int group(const ScheduleRequest &request) { return request.group.value_or(request.ranks); }

MicrobatchRule rule(const ScheduleRequest &request)
{
    const std::int64_t ranks = request.ranks;
    switch (request.kind) {
    case ScheduleKind::Interleaved:
    case ScheduleKind::CombinedAllToAll:
        return { .least = group(request), .step = group(request), .remainderFrom = ranks };
    case ScheduleKind::InterleavedZeroBubble:
        return { .least = ranks, .step = ranks };
    case ScheduleKind::DualPipe:
        return { .least = 2 * ranks, .step = 2 };
    case ScheduleKind::DualPipeV:
        return { .least = 2 * ranks };
    case ScheduleKind::Chimera:
        return { .least = ranks, .step = ranks };
    default:
        return {};
    }
}

std::int64_t opsPerMicrobatch(const ScheduleRequest &request)
{
    const std::int64_t chunks = chunksPerRank(request.kind, request.vpp);
    switch (request.kind) {
    case ScheduleKind::ZeroBubbleH1:
    case ScheduleKind::ZeroBubbleH2:
    case ScheduleKind::ZeroBubbleV:
    case ScheduleKind::InterleavedZeroBubble:
    case ScheduleKind::VHalf:
    case ScheduleKind::VMin:
        return 3 * chunks;
    case ScheduleKind::DualPipe:
    case ScheduleKind::Chimera:
        return 2; // each microbatch passes one of the two chunks
    default:
        return 2 * chunks;
    }
}

/// "an even M ≥ 16"
std::string shortRule(const MicrobatchRule &rules)
{
    if (rules.step == 1)
        return fmt::format("M ≥ {}", rules.least);
    if (rules.step == 2 && rules.remainderFrom == 0)
        return fmt::format("an even M ≥ {}", rules.least);
    if (rules.remainderFrom > 0 && rules.step > rules.remainderFrom)
        return fmt::format("M ≥ {} in groups of {}, the last of at least {}", rules.least, rules.step, rules.remainderFrom);
    return fmt::format("a multiple of {}", rules.step);
}

std::optional<ScheduleProblem> rankProblem(const ScheduleRequest &request)
{
    const std::string_view who = title(request.kind);
    const int ranks = request.ranks;
    if (ranks < 1) {
        return ScheduleProblem{ ScheduleSubject::Ranks,
                                "schedule-ranks",
                                fmt::format("{} pipeline ranks are too few. A pipeline has at least 1", ranks),
                                { 1 } };
    }
    const bool even = request.kind == ScheduleKind::DualPipe || request.kind == ScheduleKind::Chimera;
    if (even && ranks % 2 != 0) {
        const std::string reason =
            request.kind == ScheduleKind::DualPipe ? "pairs stage i with stage P−1−i" : "runs two pipelines against each other";
        std::vector<int> nearest;
        if (ranks > 1)
            nearest.push_back(ranks - 1);
        if (ranks < mostStages)
            nearest.push_back(ranks + 1);
        return ScheduleProblem{ ScheduleSubject::Ranks, "schedule-ranks-even",
                                fmt::format("{} {}: it needs an even number of ranks ({} given)", who, reason, ranks), nearest };
    }
    const bool onGrid = request.kind == ScheduleKind::VHalf || request.kind == ScheduleKind::VMin
        || request.kind == ScheduleKind::OneForwardOneBackwardV;
    if (onGrid && ranks > mostGridRanks) {
        return ScheduleProblem{ ScheduleSubject::Ranks,
                                "schedule-size",
                                fmt::format("{} pipeline ranks are too many. {} is searched for on at most {}", ranks, who,
                                            formatCount(mostGridRanks)),
                                { mostGridRanks } };
    }
    if (stageCount(request.kind, ranks, 1) > mostStages) {
        return ScheduleProblem{ ScheduleSubject::Ranks,
                                "schedule-size",
                                fmt::format("{} pipeline ranks are too many. At most {} stages are modelled", ranks, mostStages),
                                {} };
    }
    return std::nullopt;
}

std::optional<ScheduleProblem> chunkProblem(const ScheduleRequest &request)
{
    const std::string_view who = title(request.kind);
    const int chunks = chunksPerRank(request.kind, request.vpp);
    const bool merged = request.kind == ScheduleKind::CombinedAllToAll;
    if (request.kind == ScheduleKind::Interleaved && request.ranks < 2) {
        return ScheduleProblem{ ScheduleSubject::Ranks,
                                "schedule-ranks",
                                fmt::format("{} needs at least 2 ranks ({} given)", who, request.ranks),
                                { 2 } };
    }
    const int least = request.kind == ScheduleKind::Interleaved || (merged && request.ranks > 1) ? 2 : 1;
    const int fitting = std::min(mostChunks, mostStages / request.ranks);
    if (chunks < least) {
        return ScheduleProblem{ ScheduleSubject::Chunks, "schedule-chunks",
                                fmt::format("{} needs at least {} a rank ({} given)", who, formatCounted(least, "chunk"), chunks),
                                fitting >= least ? std::vector{ least } : std::vector<int>{} };
    }
    if (chunks > mostChunks || stageCount(request.kind, request.ranks, request.vpp) > mostStages) {
        return ScheduleProblem{ ScheduleSubject::Chunks, "schedule-size",
                                fmt::format("{} on {} are too many. At most {} chunks and {} stages are modelled",
                                            formatCounted(chunks, "chunk"), formatCounted(request.ranks, "rank"),
                                            formatCount(mostChunks), formatCount(mostStages)),
                                fitting >= least ? std::vector{ fitting } : std::vector<int>{} };
    }
    return std::nullopt;
}

std::optional<ScheduleProblem> groupProblem(const ScheduleRequest &request)
{
    if (!takesGroup(request.kind) || !request.group)
        return std::nullopt;
    if (*request.group < request.ranks || *request.group > std::max(request.microbatches, request.ranks)) {
        return ScheduleProblem{ ScheduleSubject::Group,
                                "schedule-group",
                                fmt::format("A group of {} microbatches does not work: it must lie between P = {} and M = {}",
                                            *request.group, request.ranks, request.microbatches),
                                { request.ranks } };
    }
    return std::nullopt;
}

std::optional<ScheduleProblem> microbatchProblem(const ScheduleRequest &request)
{
    const int m = request.microbatches;
    if (m < 1)
        return ScheduleProblem{ ScheduleSubject::Microbatches, "schedule-microbatches",
                                fmt::format("M = {} is too small. A step has at least 1 microbatch", m),
                                nearestMicrobatches(request) };
    const MicrobatchRule rules = rule(request);
    if (!rules.holds(m)) {
        const std::string_view complaint = m < rules.least ? "is too small" : "does not work";
        return ScheduleProblem{ ScheduleSubject::Microbatches, "schedule-microbatches",
                                fmt::format("M = {} {}: {} on {} needs {}", m, complaint, title(request.kind),
                                            formatCounted(request.ranks, "rank"), shortRule(rules)),
                                nearestMicrobatches(request) };
    }
    return std::nullopt;
}

std::optional<ScheduleProblem> sizeProblem(const ScheduleRequest &request)
{
    // ranks <= 32,767 and chunks <= 255 here, so this cannot overflow.
    const std::int64_t perMicrobatch = opsPerMicrobatch(request) * request.ranks;
    const std::int64_t most = mostOps / perMicrobatch;
    if (request.microbatches <= most)
        return std::nullopt;
    const auto fitting = static_cast<int>(rule(request).atMost(most));
    return ScheduleProblem{ ScheduleSubject::Size, "schedule-size",
                            fmt::format("{} on {} are too many. At most {} ops are modelled",
                                        formatCounted(request.microbatches, "microbatch"), formatCounted(request.ranks, "rank"),
                                        formatCount(mostOps)),
                            fitting > 0 ? std::vector{ fitting } : std::vector<int>{} };
}

} // namespace

std::string microbatchRule(const ScheduleRequest &request)
{
    const MicrobatchRule rules = rule(request);
    if (rules.step == 1 && rules.least <= 1)
        return {};
    if (rules.step == 2 && rules.remainderFrom == 0)
        return fmt::format("an even number of microbatches ≥ {}", rules.least);
    return shortRule(rules);
}

std::vector<int> nearestMicrobatches(const ScheduleRequest &request)
{
    const MicrobatchRule rules = rule(request);
    const std::int64_t most =
        std::max<std::int64_t>(0, mostOps / std::max<std::int64_t>(1, opsPerMicrobatch(request) * request.ranks));
    const std::int64_t below = rules.atMost(std::min<std::int64_t>(request.microbatches, most));
    const std::int64_t above = rules.atLeast(request.microbatches);
    std::vector<int> out;
    if (below > 0)
        out.push_back(static_cast<int>(below));
    if (above <= most && above != below)
        out.push_back(static_cast<int>(above));
    if (out.size() == 2 && above - request.microbatches < request.microbatches - below)
        std::swap(out[0], out[1]);
    return out;
}

std::optional<ScheduleProblem> findProblem(const ScheduleRequest &request)
{
    if (!canGenerate(request.kind)) {
        return ScheduleProblem{
            ScheduleSubject::Kind, "schedule-not-modelled", fmt::format("{} is not modelled yet", title(request.kind)), {}
        };
    }
    if (auto problem = rankProblem(request))
        return problem;
    if (auto problem = chunkProblem(request))
        return problem;
    if (auto problem = groupProblem(request))
        return problem;
    if (auto problem = microbatchProblem(request))
        return problem;
    return sizeProblem(request);
}

} // namespace pipeloom
