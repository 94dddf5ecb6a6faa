// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/simulated.h"

#include <cmath>

namespace pipeloom
{

namespace
{

/// Length of the B half of a full backward of `length` on `stage`.
Nanoseconds inputHalf(const OpDurations &durations, std::int16_t stage, Nanoseconds length)
{
    const auto s = static_cast<std::size_t>(stage);
    if (s >= durations.bi.size() || s >= durations.w.size() || durations.bi[s] + durations.w[s] <= 0)
        return length;
    const double part = static_cast<double>(durations.bi[s]) / static_cast<double>(durations.bi[s] + durations.w[s]);
    return std::llround(part * static_cast<double>(length));
}

OpClass classOf(OpKind kind)
{
    switch (kind) {
    case OpKind::F:
        return OpClass::Forward;
    case OpKind::W:
        return OpClass::WeightGradient;
    case OpKind::FB:
        return OpClass::Pair;
    case OpKind::B:
    case OpKind::Bi:
        break;
    }
    return OpClass::InputGradient;
}

} // namespace

Lanes simulatedLanes(const Schedule &schedule, const Timeline &timeline, const OpDurations &durations, Nanoseconds optimizer,
                     OpClassMask mask)
{
    Lanes lanes;
    lanes.reserve(schedule.ops.size() * 2 + static_cast<std::size_t>(schedule.ranks));
    std::vector<Span> spans;
    const auto add = [&](Nanoseconds start, Nanoseconds end, OpClass opClass, const Op *op, std::uint32_t source) {
        if (!contains(mask, opClass) || end <= start)
            return;
        spans.push_back({ .start = start,
                          .duration = end - start,
                          .label = op ? op->microbatch : -1,
                          .labelB = op ? op->microbatchB : -1,
                          .source = source,
                          .classId = static_cast<std::uint8_t>(opClass) });
    };
    for (int rank = 0; rank < schedule.ranks; ++rank) {
        const std::size_t first = schedule.begin[static_cast<std::size_t>(rank)];
        const std::size_t last = schedule.begin[static_cast<std::size_t>(rank) + 1];
        spans.clear();
        spans.reserve(2 * (last - first) + 1);
        for (std::size_t i = first; i < last; ++i) {
            const Op &op = schedule.ops[i];
            const auto source = static_cast<std::uint32_t>(i);
            const Nanoseconds start = timeline.start[i];
            const Nanoseconds end = timeline.end[i];
            if (op.kind == OpKind::B) {
                const Nanoseconds middle = start + inputHalf(durations, op.stage, end - start);
                add(start, middle, OpClass::InputGradient, &op, source);
                add(middle, end, OpClass::WeightGradient, &op, source);
            } else {
                add(start, end, classOf(op.kind), &op, source);
            }
        }
        add(timeline.makespan, timeline.makespan + optimizer, OpClass::Optimizer, nullptr, Span::noSource);
        // A rank runs one op at a time, so nothing overlaps.
        static_cast<void>(lanes.addLane(spans));
    }
    return lanes;
}

} // namespace pipeloom
