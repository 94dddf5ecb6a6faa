// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/memory/moepolicy.h"
#include "core/scenario/partsjson.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

/// Reads one of `known`; names behind the first `modelled` ones exist elsewhere but would change the numbers here unseen.
bool modelledChoice(ObjectReader &reader, const char *key, std::span<const std::string> known, std::size_t modelled,
                    std::size_t &index)
{
    std::string name;
    if (!reader.text(key, name))
        return false;
    index = static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
    if (index < modelled)
        return true;
    if (index < known.size())
        reader.error(ErrorCode::Unsupported, key, fmt::format("\"{}\" is not modelled yet", name),
                     "use " + joinOr(known.first(modelled)));
    else
        reader.error(ErrorCode::UnknownName, key, fmt::format("\"{}\" is not known", printable(name)),
                     knownNames(name, known.first(modelled)));
    return false;
}

void modelledText(ObjectReader &reader, const char *key, std::span<const std::string> known, std::size_t modelled,
                  std::string &target)
{
    std::size_t index = 0;
    if (modelledChoice(reader, key, known, modelled, index))
        target = known[index];
}

void readCapacity(ObjectReader &reader, Runtime &runtime)
{
    const Json *capacity = reader.find("capacity_factor");
    if (capacity && capacity->is_null()) {
        runtime.capacityFactor.reset();
    } else if (capacity) {
        double factor = 0;
        if (reader.number("capacity_factor", factor, 0.01, 1000))
            runtime.capacityFactor = factor;
    }
    reader.boolean("pad_to_capacity", runtime.padToCapacity);
    if (!runtime.capacityFactor && runtime.padToCapacity)
        reader.error(ErrorCode::OutOfRange, "pad_to_capacity", "needs a capacity_factor",
                     "set capacity_factor to 1 or pad_to_capacity to false");
}

/// What runtime.moe may be.
std::vector<std::string> moeNames()
{
    std::vector<std::string> names;
    for (const MoePolicy &policy : moePolicies())
        names.emplace_back(policy.name);
    return names;
}

} // namespace

void readRuntime(JsonReport &report, const Json &value, const std::string &where, Runtime &runtime)
{
    static const std::vector<std::string> moe = moeNames();
    static const std::array<std::string, 2> attention{ "flash", "materialised" };
    static const std::array<std::string, 3> loss{ "te", "native", "unfused" };
    static const std::array<std::string, 4> contextParallel{ "a2a", "p2p", "allgather", "a2a+p2p" };
    ObjectReader reader(report, value, where);
    modelledText(reader, "moe", moe, moe.size(), runtime.moe);
    readCapacity(reader, runtime);
    modelledText(reader, "attention", attention, 2, runtime.attention);
    modelledText(reader, "loss_fusion", loss, 3, runtime.lossFusion);
    reader.boolean("dummy_wgrad", runtime.dummyWeightGradients);
    modelledText(reader, "cp_comm", contextParallel, 1, runtime.contextParallelComm);
    reader.boolean("overlap", runtime.overlap);
    reader.integer("vocab_multiple", runtime.vocabMultiple, 1, 1'000'000);
    reader.finish();
}

void readRouting(JsonReport &report, const Json &value, const std::string &where, RoutingRequest &routing)
{
    static const std::array<std::string, 7> families{ "uniform",    "lognormal", "zipf",    "dirichlet",
                                                      "hot-expert", "hot-rank",  "recorded" };
    ObjectReader reader(report, value, where);
    std::size_t family = 0;
    if (modelledChoice(reader, "family", families, 2, family))
        routing.family = static_cast<RoutingFamily>(family);
    reader.number("sigma", routing.sigma, 0, 5);
    reader.seed("seed", routing.seed);
    reader.integer("node_limit", routing.nodeLimit, 0, 65'536);
    reader.boolean("exact", routing.exact);
    static const std::array<std::string, 2> layers{ "alike", "independent" };
    std::size_t layer = 0;
    if (reader.choice("layers", layer, layers))
        routing.layers = static_cast<LayerRouting>(layer);
    reader.finish();
}

namespace
{

/// A bundled name or the path of a profile file.
Expected<TimingProfile> resolvedProfile(const std::string &name)
{
    if (!name.ends_with(".json"))
        return profilePreset(name);
    const auto text = readTextFile(name);
    if (!text)
        return text.errors();
    return parseProfile(*text, name);
}

void readManual(ObjectReader &reader, ManualTimes &times, bool required)
{
    constexpr double least = 1e-9;
    constexpr double most = 100;
    const auto presence = required ? ObjectReader::Required : ObjectReader::Optional;
    const bool f = reader.number("f", times.f, least, most, presence);
    const bool b = reader.number("b", times.b, least, most, presence);
    const bool w = reader.number("w", times.w, 0, most, presence);
    reader.number("fb", times.pair, least, most);
    reader.number("p2p", times.p2p, 0, most);
    if (f && b && w && times.w > times.b)
        reader.error(ErrorCode::OutOfRange, "w", fmt::format("{:g} s exceeds b, {:g} s", times.w, times.b),
                     "b is the whole backward, w its weight part");
}

void readProfile(ObjectReader &reader, const ReadContext &context, Timing &timing)
{
    if (!reader.text("profile", timing.profileName))
        return;
    if (timing.profileName.ends_with(".json"))
        timing.profileName = resolvedPath(context.folder, timing.profileName);
    if (context.previous && context.previous->timing.profileName == timing.profileName) {
        timing.profile = context.previous->timing.profile;
        return;
    }
    auto profile = resolvedProfile(timing.profileName);
    if (profile)
        timing.profile = std::move(*profile);
    else
        reader.report().add(profile.errors(), reader.at("profile"));
}

} // namespace

void readTiming(JsonReport &report, const Json &value, const std::string &where, const ReadContext &context, Timing &timing)
{
    static const std::array<std::string, 3> sources{ "model", "calibrated", "manual" };
    ObjectReader reader(report, value, where);
    std::size_t source = 0;
    reader.choice("source", source, sources);
    timing.source = static_cast<TimingSource>(source);
    readProfile(reader, context, timing);
    readManual(reader, timing.manual, timing.source == TimingSource::Manual);
    if (timing.source == TimingSource::Calibrated && timing.profileName.empty())
        reader.error(ErrorCode::WrongType, "profile", "is missing",
                     "name a profile: " + joinOr(profilePresetNames()) + ", or a *.profile.json file");
    // Durations without a source would be read and never used.
    if (!reader.has("source") && (!timing.profileName.empty() || timing.manual != ManualTimes{}))
        reader.error(ErrorCode::WrongType, "source", "is missing beside durations", "set it to \"calibrated\" or \"manual\"");
    reader.finish();
}

} // namespace pipeloom
