// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"
#include "core/scenario/scenariofile.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/scenario/partsjson.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr int newestSchema = 1;
constexpr std::size_t mostAlternatives = 100;

// The defaults of design/CLI.md, read through the same code as a file.
constexpr const char *defaultCluster = "h800";
constexpr const char *defaultPrecision = "deepseek-v3-fp8";
constexpr const char *defaultRecompute = "deepseek-v3";

/// False when the document is another kind of file: then nothing else in it is worth a message.
bool readHeader(ObjectReader &reader)
{
    if (!reader.has("format")) {
        const bool config = reader.has("model_type") || reader.has("architectures");
        reader.error(ErrorCode::Syntax, "format", "is missing: this is not a scenario",
                     config ? "to use a config.json write {\"model\": {\"config\": \"this file\"}} in a scenario"
                            : "add \"format\": \"pipeloom-scenario\"");
        return false;
    }
    const Json &format = *reader.find("format");
    if (format != "pipeloom-scenario") {
        reader.error(ErrorCode::Syntax, "format", fmt::format("{} is not a scenario", quoted(format)),
                     "expected \"pipeloom-scenario\"");
        return false;
    }
    return readSchema(reader, newestSchema);
}

void readMemory(JsonReport &report, const Json &value, const std::string &where, MemoryOptions &memory)
{
    ObjectReader reader(report, value, where);
    reader.number("reserve", memory.reserve, 1, 10);
    reader.number("bad_routing_sigma", memory.badRoutingSigma, 0, 10);
    reader.number("context_gib", memory.contextGib, 0, 1000);
    reader.finish();
}

void readMeasured(JsonReport &report, const Json &value, const std::string &where, std::optional<MeasuredStep> &target)
{
    if (value.is_null())
        return;
    constexpr double most = 1e6;
    MeasuredStep measured;
    ObjectReader reader(report, value, where);
    reader.number("step_s", measured.step, 1e-6, most, ObjectReader::Required);
    reader.number("f_s", measured.f, 0, most);
    reader.number("bi_s", measured.bi, 0, most);
    reader.number("w_s", measured.w, 0, most);
    reader.number("fb_s", measured.pair, 0, most);
    reader.number("bubble_s", measured.bubble, 0, most);
    reader.number("optimizer_s", measured.optimizer, 0, most);
    reader.text("source", measured.source);
    reader.finish();
    target = std::move(measured);
}

/// The price of the file, else the price a changed cluster states, else the documented default.
void readMoney(ObjectReader &reader, Scenario &scenario)
{
    const auto &overrides = scenario.clusterChoice.overrides;
    const bool stated = scenario.clusterChoice.preset.empty()
        || std::ranges::any_of(overrides, [](const Setting &set) { return set.path == "usd_per_gpu_hour"; });
    if (stated && reader.has("cluster"))
        scenario.usdPerGpuHour = scenario.cluster.usdPerGpuHour;
    const Json *money = reader.find("money");
    if (!money)
        return;
    ObjectReader part(reader.report(), *money, reader.at("money"));
    part.number("usd_per_gpu_hour", scenario.usdPerGpuHour, 0, 1e6);
    part.finish();
}

std::optional<Alternative> readAlternative(JsonReport &report, const Json &value, const std::string &where)
{
    ObjectReader reader(report, value, where);
    Alternative alternative;
    const bool named = reader.text("name", alternative.name, ObjectReader::Required);
    if (named && alternative.name.empty())
        reader.error(ErrorCode::OutOfRange, "name", "is empty");
    const Json *set = reader.find("set", ObjectReader::Required);
    reader.finish();
    if (!set || !named)
        return std::nullopt;
    if (!set->is_object()) {
        reader.error(ErrorCode::WrongType, "set", fmt::format("expects an object, found {}", quoted(*set)),
                     "write {\"plan.schedule\": \"1f1b\"}");
        return std::nullopt;
    }
    for (const auto &[path, json] : set->items())
        alternative.set.push_back({ path, json.dump() });
    return alternative;
}

/// Applies each alternative, so that a wrong one is reported when the file is read and not when it is first shown.
void checkAlternatives(JsonReport &report, const Scenario &scenario)
{
    for (std::size_t i = 0; i < scenario.alternatives.size(); ++i) {
        const auto applied = applySettings(scenario, scenario.alternatives[i].set);
        if (applied)
            continue;
        for (Error error : applied.errors()) {
            const std::string field = error.where;
            const std::string place = fmt::format("/alternatives/{}/set", i);
            error.where = pointer(place, field);
            error.file.clear();
            report.add({ error }, place);
        }
    }
}

