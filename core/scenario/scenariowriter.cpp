// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"
#include "core/scenario/scenariofile.h"

#include "core/base/file.h"
#include "core/scenario/partsjson.h"

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace pipeloom
{

namespace
{

const std::array<const char *, 2> familyNames{ "uniform", "lognormal" };
const std::array<const char *, 3> sourceNames{ "model", "calibrated", "manual" };

Json runtimeJson(const Runtime &runtime)
{
    Json out = Json::object();
    out["moe"] = runtime.moe;
    out["capacity_factor"] = runtime.capacityFactor ? Json(*runtime.capacityFactor) : Json(nullptr);
    out["pad_to_capacity"] = runtime.padToCapacity;
    out["attention"] = runtime.attention;
    out["loss_fusion"] = runtime.lossFusion;
    out["dummy_wgrad"] = runtime.dummyWeightGradients;
    out["cp_comm"] = runtime.contextParallelComm;
    out["overlap"] = runtime.overlap;
    out["vocab_multiple"] = runtime.vocabMultiple;
    return out;
}

Json routingJson(const RoutingRequest &routing)
{
    Json out = Json::object();
    out["family"] = familyNames.at(static_cast<std::size_t>(routing.family));
    out["sigma"] = routing.sigma;
    out["seed"] = routing.seed;
    out["node_limit"] = routing.nodeLimit;
    out["exact"] = routing.exact;
    out["layers"] = routing.layers == LayerRouting::Alike ? "alike" : "independent";
    return out;
}

/// Durations that the source does not use are kept too: switching back finds them.
Json timingJson(const Timing &timing)
{
    Json out = Json::object();
    out["source"] = sourceNames.at(static_cast<std::size_t>(timing.source));
    if (!timing.profileName.empty())
        out["profile"] = timing.profileName;
    const auto put = [&](const char *key, double value) {
        if (value != 0 || (timing.source == TimingSource::Manual && std::string_view(key) != "fb"))
            out[key] = value;
    };
    put("f", timing.manual.f);
    put("b", timing.manual.b);
    put("w", timing.manual.w);
    put("fb", timing.manual.pair);
    put("p2p", timing.manual.p2p);
    return out;
}

/// Parts that the source does not print are left out.
Json measuredJson(const MeasuredStep &measured)
{
    Json out = Json::object();
    out["step_s"] = measured.step;
    const auto put = [&](const char *key, double value) {
        if (value != 0)
            out[key] = value;
    };
    put("f_s", measured.f);
    put("bi_s", measured.bi);
    put("w_s", measured.w);
    put("fb_s", measured.pair);
    put("bubble_s", measured.bubble);
    put("optimizer_s", measured.optimizer);
    out["source"] = measured.source;
    return out;
}

Json alternativesJson(const std::vector<Alternative> &alternatives)
{
    Json out = Json::array();
    for (const Alternative &alternative : alternatives) {
        Json set = Json::object();
        for (const Setting &setting : alternative.set) {
            auto value = parseJson(setting.json, {});
            set[setting.path] = value ? std::move(*value) : Json(setting.json);
        }
        Json entry = Json::object();
        entry["name"] = alternative.name;
        entry["set"] = std::move(set);
        out.push_back(std::move(entry));
    }
    return out;
}

Json document(const Scenario &scenario, Json model, Json cluster, Json precision, Json recompute)
{
    Json out = Json::object();
    out["format"] = "pipeloom-scenario";
    out["schema"] = 1;
    out["name"] = scenario.name;
    out["model"] = std::move(model);
    out["cluster"] = std::move(cluster);
    out["plan"] = planJson(scenario.plan);
    out["precision"] = std::move(precision);
    out["recompute"] = std::move(recompute);
    out["runtime"] = runtimeJson(scenario.runtime);
    out["routing"] = routingJson(scenario.routing);
    out["timing"] = timingJson(scenario.timing);
    out["memory"] = { { "reserve", scenario.memory.reserve },
                      { "context_gib", scenario.memory.contextGib },
                      { "bad_routing_sigma", scenario.memory.badRoutingSigma } };
    out["money"] = { { "usd_per_gpu_hour", scenario.usdPerGpuHour } };
    if (scenario.measured)
        out["measured"] = measuredJson(*scenario.measured);
    out["alternatives"] = alternativesJson(scenario.alternatives);
    return out;
}

/// The part in full behind its preset name.
Json expanded(const Choice &choice, const Json &full)
{
    Json out = Json::object();
    if (!choice.preset.empty())
        out["preset"] = choice.preset;
    if (!choice.configPath.empty())
        out["config"] = choice.configPath;
    for (const auto &[key, value] : full.items())
        out[key] = value;
    return out;
}

/// A path below `folder` relative to it, so that a folder of files can be moved; any other path absolute.
std::string storedPath(const std::string &path, const std::filesystem::path &folder)
{
    std::error_code error;
    const std::filesystem::path full = std::filesystem::absolute(path, error).lexically_normal();
    const std::filesystem::path base = std::filesystem::absolute(folder.empty() ? "." : folder, error).lexically_normal();
    if (error)
        return path;
    const std::filesystem::path relative = full.lexically_relative(base);
    const bool below = !relative.empty() && *relative.begin() != "..";
    return below ? relative.string() : full.string();
}

} // namespace

Json scenarioDocument(const Scenario &scenario)
{
    return document(scenario, choiceJson(scenario.modelChoice, modelJson(scenario.model)),
                    choiceJson(scenario.clusterChoice, clusterJson(scenario.cluster)),
                    choiceJson(scenario.precisionChoice, precisionJson(scenario.precision)), recomputeJson(scenario.recompute));
}

Json expandedDocument(const Scenario &scenario)
{
    return document(scenario, expanded(scenario.modelChoice, modelJson(scenario.model)),
                    expanded(scenario.clusterChoice, clusterJson(scenario.cluster)),
                    expanded(scenario.precisionChoice, precisionJson(scenario.precision)),
                    recomputeDefinition(scenario.recompute));
}

std::string toJson(const Scenario &scenario)
{
    constexpr int indent = 2;
    // Texts that came from elsewhere may hold bytes that are not UTF-8.
    return scenarioDocument(scenario).dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

Expected<bool> writeScenario(const Scenario &scenario, const std::string &path)
{
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    Scenario stored = scenario;
    if (!stored.modelChoice.configPath.empty())
        stored.modelChoice.configPath = storedPath(stored.modelChoice.configPath, folder);
    if (stored.timing.profileName.ends_with(".json"))
        stored.timing.profileName = storedPath(stored.timing.profileName, folder);
    return writeFileAtomically(path, toJson(stored));
}

} // namespace pipeloom
