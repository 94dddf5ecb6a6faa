// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/modelspec.h"

#include <span>
#include <string>
#include <vector>

namespace pipeloom
{

/// A model with what an import said about its file; both lists are empty for a preset.
struct DescribedModel
{
    ModelSpec model;
    std::vector<std::string> understood;
    std::vector<std::string> ignored;
};

/// The `model` object of the contract with "understood" and "ignored". seq: tokens of a sequence, for the FLOPs.
[[nodiscard]] std::string modelJson(const DescribedModel &model, int seq);
[[nodiscard]] std::string modelText(const DescribedModel &model, int seq);

/// [{"name","params_total","params_active",...}]
[[nodiscard]] std::string modelListJson(std::span<const ModelSpec> models, int seq);
[[nodiscard]] std::string modelListText(std::span<const ModelSpec> models, int seq);

} // namespace pipeloom
