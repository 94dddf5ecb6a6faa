// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pipeloom
{

/// The stack of one rank, bottom to top.
enum class MemoryClass
{
    ParametersDense,
    ParametersExpert,
    Gradients,
    Optimizer,
    Activations,
    Transient,
    Buffers, ///< NCCL, context: outside the allocator
};
inline constexpr std::size_t memoryClassCount = 7;

[[nodiscard]] const char *name(MemoryClass memoryClass); ///< "Parameters, dense"

/// One tensor kept on a rank; for activations the bytes of one microbatch.
struct TensorRow
{
    std::string name;
    std::string shape; ///< "[4096, 7168]"
    std::string dtype; ///< "bf16", "fp8", "e5m6", "fp32"
    ByteCount bytes = 0; ///< one instance
    std::string keptBy; ///< why it is there, or which recompute module drops it
    std::int64_t count = 1; ///< instances on the rank (layers)
    MemoryClass memoryClass = MemoryClass::Activations;
    int stage = 0;
    bool operator==(const TensorRow &) const = default;
};

/// The state of one rank from `time` until the next point.
struct MemoryPoint
{
    Nanoseconds time = 0;
    ByteCount activations = 0;
    ByteCount transient = 0;
    int inFlight = 0; ///< chunk activations alive
};

/// Memory of one pipeline rank, on its hottest expert-parallel position.
struct RankMemory
{
    int rank = 0;
    std::vector<int> stages;
    ByteCount weightsDense = 0, weightsExpert = 0;
    ByteCount gradients = 0; ///< main gradients and the dummy weight gradients
    ByteCount optimizer = 0; ///< master weights and moments
    ByteCount dummyWeightGradients = 0; ///< part of gradients
    ByteCount buffers = 0;
    std::vector<ByteCount> activationPerMicrobatch; ///< per chunk
    std::vector<MemoryPoint> curve; ///< sorted by time, from 0 to the makespan
    ByteCount activationsPeak = 0; ///< activations in flight at the moment of the peak
    ByteCount transientPeak = 0; ///< transient at the moment of the peak
    Nanoseconds peakTime = 0;
    int inFlightAtPeak = 0;
    ByteCount peakAllocated = 0; ///< states + dummy gradients + activations + transient
    ByteCount peakReserved = 0; ///< allocated x reserve
    ByteCount peak = 0; ///< peakAllocated + buffers: what the verdict compares with usable
    std::vector<TensorRow> tensors;

    [[nodiscard]] ByteCount weights() const { return weightsDense + weightsExpert; }
    /// Everything that does not move during the step, without buffers.
    [[nodiscard]] ByteCount states() const { return weights() + gradients + optimizer; }
    /// The curve's point in force at `time` (clamped); precondition: the curve is not empty. O(log n).
    [[nodiscard]] const MemoryPoint &at(Nanoseconds time) const;
    /// Bytes of every class at `time`, index = MemoryClass.
    [[nodiscard]] std::array<ByteCount, memoryClassCount> stackAt(Nanoseconds time) const;
    /// Bytes of every class at the moment of the peak.
    [[nodiscard]] std::array<ByteCount, memoryClassCount> stackAtPeak() const;
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
    std::vector<RankMemory> ranks;
};

} // namespace pipeloom
