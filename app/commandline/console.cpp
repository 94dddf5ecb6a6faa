// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace pipeloom
{

namespace
{

bool stdoutWasClosed = false;

void interrupted(int /*signal*/)
{
    // Only async-signal-safe calls. The newline keeps the shell's prompt off a progress line.
    static constexpr char newline = '\n';
    if (::isatty(STDERR_FILENO) == 1) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, &newline, 1);
    }
    ::_exit(toInt(ExitCode::Interrupted));
}

/// Returns 0 or errno.
int writeAll(int descriptor, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

bool isFileError(ErrorCode code)
{
    return code == ErrorCode::Unreadable || code == ErrorCode::Unwritable || code == ErrorCode::Syntax
        || code == ErrorCode::Schema;
}

} // namespace

void prepareConsole()
{
    // A file opened while descriptor 1 is closed would become stdout.
    for (const int descriptor : { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO }) {
        if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF)
            continue;
        if (descriptor == STDOUT_FILENO)
            stdoutWasClosed = true;
        [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
    }
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);
    // A process that was told to ignore Ctrl-C (nohup, background) keeps doing so.
    struct sigaction before = {};
    ::sigaction(SIGINT, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {
        struct sigaction stop = {};
        stop.sa_handler = interrupted;
        ::sigaction(SIGINT, &stop, nullptr);
    }
}

ExitCode printResult(std::string_view text)
{
    const int error = stdoutWasClosed ? EBADF : writeAll(STDOUT_FILENO, text);
    if (error == 0 || error == EPIPE)
        return ExitCode::Fine;
    printMessage(fmt::format("stdout: the result cannot be written: {}; redirect it to a place that can be written\n",
                             std::strerror(error)));
    return ExitCode::File;
}

void printMessage(std::string_view text) { [[maybe_unused]] const int ignored = writeAll(STDERR_FILENO, text); }

void showProgress(std::string_view text, bool quiet)
{
    if (!quiet && ::isatty(STDERR_FILENO) == 1)
        printMessage(fmt::format("\r\x1b[K{}", text));
}

ExitCode report(const Errors &errors)
{
    printMessage(text(errors));
    return std::ranges::any_of(errors, isFileError, &Error::code) ? ExitCode::File : ExitCode::Wrong;
}

ExitCode reportUsage(const Errors &errors)
{
    printMessage(text(errors));
    return ExitCode::Usage;
}

ExitCode reportOption(Errors errors, std::string_view option)
{
    const bool file =
        std::ranges::any_of(errors, [](const Error &error) { return !error.file.empty() && isFileError(error.code); });
    const bool notModelled = std::ranges::all_of(errors, [](const Error &e) { return e.code == ErrorCode::Unsupported; });
    // A JSON pointer alone would point into the scenario file.
    for (Error &error : errors)
        error.file = error.file.empty() ? std::string(option) : fmt::format("{}: {}", option, error.file);
    printMessage(text(errors));
    return file ? ExitCode::File : notModelled ? ExitCode::Wrong : ExitCode::Usage;
}

} // namespace pipeloom
