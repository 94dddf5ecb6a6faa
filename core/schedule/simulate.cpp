// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr int nobody = -1;

/// The result of a forward or backward: the time it is there, or before that -1 - (first rank that waits for it + 1).
/// One word, because these cells are most of the memory a simulation touches.
class Result
{
public:
    [[nodiscard]] bool there() const { return m_word >= 0; }
    [[nodiscard]] Nanoseconds end() const { return m_word; }
    [[nodiscard]] int waiting() const { return static_cast<int>(-m_word) - 2; }
    void setWaiting(int rank) { m_word = -2 - Nanoseconds{ rank }; }
    void setEnd(Nanoseconds end) { m_word = end; }

private:
    Nanoseconds m_word = -1; ///< nobody waits
};

/// Where a rank stands in its list.
struct Rank
{
    std::size_t next = 0, end = 0;
    Nanoseconds freeAt = 0;
    int alsoWaiting = nobody; ///< next rank of the list this one waits in
};

std::string describe(OpKind kind, int microbatch, int stage)
{
    return fmt::format("{} of microbatch {} on stage {}", name(kind), microbatch, stage);
}

Error refuse(std::string message)
{
    return { .code = ErrorCode::OutOfRange, .message = std::move(message), .file = {}, .where = {}, .hint = {} };
}

/// What is wrong with the durations, or nothing. Bounds the sum of everything, so that no later addition overflows.
std::optional<Error> checkDurations(const Schedule &schedule, const OpDurations &durations)
{
    const auto stages = static_cast<std::size_t>(schedule.stages);
    const auto chunks = static_cast<std::size_t>(schedule.chunks);
    for (const auto *times : { &durations.f, &durations.b, &durations.bi, &durations.w }) {
        if (times->size() != stages)
            return refuse(fmt::format("Durations for {} stages were given, the schedule has {}", times->size(), stages));
    }
    if (!durations.pair.empty() && durations.pair.size() != static_cast<std::size_t>(schedule.ranks) * chunks * chunks)
        return refuse(
            fmt::format("{} pair durations were given for {} ranks of {} chunks", durations.pair.size(), schedule.ranks, chunks));
    Nanoseconds longest = durations.p2p;
    Nanoseconds shortest = durations.p2p;
    for (const auto *times : { &durations.f, &durations.b, &durations.bi, &durations.w, &durations.pair }) {
        for (const Nanoseconds time : *times) {
            longest = std::max(longest, time);
            shortest = std::min(shortest, time);
        }
    }
    if (shortest < 0)
        return refuse(fmt::format("A duration is negative ({} ns)", shortest));
    // An op adds at most a forward, a backward and one latency to any path.
    const auto steps = static_cast<Nanoseconds>(schedule.ops.size()) + 1;
    if (longest > std::numeric_limits<Nanoseconds>::max() / 4 / steps)
        return refuse(fmt::format("A duration of {:.3g} s is too long: the step would exceed 292 years", toSeconds(longest)));
    return std::nullopt;
}

std::optional<Error> checkShape(const Schedule &schedule)
{
    const bool shaped = schedule.ranks > 0 && schedule.ranks <= std::numeric_limits<std::int16_t>::max() && schedule.stages > 0
        && schedule.microbatches > 0 && schedule.chunks > 0
        && schedule.begin.size() == static_cast<std::size_t>(schedule.ranks) + 1 && schedule.begin.front() == 0
        && schedule.begin.back() == schedule.ops.size() && std::ranges::is_sorted(schedule.begin);
    if (!shaped)
        return refuse("The schedule is incomplete: ranks, stages, microbatches and the op lists do not agree");
    for (const Op &op : schedule.ops) {
        const bool paired = op.kind == OpKind::FB;
        if (op.stage < 0 || op.stage >= schedule.stages || op.microbatch < 0 || op.microbatch >= schedule.microbatches
            || op.chunk >= schedule.chunks)
            return refuse(describe(op.kind, op.microbatch, op.stage) + " lies outside the schedule");
        if (paired
            && (op.stageB < 0 || op.stageB >= schedule.stages || op.microbatchB < 0 || op.microbatchB >= schedule.microbatches
                || op.chunkB >= schedule.chunks))
            return refuse(describe(OpKind::B, op.microbatchB, op.stageB) + " lies outside the schedule");
    }
    return std::nullopt;
}

