// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

json schedule(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "schedule");
    arguments.insert(arguments.end(), { "--format", "json" });
    const ProcessResult result = runCli(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return parsed(result);
}

TEST(CliSchedule, jsonHoldsTheContract)
{
    const json j = schedule(
        { "--schedule", "dualpipe", "--pp", "4", "--microbatches", "10", "--f", "10", "--b", "20", "--w", "9", "--fb", "24" });
    EXPECT_EQ(j.at("schedule"), "dualpipe");
    EXPECT_EQ(j.at("pp"), 4);
    EXPECT_EQ(j.at("microbatches"), 10);
    EXPECT_EQ(j.at("chunks_per_rank"), 2);
    EXPECT_TRUE(j.at("makespan").is_number());
    for (const char *key : { "bubble_per_rank", "idle_in_span_per_rank", "peak_in_flight_per_rank", "ranks" })
        EXPECT_EQ(j.at(key).size(), 4U) << key;
    EXPECT_TRUE(j.at("closed_form").at("expression").is_string());
    EXPECT_TRUE(j.at("closed_form").at("bubble").is_number());
    bool pairs = false;
    for (const json &rank : j.at("ranks")) {
        double before = 0;
        for (const json &op : rank) {
            for (const char *key : { "mb", "chunk", "stage", "start", "end" })
                EXPECT_TRUE(op.at(key).is_number()) << key;
            EXPECT_LE(before, op.at("start").get<double>());
            before = op.at("end").get<double>();
            const bool pair = op.at("kind") == "FB";
            pairs = pairs || pair;
            for (const char *key : { "mb_b", "chunk_b", "stage_b" })
                EXPECT_EQ(op.contains(key), pair) << key;
        }
        EXPECT_LE(before, j.at("makespan").get<double>());
    }
    EXPECT_TRUE(pairs);
}

TEST(CliSchedule, timesAreExactInTheGivenUnit)
{
    // 1F1B: makespan (M + P - 1)(F + B), bubble (P - 1)(F + B) on every rank.
    const json j =
        schedule({ "--schedule", "1f1b", "--pp", "4", "--microbatches", "8", "--f", "0.05", "--b", "2.272", "--w", "1" });
    EXPECT_EQ(j.at("makespan").dump(), "25.542");
    for (const json &bubble : j.at("bubble_per_rank"))
        EXPECT_EQ(bubble.dump(), "6.966");
    EXPECT_EQ(j.at("closed_form").at("bubble").dump(), "6.966");
    EXPECT_EQ(j.at("ranks")[0][0].at("end").dump(), "0.05");
    const json tiny =
        schedule({ "--schedule", "1f1b", "--pp", "2", "--microbatches", "2", "--f", "1e-9", "--b", "2e-9", "--w", "1e-9" });
    EXPECT_DOUBLE_EQ(tiny.at("makespan").get<double>(), 9e-9);
    const json thirds =
        schedule({ "--schedule", "1f1b", "--pp", "2", "--microbatches", "2", "--f", "0.1", "--b", "0.2", "--w", "0.1" });
    EXPECT_EQ(thirds.at("makespan").dump(), "0.9");
}

TEST(CliSchedule, theDeepSeekReplayTakes17_86Seconds)
{
    const json j = schedule({ "--schedule", "dualpipe", "--pp", "16", "--microbatches", "120", "--f", "77.3", "--b", "127.5",
                              "--w", "29.8", "--fb", "129.0" });
    EXPECT_NEAR(j.at("makespan").get<double>() / 1000, 17.86, 17.86 * 0.005);
}

TEST(CliSchedule, anOverlappedPairTakesForwardAndBackwardByDefault)
{
    const std::vector<std::string> plan = { "--schedule", "dualpipe", "--pp", "4", "--microbatches", "8", "--f", "3",
                                            "--b",        "7",        "--w",  "2" };
    std::vector<std::string> withPair = plan;
    withPair.insert(withPair.end(), { "--fb", "10" });
    EXPECT_EQ(schedule(plan), schedule(withPair));
}

