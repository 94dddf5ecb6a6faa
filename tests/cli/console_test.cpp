// SPDX-License-Identifier: GPL-3.0-or-later
// What every command line program owes its caller: help, exit codes, pipes, signals.
#include "tests/cli/process.h"

#include <gtest/gtest.h>

namespace
{

using namespace pipeloom::test;

constexpr const char *commands[] = { "evaluate", "check", "compare", "schedule", "models", "paper", "selfcheck" };

TEST(CliConsole, helpNamesEverySubcommandAndExitCode)
{
    const ProcessResult result = runCli({ "--help" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(result.err, "");
    for (const char *command : commands)
        EXPECT_NE(result.out.find(command), std::string::npos) << command;
    EXPECT_NE(result.out.find("130 interrupted"), std::string::npos);
    EXPECT_EQ(runCli({ "help" }).out, result.out);
    EXPECT_EQ(runCli({ "-h" }).out, result.out);
}

TEST(CliConsole, everySubcommandHasHelpWithItsOptions)
{
    for (const char *command : commands) {
        const ProcessResult result = runCli({ command, "--help" });
        EXPECT_EQ(result.exitCode, 0) << command;
        EXPECT_NE(result.out.find("--format"), std::string::npos) << command;
        EXPECT_NE(result.out.find("Exit codes"), std::string::npos) << command;
        EXPECT_EQ(runCli({ "help", command }).out, result.out) << command;
    }
}

TEST(CliConsole, versionIsOneLine)
{
    const ProcessResult result = runCli({ "--version" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_TRUE(result.out.starts_with("PipeLoom ")) << result.out;
    EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
}

TEST(CliConsole, nothingToDoIsAUsageError)
{
    const ProcessResult result = runCli({});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("evaluate"), std::string::npos) << result.err;
}

TEST(CliConsole, anUnknownSubcommandGetsTheNearest)
{
    const ProcessResult close = runCli({ "evalute", "x.loom.json" });
    EXPECT_EQ(close.exitCode, 2);
    EXPECT_NE(close.err.find("there is no subcommand \"evalute\"; did you mean \"evaluate\"?"), std::string::npos) << close.err;
    const ProcessResult far = runCli({ "frobnicate" });
    EXPECT_EQ(far.exitCode, 2);
    for (const char *command : commands)
        EXPECT_NE(far.err.find(command), std::string::npos) << far.err;
    const ProcessResult picture = runCli({ "render" });
    EXPECT_EQ(picture.exitCode, 2);
    EXPECT_NE(picture.err.find("pipeloom render"), std::string::npos) << picture.err;
}

TEST(CliConsole, anUnknownOptionGetsTheNearest)
{
    const ProcessResult result = runCli({ "evaluate", samplePath("01-deepseek-v3-1024-h800"), "--fromat", "json" });
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.err.find("--fromat"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("--format"), std::string::npos) << result.err;
}

TEST(CliConsole, aReaderThatGoesAwayIsNoError)
{
    // The result is larger than a pipe holds.
    const ProcessResult result = runCli(
        { "schedule", "--schedule", "1f1b", "--pp", "16", "--microbatches", "500", "--format", "json" }, { .readerGone = true });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(result.err, "");
}

TEST(CliConsole, aClosedStdoutIsTold)
{
    const ProcessResult result = runCli({ "models" }, { .closeStdout = true });
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_NE(result.err.find("stdout"), std::string::npos) << result.err;
}

TEST(CliConsole, aFullDiskIsTold)
{
    const ProcessResult result = runCli({ "models" }, { .outputTo = "/dev/full" });
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
}

TEST(CliConsole, ctrlCEndsAReadWith130)
{
    ProcessOptions options;
    options.input = std::string(1U << 20U, ' ');
    options.interruptWhileReading = true;
    const ProcessResult result = runCli({ "evaluate", "-" }, options);
    EXPECT_EQ(result.exitCode, 130);
    EXPECT_EQ(result.out, "");
}

TEST(CliConsole, stdinWithoutEndIsRefusedAtTheLimit)
{
    ProcessOptions options;
    options.input = std::string((64U << 20U) + (1U << 20U), ' ');
    const ProcessResult result = runCli({ "evaluate", "-" }, options);
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_NE(result.err.find("stdin: more than 64 MiB"), std::string::npos) << result.err;
}

} // namespace
