// SPDX-License-Identifier: GPL-3.0-or-later
// Every command that --help and the README name does what they say: it runs. render needs the window and has tests of its own.
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

std::string contentOf(const std::string &path)
{
    const std::ifstream file(path);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
}

std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// The lines that begin with `start`, without it.
std::vector<std::string> linesAfter(const std::string &text, const std::string &start)
{
    std::vector<std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(start))
            out.push_back(line.substr(start.size()));
    }
    return out;
}

/// Runs a command line as a shell would, for the two redirections that examples use: "> file" is dropped, "< file" read.
ProcessResult runLine(const std::string &line)
{
    std::istringstream words(line);
    std::vector<std::string> arguments;
    ProcessOptions options;
    for (std::string word; words >> word;) {
        if (word == ">")
            words >> word;
        else if (word == "<" && words >> word)
            options.input = contentOf(word);
        else
            arguments.push_back(word);
    }
    return runCli(arguments, options);
}

TEST(CliExamples, ofEveryHelpTextRun)
{
    const TemporaryFolder folder;
    json plan = json::parse(contentOf(samplePath("01-deepseek-v3-1024-h800")));
    folder.write("plan.loom.json", plan.dump());
    folder.write("a.loom.json", smallScenario().dump());
    folder.write("b.loom.json", plan.dump());
    folder.write("config.json", R"({"model_type": "mixtral", "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 8,
        "num_experts_per_tok": 2, "tie_word_embeddings": false})");
    folder.write("order.csv", runLine("schedule --schedule dualpipe --pp 4 --microbatches 8 --format torch-csv").out);
    std::set<std::string> ran;
    for (const char *command : { "evaluate", "check", "compare", "schedule", "models", "paper", "selfcheck" }) {
        for (std::string line : linesAfter(runCli({ command, "--help" }).out, "  pipeloom ")) {
            line = replaced(line, "path/to/", "");
            for (const char *file : { "plan.loom.json", "a.loom.json", "b.loom.json", "config.json", "order.csv" })
                line = replaced(line, std::string(" ") + file, " " + folder.path(file));
            const ProcessResult result = runLine(line);
            EXPECT_EQ(result.exitCode, 0) << line << ": " << result.err;
            EXPECT_GT(result.out.size(), 100U) << line;
            ran.insert(command);
        }
    }
    EXPECT_GE(ran.size(), 5U) << "help texts without an example";
}

TEST(CliExamples, ofTheReadmeRun)
{
    const std::string source = PIPELOOM_SOURCE_DIR;
    const TemporaryFolder folder;
    folder.write("order.csv", runLine("schedule --schedule dualpipe --pp 4 --microbatches 8 --format torch-csv").out);
    int count = 0;
    for (std::string line : linesAfter(contentOf(source + "/README.md"), "    ./run ")) {
        // "./run test" and "./run" alone are the script's, not this program's.
        if (line.starts_with("render") || line.starts_with("test") || line.starts_with(" "))
            continue;
        line = replaced(line, " order.csv", " " + folder.path("order.csv"));
        const ProcessResult result = runLine(replaced(line, " samples/", ' ' + source + "/samples/"));
        const bool broken = line.starts_with("check"); // it is there to show what a broken plan gets
        EXPECT_EQ(result.exitCode, broken ? 1 : 0) << line << ": " << result.err;
        EXPECT_GT(result.out.size(), 100U) << line;
        ++count;
    }
    EXPECT_GE(count, 6);
}

/// The program's --help lists every subcommand there is, and each explains itself.
TEST(CliExamples, everySubcommandIsListedAndExplained)
{
    const std::string all = runCli({ "--help" }).out;
    for (const char *command : { "evaluate", "check", "compare", "schedule", "models", "paper", "selfcheck" }) {
        EXPECT_NE(all.find(command), std::string::npos) << command;
        const ProcessResult result = runCli({ command, "--help" });
        EXPECT_EQ(result.exitCode, 0);
        EXPECT_NE(result.out.find("Exit codes: 0 fine, 1 the input is understood but wrong, 2 usage, 3"), std::string::npos)
            << command;
    }
}

} // namespace
