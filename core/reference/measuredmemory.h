// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/memory/memory.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace pipeloom
{

/// What a recorded figure is. Never compared with another kind: an allocator's reserve is 3 to 9 % above what is allocated.
enum class MeasuredQuantity
{
    Allocated, ///< peak of the allocator's allocated bytes (Megatron)
    Reserved, ///< peak of the allocator's reserved bytes (torchtitan)
    States, ///< allocated after a step: weights, main gradients, optimizer states
};
[[nodiscard]] const char *name(MeasuredQuantity quantity); ///< "allocated peak"

/// One record of memory on real GPUs, with the scenario that predicts it.
struct MeasuredMemory
{
    std::string id; ///< "b200.v3-ep8"
    std::string title;
    std::optional<Scenario> scenario; ///< nullopt: the memory model cannot express the run
    std::string notModelled; ///< then: why
    bool lastRank = false; ///< the last pipeline rank, else the first
    MeasuredQuantity quantity = MeasuredQuantity::Allocated;
    double gib = 0;
    std::optional<double>
        tolerance; ///< claimed bound of the relative error; nullopt: the prediction is shown, nothing is claimed
    std::optional<double> toleranceAbove; ///< a tighter one where ours is high
    bool inMean = false; ///< one of the B200 peaks over which a mean error is claimed
    std::string note; ///< what is assumed about the run
    std::string source;
};

/// The bundled records (resources/references/memory-measured.json), in the order of the file.
[[nodiscard]] const std::vector<MeasuredMemory> &measuredMemory();

/// Records from JSON text; `file` names it in errors.
[[nodiscard]] Expected<std::vector<MeasuredMemory>> parseMeasuredMemory(std::string_view text, const std::string &file);

/// The quantity of a rank, in GiB.
[[nodiscard]] double quantityGib(const RankMemory &rank, MeasuredQuantity quantity);

/// The prediction in GiB; nullopt when the run is not modelled or its plan does not evaluate.
[[nodiscard]] std::optional<double> predictedGib(const MeasuredMemory &record);

} // namespace pipeloom