/// Every rank runs until it needs a result that is not there, and is woken by the op that brings it: each op is looked at at
/// most three times. The order in which ranks are woken does not change any time.
class Simulation
{
public:
    Simulation(const Schedule &schedule, const OpDurations &durations, Timeline &timeline)
        : m_schedule(schedule)
        , m_durations(durations)
        , m_timeline(timeline)
        , m_microbatches(static_cast<std::size_t>(schedule.microbatches))
    {
        const auto ranks = static_cast<std::size_t>(schedule.ranks);
        m_results.resize(2 * static_cast<std::size_t>(schedule.stages) * m_microbatches);
        m_owner.resize(m_results.size());
        m_ranks.resize(ranks);
        m_runnable.reserve(ranks);
        for (std::size_t r = 0; r < ranks; ++r)
            m_ranks[r] = { schedule.begin[r], schedule.begin[r + 1], 0, nobody };
    }

    std::optional<Error> run()
    {
        for (int r = m_schedule.ranks - 1; r >= 0; --r)
            m_runnable.push_back(r);
        while (!m_runnable.empty()) {
            const int r = m_runnable.back();
            m_runnable.pop_back();
            advance(r);
            if (m_error)
                return std::move(m_error);
        }
        return unfinished();
    }

private:
    // Forward and backward of a stage and microbatch lie side by side, microbatch after microbatch: a rank walks along them.
    [[nodiscard]] std::size_t forwardOf(int stage, int microbatch) const { return 2 * index(stage, microbatch); }
    [[nodiscard]] std::size_t backwardOf(int stage, int microbatch) const { return 2 * index(stage, microbatch) + 1; }
    [[nodiscard]] std::size_t index(int stage, int microbatch) const
    {
        return static_cast<std::size_t>(stage) * m_microbatches + static_cast<std::size_t>(microbatch);
    }

    /// Moves `ready` to the arrival of a result; false, and the rank in its list, when it is not there.
    bool await(std::size_t which, int rank, Nanoseconds &ready)
    {
        Result &result = m_results[which];
        if (!result.there()) {
            m_ranks[static_cast<std::size_t>(rank)].alsoWaiting = result.waiting();
            result.setWaiting(rank);
            return false;
        }
        ready = std::max(ready, result.end() + (m_owner[which] == rank ? 0 : m_durations.p2p));
        return true;
    }

    bool forwardReady(int stage, int microbatch, int rank, Nanoseconds &ready)
    {
        return stage == 0 || await(forwardOf(stage - 1, microbatch), rank, ready);
    }

    bool backwardReady(int stage, int microbatch, int rank, Nanoseconds &ready)
    {
        const std::size_t forward = forwardOf(stage, microbatch);
        if (!await(forward, rank, ready))
            return false;
        if (m_owner[forward] != rank) {
            m_error = refuse(fmt::format("{} runs on rank {}, its forward on rank {}", describe(OpKind::B, microbatch, stage),
                                         rank, m_owner[forward]));
            return false;
        }
        return stage == m_schedule.stages - 1 || await(backwardOf(stage + 1, microbatch), rank, ready);
    }

    bool inputsReady(const Op &op, int rank, Nanoseconds &ready)
    {
        switch (op.kind) {
        case OpKind::F:
            return forwardReady(op.stage, op.microbatch, rank, ready);
        case OpKind::B:
        case OpKind::Bi:
            return backwardReady(op.stage, op.microbatch, rank, ready);
        case OpKind::W:
            return await(backwardOf(op.stage, op.microbatch), rank, ready);
        case OpKind::FB:
            return forwardReady(op.stage, op.microbatch, rank, ready) && backwardReady(op.stageB, op.microbatchB, rank, ready);
        }
        return false;
    }

    [[nodiscard]] Nanoseconds duration(const Op &op, int rank) const
    {
        const auto stage = static_cast<std::size_t>(op.stage);
        switch (op.kind) {
        case OpKind::F:
            return m_durations.f[stage];
        case OpKind::B:
            return m_durations.b[stage];
        case OpKind::Bi:
            return m_durations.bi[stage];
        case OpKind::W:
            return m_durations.w[stage];
        case OpKind::FB:
            break;
        }
        if (m_durations.pair.empty())
            return m_durations.f[stage] + m_durations.b[static_cast<std::size_t>(op.stageB)];
        return m_durations.pair[pairIndex(m_schedule, rank, op)];
    }

    void publish(std::size_t which, int rank, Nanoseconds end, const Op &op)
    {
        Result &result = m_results[which];
        if (result.there()) {
            m_error = refuse(describe(op.kind, op.microbatch, op.stage) + " stands twice in the order");
            return;
        }
        for (int waiter = result.waiting(); waiter != nobody; waiter = m_ranks[static_cast<std::size_t>(waiter)].alsoWaiting)
            m_runnable.push_back(waiter);
        result.setEnd(end);
        m_owner[which] = static_cast<std::int16_t>(rank);
    }

