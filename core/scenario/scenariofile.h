// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/scenario/scenario.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// A scenario that was read, with what the reader noticed.
struct LoadedScenario
{
    Scenario scenario;
    Errors warnings; ///< unknown keys with the nearest known one
};

struct ReadOptions
{
    bool strict = false; ///< unknown keys are errors
};

/// Reads `*.loom.json`. Refuses directories, files above 64 MiB, other formats and newer schemas; collects every error with its
/// JSON pointer. Relative config and profile paths are taken from the file's folder.
[[nodiscard]] Expected<LoadedScenario> readScenario(const std::string &path, const ReadOptions &options = {});

/// The same from text; `file` names it in errors, `folder` resolves relative paths.
[[nodiscard]] Expected<LoadedScenario> parseScenario(std::string_view text, const std::string &file = {}, const std::string &folder = {},
                                                     const ReadOptions &options = {});

/// The scenario as JSON text with all keys, indented, ending in a newline. parseScenario(toJson(s)) == s.
[[nodiscard]] std::string toJson(const Scenario &scenario);

/// Writes atomically: a temporary file beside the target, synced, then renamed. On any error the old file is untouched.
[[nodiscard]] Expected<bool> writeScenario(const Scenario &scenario, const std::string &path);

/// The scenario with fields set ("plan.pp" -> "8"); refuses unknown paths (with the nearest known one) and wrong values. Resolves presets
/// again when model, cluster, precision or profile change. Alternatives are kept; a measurement is kept only while the run is the one measured.
[[nodiscard]] Expected<Scenario> applySettings(const Scenario &scenario, std::span<const Setting> settings);

/// "plan.pp=8" -> {path, json}: the value as JSON when it parses, else as a string.
[[nodiscard]] Expected<Setting> parseSetting(std::string_view text);

/// The value at a path as JSON text; empty for an unknown path.
[[nodiscard]] std::string settingValue(const Scenario &scenario, const std::string &path);

/// Plan number `index`: 0 is the scenario itself, 1.. its alternatives applied.
[[nodiscard]] Expected<Scenario> planScenario(const Scenario &scenario, std::size_t index);

/// Bundled presets. Names in the order lists show them.
[[nodiscard]] std::vector<std::string> modelPresetNames();
[[nodiscard]] std::vector<std::string> clusterPresetNames();
[[nodiscard]] std::vector<std::string> precisionPresetNames();
[[nodiscard]] std::vector<std::string> recomputePresetNames();
[[nodiscard]] std::vector<std::string> profilePresetNames();
[[nodiscard]] Expected<ModelSpec> modelPreset(std::string_view name);
[[nodiscard]] Expected<Cluster> clusterPreset(std::string_view name);
[[nodiscard]] Expected<Precision> precisionPreset(std::string_view name);
[[nodiscard]] Expected<Recompute> recomputePreset(std::string_view name);
[[nodiscard]] Expected<TimingProfile> profilePreset(std::string_view name);

/// Bundled sample scenarios; the first opens by default.
struct Sample
{
    std::string name; ///< file stem
    std::string title;
    std::string text; ///< the file's content
};
[[nodiscard]] const std::vector<Sample> &samples();

} // namespace pipeloom
