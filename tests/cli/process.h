// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace pipeloom::test
{

/// What a finished process left behind.
struct ProcessResult
{
    int exitCode = -1; ///< -1 when it did not exit by itself
    int signal = 0; ///< the signal that ended it, else 0
    bool timedOut = false; ///< it was killed by the helper
    std::string out;
    std::string err;
};

struct ProcessOptions
{
    std::string input = {}; ///< what it reads from stdin; then stdin ends
    std::string outputTo = {}; ///< a path its stdout goes to instead of ProcessResult::out
    bool closeStdout = false; ///< starts without descriptor 1
    bool readerGone = false; ///< stdout is a pipe nobody reads from
    bool interruptWhileReading = false; ///< Ctrl-C once it has taken some of the input; stdin never ends
    std::vector<std::string> environment = {}; ///< "NAME=value"; empty: the environment of the test
    int timeoutMs = 100000;
};

/// Runs a program by its path. A test failure when it hangs or ends by a signal.
[[nodiscard]] ProcessResult runProgram(const std::string &program, const std::vector<std::string> &arguments,
                                       const ProcessOptions &options = {});

/// Runs pipeloom-cli with these arguments.
[[nodiscard]] ProcessResult runCli(const std::vector<std::string> &arguments, const ProcessOptions &options = {});

/// The JSON on stdout; a test failure and null when it is none.
[[nodiscard]] nlohmann::json parsed(const ProcessResult &result);

/// A folder of its own for one test, removed with everything in it.
class TemporaryFolder
{
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    [[nodiscard]] std::string path(const std::string &name) const { return m_path + '/' + name; }
    /// Writes a file and gives its path.
    std::string write(const std::string &name, const std::string &content) const;

private:
    std::string m_path;
};

/// A small valid scenario (Mixtral on 64 H100) as JSON, for tests to change.
[[nodiscard]] nlohmann::json smallScenario();

/// The path of a committed sample.
[[nodiscard]] std::string samplePath(const std::string &name);

} // namespace pipeloom::test