void readAlternatives(JsonReport &report, const Json &list, Scenario &scenario)
{
    const std::string where = "/alternatives";
    if (!list.is_array() || list.size() > mostAlternatives) {
        report.error(ErrorCode::WrongType, where,
                     fmt::format("expects a list of at most {}, found {}", mostAlternatives, quoted(list)));
        return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string place = pointer(where, std::to_string(i));
        auto alternative = readAlternative(report, list[i], place);
        if (!alternative)
            continue;
        if (std::ranges::any_of(scenario.alternatives, [&](const Alternative &other) { return other.name == alternative->name; }))
            report.error(ErrorCode::OutOfRange, place + "/name", fmt::format("\"{}\" stands twice", printable(alternative->name)),
                         "give each its own name");
        scenario.alternatives.push_back(std::move(*alternative));
    }
}

void readParts(ObjectReader &reader, const ReadContext &context, Scenario &scenario)
{
    JsonReport &report = reader.report();
    if (const Json *model = reader.find("model", ObjectReader::Required))
        readModelPart(report, *model, context, scenario);
    const Json *cluster = reader.find("cluster");
    readClusterPart(report, cluster ? *cluster : Json(defaultCluster), context, scenario);
    if (const Json *plan = reader.find("plan", ObjectReader::Required))
        readPlan(report, *plan, reader.at("plan"), scenario.plan);
    const Json *precision = reader.find("precision");
    readPrecisionPart(report, precision ? *precision : Json(defaultPrecision), context, scenario);
    const Json *recompute = reader.find("recompute");
    if (auto found = readRecompute(report, recompute ? *recompute : Json(defaultRecompute), reader.at("recompute")))
        scenario.recompute = std::move(*found);
    if (const Json *runtime = reader.find("runtime"))
        readRuntime(report, *runtime, reader.at("runtime"), scenario.runtime);
    if (const Json *routing = reader.find("routing"))
        readRouting(report, *routing, reader.at("routing"), scenario.routing);
    if (const Json *timing = reader.find("timing"))
        readTiming(report, *timing, reader.at("timing"), context, scenario.timing);
    if (const Json *memory = reader.find("memory"))
        readMemory(report, *memory, reader.at("memory"), scenario.memory);
    readMoney(reader, scenario);
    if (const Json *measured = reader.find("measured"))
        readMeasured(report, *measured, reader.at("measured"), scenario.measured);
}

} // namespace

bool readSchema(ObjectReader &reader, int newest)
{
    const Json *schema = reader.find("schema");
    if (!schema || (schema->is_number() && *schema >= 1 && *schema <= newest))
        return true;
    const bool newer = schema->is_number() && *schema > newest;
    reader.error(ErrorCode::Schema, "schema",
                 newer ? fmt::format("the file has schema {} and this program reads up to {}", schema->dump(), newest)
                       : fmt::format("{} is no schema", quoted(*schema)),
                 newer ? "open it with a newer version of the program" : fmt::format("write {}", newest));
    return false;
}

Scenario readDocument(JsonReport &report, const Json &document, const ReadContext &context)
{
    Scenario scenario;
    scenario.plan.schedule = ScheduleKind::DualPipe;
    if (!document.is_object()) {
        report.error(ErrorCode::Syntax, "", fmt::format("is not a scenario: expects an object, found {}", quoted(document)));
        return scenario;
    }
    ObjectReader reader(report, document, "");
    if (!readHeader(reader))
        return scenario;
    reader.text("name", scenario.name);
    readParts(reader, context, scenario);
    if (const Json *alternatives = reader.find("alternatives"))
        readAlternatives(report, *alternatives, scenario);
    reader.finish();
    if (!report.failed())
        checkAlternatives(report, scenario);
    return scenario;
}

Expected<LoadedScenario> parseScenario(std::string_view text, const std::string &file, const std::string &folder,
                                       const ReadOptions &options)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.errors();
    JsonReport report(file, options.strict);
    LoadedScenario loaded;
    loaded.scenario = readDocument(report, *document, { folder, nullptr });
    if (report.failed())
        return report.takeErrors();
    loaded.warnings = report.takeWarnings();
    return loaded;
}

Expected<LoadedScenario> readScenario(const std::string &path, const ReadOptions &options)
{
    const auto text = readTextFile(path);
    if (!text)
        return text.errors();
    return parseScenario(*text, path, std::filesystem::path(path).parent_path().string(), options);
}

} // namespace pipeloom
