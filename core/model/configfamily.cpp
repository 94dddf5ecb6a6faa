// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/configfamily.h"

#include "core/base/text.h"
#include "core/model/configkeys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace pipeloom
{

namespace
{

// Source: the classes that the published checkpoints name.
constexpr std::array<ConfigFamily, 8> knownTypes{ { { "deepseek_v2", ModelFamily::DeepSeek, false, false },
                                                    { "deepseek_v3", ModelFamily::DeepSeek, false, false },
                                                    { "kimi_k2", ModelFamily::DeepSeek, false, false },
                                                    { "mixtral", ModelFamily::Mixtral, false, false },
                                                    { "qwen3_moe", ModelFamily::Qwen3Moe, true, false },
                                                    { "qwen3", ModelFamily::Dense, true, false },
                                                    { "qwen2", ModelFamily::Dense, false, true },
                                                    { "llama", ModelFamily::Dense, false, false } } };

/// Pointers of the keys that make the model another kind than any modelled one, in the text part of a multimodal config too.
std::vector<std::string> unmodelledKeys(const Json &config)
{
    std::vector<std::string> out;
    const auto collect = [&out](const Json &object, const std::string &where) {
        for (const auto &[key, value] : object.items())
            if (isUnmodelledKey(key) && !value.is_null() && value != false)
                out.push_back(pointer(where, key));
    };
    collect(config, "");
    if (const auto text = config.find("text_config"); text != config.end() && text->is_object())
        collect(*text, "/text_config");
    return out;
}

} // namespace

std::optional<ConfigFamily> configFamily(JsonReport &report, const Json &config)
{
    const auto type = config.find("model_type");
    if (type == config.end() || !type->is_string()) {
        report.error(ErrorCode::Syntax, "/model_type", "is missing: this is not a config.json of a known model",
                     "name a config.json from Hugging Face");
        return std::nullopt;
    }
    const auto name = type->get<std::string>();
    const auto found = std::ranges::find_if(knownTypes, [&](const ConfigFamily &known) { return name == known.modelType; });
    if (found != knownTypes.end())
        return *found;
    const std::vector<std::string> causes = unmodelledKeys(config);
    std::string known;
    for (const ConfigFamily &entry : knownTypes)
        known += (known.empty() ? "" : ", ") + std::string(entry.modelType);
    if (causes.empty())
        report.error(ErrorCode::Unsupported, "/model_type", fmt::format("\"{}\" is not modelled", printable(name)),
                     "model types that are: " + known);
    else
        report.error(ErrorCode::Unsupported, causes.front(),
                     fmt::format("is not modelled ({} of the model type \"{}\")",
                                 causes.size() == 1 ? "a part" : fmt::format("one of {} such keys", causes.size()),
                                 printable(name)),
                     "model types that are: " + known);
    return std::nullopt;
}

} // namespace pipeloom
