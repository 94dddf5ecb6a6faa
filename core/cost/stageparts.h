// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/opanatomy.h"
#include "core/cost/optimes.h"

namespace pipeloom
{

/// Layer times of the kinds that a model has.
struct KindTimes
{
    LayerTimes dense, moe;
};

/// Where an op runs: by itself or in an overlapped pair, and how much of the GPU its compute has there.
struct OpSetting
{
    bool paired = false;
    GpuShare share = GpuShare::Alone;
};

/// What a stage runs for one microbatch in a setting: its layers, MTP modules as layers behind them, embedding and head.
/// `sharding`: visible collectives of its sharded weights.
[[nodiscard]] StageParts stageParts(const Scenario &scenario, const KindTimes &kinds, const StageContent &stage,
                                    OpSetting setting, const LayerCollectives &sharding);

/// Sums over the parts of ops that run by themselves.
[[nodiscard]] StageTimes stageTimes(const StageParts &alone);

/// A recorded pair of equal layers lasts this much longer (or, negative, less) than its recorded parts, for each layer; 0 without
/// a recording.
[[nodiscard]] Nanoseconds recordedPairGap(const LayerTimes &moe, const TimingProfile &profile);

} // namespace pipeloom
