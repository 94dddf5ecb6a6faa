// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/base/quantities.h"
#include "core/schedule/schedulekind.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pipeloom
{

enum class OpKind : std::uint8_t
{
    F, ///< forward
    B, ///< full backward: input and weight gradients
    Bi, ///< backward for the input only
    W, ///< backward for the weights; its Bi came earlier on the same rank
    FB, ///< a forward overlapped with a full backward of another microbatch
};

[[nodiscard]] const char *name(OpKind kind); ///< "F", "B", "Bi", "W", "FB"

/// One op of one rank's order. For FB the members with suffix B describe its backward half; elsewhere they are -1 / 0.
struct Op
{
    OpKind kind = OpKind::F;
    std::uint8_t chunk = 0; ///< local model chunk
    std::uint8_t chunkB = 0;
    std::uint8_t step = 0; ///< DualPipe's steps 1..8; 0 where the schedule has no named steps
    std::int16_t stage = 0;
    std::int16_t stageB = -1;
    std::int32_t microbatch = 0;
    std::int32_t microbatchB = -1;
    bool operator==(const Op &) const = default;
};

/// Per-rank orders in one flat array.
struct Schedule
{
    ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
    int ranks = 0; ///< pipeline ranks P
    int stages = 0;
    int microbatches = 0; ///< M
    int chunks = 1; ///< per rank
    std::vector<Op> ops; ///< rank after rank
    std::vector<std::size_t> begin; ///< ranks + 1 offsets into ops

    [[nodiscard]] std::span<const Op> rank(int r) const
    {
        const auto i = static_cast<std::size_t>(r);
        return { ops.data() + begin[i], begin[i + 1] - begin[i] };
    }
};

struct ScheduleRequest
{
    ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
    int ranks = 1;
    int microbatches = 1;
    int vpp = 1;
    std::optional<int> group = std::nullopt; ///< microbatch group of the interleaved family; nothing = P
};

/// Empty when the schedule can run; else the broken rule with the nearest numbers that work
/// ("DualPipe on 8 ranks needs an even M >= 16 (10 given)").
[[nodiscard]] std::optional<Error> checkSchedule(const ScheduleRequest &request);

/// The orders, op for op as the reference implementations emit them (golden orders in the tests). O(ops).
[[nodiscard]] Expected<Schedule> generate(const ScheduleRequest &request);

/// Durations of the ops, per stage. b is the full backward (bi + w unless measured apart).
struct OpDurations
{
    std::vector<Nanoseconds> f, b, bi, w; ///< stages entries each
    /// Overlapped pairs, by pairIndex(). Empty when nothing overlaps: then FB lasts f + b.
    std::vector<Nanoseconds> pair;
    Nanoseconds p2p = 0; ///< latency of an edge between two ranks
};

/// Where OpDurations::pair holds a forward of one chunk of a rank with a backward of another.
[[nodiscard]] constexpr std::size_t pairIndex(const Schedule &schedule, int rank, int forwardChunk, int backwardChunk)
{
    const auto chunks = static_cast<std::size_t>(schedule.chunks);
    return (static_cast<std::size_t>(rank) * chunks + static_cast<std::size_t>(forwardChunk)) * chunks
        + static_cast<std::size_t>(backwardChunk);
}
/// The same for an FB in the order of `rank`.
[[nodiscard]] constexpr std::size_t pairIndex(const Schedule &schedule, int rank, const Op &op)
{
    return pairIndex(schedule, rank, op.chunk, op.chunkB);
}

/// The same durations for every stage, as on the command line: b is the full backward, w its weight part, pair 0 = f + b.
[[nodiscard]] OpDurations uniformDurations(const Schedule &schedule, Nanoseconds f, Nanoseconds b, Nanoseconds w,
                                           Nanoseconds pair, Nanoseconds p2p);

/// Start and end of every op, same index as Schedule::ops, and what follows from them.
struct Timeline
{
    std::vector<Nanoseconds> start, end;
    Nanoseconds makespan = 0;
    std::vector<Nanoseconds> busy; ///< per rank
    std::vector<Nanoseconds> firstStart, lastEnd; ///< per rank
    std::vector<int> peakInFlight; ///< per rank, chunk activations, held until W or B ends

    [[nodiscard]] Nanoseconds idle(int rank) const { return makespan - busy[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] Nanoseconds idleInSpan(int rank) const
    {
        const auto i = static_cast<std::size_t>(rank);
        return lastEnd[i] - firstStart[i] - busy[i];
    }
};

/// Runs the orders: ranks work their list in order; F needs F of the stage before, B and Bi the F of their stage and the
/// backward of the stage after, W its Bi; FB starts when both inputs are there and publishes both results at its end; P2P is
/// latency on edges between ranks. Refuses an order that deadlocks, naming the op. O(ops).
[[nodiscard]] Expected<Timeline> simulate(const Schedule &schedule, const OpDurations &durations);

/// Bubble in closed form for equal stages and p2p = 0: the published form with its conditions, and the one that equals the
/// simulation.
struct ClosedForm
{
    std::string expression; ///< published: "(P/2-1)(FB+B-3W)"; empty when nobody published one
    Nanoseconds bubble = 0; ///< the published form's value
    const char *condition = ""; ///< when the published form is right, beside equal stages: "F = Bi, W <= F"; empty: always
    bool holds = false; ///< whether it is, for these ranks, microbatches and durations
    std::optional<Nanoseconds> exactBubble; ///< the form that equals the simulation (maximum over ranks, within the makespan)
    std::optional<Nanoseconds> exactMakespan;
    std::string exactExpression;

    struct Shown
    {
        std::string expression;
        Nanoseconds bubble = 0;
        bool published = false;
    };
    /// The one to show beside a simulated bubble: the published form where it equals the exact one, else the exact one, else
    /// nothing.
    [[nodiscard]] std::optional<Shown> shown() const;
};

/// Durations of one chunk; FB defaults to f + b outside. Sources: DeepSeek-V3 report table 2, zero-bubble paper; exact forms were
/// verified against simulation on parameter grids (2,425 points for DualPipe).
[[nodiscard]] ClosedForm closedForm(const ScheduleRequest &request, Nanoseconds f, Nanoseconds bi, Nanoseconds w,
                                    Nanoseconds pair);

} // namespace pipeloom
