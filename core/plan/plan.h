// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedulekind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pipeloom
{

/// Which ranks share a node first.
enum class Placement
{
    ExpertFirst, ///< neighbouring ranks form an expert-parallel group
    DataFirst,
};

/// Layers of the first and the last stage; the rest is spread evenly (Megatron's decoder-first/last flags).
struct FirstLastLayout
{
    std::optional<int> first;
    std::optional<int> last;
    bool operator==(const FirstLastLayout &) const = default;
};

/// How the user wrote the split of layers over stages: nothing (even, or the smallest repair), a Megatron layout string,
/// a list of layers per stage, or first/last.
using LayoutRequest = std::variant<std::monostate, std::string, std::vector<int>, FirstLastLayout>;

/// The parallel plan, as asked for. All numbers as the user gave them; plan/groups.h checks and derives.
struct ParallelPlan
{
    std::int64_t gpus = 8;
    int tp = 1;
    int pp = 1;
    int vpp = 1; ///< model chunks per rank of the interleaved schedules
    int ep = 1;
    int etp = 1;
    int cp = 1;
    int microBatch = 1; ///< sequences
    std::int64_t globalBatch = 8; ///< sequences a step
    int seq = 4096; ///< tokens a sequence
    ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
    std::optional<int> interleaveGroup;
    LayoutRequest layout;
    int zero = 1; ///< 0 nothing sharded, 1 optimizer states, 2 gradients too, 3 weights too
    bool fsdp = false; ///< weights, gradients and states sharded; a layer and the next are gathered while an op runs
    bool sequenceParallel = true;
    bool optimizerOffload = false; ///< master weights and moments lie in the memory of the node
    Placement placement = Placement::ExpertFirst;
    bool operator==(const ParallelPlan &) const = default;

    /// What the data-parallel ranks share, as a ZeRO stage: FSDP shards everything whatever `zero` says.
    [[nodiscard]] int shardingStage() const { return fsdp ? 3 : zero; }
};

} // namespace pipeloom
