// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"
#include "core/scenario/scenariofile.h"

#include "core/base/counted.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> out;
    for (std::size_t start = 0;;) {
        const std::size_t dot = path.find('.', start);
        out.emplace_back(path.substr(start, dot == std::string_view::npos ? dot : dot - start));
        if (dot == std::string_view::npos)
            return out;
        start = dot + 1;
    }
}

bool plainPath(const std::string &path)
{
    constexpr std::size_t deepest = 4;
    const std::vector<std::string> keys = split(path);
    return keys.size() <= deepest && std::ranges::none_of(keys, &std::string::empty);
}

/// The part of a path before or behind its last dot.
std::string_view sectionOf(std::string_view path) { return path.substr(0, std::min(path.rfind('.'), path.size())); }
std::string_view leafOf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// "did you mean runtime.overlap?", or what the nearest part that exists holds.
std::string fieldHint(const std::string &path, std::span<const std::string> known)
{
    // "overlap" and "plan.overlap" are nearer to "runtime.overlap" than any spelling.
    const auto sameLeaf = std::ranges::find(known, leafOf(path), leafOf);
    if (sameLeaf != known.end())
        return fmt::format("did you mean {}?", *sameLeaf);
    if (const std::string near = closestName(path, known); !near.empty())
        return fmt::format("did you mean {}?", near);
    const std::string section = path.find('.') == std::string::npos ? std::string() : std::string(sectionOf(path)) + '.';
    const auto fieldsOf = [&](const std::string &prefix) {
        std::vector<std::string> out;
        for (const std::string &name : known)
            if (name.size() > prefix.size() && name.starts_with(prefix) && name.find('.', prefix.size()) == std::string::npos)
                out.push_back(name);
        return out;
    };
    std::vector<std::string> fields = fieldsOf(section);
    if (fields.empty())
        fields = fieldsOf({});
    return "fields here: " + joinOr(nearestFirst(path, fields));
}

Error unknownField(const std::string &path, std::span<const std::string> known)
{
    Error error{
        .code = ErrorCode::UnknownName, .message = "no such field", .file = {}, .where = printable(path, 100), .hint = {}
    };
    const std::string first = split(path).front();
    if (first == "alternatives") {
        error.message = "alternatives are plans of their own, not a field of this one";
        error.hint = "choose one with --alternative, or write them into the scenario file";
    } else if (first == "format" || first == "schema") {
        error.message = "says what kind of file this is and cannot be set";
    } else {
        error.hint = fieldHint(path, known);
    }
    return error;
}

void collectPaths(const Json &value, const std::string &prefix, std::vector<std::string> &out)
{
    for (const auto &[key, child] : value.items()) {
        out.push_back(prefix + key);
        if (child.is_object())
            collectPaths(child, prefix + key + ".", out);
    }
}

/// Every path a setting may take: what the scenario shows, and the forms a field may take besides its present one.
std::vector<std::string> knownPaths(const Scenario &scenario)
{
    std::vector<std::string> out;
    Json document = expandedDocument(scenario);
    for (const char *fixed : { "format", "schema", "alternatives" })
        document.erase(fixed);
    collectPaths(document, {}, out);
    for (const char *form : { "model.preset",
                              "model.config",
                              "cluster.preset",
                              "precision.preset",
                              "plan.layout.first",
                              "plan.layout.last",
                              "recompute.full.method",
                              "recompute.full.layers",
                              "timing.profile",
                              "timing.f",
                              "timing.b",
                              "timing.w",
                              "timing.fb",
                              "timing.p2p",
                              "measured",
                              "measured.step_s",
                              "measured.f_s",
                              "measured.bi_s",
                              "measured.w_s",
                              "measured.fb_s",
                              "measured.bubble_s",
                              "measured.optimizer_s",
                              "measured.source" })
        if (std::ranges::find(out, form) == out.end())
            out.emplace_back(form);
    return out;
}

/// A new base for a part: a preset and a config.json exclude each other, and a part that was written out in full is replaced, not
/// overridden key by key.
void makeRoomForBase(Json &document, std::string_view path)
{
    const std::size_t dot = path.find('.');
    const std::string_view key = path.substr(std::min(dot, path.size() - 1) + 1);
    if (dot == std::string_view::npos || (key != "preset" && path != "model.config"))
        return;
    Json &part = document[std::string(path.substr(0, dot))];
    if (!part.is_object())
        part = Json::object();
    else if (!part.contains("preset") && !part.contains("config"))
        part.clear();
    part.erase("preset");
    part.erase("config");
}

