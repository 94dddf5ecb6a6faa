// SPDX-License-Identifier: GPL-3.0-or-later
// Bubbles in closed form for equal stages and no latency. Durations are those of one chunk's op; B = Bi + W.
#include "core/schedule/schedule.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace pipeloom
{

namespace
{

struct Durations
{
    Nanoseconds f, bi, w, b, pair;
};

/// True while every product below stays far inside 64 bits.
bool inRange(const ScheduleRequest &request, const Durations &d)
{
    const auto [shortest, longest] = std::minmax({ d.f, d.bi, d.w, d.b, d.pair });
    const Nanoseconds factor =
        (Nanoseconds{ request.microbatches } + request.ranks) * chunksPerRank(request.kind, request.vpp) * 16;
    return shortest >= 0 && longest <= std::numeric_limits<Nanoseconds>::max() / factor;
}

ClosedForm oneForwardOneBackward(const ScheduleRequest &request, const Durations &d)
{
    const Nanoseconds bubble = (request.ranks - 1) * (d.f + d.b);
    const Nanoseconds work = Nanoseconds{ request.microbatches } * chunksPerRank(request.kind, request.vpp) * (d.f + d.b);
    ClosedForm out;
    out.expression = "(P-1)(F+B)";
    out.bubble = bubble;
    out.exactExpression = out.expression;
    out.exactBubble = bubble;
    out.exactMakespan = work + bubble;
    return out;
}

void dropExact(ClosedForm &form)
{
    form.exactBubble.reset();
    form.exactMakespan.reset();
    form.exactExpression.clear();
}

/// Fewer microbatches than ranks leave holes between the chunks that no form covers.
ClosedForm loopedBfs(const ScheduleRequest &request, const Durations &d)
{
    ClosedForm out = oneForwardOneBackward(request, d);
    out.condition = "M ≥ P";
    if (request.microbatches < request.ranks && request.vpp > 1)
        dropExact(out);
    return out;
}

ClosedForm interleaved(const ScheduleRequest &request, const Durations &d)
{
    ClosedForm out = oneForwardOneBackward(request, d);
    out.condition = "M a multiple of P, in groups of P";
    // Other groups fill and drain differently; the form is known for groups of P alone.
    if (request.group.value_or(request.ranks) != request.ranks || request.microbatches % request.ranks != 0)
        dropExact(out);
    return out;
}

ClosedForm combined(const ScheduleRequest &request, const Durations &d)
{
    ClosedForm out = interleaved(request, d);
    out.expression.clear(); // nobody published one
    out.condition = "";
    out.bubble = 0;
    if (!out.exactBubble)
        return out;
    const Nanoseconds total = Nanoseconds{ request.microbatches } * request.vpp;
    const Nanoseconds warmUp = std::min((request.vpp - 1) * Nanoseconds{ request.ranks } + 1, total);
    out.exactMakespan = (total - warmUp) * d.pair + warmUp * (d.f + d.b) + *out.exactBubble;
    return out;
}

ClosedForm zeroBubbleH1(const ScheduleRequest &request, const Durations &d)
{
    ClosedForm out;
    out.expression = "(P-1)(F+B-2W)";
    out.bubble = (request.ranks - 1) * (d.f + d.b - 2 * d.w);
    out.condition = "M ≥ P, W ≤ min(F, Bi)";
    if (request.microbatches < request.ranks
        || (request.kind == ScheduleKind::InterleavedZeroBubble && request.microbatches % request.ranks != 0))
        return out;
    out.exactExpression = "(P-1)(F+Bi-min(W,F,Bi))";
    out.exactBubble = (request.ranks - 1) * (d.f + d.bi - std::min({ d.w, d.f, d.bi }));
    out.exactMakespan =
        Nanoseconds{ request.microbatches } * chunksPerRank(request.kind, request.vpp) * (d.f + d.b) + *out.exactBubble;
    return out;
}

/// The zero of ZB-H2 and ZB-V is idle time inside each rank's own span; the makespan still holds the skew of P-1 forwards.
ClosedForm zeroInSpan(const ScheduleRequest &request, const Durations &d, const char *expression, Nanoseconds bubble,
                      Nanoseconds enough)
{
    ClosedForm out;
    out.expression = expression;
    out.bubble = bubble;
    out.condition = "M ≥ 2P−1, F = Bi = W; idle inside a rank's own span";
    if (d.f != d.bi || d.f != d.w || request.microbatches < enough)
        return out;
    out.exactExpression = "(P-1)F in the makespan, 0 in a rank's span";
    out.exactBubble = (request.ranks - 1) * d.f;
    out.exactMakespan =
        Nanoseconds{ request.microbatches } * chunksPerRank(request.kind, request.vpp) * (d.f + d.b) + *out.exactBubble;
    out.holds = true;
    return out;
}

ClosedForm dualPipe(const ScheduleRequest &request, const Durations &d)
{
    const bool mirrored = request.kind == ScheduleKind::DualPipe;
    const Nanoseconds ranks = request.ranks;
    const Nanoseconds k = mirrored ? ranks / 2 - 1 : ranks - 1;
    const Nanoseconds alone = mirrored ? ranks + 1 : 2 * ranks + 1; // forwards and backwards that no pair hides
    const Nanoseconds passes = mirrored ? request.microbatches : Nanoseconds{ 2 } * request.microbatches;
    const Nanoseconds filled = d.w + std::min(d.w, d.bi);
    ClosedForm out;
    out.expression = mirrored ? "(P/2-1)(FB+B-3W)" : "(P-1)(FB+B-3W)";
    out.bubble = k * (d.pair + d.b - 3 * d.w);
    out.condition = "F = Bi, W ≤ F";
    // The exact form was verified for pairs that hide at most the shorter half.
    if (d.pair < std::max(d.f, d.b))
        return out;
    out.exactExpression = mirrored ? "max(k(FB+F-W-min(W,Bi)), k(FB+Bi-W-min(W,Bi))-F), k = P/2-1"
                                   : "max(k(FB+F-W-min(W,Bi)), k(FB+Bi-W-min(W,Bi))-F), k = P-1";
    out.exactBubble = std::max(k * (d.pair + d.f - filled), k * (d.pair + d.bi - filled) - d.f);
    out.exactMakespan = alone * (d.f + d.b) + (passes - alone) * d.pair + *out.exactBubble;
    return out;
}

ClosedForm chimera(const ScheduleRequest &request, const Durations &d)
{
    const Nanoseconds units = request.microbatches / request.ranks;
    ClosedForm out;
    out.expression = "(P/2-1)(F+B)";
    out.condition = "F = B";
    out.bubble = (request.ranks / 2 - 1) * (d.f + d.b);
    out.exactExpression = "(P-2)(max(F,B)+(M/P-1)|B-F|)";
    out.exactBubble = (request.ranks - 2) * (std::max(d.f, d.b) + (units - 1) * std::abs(d.b - d.f));
    out.exactMakespan = request.microbatches * (d.f + d.b) + *out.exactBubble;
    return out;
}

ClosedForm formOf(const ScheduleRequest &request, const Durations &d)
{
    const Nanoseconds ranks = request.ranks;
    switch (request.kind) {
    case ScheduleKind::GPipe:
    case ScheduleKind::OneForwardOneBackward:
        return oneForwardOneBackward(request, d);
    case ScheduleKind::LoopedBfs:
        return loopedBfs(request, d);
    case ScheduleKind::Interleaved:
        return interleaved(request, d);
    case ScheduleKind::CombinedAllToAll:
        return combined(request, d);
    case ScheduleKind::ZeroBubbleH1:
    case ScheduleKind::InterleavedZeroBubble:
        return zeroBubbleH1(request, d);
    case ScheduleKind::ZeroBubbleH2:
        return zeroInSpan(request, d, "(P-1)(F+B-3W)", (ranks - 1) * (d.f + d.b - 3 * d.w), 2 * ranks - 1);
    case ScheduleKind::ZeroBubbleV:
        return zeroInSpan(request, d, "0", 0, 2 * ranks - 1);
    case ScheduleKind::DualPipe:
    case ScheduleKind::DualPipeV:
        return dualPipe(request, d);
    case ScheduleKind::Chimera:
        return chimera(request, d);
    case ScheduleKind::VHalf:
    case ScheduleKind::VMin:
    case ScheduleKind::OneForwardOneBackwardV:
    case ScheduleKind::Custom:
        break;
    }
    return {};
}

} // namespace

std::optional<ClosedForm::Shown> ClosedForm::shown() const
{
    if (!exactBubble)
        return std::nullopt;
    if (!expression.empty() && bubble == *exactBubble)
        return Shown{ expression, bubble, true };
    return Shown{ exactExpression, *exactBubble, false };
}

ClosedForm closedForm(const ScheduleRequest &request, Nanoseconds f, Nanoseconds bi, Nanoseconds w, Nanoseconds pair)
{
    if (checkSchedule(request))
        return {};
    if (std::max({ f, bi, w, pair }) > std::numeric_limits<Nanoseconds>::max() / 4)
        return {};
    const Durations d{ f, bi, w, bi + w, pair };
    if (!inRange(request, d))
        return {};
    ClosedForm out = formOf(request, d);
    // Where the exact form is known, the published one holds if it says the same.
    out.holds = out.holds || (!out.expression.empty() && out.exactBubble == out.bubble);
    return out;
}

} // namespace pipeloom
