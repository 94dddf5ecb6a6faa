// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace pipeloom
{

inline constexpr const char *scenarioHelp = "A *.loom.json file, - for stdin, or sample:NAME for a bundled one";

/// One line on a subcommand, or on the program ("pipeloom").
[[nodiscard]] std::string summary(std::string_view command);

/// What --help prints below the options: what the command gives, exit codes, examples.
[[nodiscard]] std::string details(std::string_view command);

} // namespace pipeloom
