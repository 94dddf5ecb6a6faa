// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/model/modelspec.h"

#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// A model read from a Hugging Face config.json, with an account of every key.
struct ImportedModel
{
    ModelSpec model;
    std::vector<std::string> understood; ///< "num_hidden_layers = 61: layers"
    std::vector<std::string> ignored; ///< keys that change no shape, each with its reason where it has one
    bool operator==(const ImportedModel &) const = default;
};

/// Imports DeepSeek-V2/V3/R1, Kimi-K2, Mixtral, Qwen3-MoE, Qwen3, Qwen2.5 and Llama. Every other model, and every key of these
/// that would change shapes in a way that is not modelled, is refused with the key that caused it: nothing is guessed. `file`
/// names it in errors.
[[nodiscard]] Expected<ImportedModel> importConfig(std::string_view jsonText, const std::string &file);

} // namespace pipeloom
