// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariofile.h"

#include "core/base/text.h"
#include "core/scenario/embedded.h"
#include "core/scenario/partsjson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

template<class Part>
struct Named
{
    int order = 0;
    std::string name;
    Part part;
};

/// A bundled file that cannot be read is a fault of the build, found by the first test.
[[noreturn]] void broken(std::string_view file, const Errors &errors)
{
    std::cerr << "Bundled file " << file << " is broken:\n" << text(errors);
    std::abort();
}

/// All bundled files "<name>.<kind>.json" in the order lists show them.
template<class Part>
std::vector<Named<Part>> load(std::string_view kind,
                              const std::function<Part(JsonReport &, ObjectReader &, std::string_view text)> &read)
{
    const std::string suffix = fmt::format(".{}.json", kind);
    std::vector<Named<Part>> out;
    for (const presetfiles::File &file : presetfiles::files()) {
        if (!file.name.ends_with(suffix))
            continue;
        const auto document = parseJson(file.text, std::string(file.name));
        if (!document)
            broken(file.name, document.errors());
        JsonReport report(std::string(file.name), true);
        ObjectReader reader(report, *document, "");
        Named<Part> named;
        std::string format;
        int schema = 0;
        reader.text("format", format, ObjectReader::Required);
        reader.integer("schema", schema, 1, 1, ObjectReader::Required);
        reader.integer("order", named.order, 0, 1000, ObjectReader::Required);
        named.name = file.name.substr(0, file.name.size() - suffix.size());
        named.part = read(report, reader, file.text);
        if (format != fmt::format("pipeloom-{}", kind) || named.part.name != named.name)
            report.error(ErrorCode::Schema, "/name", "does not match the file");
        reader.finish();
        if (report.failed())
            broken(file.name, report.takeErrors());
        out.push_back(std::move(named));
    }
    std::ranges::stable_sort(out, {}, &Named<Part>::order);
    return out;
}

template<class Part>
std::vector<std::string> namesOf(const std::vector<Named<Part>> &presets)
{
    std::vector<std::string> names;
    names.reserve(presets.size());
    for (const Named<Part> &preset : presets)
        names.push_back(preset.name);
    return names;
}

template<class Part>
Expected<Part> find(const std::vector<Named<Part>> &presets, std::string_view name, const char *what)
{
    const auto found = std::ranges::find(presets, name, &Named<Part>::name);
    if (found != presets.end())
        return found->part;
    const std::vector<std::string> names = namesOf(presets);
    return Error{
        ErrorCode::UnknownName, fmt::format("no {} is called \"{}\"", what, printable(name)), {}, {}, knownNames(name, names)
    };
}

const std::vector<Named<ModelSpec>> &models()
{
    static const auto presets = load<ModelSpec>("model", [](JsonReport &, ObjectReader &reader, std::string_view) {
        ModelSpec model;
        readModelKeys(reader, model);
        return model;
    });
    return presets;
}

const std::vector<Named<Cluster>> &clusters()
{
    static const auto presets = load<Cluster>("cluster", [](JsonReport &, ObjectReader &reader, std::string_view) {
        Cluster cluster;
        readClusterKeys(reader, cluster);
        return cluster;
    });
    return presets;
}

const std::vector<Named<Precision>> &precisions()
{
    static const auto presets = load<Precision>("precision", [](JsonReport &, ObjectReader &reader, std::string_view) {
        Precision precision;
        readPrecisionKeys(reader, precision);
        return precision;
    });
    return presets;
}

const std::vector<Named<Recompute>> &recomputes()
{
    static const auto presets = load<Recompute>("recompute", [](JsonReport &report, ObjectReader &reader, std::string_view) {
        Recompute recompute;
        std::string name;
        reader.text("name", name, ObjectReader::Required);
        if (const Json *definition = reader.find("recompute", ObjectReader::Required))
            recompute = readRecomputeDefinition(report, *definition, reader.at("recompute")).value_or(Recompute{});
        recompute.name = name;
        return recompute;
    });
    return presets;
}

const std::vector<Named<TimingProfile>> &profiles()
{
    static const auto presets =
        load<TimingProfile>("profile", [](JsonReport &report, ObjectReader &reader, std::string_view text) {
            auto profile = parseProfile(text, report.file());
            if (!profile) {
                report.add(profile.errors(), "");
                return TimingProfile{};
            }
            for (const char *key : { "name", "gpu", "model", "source", "seq", "micro_batch", "layer", "pair", "quantities" })
                reader.ignore(key);
            return *profile;
        });
    return presets;
}

} // namespace

std::vector<std::string> modelPresetNames() { return namesOf(models()); }

std::vector<std::string> clusterPresetNames() { return namesOf(clusters()); }

std::vector<std::string> precisionPresetNames() { return namesOf(precisions()); }

std::vector<std::string> recomputePresetNames() { return namesOf(recomputes()); }

std::vector<std::string> profilePresetNames() { return namesOf(profiles()); }

Expected<ModelSpec> modelPreset(std::string_view name) { return find(models(), name, "model"); }

Expected<Cluster> clusterPreset(std::string_view name) { return find(clusters(), name, "cluster"); }

Expected<Precision> precisionPreset(std::string_view name) { return find(precisions(), name, "precision"); }

Expected<Recompute> recomputePreset(std::string_view name) { return find(recomputes(), name, "recompute preset"); }

Expected<TimingProfile> profilePreset(std::string_view name) { return find(profiles(), name, "profile"); }

} // namespace pipeloom
