// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

TEST(CliSelfCheck, everyRowIsWithinItsTolerance)
{
    const ProcessResult result = runCli({ "selfcheck", "--format", "json" });
    const json j = parsed(result);
    std::set<std::string> ids;
    for (const json &row : j.at("rows")) {
        EXPECT_TRUE(ids.insert(row.at("id")).second) << "twice: " << row["id"];
        for (const char *key : { "quantity", "tag", "source" })
            EXPECT_FALSE(row.at(key).get<std::string>().empty()) << row;
        EXPECT_TRUE(row.at("ok").get<bool>()) << row;
        EXPECT_FALSE(row.at("section").get<std::string>().empty()) << row;
        if (row.at("tolerance").is_null()) {
            const std::string note = row.at("note");
            if (row["tag"] == "peer") {
                EXPECT_TRUE(row.at("ours").is_number()) << row;
                EXPECT_TRUE(row.at("published").is_number() || !note.empty()) << row;
                continue;
            }
            // Nothing is claimed: the row says why, and why there is no number.
            EXPECT_FALSE(note.empty()) << row;
            EXPECT_EQ(row.at("ours").is_null(), note.starts_with("not modelled: ")) << row;
            continue;
        }
        ASSERT_TRUE(row.at("ours").is_number()) << row;
        const double error = row["ours"].get<double>() / row.at("published").get<double>() - 1;
        EXPECT_NEAR(row.at("error").get<double>(), error, 1e-12);
        EXPECT_LE(std::abs(error), row.at("tolerance").get<double>()) << row;
        EXPECT_LE(error, row.value("tolerance_above", row.at("tolerance").get<double>())) << row;
        // Single parts of the step are claimed loosely, and say why; sums are not.
        const bool part = row["id"].get<std::string>().find(".part.") != std::string::npos;
        EXPECT_LE(row["tolerance"].get<double>(), part ? 0.40 : 0.10) << "a tolerance that allows anything: " << row;
    }
    EXPECT_EQ(result.exitCode, 0);
    for (const char *id : { "params.deepseek-v3", "flops.deepseek-v3", "schedule.replay", "memory.layer.none",
                            "gpu-hours.pre-training", "mfu.causal", "run.deepseek-v3.step", "paper.parameters",
                            "memory.b200.v3-ep8", "memory.b200.mean", "memory.moonlight.none", "memory.static.gpt-7b-h100",
                            "memory.qwen3-30b-a3b", "peer.v3-pp16-ep64.simumax", "peer.v3-pp16-tp2-ep8.simumax.refused" }) {
        EXPECT_TRUE(ids.contains(id)) << id;
    }
}

/// A small error of the step must not hide that it is partly luck.
TEST(CliSelfCheck, theProductionStepSaysWhatCancels)
{
    const json j = parsed(runCli({ "selfcheck", "--format", "json" }));
    std::string note;
    double over = 0;
    double under = 0;
    for (const json &row : j.at("rows")) {
        const std::string id = row.at("id");
        const bool claimed = row.at("tolerance").is_number();
        const double tolerance = claimed ? row.at("tolerance").get<double>() : 0;
        EXPECT_EQ(row.at("loose").get<bool>(), tolerance >= 0.2) << id;
        if (id == "run.deepseek-v3.step")
            note = row.at("note");
        if (id.find(".part.") == std::string::npos)
            continue;
        const double difference = row["ours"].get<double>() - row["published"].get<double>();
        (difference > 0 ? over : under) += difference;
        EXPECT_EQ(row["tag"], "calibrated");
    }
    EXPECT_GT(over, 0);
    EXPECT_LT(under, 0);
    const auto amount = [](double seconds) { return std::to_string(std::abs(seconds)).substr(0, 3); };
    for (const std::string &piece :
         { std::string("Right partly by cancellation"), std::string("Forwards alone +"), std::string("Overlapped pairs \u2212"),
           std::string("Bubble \u2212"), '+' + amount(over), "\u2212" + amount(under) })
        EXPECT_NE(note.find(piece), std::string::npos) << piece << " is not in: " << note;
    const std::string text = runCli({ "selfcheck" }).out;
    EXPECT_NE(text.find("loose    of it: Forwards alone"), std::string::npos) << text;
    EXPECT_NE(text.find(note), std::string::npos) << text;
}

TEST(CliSelfCheck, textCountsTheRows)
{
    const ProcessResult result = runCli({ "selfcheck" });
    EXPECT_NE(result.out.find("rows are within their tolerance."), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("\nMemory measured on GPUs\n"), std::string::npos);
    EXPECT_NE(result.out.find("not modelled: "), std::string::npos);
    EXPECT_NE(result.out.find("\nMemory as other programs estimate it\n"), std::string::npos);
    EXPECT_NE(result.out.find("  refused  "), std::string::npos);
    EXPECT_TRUE(runCli({ "selfcheck", "--format", "csv" }).out.starts_with("id,quantity,unit,published,ours,"));
}

} // namespace
