// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenariofile.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace pipeloom
{

/// A small valid scenario as JSON; `changes` is merged into it (RFC 7396: null removes a key).
inline std::string scenarioText(std::string_view changes = "{}")
{
    auto document = nlohmann::json::parse(R"({
        "format": "pipeloom-scenario", "schema": 1, "name": "test", "model": "deepseek-v3", "cluster": "h800",
        "plan": {"gpus": 1024, "pp": 8, "ep": 64, "global_batch": 2560, "schedule": "1f1b"}})");
    document.merge_patch(nlohmann::json::parse(changes));
    return document.dump();
}

inline Expected<LoadedScenario> parsed(std::string_view changes, bool strict = false)
{
    return parseScenario(scenarioText(changes), "s.loom.json", {}, { .strict = strict });
}

} // namespace pipeloom
