// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"

#include <string_view>

namespace pipeloom
{

/// What the process tells its caller.
enum class ExitCode : int
{
    Fine = 0,
    Wrong = 1, ///< the input is understood but wrong
    Usage = 2,
    File = 3, ///< a file cannot be read or written
    Interrupted = 130,
};

[[nodiscard]] constexpr int toInt(ExitCode code) { return static_cast<int>(code); }

/// Call once before anything is opened: Ctrl-C ends the process with 130 at once (nothing is half written: results leave in one
/// piece, files are replaced atomically), a closed pipe becomes an error of write(), closed standard streams cannot be taken by
/// files.
void prepareConsole();

/// Writes the whole result to stdout. A reader that went away (`| head`) is fine; a full disk or a closed stdout is told and
/// gives File.
[[nodiscard]] ExitCode printResult(std::string_view text);

/// Writes to stderr; failures are ignored.
void printMessage(std::string_view text);

/// One line on a terminal while something takes long; nothing when stderr is not a terminal or `quiet`. Cleared by an empty text.
void showProgress(std::string_view text, bool quiet);

/// Prints every error on stderr. File when one of them says that a file could not be read or written as what it claims to be,
/// else Wrong.
[[nodiscard]] ExitCode report(const Errors &errors);

/// Prints every error on stderr and gives Usage.
[[nodiscard]] ExitCode reportUsage(const Errors &errors);

/// Prints the errors of an option's value, each beginning with the option's name. File when the value names a file that cannot be
/// read, Wrong when all of them are understood and not modelled, else Usage.
[[nodiscard]] ExitCode reportOption(Errors errors, std::string_view option);

} // namespace pipeloom
