// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

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

TEST(CliCompare, everyPlanHasALetterOfItsOwn)
{
    const TemporaryFolder folder;
    json plan = smallScenario();
    plan["alternatives"] = json::array();
    for (int i = 1; i < 30; ++i)
        plan["alternatives"].push_back({ { "name", "A" + std::to_string(i) }, { "set", { { "plan.seq", 1024 * i } } } });
    const json j = parsed(runCli({ "compare", folder.write("many.loom.json", plan.dump()), "--format", "json" }));
    std::set<std::string> labels;
    for (const json &difference : j.at("deltas").at(0).at("differences"))
        labels.insert(difference.at("label"));
    EXPECT_EQ(labels.size(), 29U);
    EXPECT_TRUE(labels.contains("A vs Z") && labels.contains("A vs AA") && labels.contains("A vs AD"));
}

/// The window's table reads "A vs B": A minus B, in percent of B. Every format must say the same.
TEST(CliCompare, differencesReadAsInTheWindow)
{
    const json j = parsed(runCli({ "compare", story, "--format", "json" }));
    EXPECT_NE(j.at("convention").get<std::string>().find("plan A minus plan B"), std::string::npos);
    for (const json &d : j.at("deltas")) {
        const json &values = d.at("values");
        ASSERT_EQ(d.at("differences").size(), values.size() - 1);
        for (std::size_t i = 1; i < values.size(); ++i) {
            const json &difference = d["differences"][i - 1];
            EXPECT_EQ(difference.at("label"), i == 1 ? "A vs B" : "A vs C");
            if (d.at("unit") == "rank") {
                EXPECT_TRUE(difference.at("value").is_null()) << "ranks are names, not amounts";
                continue;
            }
            const double a = values[0].get<double>();
            const double b = values[i].get<double>();
            EXPECT_DOUBLE_EQ(difference.at("value").get<double>(), a - b) << d;
            if (b != 0) {
                EXPECT_DOUBLE_EQ(difference.at("relative").get<double>(), (a - b) / std::abs(b)) << d;
            }
        }
    }
    // DualPipe keeps a second stage on each rank and is the faster one: more memory, less time than B.
    EXPECT_GT(delta(j, "memory.peak")["differences"][0]["value"].get<double>(), 0);
    EXPECT_LT(delta(j, "time.step_s")["differences"][0]["value"].get<double>(), 0);
    const std::string step = delta(j, "time.step_s")["cause"];
    EXPECT_TRUE(step.starts_with("A vs B: ")) << step;
    EXPECT_NE(step.find("\u2212"), std::string::npos) << "the cause of a shorter step is a part that is shorter: " << step;

    const std::string csv = runCli({ "compare", story, "--format", "csv" }).out;
    EXPECT_TRUE(
        csv.starts_with("quantity,unit,\"A: DeepSeek-V3 on 1,024 H800\",B: 1F1B,C: DualPipe PP16,A minus B,A minus C,cause"))
        << csv.substr(0, 200);
    for (const char *format : { "markdown", "html" }) {
        const std::string report = runCli({ "compare", story, "--format", format }).out;
        EXPECT_NE(report.find("A vs B"), std::string::npos) << format;
        EXPECT_EQ(report.find("B - A"), std::string::npos) << format;
    }
}

TEST(CliCompare, causesNameThePartThatChangedAndTheField)
{
    const json j = parsed(runCli({ "compare", story, "--format", "json" }));
    // DualPipe holds two stages on each rank: the static states are what 1F1B saves, or the activations it keeps.
    const std::string memory = delta(j, "memory.peak")["cause"];
    EXPECT_NE(memory.find("GiB"), std::string::npos) << memory;
    EXPECT_NE(memory.find("DualPipe instead of 1F1B"), std::string::npos) << memory;
    EXPECT_NE(memory.find("PP 8 instead of 16"), std::string::npos) << memory;
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
    for (const char *piece : { "A DeepSeek-V3", "B 1F1B: ", "C DualPipe PP16: ", "A vs B", "A vs C",
                               "\"A vs B\" is plan A minus plan B", "Causes", "\u2212" })
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
    EXPECT_TRUE(step["cause"].get<std::string>().starts_with("Plan B is not valid: ")) << step;
}

} // namespace
