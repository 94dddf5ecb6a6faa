// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jsonreader.h"

#include <optional>

namespace pipeloom
{

/// Which keys describe a model.
enum class ModelFamily
{
    DeepSeek, ///< MLA, leading dense layers, shared experts: V2, V3, R1, Kimi-K2
    Mixtral,
    Qwen3Moe,
    Dense, ///< Llama, Qwen2, Qwen3
};

/// What the model_type of a config.json stands for.
struct ConfigFamily
{
    const char *modelType;
    ModelFamily family;
    bool qkNorm; ///< an RMSNorm per head on queries and keys
    bool qkvBias; ///< bias vectors in the model's code, not in its config
};

/// The family by model_type; else nothing, with the reason in the report: the key that makes the model another kind than any
/// modelled one, where there is one.
[[nodiscard]] std::optional<ConfigFamily> configFamily(JsonReport &report, const Json &config);

} // namespace pipeloom
