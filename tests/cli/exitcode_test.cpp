// SPDX-License-Identifier: GPL-3.0-or-later
// One table of bad files, one of subcommands: 3 when a file cannot be read as what it claims to be, 1 when it is understood and
// wrong, 2 when the command line itself is. Whatever reads a file gives the same code for it.
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <sys/stat.h>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

/// smallScenario() with one change.
std::string changed(const std::function<void(json &)> &change)
{
    json scenario = smallScenario();
    change(scenario);
    return scenario.dump(2);
}

struct BadFile
{
    const char *kind;
    std::function<std::string(const TemporaryFolder &)> make; ///< gives the path
    int exitCode;
    const char *says;
};

void PrintTo(const BadFile &file, std::ostream *out) { *out << file.kind; }

std::function<std::string(const TemporaryFolder &)> holding(const std::string &content)
{
    return [content](const TemporaryFolder &folder) { return folder.write("bad.loom.json", content); };
}

const std::vector<BadFile> &badFiles()
{
    static const std::vector<BadFile> all = {
        { "missing", [](const TemporaryFolder &folder) { return folder.path("nowhere.loom.json"); }, 3, "cannot be read" },
        { "folder", [](const TemporaryFolder &folder) { return folder.path(""); }, 3, "is a folder" },
        { "device", [](const TemporaryFolder &) { return std::string("/dev/null"); }, 3, "pipe or device" },
        { "empty", holding(""), 3, "the file is empty" },
        { "truncated", holding(smallScenario().dump().substr(0, 40)), 3, "not valid JSON" },
        { "binary", holding("\x7f\x45LF\x02\x01"), 3, "not valid JSON" },
        { "zero bytes behind", holding(smallScenario().dump() + std::string(16, '\0')), 3, "holds a zero byte at offset" },
        { "text behind", holding(smallScenario().dump() + "}"), 3, "line 1, column" },
        { "not UTF-8", holding("{\"name\": \"caf\xe9\"}"), 3, "not valid JSON" },
        { "NaN", holding("{\"format\": NaN}"), 3, "not valid JSON" },
        { "number beyond a double", holding("{\"a\": 1e999}"), 3, "a number is too large" },
        { "nested", holding(std::string(100, '[')), 3, "nested deeper" },
        { "key twice", holding("{\"a\": 1, \"a\": 2}"), 3, "stands twice" },
        { "a list", holding("[1, 2]"), 3, "expects an object, found a list of 2" },
        { "a number", holding("7"), 3, "expects an object, found 7" },
        { "another format", holding(changed([](json &j) { j["format"] = "other"; })), 3, "is not a scenario" },
        { "no format", holding(changed([](json &j) { j.erase("format"); })), 3, "this is not a scenario" },
        { "format of another type", holding(changed([](json &j) { j["format"] = 5; })), 3, "5 is not a scenario" },
        { "newer schema", holding(changed([](json &j) { j["schema"] = 2; })), 3, "reads up to 1" },
        { "no schema", holding(changed([](json &j) { j["schema"] = "x"; })), 3, "is no schema" },
        { "names a missing config", holding(changed([](json &j) {
              j["model"] = { { "config", "nowhere.json" } };
          })),
          3, "nowhere.json" },
        { "a wrong field before a missing config", holding(changed([](json &j) {
              j["name"] = 7;
              j["model"] = { { "config", "nowhere.json" } };
          })),
          3, "nowhere.json" },
        { "names a missing profile", holding(changed([](json &j) {
              j["timing"] = { { "source", "calibrated" }, { "profile", "no.profile.json" } };
          })),
          3, "no.profile.json" },
        { "wrong type", holding(changed([](json &j) { j["plan"]["pp"] = "two"; })), 1, "/plan/pp" },
        { "out of range", holding(changed([](json &j) { j["plan"]["pp"] = -1; })), 1, "/plan/pp" },
        { "unknown name", holding(changed([](json &j) { j["model"] = "gpt-9"; })), 1, "/model" },
        { "missing key", holding(changed([](json &j) { j["plan"].erase("gpus"); })), 1, "/plan/gpus: is missing" },
        { "not modelled", holding(changed([](json &j) { j["routing"]["family"] = "zipf"; })), 1, "is not modelled yet" },
        { "schedule not modelled", holding(changed([](json &j) { j["plan"]["schedule"] = "custom"; })), 1,
          "is not modelled yet" },
        { "a rule is broken", holding(changed([](json &j) { j["plan"]["ep"] = 3; })), 1,
          "EP 3 does not divide 8 routed experts" },
        { "wrong alternative", holding(changed([](json &j) {
              j["alternatives"] = json::array({ { { "name", "x" }, { "set", { { "plan.pp", "two" } } } } });
          })),
          1, "/alternatives/0/set" },
    };
    return all;
}

