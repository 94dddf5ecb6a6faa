// SPDX-License-Identifier: GPL-3.0-or-later
// Every way a scenario can be wrong: one clear message naming file, field and remedy; nothing crashes, nothing hangs.
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

constexpr const char *readers[] = { "evaluate", "check" };

/// Runs both readers and checks exit code, silence on stdout and the pieces of the message.
void expectRefused(const std::string &path, int exitCode, const std::vector<std::string> &says,
                   const std::vector<std::string> &options = {})
{
    for (const char *reader : readers) {
        std::vector<std::string> arguments = { reader, path };
        arguments.insert(arguments.end(), options.begin(), options.end());
        const ProcessResult result = runCli(arguments);
        EXPECT_EQ(result.exitCode, exitCode) << reader << ": " << result.err;
        EXPECT_EQ(result.out, "") << reader;
        for (const std::string &piece : says)
            EXPECT_NE(result.err.find(piece), std::string::npos) << reader << ": \"" << piece << "\" is not in: " << result.err;
    }
}

TEST(CliBadFile, missing) { expectRefused("no/such/file.loom.json", 3, { "no/such/file.loom.json" }); }

TEST(CliBadFile, directory)
{
    const TemporaryFolder folder;
    expectRefused(folder.path(""), 3, { "is a folder" });
}

TEST(CliBadFile, pipeWithoutWriter)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("pipe.loom.json");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expectRefused(path, 3, { "pipe.loom.json" });
}

TEST(CliBadFile, device) { expectRefused("/dev/zero", 3, { "/dev/zero" }); }

TEST(CliBadFile, oneGigabyte)
{
    const TemporaryFolder folder;
    const std::string path = folder.path("huge.loom.json");
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    ASSERT_EQ(::ftruncate(file, off_t{ 1 } << 30), 0); // sparse: takes no space
    ::close(file);
    expectRefused(path, 3, { "huge.loom.json", "64.0 MiB" });
}

TEST(CliBadFile, unreadable)
{
    if (::geteuid() == 0)
        GTEST_SKIP() << "permission bits do not bind root";
    const TemporaryFolder folder;
    const std::string path = folder.write("secret.loom.json", smallScenario().dump());
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    expectRefused(path, 3, { "secret.loom.json", "ermission" });
}

TEST(CliBadFile, truncatedAnywhere)
{
    const TemporaryFolder folder;
    const std::string whole = smallScenario().dump(2);
    for (std::size_t length = 0; length + 1 < whole.size(); length += whole.size() / 12)
        expectRefused(folder.write("cut.loom.json", whole.substr(0, length)), 3, { "cut.loom.json" });
}

TEST(CliBadFile, otherFormats)
{
    const TemporaryFolder folder;
    expectRefused(folder.write("list.loom.json", "[1, 2]"), 3, { "list.loom.json" });
    expectRefused(folder.write("picture.loom.json", std::string("\x89PNG\r\n\x1a\n\0\0\0", 11)), 3, { "picture.loom.json" });
    expectRefused(folder.write("nested.loom.json", std::string(200000, '[')), 3, { "nested.loom.json" });
    expectRefused(folder.write("latin.loom.json", "{\"format\": \"pipeloom-scenario\", \"schema\": 1, \"name\": \"caf\xe9\"}"), 3,
                  { "latin.loom.json" });
    json other = smallScenario();
    other["format"] = "something-else";
    expectRefused(folder.write("other.loom.json", other.dump()), 3, { "other.loom.json", "/format" });
}

TEST(CliBadFile, newerSchema)
{
    const TemporaryFolder folder;
    json newer = smallScenario();
    newer["schema"] = 99;
    expectRefused(folder.write("newer.loom.json", newer.dump()), 3, { "newer.loom.json", "/schema", "99" });
}

TEST(CliBadFile, duplicateKeys)
{
    const TemporaryFolder folder;
    expectRefused(
        folder.write("twice.loom.json", R"({"format": "pipeloom-scenario", "format": "pipeloom-scenario", "schema": 1})"), 3,
        { "twice.loom.json", "format" });
}

struct WrongField
{
    const char *pointer;
    const char *value; ///< JSON text, or "NaN" and the like
    const char *says;
};

