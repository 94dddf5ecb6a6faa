// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// Which number of a request breaks a rule.
enum class ScheduleSubject
{
    Kind, ///< the schedule itself cannot be generated
    Ranks,
    Microbatches,
    Chunks, ///< vpp
    Group,
    Size, ///< too many ops in all
};

/// A broken rule with the numbers that keep it.
struct ScheduleProblem
{
    ScheduleSubject subject = ScheduleSubject::Kind;
    std::string_view code; ///< a literal, stable: "schedule-microbatches"
    std::string message; ///< subject, number, limit: one or two sentences
    std::vector<int> nearest; ///< valid values of the subject, nearest first; may be empty
};

/// The largest number of ops that is generated: 16 bytes each, and as much again for their times.
inline constexpr std::int64_t mostOps = std::int64_t{ 1 } << 23;

/// The first broken rule, or nothing. Terminates for any integers; never allocates in proportion to them.
[[nodiscard]] std::optional<ScheduleProblem> findProblem(const ScheduleRequest &request);

/// What the schedule asks of the number of microbatches, for people: "an even number of microbatches ≥ 16". Empty when any
/// number from 1 on works. Precondition: the rules on ranks, chunks and group hold.
[[nodiscard]] std::string microbatchRule(const ScheduleRequest &request);

/// Numbers of microbatches around `request.microbatches` that the schedule accepts on these ranks: the nearest below and the
/// nearest above, the nearer one first. Empty when no number works. Precondition: the rules on ranks and chunks hold.
[[nodiscard]] std::vector<int> nearestMicrobatches(const ScheduleRequest &request);

} // namespace pipeloom
