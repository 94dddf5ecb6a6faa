// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/partsjson.h"

#include "core/base/text.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace pipeloom
{

namespace
{

struct ModuleName
{
    const char *name;
    Recompute::Module module;
};
constexpr std::array<ModuleName, 7> moduleNames{ { { "core_attn", Recompute::CoreAttention },
                                                   { "moe_act", Recompute::MoeActivation },
                                                   { "layernorm", Recompute::LayerNorm },
                                                   { "mla_up_proj", Recompute::MlaUpProjection },
                                                   { "mlp", Recompute::Mlp },
                                                   { "moe", Recompute::Moe },
                                                   { "shared_experts", Recompute::SharedExperts } } };

std::optional<Recompute> readModules(JsonReport &report, const Json &list, const std::string &where)
{
    std::vector<std::string> names;
    for (const ModuleName &known : moduleNames)
        names.emplace_back(known.name);
    Recompute recompute;
    const std::size_t before = report.errorCount();
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Json &item = list[i];
        const std::string place = pointer(where, std::to_string(i));
        if (!item.is_string()) {
            report.error(ErrorCode::WrongType, place, fmt::format("expects a module name, found {}", quoted(item)),
                         "use " + joinOr(names));
            continue;
        }
        const auto name = item.get<std::string>();
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
            report.error(ErrorCode::UnknownName, place, fmt::format("\"{}\" is not a module", printable(name)),
                         knownNames(name, names));
        else
            recompute.modules |= moduleNames[static_cast<std::size_t>(found - names.begin())].module;
    }
    if (report.errorCount() != before)
        return std::nullopt;
    recompute.name = recompute.modules == 0 ? "none" : "custom";
    return recompute;
}

std::optional<Recompute> readFull(JsonReport &report, const Json &value, const std::string &where)
{
    static const std::array<std::string, 2> methods{ "uniform", "block" };
    const std::size_t before = report.errorCount();
    Recompute recompute;
    recompute.full = true;
    recompute.name = "custom";
    ObjectReader outer(report, value, where);
    if (const Json *full = outer.find("full", ObjectReader::Required)) {
        ObjectReader reader(report, *full, outer.at("full"));
        std::size_t method = 0;
        reader.choice("method", method, methods);
        recompute.fullBlock = method == 1;
        reader.integer("layers", recompute.fullLayers, 1, 10'000);
        reader.finish();
    }
    outer.finish();
    if (report.errorCount() != before)
        return std::nullopt;
    // The plain form is the preset of that name.
    if (recompute.fullLayers == 1 && !recompute.fullBlock)
        recompute.name = "full";
    return recompute;
}

} // namespace

std::optional<Recompute> readRecomputeDefinition(JsonReport &report, const Json &value, const std::string &where)
{
    return value.is_array() ? readModules(report, value, where) : readFull(report, value, where);
}

std::optional<Recompute> readRecompute(JsonReport &report, const Json &value, const std::string &where)
{
    if (!value.is_string()) {
        if (value.is_array() || value.is_object())
            return readRecomputeDefinition(report, value, where);
        report.error(ErrorCode::WrongType, where,
                     fmt::format("expects a preset name, {{\"full\": ..}} or a list of modules, found {}", quoted(value)));
        return std::nullopt;
    }
    auto preset = recomputePreset(value.get<std::string>());
    if (!preset) {
        report.add(preset.errors(), where);
        return std::nullopt;
    }
    return *preset;
}

Json recomputeDefinition(const Recompute &recompute)
{
    if (recompute.full) {
        Json full = Json::object();
        full["method"] = recompute.fullBlock ? "block" : "uniform";
        full["layers"] = recompute.fullLayers;
        Json out = Json::object();
        out["full"] = std::move(full);
        return out;
    }
    Json modules = Json::array();
    for (const ModuleName &known : moduleNames)
        if (recompute.drops(known.module))
            modules.push_back(known.name);
    return modules;
}

Json recomputeJson(const Recompute &recompute)
{
    const auto preset = recomputePreset(recompute.name);
    if (preset && *preset == recompute)
        return recompute.name;
    return recomputeDefinition(recompute);
}

} // namespace pipeloom
