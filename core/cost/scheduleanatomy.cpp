// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/scheduleanatomy.h"

namespace pipeloom
{

namespace
{

/// True when the neighbour stage of an op lies on another rank. Where a stage is held twice (DualPipe, Chimera), a microbatch
/// stays with its direction and always moves on.
bool leavesRank(const Schedule &schedule, int rank, int neighbour)
{
    if (neighbour < 0 || neighbour >= schedule.stages)
        return false;
    if (schedule.kind == ScheduleKind::DualPipe || schedule.kind == ScheduleKind::Chimera)
        return true;
    for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
        if (stageOf(schedule.kind, schedule.ranks, rank, chunk) == neighbour)
            return false;
    }
    return true;
}

} // namespace

std::optional<OpAnatomy> opAnatomy(const Schedule &schedule, const OpTimes &times, int rank, std::size_t index)
{
    const Op &op = schedule.ops[index];
    const auto stage = static_cast<std::size_t>(op.stage);
    if (stage >= times.alone.size() || stage >= times.beside.size())
        return std::nullopt;
    OpAnatomy out;
    switch (op.kind) {
    case OpKind::F:
        out = forwardAnatomy(times.alone[stage]);
        break;
    case OpKind::B:
    case OpKind::Bi:
        out = backwardAnatomy(times.alone[stage], true, op.kind == OpKind::B);
        break;
    case OpKind::W:
        out = backwardAnatomy(times.alone[stage], false, true);
        break;
    case OpKind::FB: {
        const auto back = static_cast<std::size_t>(op.stageB);
        if (back >= times.alone.size())
            return std::nullopt;
        out =
            pairAnatomy({ times.beside[stage], times.alone[stage] }, { times.beside[back], times.alone[back] }, times.pairOrder);
        break;
    }
    }
    // The simulator lets results leave when the op ends; both directions of a link are free at once.
    const Nanoseconds p2p = times.durations.p2p;
    const Nanoseconds end = op.kind == OpKind::FB ? times.durations.pair[pairIndex(schedule, rank, op)] : out.duration;
    const auto send = [&](OpPart part, int neighbour) {
        if (p2p > 0 && leavesRank(schedule, rank, neighbour))
            out.parts.push_back({ part, GpuStream::Communication, -1, end, end + p2p });
    };
    if (op.kind == OpKind::F || op.kind == OpKind::FB)
        send(OpPart::SendF, op.stage + 1);
    if (op.kind == OpKind::B || op.kind == OpKind::Bi)
        send(OpPart::SendB, op.stage - 1);
    if (op.kind == OpKind::FB)
        send(OpPart::SendB, op.stageB - 1);
    return out;
}

} // namespace pipeloom
