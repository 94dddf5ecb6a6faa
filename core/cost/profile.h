// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/term.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// Durations that were taken from a recorded trace: one MoE layer, one microbatch. What a profile lacks (0) comes from the model.
struct TimingProfile
{
    std::string name; ///< "deepseek-v3-h800"
    std::string gpu;
    std::string model; ///< preset the trace shows; other models only scale nothing: a check warns
    std::string source;
    int seq = 0;
    int microBatch = 0;
    double f = 0; ///< s, forward compute of one layer
    double bi = 0; ///< s, backward for the input, its recompute included
    double w = 0; ///< s, backward for the weights
    double dispatchF = 0, combineF = 0; ///< s, forward all-to-all payload
    double dispatchB = 0, combineB = 0; ///< s, backward all-to-all payload
    int pairLayers = 0; ///< layers of the recorded overlapped pair
    double pair = 0; ///< s, the whole recorded pair
    /// s, one layer's parts as they lasted in the recorded pair, waiting for peers included. All 0 when the profile has none.
    struct PairParts
    {
        double attentionF = 0, dispatchF = 0, mlpF = 0, combineF = 0;
        double combineB = 0, mlpB = 0, mlpW = 0, dispatchB = 0, attentionB = 0, attentionW = 0;
        bool operator==(const PairParts &) const = default;
    } pairParts;
    struct Quantity
    {
        std::string name;
        double value = 0;
        std::string unit;
        Provenance tag = Provenance::Measured;
        bool operator==(const Quantity &) const = default;
    };
    std::vector<Quantity> quantities; ///< what the profile states, each with its tag
    bool operator==(const TimingProfile &) const = default;
};

/// Durations typed by hand, seconds per chunk.
struct ManualTimes
{
    double f = 0, b = 0, w = 0;
    double pair = 0; ///< 0 = f + b
    double p2p = 0;
    bool operator==(const ManualTimes &) const = default;
};

} // namespace pipeloom
