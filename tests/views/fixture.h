// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/evaluation.h"
#include "views/viewstate.h"

#include <memory>
#include <vector>

namespace pipeloom::fixture
{

/// Times of the hand-made evaluation: one unit of 100 ms; F 1, B 2 (B half 1, W half 1), optimizer 3.
inline constexpr Nanoseconds unit = 100'000'000;

/// An evaluation made by hand, without model or cost: 1F1B on `ranks` ranks with `microbatches`, every memory figure simple
/// enough to check by head. HBM 10 GiB, usable 9 GiB, states 2 GiB, buffers 1 GiB, 1 GiB for each microbatch in flight. So rank r
/// peaks at 3 + min(ranks - r, microbatches) GiB.
[[nodiscard]] std::shared_ptr<const Evaluation> oneForwardOneBackward(int ranks, int microbatches, Nanoseconds scale = unit);

/// An evaluation that is not valid: one error with one repair.
[[nodiscard]] std::shared_ptr<const Evaluation> invalid();

[[nodiscard]] ShownPlan shown(const char *letter, const char *name, std::shared_ptr<const Evaluation> evaluation);

/// Plan A: 4 ranks, 8 microbatches, as above. Plan B: the same, every op half as long again.
[[nodiscard]] std::vector<ShownPlan> twoPlans();

/// The op of a rank and a microbatch; the last one when there are several (W rather than Bi).
[[nodiscard]] OpRef opOf(const ShownPlan &plan, int planIndex, int rank, OpKind kind, int microbatch);

} // namespace pipeloom::fixture
