// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// `pipeloom render INPUT --view explore -o OUT.png|svg|pdf [--size 1600x1000] [--theme light|dark] [--time SECONDS]`: draws the
/// whole window into a file, without a display. argv[0] is "render". Returns the exit code: 0 fine, 1 wrong input, 2 usage, 3 a
/// file cannot be read or written.
int runRender(int argc, char **argv);

} // namespace pipeloom