TEST(CliSchedule, textNamesMakespanBubbleAndPeaks)
{
    const ProcessResult result = runCli({ "schedule", "--schedule", "1f1b", "--pp", "4", "--microbatches", "8" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_NE(result.out.find("1F1B: 4 pipeline ranks, 8 microbatches"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("Makespan             33\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("Bubble, worst rank   9 (27.3 %)"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("F0.0 F1.0 F2.0 F3.0 B0.0"), std::string::npos) << result.out;
}

TEST(CliSchedule, torchCsvHasOneLineARank)
{
    const ProcessResult result =
        runCli({ "schedule", "--schedule", "dualpipe", "--pp", "2", "--microbatches", "4", "--format", "torch-csv" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(result.out,
              "0F0,1F2,0F1,1B2,(1F3;0B0)OVERLAP_F_B,1B3,0I1,0W1\n"
              "0F2,1F0,0F3,1B0,(1F1;0B2)OVERLAP_F_B,1B1,0I3,0W3\n");
}

TEST(CliSchedule, chromeTraceHasEveryOpOnItsRank)
{
    const std::vector<std::string> plan = { "--schedule", "dualpipe", "--pp", "4",  "--microbatches", "8", "--f", "0.3",
                                            "--b",        "0.7",      "--w",  "0.2" };
    const json ops = schedule(plan);
    std::vector<std::string> arguments = plan;
    arguments.insert(arguments.begin(), "schedule");
    arguments.insert(arguments.end(), { "--format", "chrome-trace" });
    const json trace = parsed(runCli(arguments));
    std::vector<std::size_t> next(4, 0);
    for (const json &event : trace.at("traceEvents")) {
        if (event.at("ph") != "X")
            continue;
        const auto rank = event.at("tid").get<std::size_t>();
        const json &op = ops.at("ranks").at(rank).at(next.at(rank)++);
        EXPECT_DOUBLE_EQ(event.at("ts").get<double>(), 1000 * op.at("start").get<double>());
        EXPECT_EQ(event.at("cat"), op.at("kind"));
        EXPECT_EQ(event.at("args").at("mb"), op.at("mb"));
    }
    for (std::size_t rank = 0; rank < 4; ++rank)
        EXPECT_EQ(next[rank], ops.at("ranks")[rank].size());
}

TEST(CliSchedule, chromeTraceHasAnArrowForEveryResultSentToAnotherRank)
{
    // 1F1B on 3 ranks with 2 microbatches: 2 activations and 2 gradients over each of two boundaries.
    const json trace = parsed(runCli({ "schedule", "--schedule", "1f1b", "--pp", "3", "--microbatches", "2", "--f", "10", "--b",
                                       "20", "--w", "10", "--p2p", "5", "--format", "chrome-trace" }));
    std::map<int, json> tails;
    std::map<std::string, int> arrows;
    std::vector<json> slices;
    std::string critical;
    for (const json &event : trace.at("traceEvents")) {
        if (event.at("ph") != "X")
            continue;
        slices.push_back(event);
        if (event.at("args").contains("critical"))
            critical += event.at("name").get<std::string>() + "@" + std::to_string(event.at("tid").get<int>()) + " ";
    }
    const auto sliceAt = [&slices](const json &event) {
        const auto at = event.at("ts").get<double>();
        return *std::ranges::find_if(slices, [&](const json &slice) {
            const auto start = slice.at("ts").get<double>();
            return slice.at("tid") == event.at("tid") && at >= start && at < start + slice.at("dur").get<double>();
        });
    };
    for (const json &event : trace.at("traceEvents")) {
        if (event.at("ph") == "s") {
            EXPECT_TRUE(tails.emplace(event.at("id").get<int>(), event).second) << event;
        } else if (event.at("ph") == "f") {
            const json &tail = tails.at(event.at("id").get<int>());
            const json from = sliceAt(tail);
            const json to = sliceAt(event);
            const bool forward = event.at("name") == "activations";
            EXPECT_EQ(tail.at("name"), event.at("name"));
            EXPECT_EQ(from.at("cat"), forward ? "F" : "B");
            EXPECT_EQ(to.at("cat"), from.at("cat"));
            EXPECT_EQ(to.at("args").at("mb"), from.at("args").at("mb"));
            EXPECT_EQ(to.at("args").at("stage").get<int>() - from.at("args").at("stage").get<int>(), forward ? 1 : -1);
            EXPECT_GE(to.at("ts").get<double>(), from.at("ts").get<double>() + from.at("dur").get<double>() + 5000);
            ++arrows[event.at("name").get<std::string>()];
        }
    }
    EXPECT_EQ(tails.size(), 8U);
    EXPECT_EQ(arrows, (std::map<std::string, int>{ { "activations", 4 }, { "gradients", 4 } }));
    // Down the ranks, both microbatches on the last one, up again.
    EXPECT_EQ(critical, "F0.0@0 B1.0@0 F0.0@1 B1.0@1 F0.0@2 B0.0@2 F1.0@2 B1.0@2 ");
}

struct Refused
{
    std::vector<std::string> arguments;
    int exitCode;
    std::vector<std::string> says; ///< pieces of the message
};

/// The test's name in a list.
void PrintTo(const Refused &refused, std::ostream *out)
{
    for (const std::string &argument : refused.arguments)
        *out << argument << ' ';
}

class CliScheduleRefuses : public testing::TestWithParam<Refused>
{
};

TEST_P(CliScheduleRefuses, withOneClearMessage)
{
    std::vector<std::string> arguments = GetParam().arguments;
    arguments.insert(arguments.begin(), "schedule");
    const ProcessResult result = runCli(arguments);
    EXPECT_EQ(result.exitCode, GetParam().exitCode) << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string &piece : GetParam().says)
        EXPECT_NE(result.err.find(piece), std::string::npos) << piece << " is not in: " << result.err;
}

std::vector<std::string> plan(const std::string &schedule, const std::string &pp, const std::string &microbatches,
                              std::vector<std::string> more = {})
{
    std::vector<std::string> arguments = { "--schedule", schedule, "--pp", pp, "--microbatches", microbatches };
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, CliScheduleRefuses,
    testing::Values(
        Refused{ plan("dualpip", "8", "20"), 2, { "--schedule: there is no schedule \"dualpip\"", "dualpipe" } },
        Refused{ plan("dualpipe", "8", "10"), 1, { "16", "M" } }, // at least 2 x PP
        Refused{ plan("dualpipe", "8", "21"), 1, { "even" } }, Refused{ plan("dualpipe", "7", "20"), 1, { "even" } },
        Refused{ plan("v-half", "1025", "8"), 1, { "1025 pipeline ranks are too many", "1,024" } },
        Refused{ plan("1f1b", "-4", "8"), 2, { "--pp: -4 is outside its range", "1 to 4096" } },
        Refused{ plan("1f1b", "0", "8"), 2, { "--pp" } },
        Refused{ plan("1f1b", "4.5", "8"), 2, { "--pp: \"4.5\" is not a whole number" } },
        Refused{ plan("1f1b", "99999999999999999999", "8"), 2, { "--pp: 99999999999999999999" } },
        Refused{ plan("1f1b", "4", "1e9"), 2, { "--microbatches" } },
        Refused{ plan("1f1b", "4096", "1000000"), 1, { "ops", "use M" } },
        Refused{ plan("1f1b", "1000", "3000"), 1, { "--microbatches", "ops" } },
        Refused{ plan("1f1b", "4", "8", { "--f", "nan" }), 2, { "--f: nan is not a finite number" } },
        Refused{ plan("1f1b", "4", "8", { "--f", "inf" }), 2, { "--f" } },
        Refused{ plan("1f1b", "4", "8", { "--b", "-1" }), 2, { "--b: -1 is outside its range" } },
        Refused{ plan("1f1b", "4", "8", { "--b", "1e300" }), 2, { "--b: 1e300" } },
        Refused{ plan("1f1b", "4", "8", { "--b", "1e999" }), 2, { "--b: 1e999" } },
        Refused{ plan("1f1b", "4", "8", { "--w", "2ms" }), 2, { "--w: \"2ms\" is not a number" } },
        Refused{ plan("1f1b", "4", "8", { "--w", "3", "--b", "2" }), 1, { "--w", "longer than the full backward" } },
        Refused{ plan("1f1b", "4", "8", { "--format", "jsn" }), 2, { "--format", "json" } },
        Refused{ plan("1f1b", "4", "8", { "--microbatchs", "9" }), 2, { "--microbatchs", "--microbatches" } },
        Refused{ plan("1f1b", "4", "8", { "--chunks", "3" }),
                 2,
                 { "--chunks: has no effect: 1F1B holds 1 chunk a rank", "interleaved" } },
        Refused{
            plan("dualpipe", "4", "8", { "--chunks", "4" }), 2, { "--chunks: has no effect: DualPipe holds 2 chunks a rank" } },
        Refused{ plan("dualpipe", "4", "8", { "--group", "4" }),
                 2,
                 { "--group: has no effect", "or use interleaved or 1f1b-a2a-overlap" } },
        Refused{ plan("interleaved-zb", "4", "8", { "--chunks", "2", "--group", "4" }), 2, { "--group: has no effect" } },
        Refused{
            plan("1f1b", "4", "8", { "--fb", "2.5" }), 2, { "--fb: has no effect: 1F1B has no overlapped pairs", "dualpipe" } },
        Refused{ plan("zb", "4", "8"), 2, { "did you mean \"zb-v\"? Known: zb-v, zb-h1, interleaved-zb, zb-h2, gpipe, 1f1b" } },
        Refused{ plan("vmin", "4", "8"), 2, { "did you mean \"v-min\"? Known: v-min, gpipe, 1f1b, interleaved" } },
        Refused{ plan("custom", "4", "8"), 2, { "--file: is missing", "--pp: has no effect", "--microbatches: has no effect" } },
        Refused{ plan("1f1b", "4", "8", { "extra" }), 2, { "extra" } },
        Refused{ { "--schedule", "1f1b", "--pp", "4" }, 2, { "--microbatches" } },
        Refused{ { "--schedule", "1f1b", "--pp" }, 2, { "--pp" } }));

TEST(CliSchedule, anOrderWrittenAsCsvIsTakenBack)
{
    const TemporaryFolder folder;
    const std::vector<std::string> times{ "--f", "3", "--b", "7", "--w", "3", "--fb", "8", "--p2p", "1", "--format" };
    const auto run = [&times](std::vector<std::string> args, const char *format) {
        args.insert(args.begin(), "schedule");
        args.insert(args.end(), times.begin(), times.end());
        args.emplace_back(format);
        return runCli(args);
    };
    const std::vector<std::string> rule{ "--schedule", "dualpipe", "--pp", "4", "--microbatches", "10" };
    const ProcessResult csv = run(rule, "torch-csv");
    ASSERT_EQ(csv.exitCode, 0) << csv.err;
    const std::vector<std::string> custom{ "--schedule", "custom", "--file", folder.write("order.csv", csv.out) };
    EXPECT_EQ(run(custom, "torch-csv").out, csv.out);
    const json ours = parsed(run(rule, "json"));
    const json read = parsed(run(custom, "json"));
    EXPECT_EQ(read.at("schedule"), "custom");
    EXPECT_EQ(read.at("closed_form"), nullptr);
    for (const char *key : { "pp", "microbatches", "chunks_per_rank", "makespan", "bubble_per_rank", "peak_in_flight_per_rank" })
        EXPECT_EQ(read.at(key), ours.at(key)) << key;
}

TEST(CliSchedule, aCustomOrderThatCannotRunSaysWhy)
{
    const TemporaryFolder folder;
    const auto run = [&](const std::string &path, std::vector<std::string> more = {}) {
        more.insert(more.begin(), { "schedule", "--schedule", "custom", "--file", path });
        return runCli(more);
    };
    const ProcessResult twice = run(folder.write("twice.csv", "0F0,0B0,0F0\n"));
    EXPECT_EQ(twice.exitCode, 1);
    EXPECT_NE(twice.err.find("twice.csv: line 1, cell 3: F of microbatch 0 on stage 0 stands twice"), std::string::npos)
        << twice.err;
    const ProcessResult locked = run(folder.write("locked.csv", "0B0,0F0\n1F0,1B0\n"));
    EXPECT_EQ(locked.exitCode, 1);
    EXPECT_NE(locked.err.find("locked.csv: "), std::string::npos) << locked.err;
    EXPECT_NE(locked.err.find("of microbatch 0 on stage"), std::string::npos) << locked.err;
    EXPECT_EQ(run("nowhere.csv").exitCode, 3);
    const std::string fine = folder.write("fine.csv", "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n");
    const ProcessResult skipped = run(fine);
    EXPECT_EQ(skipped.exitCode, 0) << skipped.err;
    EXPECT_NE(skipped.err.find("4 cells of communication and sharding skipped"), std::string::npos) << skipped.err;
    for (const std::vector<std::string> &more :
         { std::vector<std::string>{ "--pp", "2" }, { "--microbatches", "1" }, { "--chunks", "1" }, { "--group", "2" } }) {
        const ProcessResult refused = run(fine, more);
        EXPECT_EQ(refused.exitCode, 2) << more[0];
        EXPECT_NE(refused.err.find(more[0] + ": has no effect: the file says it"), std::string::npos) << refused.err;
    }
    EXPECT_NE(run(fine, { "--fb", "2" }).err.find("--fb: has no effect"), std::string::npos);
    const ProcessResult missing = runCli({ "schedule", "--schedule", "custom" });
    EXPECT_EQ(missing.exitCode, 2);
    EXPECT_NE(missing.err.find("--file: is missing"), std::string::npos) << missing.err;
    const ProcessResult unused = runCli({ "schedule", "--schedule", "1f1b", "--pp", "2", "--microbatches", "4", "--file", fine });
    EXPECT_EQ(unused.exitCode, 2);
    EXPECT_NE(unused.err.find("--file: has no effect"), std::string::npos) << unused.err;
}

/// Options that state what the schedule does anyway change nothing and hide nothing.
TEST(CliSchedule, optionsThatStateWhatHoldsAreTaken)
{
    const std::vector<std::vector<std::string>> all = {
        plan("1f1b", "4", "8", { "--chunks", "1" }),
        plan("1f1b", "4", "8", { "--f", "0.1", "--b", "0.2", "--w", "0.1", "--fb", "0.3" }),
        plan("dualpipe", "4", "8", { "--chunks", "2" }), plan("interleaved", "4", "8", { "--chunks", "2", "--group", "8" })
    };
    for (const std::vector<std::string> &arguments : all)
        EXPECT_EQ(schedule(arguments).at("pp"), 4);
    EXPECT_EQ(schedule(plan("dualpipe", "4", "8", { "--chunks", "2" })), schedule(plan("dualpipe", "4", "8")));
}

TEST(CliSchedule, severalErrorsAreToldAtOnce)
{
    const ProcessResult result = runCli({ "schedule", "--schedule", "nope", "--pp", "x", "--microbatches", "-1", "--f", "nan" });
    EXPECT_EQ(result.exitCode, 2);
    for (const char *piece : { "--schedule:", "--pp:", "--microbatches:", "--f:" })
        EXPECT_NE(result.err.find(piece), std::string::npos) << result.err;
}

} // namespace
