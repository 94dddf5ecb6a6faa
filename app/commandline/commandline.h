// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Runs one subcommand that needs no window. Results go to stdout, all else to stderr. Exit codes: 0 fine, 1 understood but wrong, 2 usage,
/// 3 a file cannot be read or written, 130 interrupted.
int runCommandLine(int argc, char **argv);

} // namespace pipeloom