void PrintTo(const WrongField &field, std::ostream *out) { *out << field.pointer << ' ' << field.value; }

class CliBadField : public testing::TestWithParam<WrongField>
{
};

TEST_P(CliBadField, isNamedByItsPointer)
{
    const TemporaryFolder folder;
    const auto &[pointer, value, says] = GetParam();
    json scenario = smallScenario();
    // Values that JSON cannot hold are put in as text.
    scenario[json::json_pointer(pointer)] = "@@";
    std::string text = scenario.dump(2);
    text.replace(text.find("\"@@\""), 4, value);
    const std::string path = folder.write("wrong.loom.json", text);
    for (const char *reader : readers) {
        const ProcessResult result = runCli({ reader, path });
        EXPECT_TRUE(result.exitCode == 1 || result.exitCode == 3) << result.exitCode << ": " << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find("wrong.loom.json"), std::string::npos) << result.err;
        EXPECT_NE(result.err.find(says), std::string::npos) << says << " is not in: " << result.err;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Values, CliBadField,
    testing::Values(WrongField{ "/model", "\"deepsek-v3\"", "deepseek-v3" }, WrongField{ "/model", "\"gpt-9\"", "/model" },
                    WrongField{ "/cluster", "\"h900\"", "/cluster" }, WrongField{ "/plan/schedule", "\"dualpip\"", "dualpipe" },
                    WrongField{ "/precision", "\"fp1\"", "/precision" },
                    WrongField{ "/recompute", "\"everything\"", "/recompute" }, WrongField{ "/plan/pp", "-8", "/plan/pp" },
                    WrongField{ "/plan/pp", "8.5", "/plan/pp" }, WrongField{ "/plan/pp", "\"8\"", "/plan/pp" },
                    WrongField{ "/plan/pp", "1e30", "/plan/pp" },
                    WrongField{ "/plan/gpus", "99999999999999999999999", "/plan/gpus" },
                    WrongField{ "/plan/seq", "0", "/plan/seq" }, WrongField{ "/plan/global_batch", "null", "/plan/global_batch" },
                    WrongField{ "/routing", "{\"sigma\": -1}", "/routing/sigma" },
                    WrongField{ "/routing", "{\"sigma\": 1e400}", "line" }, WrongField{ "/memory", "{\"reserve\": NaN}", "line" },
                    WrongField{ "/memory", "{\"reserve\": 0}", "/memory/reserve" },
                    WrongField{ "/money", "{\"usd_per_gpu_hour\": -2}", "/money/usd_per_gpu_hour" },
                    WrongField{ "/timing", "{\"source\": \"guessed\"}", "/timing/source" }, WrongField{ "/plan", "[]", "/plan" },
                    WrongField{ "/alternatives", "{}", "/alternatives" }));

TEST(CliBadField, everyErrorOfAFileIsTold)
{
    const TemporaryFolder folder;
    json scenario = smallScenario();
    scenario["plan"]["pp"] = -8;
    scenario["plan"]["tp"] = "two";
    scenario["cluster"] = "h900";
    expectRefused(folder.write("three.loom.json", scenario.dump()), 1, { "/plan/pp", "/plan/tp", "/cluster" });
}

TEST(CliBadField, unknownKeysWarnAndAreErrorsUnderStrict)
{
    const TemporaryFolder folder;
    json scenario = smallScenario();
    scenario["plan"]["micro_bach"] = 2;
    const std::string path = folder.write("typo.loom.json", scenario.dump());
    const ProcessResult lenient = runCli({ "evaluate", path });
    EXPECT_EQ(lenient.exitCode, 0) << lenient.err;
    EXPECT_NE(lenient.err.find("micro_bach"), std::string::npos) << lenient.err;
    EXPECT_NE(lenient.err.find("micro_batch"), std::string::npos) << lenient.err;
    EXPECT_EQ(runCli({ "evaluate", path, "--quiet" }).err, "");
    expectRefused(path, 1, { "micro_bach", "micro_batch" }, { "--strict" });
}

struct WrongSet
{
    const char *text;
    const char *says;
};

