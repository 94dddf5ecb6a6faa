// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commandline/console.h"

#include <optional>
#include <string>
#include <vector>

namespace pipeloom
{

/// Options as typed; each command checks its own and names the option it refuses.
struct ScenarioOptions
{
    std::optional<std::string> scenario; ///< path, "-" for stdin or "sample:NAME"; paper alone runs without
    std::vector<std::string> more; ///< compare alone: further scenarios
    std::vector<std::string> sets; ///< "plan.pp=8"
    std::optional<std::string> alternative;
    std::string format = "text";
    bool strict = false;
    bool quiet = false;
};

struct ScheduleOptions
{
    std::string schedule;
    std::optional<std::string> pp, microbatches; ///< of every schedule but custom
    std::optional<std::string> file; ///< of custom alone
    std::optional<std::string> chunks, group;
    std::string f = "1", b = "2", w = "1", p2p = "0";
    std::optional<std::string> pair;
    std::string format = "text";
};

struct ModelsOptions
{
    std::optional<std::string> model; ///< preset name or path of a config.json; without it the presets are listed
    std::string seq = "4096";
    std::string format = "text";
};

struct SelfCheckOptions
{
    std::string format = "text";
};

ExitCode runEvaluate(const ScenarioOptions &options);
ExitCode runCheck(const ScenarioOptions &options);
ExitCode runCompare(const ScenarioOptions &options);
ExitCode runScheduleCommand(const ScheduleOptions &options);
ExitCode runModels(const ModelsOptions &options);
/// Without a scenario: the paper's own.
ExitCode runPaper(const ScenarioOptions &options);
ExitCode runSelfCheck(const SelfCheckOptions &options);

} // namespace pipeloom