class CliExitCode : public testing::TestWithParam<BadFile>
{
};

TEST_P(CliExitCode, isTheSameForEverySubcommandThatReadsTheFile)
{
    const TemporaryFolder folder;
    const std::string bad = GetParam().make(folder);
    const std::string good = folder.write("good.loom.json", smallScenario().dump());
    std::vector<std::vector<std::string>> commands = { { "evaluate", bad },      { "evaluate", bad, "--format", "json" },
                                                       { "check", bad },         { "check", bad, "--format", "json" },
                                                       { "compare", bad, good }, { "compare", good, bad } };
    // It refuses models without latent attention before it looks at the plan, so only for files that cannot be read.
    if (GetParam().exitCode == 3)
        commands.push_back({ "paper", bad });
    for (const std::vector<std::string> &command : commands) {
        const ProcessResult result = runCli(command);
        EXPECT_EQ(result.exitCode, GetParam().exitCode) << command[0] << ": " << result.err;
        const std::string said = result.out + result.err;
        EXPECT_NE(said.find(GetParam().says), std::string::npos)
            << command[0] << ": " << GetParam().says << " is not in: " << said;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, CliExitCode, testing::ValuesIn(badFiles()));

TEST(CliExitCode, ofAConfigFollowsTheSameRule)
{
    const TemporaryFolder folder;
    const struct
    {
        std::string path;
        int exitCode;
        const char *says;
    } cases[] = {
        { folder.path("nowhere.json"), 3, "cannot be read" },
        { folder.path(""), 3, "is a folder" },
        { folder.write("list.json", "[]"), 3, "expects an object" },
        { folder.write("zero.json", std::string("{}\0", 3)), 3, "holds a zero byte at offset 2" },
        { folder.write("other.json", R"({"a": 1})"), 3, "is missing: this is not a config.json" },
        { folder.write("family.json", R"({"model_type": "mamba"})"), 1, "is not modelled" },
        { folder.write("poor.json", R"({"model_type": "mixtral"})"), 1, "is missing" },
    };
    for (const auto &[path, exitCode, says] : cases) {
        for (const ProcessResult &result :
             { runCli({ "models", path }),
               runCli({ "check", samplePath("03-mixtral-8x22b-128-h100"), "--set", "model.config=" + path }) }) {
            // What is wrong with a value of --set, but for files and what is not modelled, is usage.
            EXPECT_TRUE(result.exitCode == exitCode || (exitCode == 1 && result.exitCode == 2)) << result.exitCode << result.err;
            EXPECT_NE(result.err.find(path), std::string::npos) << result.err;
            EXPECT_NE(result.err.find(says), std::string::npos) << says << " is not in: " << result.err;
        }
        EXPECT_EQ(runCli({ "models", path }).exitCode, exitCode) << path;
    }
}

/// Understood, and not modelled yet: 1 wherever it is written, and no list of names offers it.
TEST(CliNotModelled, hasOneExitCodeAndIsNeverOffered)
{
    const std::string sample = samplePath("01-deepseek-v3-1024-h800");
    const char *const unmodelled[] = { "plan.schedule=custom", "routing.family=zipf", "routing.family=recorded",
                                       "runtime.cp_comm=p2p" };
    for (const char *set : unmodelled) {
        const ProcessResult result = runCli({ "check", sample, "--set", set });
        EXPECT_EQ(result.exitCode, 1) << set << ": " << result.err;
        EXPECT_NE((result.out + result.err).find("modelled"), std::string::npos) << set << ": " << result.out << result.err;
    }

    const std::pair<const char *, std::vector<std::string>> lists[] = {
        { "plan.schedule=nothing-like-it", { "custom" } },
        { "routing.family=nothing-like-it", { "zipf", "dirichlet", "hot-", "recorded" } },
        { "runtime.cp_comm=nothing-like-it", { "p2p", "allgather" } },
    };
    for (const auto &[set, refused] : lists) {
        const ProcessResult result = runCli({ "check", sample, "--set", set });
        EXPECT_EQ(result.exitCode, 2) << result.err;
        EXPECT_NE(result.err.find("use "), std::string::npos) << result.err;
        for (const std::string &name : refused)
            EXPECT_EQ(result.err.find(name), std::string::npos) << name << " is offered and then refused: " << result.err;
    }
}

TEST(CliSet, aMeasurementIsSetAndShown)
{
    const std::string sample = samplePath("01-deepseek-v3-1024-h800");
    const json j = parsed(runCli({ "evaluate", sample, "--set", "measured.step_s=7.5", "--set", "measured.bubble_s=0.8", "--set",
                                   "measured.source=our run", "--format", "json" }));
    EXPECT_EQ(j.at("scenario").at("measured").at("step_s"), 7.5);
    EXPECT_EQ(j["scenario"]["measured"]["bubble_s"], 0.8);
    EXPECT_EQ(j["scenario"]["measured"]["source"], "our run");
    const ProcessResult without = runCli({ "check", sample, "--set", "measured.bubble_s=0.8" });
    EXPECT_EQ(without.exitCode, 2);
    EXPECT_NE(without.err.find("--set: measured.step_s: is missing"), std::string::npos) << without.err;
    const json none =
        parsed(runCli({ "evaluate", samplePath("02-deepseek-v3-production"), "--set", "measured=null", "--format", "json" }));
    EXPECT_FALSE(none.at("scenario").contains("measured"));
}

TEST(CliSet, whatCannotBeSetSaysHowItIsDone)
{
    const std::string sample = samplePath("01-deepseek-v3-1024-h800");
    for (const char *set : { "alternatives=[]", "alternatives.0.set.plan.pp=4", "alternatives.1F1B=4" }) {
        const ProcessResult result = runCli({ "check", sample, "--set", set });
        EXPECT_EQ(result.exitCode, 2);
        EXPECT_NE(result.err.find("alternatives are plans of their own"), std::string::npos) << result.err;
        EXPECT_NE(result.err.find("--alternative"), std::string::npos) << result.err;
    }
    EXPECT_NE(runCli({ "check", sample, "--set", "schema=2" }).err.find("cannot be set"), std::string::npos);
    EXPECT_NE(runCli({ "check", sample, "--set", "plan.overlap=false" }).err.find("did you mean runtime.overlap?"),
              std::string::npos);
    EXPECT_NE(runCli({ "check", sample, "--set", "money.euro=2" }).err.find("fields here: money.usd_per_gpu_hour"),
              std::string::npos);
}

TEST(CliNames, anEmptyTextIsNoName)
{
    const std::string sample = samplePath("01-deepseek-v3-1024-h800");
    const std::vector<std::vector<std::string>> commands = {
        { "evaluate", "" },
        { "check", "" },
        { "compare", "", sample },
        { "compare", sample, "" },
        { "models", "" },
        { "paper", "" },
        { "evaluate", sample, "--alternative", "" },
        { "evaluate", sample, "--format", "" },
    };
    for (const std::vector<std::string> &command : commands) {
        const ProcessResult result = runCli(command);
        EXPECT_EQ(result.exitCode, 2) << command[0] << ": " << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_FALSE(result.err.starts_with(":")) << result.err;
        EXPECT_NE(result.err.find("; "), std::string::npos) << "no remedy: " << result.err;
    }
}

TEST(CliPlan, withoutPipelineRanksSaysSo)
{
    const TemporaryFolder folder;
    const std::string path = folder.write("no-pp.loom.json", changed([](json &j) { j["plan"].erase("pp"); }));
    const ProcessResult result = runCli({ "check", path });
    EXPECT_NE(result.err.find("/plan/pp: is missing: taken as 1, no pipeline; add it"), std::string::npos) << result.err;
}

} // namespace
