// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/breakdown.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// Microbatches of the stage that are in flight at the peak.
std::int64_t inFlight(const RankMemory &rank, int stage)
{
    const auto it = std::ranges::find(rank.stages, stage);
    return it == rank.stages.end() ? 0 : rank.chunksAtPeak[static_cast<std::size_t>(it - rank.stages.begin())];
}

bool hasStep(Instant instant)
{
    return instant == Instant::FirstStepPeak || instant == Instant::LaterPeak || instant == Instant::BadRoutingPeak;
}

/// Copies of the row at the instant; 0 when it is not there.
std::int64_t present(const RankMemory &rank, const LedgerRow &row, Instant instant)
{
    switch (row.lifetime) {
    case Lifetime::Run:
        return 1;
    case Lifetime::FirstBackward:
        return instant == Instant::AfterInit ? 0 : 1;
    case Lifetime::FirstStep:
        return instant == Instant::AfterInit || instant == Instant::FirstStepPeak ? 0 : 1;
    case Lifetime::Microbatch:
        return hasStep(instant) ? inFlight(rank, row.stage) : 0;
    case Lifetime::Op:
        if (row.name == gradientBucketName && !rank.transient.backward)
            return 0;
        [[fallthrough]];
    case Lifetime::Head:
    case Lifetime::MlpBackward:
    case Lifetime::AttentionBackward:
        return hasStep(instant) && row.stage == rank.transient.stage
                && (row.lifetime == Lifetime::Op || row.lifetime == rank.transient.lifetime)
            ? 1
            : 0;
    case Lifetime::OptimizerStep:
        return hasStep(instant) && rank.phase == PeakPhase::OptimizerStep ? 1 : 0;
    }
    return 0;
}

} // namespace

std::vector<BreakdownRow> breakdown(const RankMemory &rank, Instant instant)
{
    std::vector<BreakdownRow> rows;
    ByteCount attention = 0;
    for (const LedgerRow &row : rank.tensors) {
        const std::int64_t copies = row.host ? 0 : present(rank, row, instant);
        if (copies == 0)
            continue;
        if (row.lifetime == Lifetime::AttentionBackward)
            attention += row.total();
        else
            rows.push_back({ row, copies, row.total() * copies });
    }
    if (attention > 0) {
        // What the MLP part of the layer has given back is still counted among the activations: the difference stands here.
        LedgerRow net;
        net.name = "attention part of a layer's backward, net";
        net.stage = rank.transient.stage;
        net.memoryClass = MemoryClass::Transient;
        net.lifetime = Lifetime::AttentionBackward;
        net.bytes = attention - rank.transient.givenBack;
        rows.push_back({ net, 1, net.bytes });
    }
    std::ranges::stable_sort(rows, {}, [](const BreakdownRow &row) { return row.row.memoryClass; });
    return rows;
}

} // namespace pipeloom
