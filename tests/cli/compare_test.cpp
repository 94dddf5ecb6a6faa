// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

const std::string story = samplePath("01-deepseek-v3-1024-h800");

const json &delta(const json &j, const std::string &quantity)
{
    const auto found = std::ranges::find_if(j["deltas"], [&](const json &d) { return d["quantity"] == quantity; });
    if (found == j["deltas"].end())
        throw std::runtime_error("no delta of " + quantity);
    return *found;
}

TEST(CliCompare, aScenarioIsComparedWithItsAlternatives)
{
    const ProcessResult result = runCli({ "compare", story, "--format", "json" });
    EXPECT_EQ(result.exitCode, 0) << result.err;
    const json j = parsed(result);
    ASSERT_EQ(j.at("plans").size(), 3U);
    EXPECT_EQ(j["plans"][1]["name"], "1F1B");
    EXPECT_EQ(j["plans"][1]["schedule"]["name"], "1f1b");
    EXPECT_FALSE(j["plans"][0]["memory"]["ranks"][0].contains("tensors"));
    for (const json &d : j.at("deltas")) {
        EXPECT_TRUE(d.at("quantity").is_string());
        EXPECT_TRUE(d.at("unit").is_string());
        EXPECT_FALSE(d.at("unit").get<std::string>().empty()) << d;
        ASSERT_EQ(d.at("values").size(), 3U);
        const bool equal = d["values"][0] == d["values"][1] && d["values"][0] == d["values"][2];
        EXPECT_EQ(d.at("cause") == "equal", equal) << d;
        EXPECT_GE(d.at("cause").get<std::string>().size(), 5U);
    }
    EXPECT_EQ(delta(j, "time.step_s")["values"][2], j["plans"][2]["time"]["step_s"]);
}

TEST(CliCompare, causesNameThePartThatChangedAndTheField)
{
    const json j = parsed(runCli({ "compare", story, "--format", "json" }));
    // DualPipe holds two stages on each rank: the static states are what 1F1B saves, or the activations it keeps.
    const std::string memory = delta(j, "memory.peak")["cause"];
    EXPECT_NE(memory.find("GiB"), std::string::npos) << memory;
    EXPECT_NE(memory.find("1F1B instead of DualPipe"), std::string::npos) << memory;
    EXPECT_NE(memory.find("PP 16 instead of 8"), std::string::npos) << memory;
    const std::string step = delta(j, "time.step_s")["cause"];
    EXPECT_TRUE(step.find("Bubble") != std::string::npos || step.find("Exposed communication") != std::string::npos) << step;
    EXPECT_EQ(delta(j, "model.params_total")["cause"], "equal");
}

TEST(CliCompare, severalFilesAreComparedByTheirPlanA)
{
    const TemporaryFolder folder;
    json other = smallScenario();
    const std::string a = folder.write("a.loom.json", other.dump());
    other["name"] = "Twice the tokens";
    other["plan"]["global_batch"] = 256;
    const std::string b = folder.write("b.loom.json", other.dump());
    const json j = parsed(runCli({ "compare", a, b, "--format", "json" }));
    ASSERT_EQ(j["plans"].size(), 2U);
    EXPECT_EQ(j["plans"][1]["name"], "Twice the tokens");
    const std::string cause = delta(j, "throughput.tokens_per_s_per_gpu")["cause"];
    EXPECT_NE(cause.find("1,048,576"), std::string::npos) << cause; // 256 x 4,096
    EXPECT_NE(cause.find("524,288"), std::string::npos) << cause;
}

TEST(CliCompare, textSeparatesFiguresAndCauses)
{
    const ProcessResult result = runCli({ "compare", story });
    EXPECT_EQ(result.exitCode, 0);
    for (const char *piece : { "A DeepSeek-V3", "B 1F1B: ", "C DualPipe PP16: ", "B - A", "Causes", "\u2212" })
        EXPECT_NE(result.out.find(piece), std::string::npos) << piece << " is not in:\n" << result.out;
}

TEST(CliCompare, everyFormatIsWritten)
{
    EXPECT_TRUE(runCli({ "compare", story, "--format", "csv" }).out.starts_with("quantity,unit,"));
    EXPECT_TRUE(runCli({ "compare", story, "--format", "markdown" }).out.starts_with("# Comparison"));
    EXPECT_TRUE(runCli({ "compare", story, "--format", "html" }).out.starts_with("<!DOCTYPE html>"));
}

TEST(CliCompare, onePlanAloneIsRefused)
{
    const TemporaryFolder folder;
    json lonely = smallScenario();
    lonely.erase("alternatives");
    const ProcessResult result = runCli({ "compare", folder.write("lonely.loom.json", lonely.dump()) });
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_NE(result.err.find("lonely.loom.json: /alternatives"), std::string::npos) << result.err;
}

TEST(CliCompare, anInvalidPlanStandsBesideTheOthersAndIsWrong)
{
    const TemporaryFolder folder;
    json scenario = smallScenario();
    scenario["alternatives"] = json::array({ { { "name", "broken" }, { "set", { { "plan.ep", 3 } } } } });
    const std::string path = folder.write("broken.loom.json", scenario.dump());
    const ProcessResult result = runCli({ "compare", path, "--format", "json" });
    EXPECT_EQ(result.exitCode, 1);
    const json j = parsed(result);
    EXPECT_EQ(j["plans"][1]["memory"]["verdict"], "invalid");
    const json &step = delta(j, "time.step_s");
    EXPECT_TRUE(step["values"][0].is_number());
    EXPECT_TRUE(step["values"][1].is_null());
    EXPECT_TRUE(step["cause"].get<std::string>().starts_with("Not valid: ")) << step;
}

} // namespace
