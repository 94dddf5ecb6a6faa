// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/configimport.h"
#include "core/scenario/partsjson.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace pipeloom
{

namespace
{

/// The leaves of an object as settings relative to it, lists counted as leaves; keys that `known` does not have are left out.
void collectLeaves(const Json &object, const Json &known, const std::string &prefix, std::vector<Setting> &out)
{
    for (const auto &[key, value] : object.items()) {
        const auto found = known.find(key);
        if (found == known.end())
            continue;
        if (value.is_object() && found->is_object())
            collectLeaves(value, *found, prefix + key + ".", out);
        else
            out.push_back({ prefix + key, value.dump() });
    }
}

/// The choice that an object or a name stands for, its overrides included.
Choice readChoice(const Json &value, const Json &known, bool withConfig)
{
    Choice choice;
    if (value.is_string()) {
        choice.preset = value.get<std::string>();
        return choice;
    }
    if (!value.is_object())
        return choice;
    const auto textOf = [&](const char *key) {
        const auto found = value.find(key);
        return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    choice.preset = textOf("preset");
    if (withConfig)
        choice.configPath = textOf("config");
    if (!choice.preset.empty() || !choice.configPath.empty())
        collectLeaves(value, known, {}, choice.overrides);
    return choice;
}

/// One preset part: a name, an object over a preset, or an object in full.
template<class Part>
void readPart(JsonReport &report, const Json &value, const std::string &where, const Choice &choice, Part &part,
              Expected<Part> (*preset)(std::string_view), void (*readKeys)(ObjectReader &, Part &))
{
    if (!value.is_string() && !value.is_object()) {
        report.error(ErrorCode::WrongType, where, fmt::format("expects a preset name or an object, found {}", quoted(value)));
        return;
    }
    if (value.is_object() && value.contains("preset") && !value["preset"].is_string()) {
        report.error(ErrorCode::WrongType, where + "/preset", fmt::format("expects a name, found {}", quoted(value["preset"])));
        return;
    }
    if (value.is_string() || value.contains("preset")) {
        auto base = preset(choice.preset);
        if (!base) {
            report.add(base.errors(), value.is_string() ? where : where + "/preset");
            return;
        }
        part = std::move(*base);
    }
    if (value.is_string())
        return;
    ObjectReader reader(report, value, where);
    std::string name;
    reader.text("preset", name);
    readKeys(reader, part);
    reader.finish();
}

Expected<ModelSpec> importedModel(const std::string &path)
{
    const auto text = readTextFile(path);
    if (!text)
        return text.errors();
    auto imported = importConfig(*text, path);
    if (!imported)
        return imported.errors();
    // "config.json" says nothing: its folder carries the model's name.
    const std::filesystem::path file(path);
    const std::string stem = file.stem().string();
    imported->model.name = stem == "config" && file.has_parent_path() ? file.parent_path().filename().string() : stem;
    imported->model.title = imported->model.name;
    return imported->model;
}

/// The keys over a config.json; a report of its own keeps "config" known.
void readConfigModel(JsonReport &report, const Json &value, const Choice &choice, ModelSpec &model)
{
    if (!choice.preset.empty()) {
        report.error(ErrorCode::WrongType, "/model/config", "stands beside a preset", "keep one of preset and config");
        return;
    }
    if (choice.configPath.empty()) {
        report.error(ErrorCode::WrongType, "/model/config", "expects the path of a config.json");
        return;
    }
    auto base = importedModel(choice.configPath);
    if (!base) {
        report.add(base.errors(), "/model/config");
        return;
    }
    model = std::move(*base);
    ObjectReader reader(report, value, "/model");
    std::string path;
    reader.text("config", path);
    readModelKeys(reader, model);
    reader.finish();
}

/// True when the part is written exactly as the choice of an earlier reading.
bool asBefore(const Json &value, const Choice &before)
{
    return (!before.preset.empty() || !before.configPath.empty()) && value == choiceJson(before, {});
}

/// A changed preset must not pass for the original.
void markChanged(const Choice &choice, std::string &title)
{
    const bool renamed = std::ranges::any_of(choice.overrides, [](const Setting &set) { return set.path == "title"; });
    if (!choice.overrides.empty() && !renamed)
        title += ", changed";
}

} // namespace

void readModelPart(JsonReport &report, const Json &value, const ReadContext &context, Scenario &scenario)
{
    scenario.modelChoice = readChoice(value, modelJson(ModelSpec{}), true);
    Choice &choice = scenario.modelChoice;
    if (!choice.configPath.empty())
        choice.configPath = resolvedPath(context.folder, choice.configPath);
    if (context.previous && asBefore(value, context.previous->modelChoice)) {
        scenario.model = context.previous->model;
        return;
    }
    if (value.is_object() && value.contains("config"))
        readConfigModel(report, value, choice, scenario.model);
    else
        readPart<ModelSpec>(report, value, "/model", choice, scenario.model, modelPreset, readModelKeys);
    markChanged(choice, scenario.model.title);
}

void readClusterPart(JsonReport &report, const Json &value, const ReadContext &context, Scenario &scenario)
{
    scenario.clusterChoice = readChoice(value, clusterJson(Cluster{}), false);
    if (context.previous && asBefore(value, context.previous->clusterChoice)) {
        scenario.cluster = context.previous->cluster;
        return;
    }
    readPart<Cluster>(report, value, "/cluster", scenario.clusterChoice, scenario.cluster, clusterPreset, readClusterKeys);
    markChanged(scenario.clusterChoice, scenario.cluster.title);
}

void readPrecisionPart(JsonReport &report, const Json &value, const ReadContext &context, Scenario &scenario)
{
    scenario.precisionChoice = readChoice(value, precisionJson(Precision{}), false);
    if (context.previous && asBefore(value, context.previous->precisionChoice)) {
        scenario.precision = context.previous->precision;
        return;
    }
    readPart<Precision>(report, value, "/precision", scenario.precisionChoice, scenario.precision, precisionPreset,
                        readPrecisionKeys);
    if (!scenario.precisionChoice.overrides.empty())
        scenario.precision.name = "custom";
    markChanged(scenario.precisionChoice, scenario.precision.title);
}

Json choiceJson(const Choice &choice, const Json &full)
{
    if (choice.preset.empty() && choice.configPath.empty())
        return full;
    if (choice.configPath.empty() && choice.overrides.empty())
        return choice.preset;
    Json out = Json::object();
    if (!choice.preset.empty())
        out["preset"] = choice.preset;
    if (!choice.configPath.empty())
        out["config"] = choice.configPath;
    for (const Setting &set : choice.overrides) {
        auto value = parseJson(set.json, {});
        setAt(out, set.path, value ? std::move(*value) : Json(set.json));
    }
    return out;
}

std::string resolvedPath(const std::string &folder, const std::string &path)
{
    const std::filesystem::path given(path);
    if (given.is_absolute() || folder.empty())
        return path;
    return (std::filesystem::path(folder) / given).lexically_normal().string();
}

} // namespace pipeloom
