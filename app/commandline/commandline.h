// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Runs one subcommand that needs no window, or --help or --version. Results go to stdout, all else to stderr. Exit codes: 0
/// fine, 1 understood but wrong, 2 usage, 3 a file cannot be read or written, 130 interrupted (the process ends there).
int runCommandLine(int argc, char **argv);

/// True when a first argument is for runCommandLine(): a subcommand, --help, --version, or a bare word that is neither a file nor
/// "render" (it gets a message with the nearest subcommand). False for files to open, for options of the window and for nullptr.
[[nodiscard]] bool isSubcommand(const char *argument);

} // namespace pipeloom
