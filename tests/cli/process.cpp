// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace pipeloom::test
{

namespace
{

using Clock = std::chrono::steady_clock;

/// Both ends close on exec, so that a child holds no end but the ones it is given.
struct Pipe
{
    int readEnd = -1, writeEnd = -1;

    Pipe()
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw std::runtime_error("pipe2 failed");
        readEnd = ends[0];
        writeEnd = ends[1];
    }
    ~Pipe()
    {
        closeRead();
        closeWrite();
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    void closeRead() { close(readEnd); }
    void closeWrite() { close(writeEnd); }

private:
    static void close(int &end)
    {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
};

pid_t spawn(const std::string &program, const std::vector<std::string> &arguments, const ProcessOptions &options, Pipe &in,
            Pipe &out, Pipe &err)
{
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), program);
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> settings = options.environment;
    std::vector<char *> environment;
    for (std::string &setting : settings)
        environment.push_back(setting.data());
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.readEnd, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.writeEnd, STDERR_FILENO);
    if (options.closeStdout)
        posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO);
    else if (!options.outputTo.empty())
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, options.outputTo.c_str(), O_WRONLY | O_CREAT, 0600);
    else
        posix_spawn_file_actions_adddup2(&actions, out.writeEnd, STDOUT_FILENO);
    // The test runner ignores SIGPIPE below; the program must not inherit that.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), settings.empty() ? environ : environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
        throw std::runtime_error("cannot start " + program);
    return pid;
}

/// Appends what is there; false at the end of the stream.
bool take(int descriptor, std::string &text)
{
    std::array<char, 1U << 16U> block{};
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count > 0)
        text.append(block.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
}

/// Feeds stdin and drains stdout and stderr until both end or the time is over.
void converse(pid_t pid, const ProcessOptions &options, Pipe &in, Pipe &out, Pipe &err, ProcessResult &result)
{
    const auto deadline = Clock::now() + std::chrono::milliseconds(options.timeoutMs);
    ::fcntl(in.writeEnd, F_SETFL, O_NONBLOCK);
    std::size_t sent = 0;
    bool interrupted = false;
    while (out.readEnd >= 0 || err.readEnd >= 0) {
        if (sent == options.input.size() && !options.interruptWhileReading)
            in.closeWrite();
        std::array<pollfd, 3> waits{ pollfd{ out.readEnd, POLLIN, 0 }, pollfd{ err.readEnd, POLLIN, 0 },
                                     pollfd{ sent < options.input.size() ? in.writeEnd : -1, POLLOUT, 0 } };
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0 || ::poll(waits.data(), waits.size(), static_cast<int>(left)) == 0) {
            result.timedOut = true;
            ::kill(pid, SIGKILL);
            return;
        }
        if (waits[0].revents != 0 && !take(out.readEnd, result.out))
            out.closeRead();
        if (waits[1].revents != 0 && !take(err.readEnd, result.err))
            err.closeRead();
        if (waits[2].revents != 0) {
            const ssize_t count = ::write(in.writeEnd, options.input.data() + sent, options.input.size() - sent);
            if (count > 0)
                sent += static_cast<std::size_t>(count);
            else if (errno != EAGAIN)
                sent = options.input.size();
        }
        // More has gone than the pipe holds: the program is reading, its handlers are in place.
        if (options.interruptWhileReading && !interrupted && sent > (1U << 17U)) {
            ::kill(pid, SIGINT);
            interrupted = true;
        }
    }
}

} // namespace

ProcessResult runCli(const std::vector<std::string> &arguments, const ProcessOptions &options)
{
    return runProgram(PIPELOOM_CLI, arguments, options);
}

ProcessResult runProgram(const std::string &program, const std::vector<std::string> &arguments, const ProcessOptions &options)
{
    ::signal(SIGPIPE, SIG_IGN);
    Pipe in;
    Pipe out;
    Pipe err;
    const pid_t pid = spawn(program, arguments, options, in, out, err);
    in.closeRead();
    out.closeWrite();
    err.closeWrite();
    if (options.readerGone)
        out.closeRead();
    ProcessResult result;
    converse(pid, options, in, out, err, result);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) { }
    if (WIFEXITED(status))
        result.exitCode = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    EXPECT_FALSE(result.timedOut) << "the program hangs";
    EXPECT_TRUE(result.timedOut || result.signal == 0) << "the program was ended by signal " << result.signal << "\n"
                                                       << result.err;
    return result;
}

nlohmann::json parsed(const ProcessResult &result)
{
    nlohmann::json json = nlohmann::json::parse(result.out, nullptr, false);
    if (json.is_discarded()) {
        ADD_FAILURE() << "stdout is not JSON: " << result.out.substr(0, 200) << "\nstderr: " << result.err;
        return nullptr;
    }
    return json;
}

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "pipeloom-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("mkdtemp failed");
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::string TemporaryFolder::write(const std::string &name, const std::string &content) const
{
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
}

nlohmann::json smallScenario()
{
    return nlohmann::json::parse(R"({
        "format": "pipeloom-scenario", "schema": 1, "name": "Mixtral on 64 H100", "model": "mixtral-8x22b", "cluster": "h100",
        "plan": {"gpus": 64, "tp": 2, "pp": 4, "vpp": 1, "ep": 8, "etp": 1, "cp": 1, "micro_batch": 1, "global_batch": 128, "seq": 4096,
                 "schedule": "1f1b", "zero": 1},
        "precision": "megatron-bf16", "recompute": "selective",
        "alternatives": [{"name": "deeper", "set": {"plan.pp": 8}}]})");
}

std::string samplePath(const std::string &name) { return std::string(PIPELOOM_SOURCE_DIR) + "/samples/" + name + ".loom.json"; }

} // namespace pipeloom::test
