// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Opens the window on the files of the command line. Returns the process's exit code.
/// Options: --start (start page), --clean (no session), --theme light|dark|system. Needs a display; says so when there is none.
int runWindow(int argc, char **argv);

} // namespace pipeloom
