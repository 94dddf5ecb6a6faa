// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelspec.h"

#include <string>
#include <vector>

namespace pipeloom
{

/// A shape that no model can have.
struct ShapeFault
{
    std::string key; ///< key of the model part of a scenario: "moe.top_k"
    std::string message;
    std::string hint; ///< may be empty
    bool absent = false; ///< the number is 0, as one that was never given is
    bool operator==(const ShapeFault &) const = default;
};

/// The rules between the shapes (heads and key-value heads, layers and dense layers, experts and groups) and a limit of 10^15
/// parameters, below which no count overflows. Empty for a model that can be built.
[[nodiscard]] std::vector<ShapeFault> checkShapes(const ModelSpec &model);

} // namespace pipeloom
