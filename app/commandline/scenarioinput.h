// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commandline/commands.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string>

namespace pipeloom
{

/// Reads one scenario from a path, from stdin ("-") or from the samples ("sample:NAME"), without touching its alternatives.
/// Prints warnings (unless quiet) and errors; on failure the exit code stands in `code`.
[[nodiscard]] std::optional<Scenario> loadScenario(const std::string &source, const ScenarioOptions &options, ExitCode &code);

/// The plan that the options mean: the scenario or its --alternative, then every --set in order. Prints what it refuses.
[[nodiscard]] std::optional<Scenario> choosePlan(const Scenario &scenario, const ScenarioOptions &options, ExitCode &code);

} // namespace pipeloom
