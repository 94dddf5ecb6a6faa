// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/ledger.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pipeloom
{

/// The state of one rank from `time` until the next point.
struct MemoryPoint
{
    Nanoseconds time = 0;
    ByteCount activations = 0;
    ByteCount transient = 0;
    int inFlight = 0; ///< chunk activations alive
};

/// What the rank was doing when it held most.
enum class PeakPhase : std::uint8_t
{
    WarmUp, ///< forwards before the first backward
    Steady, ///< activations in flight alone
    Head, ///< logits and loss
    BackwardTransient, ///< gradients in transit and recomputed tensors of a layer's backward
    OptimizerStep, ///< states alone
};
[[nodiscard]] const char *name(PeakPhase phase); ///< "backward transient"

/// Which transient tensors are there at a rank's peak.
struct PeakTransient
{
    int stage = -1; ///< whose op runs; -1 when none does
    Lifetime lifetime = Lifetime::Op; ///< Head, MlpBackward or AttentionBackward; Op when only gathered weights are there
    bool backward = false; ///< the op is a backward
    ByteCount givenBack = 0; ///< AttentionBackward: what the MLP part of the layer has freed by then
};

/// The moments at which the memory of a rank is asked for.
enum class Instant : std::uint8_t
{
    AfterInit, ///< weights, main gradients and master weights; no moments, no dummy weight gradients
    FirstStepPeak, ///< the peak of the first step: no moments yet
    LaterPeak, ///< the peak of every later step
    AfterOptimizer, ///< states alone: activations freed
    BadRoutingPeak, ///< the later peak when the router is as skewed as MemoryOptions::badRoutingSigma
};
inline constexpr std::size_t instantCount = 5;
[[nodiscard]] const char *name(Instant instant); ///< "From step 2, peak"

/// Bytes as three different counters would show them; never compare one with another.
struct CountedBytes
{
    ByteCount allocated = 0; ///< what tensors hold: torch.cuda.max_memory_allocated
    ByteCount reserved = 0; ///< what the allocator took: allocated x reserve
    ByteCount device = 0; ///< what nvidia-smi shows: reserved + buffers outside the allocator
};

/// Memory of one pipeline rank, on its hottest expert-parallel position.
struct RankMemory
{
    int rank = 0;
    std::vector<int> stages;
    ByteCount weightsDense = 0, weightsExpert = 0;
    ByteCount gradients = 0; ///< main gradients and the dummy weight gradients
    ByteCount optimizer = 0; ///< master weights and moments on the GPU
    ByteCount moments = 0; ///< part of optimizer that the first step brings
    ByteCount hostOptimizer = 0; ///< master weights and moments in the memory of the node
    ByteCount dummyWeightGradients = 0; ///< part of gradients
    ByteCount buffers = 0;
    std::vector<ByteCount> activationPerMicrobatch; ///< per chunk
    std::vector<MemoryPoint> curve; ///< sorted by time, from 0 to the makespan
    ByteCount activationsPeak = 0; ///< activations in flight at the moment of the peak
    ByteCount transientPeak = 0; ///< transient at the moment of the peak
    Nanoseconds peakTime = 0;
    int inFlightAtPeak = 0;
    std::vector<int> chunksAtPeak; ///< microbatches in flight at the peak, per chunk
    PeakPhase phase = PeakPhase::Steady;
    PeakTransient transient; ///< at the peak
    ByteCount badRoutingPeak = 0; ///< allocated, see Instant::BadRoutingPeak
    ByteCount peakAllocated = 0; ///< states + dummy gradients + activations + transient
    ByteCount peakReserved = 0; ///< allocated x reserve
    ByteCount peak = 0; ///< peakAllocated + buffers: what the verdict compares with usable
    double reserve = 1; ///< reserved / allocated
    Ledger tensors; ///< every tensor of the rank; a chunk's activations are those of one microbatch

    [[nodiscard]] ByteCount weights() const { return weightsDense + weightsExpert; }
    /// Everything that does not move during the step, without buffers.
    [[nodiscard]] ByteCount states() const { return weights() + gradients + optimizer; }
    /// The curve's point in force at `time` (clamped); precondition: the curve is not empty. O(log n).
    [[nodiscard]] const MemoryPoint &at(Nanoseconds time) const;
    /// Bytes of every class at `time`, index = MemoryClass.
    [[nodiscard]] std::array<ByteCount, memoryClassCount> stackAt(Nanoseconds time) const;
    /// Bytes of every class at the moment of the peak.
    [[nodiscard]] std::array<ByteCount, memoryClassCount> stackAtPeak() const;
    [[nodiscard]] CountedBytes at(Instant instant) const;
};

enum class Verdict
{
    Fits, ///< peak <= usable
    Tight, ///< usable < peak <= HBM: inside the reserve
    Over, ///< peak > HBM
    Invalid, ///< the plan cannot run
};
[[nodiscard]] const char *name(Verdict verdict); ///< "fits", "tight", "over", "invalid"

struct MemoryResult
{
    ByteCount capacity = 0; ///< HBM as the device reports it
    ByteCount usable = 0; ///< capacity / reserve
    Verdict verdict = Verdict::Invalid;
    int peakRank = 0;
    std::string blame; ///< the term that makes the plan not fit, in words; empty when it fits
    ByteCount hostPerNode = 0; ///< offloaded optimizer states of the heaviest node
    double badRouting = 1; ///< rows over the mean on the hottest rank of any stage that Instant::BadRoutingPeak assumes
    std::vector<RankMemory> ranks;
};

} // namespace pipeloom
