// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

const json *correction(const json &paper, const std::string &id)
{
    for (const json &row : paper.at("corrections")) {
        if (row.at("id") == id)
            return &row;
    }
    return nullptr;
}

TEST(CliPaper, withoutAScenarioItIsThePapersOwnCase)
{
    const ProcessResult result = runCli({ "paper", "--format", "json" });
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const json j = parsed(result);
    EXPECT_EQ(j.at("paper").at("parameters").at("total"), 6250364928);
    EXPECT_EQ(j.at("paper").at("bytes_weights"), 12500729856);
    EXPECT_EQ(j.at("paper").at("activations").at("total"), 24671158272);
    EXPECT_EQ(j.at("paper").at("zero").at(3).at("zero"), "os+g+params");
    EXPECT_EQ(j.at("stages").size(), 16U);
    EXPECT_EQ(j.at("rank"), 1);
    const json *device = correction(j, "paper.parameters.device");
    ASSERT_NE(device, nullptr);
    EXPECT_EQ(device->at("corrected"), 6137118720);
    for (const json &row : j.at("corrections")) {
        for (const char *key : { "what", "unit", "cause", "source", "tag" })
            EXPECT_FALSE(row.at(key).get<std::string>().empty()) << row;
    }
}

TEST(CliPaper, settingsChangeThePlan)
{
    const json j =
        parsed(runCli({ "paper", "--set", "plan.micro_batch=2", "--set", "plan.global_batch=2048", "--format", "json" }));
    EXPECT_EQ(j.at("paper").at("activations").at("total"), 49342316544);
    EXPECT_EQ(j.at("paper").at("activations").at("full_recompute"), 470286336);
    EXPECT_EQ(j.at("paper").at("parameters").at("total"), 6250364928);
}

TEST(CliPaper, everyFormatHoldsTheFigures)
{
    EXPECT_NE(runCli({ "paper" }).out.find("6,250,364,928"), std::string::npos);
    EXPECT_NE(
        runCli({ "paper", "--format", "markdown" }).out.find("| Parameters on one device | 6,250,364,928 | 6,137,118,720 |"),
        std::string::npos);
    EXPECT_NE(runCli({ "paper", "--format", "html" }).out.find("6,137,118,720"), std::string::npos);
    EXPECT_TRUE(runCli({ "paper", "--format", "csv" }).out.starts_with("id,what,unit,paper,corrected,cause,source,tag"));
}

TEST(CliPaper, aPlanThePaperDoesNotKnowIsRefusedWithItsField)
{
    const ProcessResult context = runCli({ "paper", "--set", "plan.cp=2" });
    EXPECT_EQ(context.exitCode, 1);
    EXPECT_NE(context.err.find("/plan/cp"), std::string::npos) << context.err;
    EXPECT_TRUE(context.out.empty());
    const ProcessResult format = runCli({ "paper", "--format", "yaml" });
    EXPECT_EQ(format.exitCode, 2);
}

} // namespace