void PrintTo(const WrongSet &set, std::ostream *out) { *out << set.text; }

class CliBadSet : public testing::TestWithParam<WrongSet>
{
};

TEST_P(CliBadSet, isNamed)
{
    expectRefused(samplePath("01-deepseek-v3-1024-h800"), 2, { "--set", GetParam().says }, { "--set", GetParam().text });
}

INSTANTIATE_TEST_SUITE_P(Options, CliBadSet,
                         testing::Values(WrongSet{ "plan.pp", "=" }, WrongSet{ "plan.ppp=8", "plan.pp" },
                                         WrongSet{ "plan.pp=-8", "-8" }, WrongSet{ "plan.pp=eight", "pp" },
                                         WrongSet{ "plan.pp=1e30", "pp" }, WrongSet{ "routing.sigma=nan", "sigma" },
                                         WrongSet{ "plan.schedule=dualpip", "dualpipe" }, WrongSet{ "model=gpt-9", "gpt-9" },
                                         WrongSet{ "=8", "=" }, WrongSet{ "plan=8", "plan" }));

TEST(CliBadSet, anUnknownAlternativeIsAnsweredWithTheNames)
{
    expectRefused(samplePath("01-deepseek-v3-1024-h800"), 2, { "--alternative", "1F1B" }, { "--alternative", "1F2B" });
}

TEST(CliBadSet, anUnknownSampleIsAnsweredWithTheNames)
{
    expectRefused("sample:nope", 1, { "sample", "01-deepseek-v3-1024-h800" });
}

/// A plan that breaks a rule is understood: it is evaluated as far as it goes, printed with its findings, and wrong.
TEST(CliBadPlan, isPrintedWithItsFindings)
{
    // 20 microbatches on 16 ranks: DualPipe needs at least 2 x PP.
    const std::vector<std::string> broken = { samplePath("01-deepseek-v3-1024-h800"), "--set", "plan.pp=16", "--set",
                                              "plan.global_batch=640" };
    std::vector<std::string> arguments = broken;
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), { "--format", "json" });
    const ProcessResult result = runCli(arguments);
    EXPECT_EQ(result.exitCode, 1);
    const json j = parsed(result);
    EXPECT_EQ(j.at("memory").at("verdict"), "invalid");
    EXPECT_FALSE(j.at("valid").get<bool>());
    bool named = false;
    for (const json &d : j.at("diagnostics")) {
        if (d.at("severity") != "error")
            continue;
        named = true;
        EXPECT_TRUE(d.at("field").get<std::string>().starts_with("plan.")) << d;
        EXPECT_FALSE(d.at("message").get<std::string>().empty());
        EXPECT_FALSE(d.at("fixes").empty()) << "no repair is offered: " << d;
    }
    EXPECT_TRUE(named);
    EXPECT_TRUE(j.at("time").at("step_s").is_null());
    EXPECT_FALSE(j.at("notes").empty());

    arguments = broken;
    arguments.insert(arguments.begin(), "check");
    const ProcessResult check = runCli(arguments);
    EXPECT_EQ(check.exitCode, 1);
    EXPECT_NE(check.out.find("error: plan."), std::string::npos) << check.out;
    EXPECT_NE(check.out.find("--set plan."), std::string::npos) << check.out;
}

TEST(CliBadPlan, aRepairThatIsAppliedRepairs)
{
    const std::vector<std::string> broken = { "check",    samplePath("01-deepseek-v3-1024-h800"),
                                              "--set",    "plan.global_batch=640",
                                              "--format", "json" };
    const json j = parsed(runCli(broken));
    int repaired = 0;
    for (const json &d : j.at("diagnostics")) {
        if (d.at("severity") != "error")
            continue;
        for (const json &fix : d.at("fixes")) {
            std::vector<std::string> arguments = broken;
            for (const auto &[field, value] : fix.at("set").items())
                arguments.insert(arguments.end(), { "--set", field + "=" + value.dump() });
            const ProcessResult result = runCli(arguments);
            EXPECT_EQ(result.exitCode, 0) << fix << result.out << result.err;
            ++repaired;
        }
    }
    EXPECT_GT(repaired, 0);
}

} // namespace