/// Applies the settings to the document, or says which path does not exist.
Errors setAll(Json &document, const Scenario &scenario, std::span<const Setting> settings)
{
    Errors errors;
    std::vector<std::string> known;
    for (const Setting &setting : settings) {
        if (known.empty())
            known = knownPaths(scenario);
        if (!plainPath(setting.path) || std::ranges::find(known, setting.path) == known.end()) {
            errors.push_back(unknownField(setting.path, known));
            continue;
        }
        auto value = parseJson(setting.json, {});
        if (!value) {
            Error error = value.error();
            error.where = setting.path;
            errors.push_back(std::move(error));
            continue;
        }
        makeRoomForBase(document, setting.path);
        setAt(document, setting.path, std::move(*value));
    }
    return errors;
}

} // namespace

void setAt(Json &document, std::string_view path, Json value)
{
    static constexpr std::array<std::string_view, 3> presetParts{ "model", "cluster", "precision" };
    Json *at = &document;
    const std::vector<std::string> keys = split(path);
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
        Json &next = (*at)[keys[i]];
        if (next.is_string() && i == 0 && std::ranges::find(presetParts, keys[i]) != presetParts.end()) {
            Json preset = Json::object();
            preset["preset"] = std::move(next);
            next = std::move(preset);
        } else if (!next.is_object()) {
            next = Json::object();
        }
        at = &next;
    }
    (*at)[keys.back()] = std::move(value);
}

std::string dotted(std::string_view jsonPointer)
{
    std::string out(jsonPointer.substr(jsonPointer.starts_with('/') ? 1 : 0));
    std::ranges::replace(out, '/', '.');
    return out;
}

namespace
{

/// A measurement belongs to the run it was taken from: another model, cluster or plan is another run.
void dropForeignMeasurement(Scenario &changed, const Scenario &before)
{
    const bool sameRun = changed.model == before.model && changed.cluster == before.cluster && changed.plan == before.plan
        && changed.precision == before.precision && changed.recompute == before.recompute;
    if (!sameRun && changed.measured == before.measured)
        changed.measured.reset();
}

} // namespace

Expected<Scenario> applySettings(const Scenario &scenario, std::span<const Setting> settings)
{
    Json document = scenarioDocument(scenario);
    document.erase("alternatives");
    if (Errors errors = setAll(document, scenario, settings); !errors.empty())
        return errors;
    JsonReport report({}, true);
    Scenario changed = readDocument(report, document, { {}, &scenario });
    if (report.failed()) {
        Errors errors = report.takeErrors();
        for (Error &error : errors)
            error.where = dotted(error.where);
        return errors;
    }
    changed.alternatives = scenario.alternatives;
    dropForeignMeasurement(changed, scenario);
    return changed;
}

Expected<Setting> parseSetting(std::string_view text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return Error{ ErrorCode::Syntax,
                      fmt::format("\"{}\" is not a setting", printable(text)),
                      {},
                      {},
                      "write FIELD=VALUE, for example plan.pp=8" };
    Setting setting;
    setting.path = text.substr(0, equals);
    const std::string_view value = text.substr(equals + 1);
    const auto json = parseJson(value, {});
    setting.json = (json ? *json : Json(std::string(value))).dump(-1, ' ', false, Json::error_handler_t::replace);
    return setting;
}

std::string settingValue(const Scenario &scenario, const std::string &path)
{
    if (!plainPath(path))
        return {};
    const std::vector<std::string> keys = split(path);
    // A whole part is shown as it was written, a field in it as it is in force.
    const Json document = keys.size() == 1 ? scenarioDocument(scenario) : expandedDocument(scenario);
    const Json *at = &document;
    for (const std::string &key : keys) {
        const auto found = at->is_object() ? at->find(key) : at->end();
        if (!at->is_object() || found == at->end())
            return {};
        at = &*found;
    }
    return at->dump(-1, ' ', false, Json::error_handler_t::replace);
}

Expected<Scenario> planScenario(const Scenario &scenario, std::size_t index)
{
    if (index == 0)
        return scenario;
    if (index > scenario.alternatives.size())
        return Error{ ErrorCode::UnknownName,
                      fmt::format("there is no plan {}: the scenario has {}", index,
                                  formatCounted(static_cast<std::int64_t>(scenario.alternatives.size()), "alternative")),
                      {},
                      "alternatives",
                      {} };
    const Alternative &alternative = scenario.alternatives[index - 1];
    auto plan = applySettings(scenario, alternative.set);
    if (plan)
        return plan;
    Errors errors = plan.errors();
    for (Error &error : errors)
        error.message = fmt::format("alternative \"{}\": {}", printable(alternative.name), error.message);
    return errors;
}

} // namespace pipeloom