    void publishAll(const Op &op, int rank, Nanoseconds end)
    {
        switch (op.kind) {
        case OpKind::F:
            publish(forwardOf(op.stage, op.microbatch), rank, end, op);
            break;
        case OpKind::B:
        case OpKind::Bi:
            publish(backwardOf(op.stage, op.microbatch), rank, end, op);
            break;
        case OpKind::W:
            break;
        case OpKind::FB:
            publish(forwardOf(op.stage, op.microbatch), rank, end, op);
            publish(backwardOf(op.stageB, op.microbatchB), rank, end, op);
            break;
        }
    }

    void advance(int r)
    {
        Rank &rank = m_ranks[static_cast<std::size_t>(r)];
        Nanoseconds freeAt = rank.freeAt;
        std::size_t next = rank.next;
        while (next != rank.end) {
            const Op &op = m_schedule.ops[next];
            Nanoseconds start = freeAt;
            if (!inputsReady(op, r, start))
                break;
            freeAt = start + duration(op, r);
            m_timeline.start[next] = start;
            m_timeline.end[next] = freeAt;
            publishAll(op, r, freeAt);
            ++next;
        }
        rank.next = next;
        rank.freeAt = freeAt;
    }

    /// Nothing runs any more: the first rank with ops left names the deadlock.
    [[nodiscard]] std::optional<Error> unfinished() const
    {
        for (std::size_t r = 0; r < m_ranks.size(); ++r) {
            if (m_ranks[r].next == m_ranks[r].end)
                continue;
            const Op &op = m_schedule.ops[m_ranks[r].next];
            std::string what = describe(op.kind, op.microbatch, op.stage);
            if (op.kind == OpKind::FB)
                what += fmt::format(" with B of microbatch {} on stage {}", op.microbatchB, op.stageB);
            return refuse(fmt::format("The order deadlocks: rank {} waits at {} for a result that never comes", r, what));
        }
        return std::nullopt;
    }

    const Schedule &m_schedule;
    const OpDurations &m_durations;
    Timeline &m_timeline;
    std::size_t m_microbatches;
    std::vector<Result> m_results;
    std::vector<std::int16_t> m_owner; ///< rank that brought the result
    std::vector<Rank> m_ranks;
    std::vector<int> m_runnable;
    std::optional<Error> m_error;
};

/// Chunk activations alive, counted in time order with releases before takings of the same moment.
class InFlight
{
public:
    void change(Nanoseconds time, int by)
    {
        if (time != m_time) {
            m_peak = std::max(m_peak, m_alive);
            m_time = time;
        }
        m_alive += by;
    }
    [[nodiscard]] int peak() const { return std::max(m_peak, m_alive); }

private:
    Nanoseconds m_time = -1;
    int m_alive = 0;
    int m_peak = 0;
};

/// Sums over one rank's ops; they follow each other in time.
void summarizeRank(const Schedule &schedule, int rank, Timeline &timeline)
{
    const auto r = static_cast<std::size_t>(rank);
    InFlight inFlight;
    Nanoseconds busy = 0;
    for (std::size_t i = schedule.begin[r]; i < schedule.begin[r + 1]; ++i) {
        const OpKind kind = schedule.ops[i].kind;
        busy += timeline.end[i] - timeline.start[i];
        if (kind == OpKind::F || kind == OpKind::FB)
            inFlight.change(timeline.start[i], 1);
        if (kind == OpKind::B || kind == OpKind::W || kind == OpKind::FB)
            inFlight.change(timeline.end[i], -1);
    }
    timeline.busy[r] = busy;
    timeline.peakInFlight[r] = inFlight.peak();
    if (schedule.begin[r] < schedule.begin[r + 1]) {
        timeline.firstStart[r] = timeline.start[schedule.begin[r]];
        timeline.lastEnd[r] = timeline.end[schedule.begin[r + 1] - 1];
    }
    timeline.makespan = std::max(timeline.makespan, timeline.lastEnd[r]);
}

} // namespace

Expected<Timeline> simulate(const Schedule &schedule, const OpDurations &durations)
{
    if (std::optional<Error> error = checkShape(schedule))
        return *std::move(error);
    if (std::optional<Error> error = checkDurations(schedule, durations))
        return *std::move(error);
    Timeline timeline;
    const auto ranks = static_cast<std::size_t>(schedule.ranks);
    timeline.start.resize(schedule.ops.size());
    timeline.end.resize(schedule.ops.size());
    timeline.busy.resize(ranks);
    timeline.firstStart.resize(ranks);
    timeline.lastEnd.resize(ranks);
    timeline.peakInFlight.resize(ranks);
    if (std::optional<Error> error = Simulation(schedule, durations, timeline).run())
        return *std::move(error);
    for (int rank = 0; rank < schedule.ranks; ++rank)
        summarizeRank(schedule, rank, timeline);
    return timeline;
}

} // namespace pipeloom
