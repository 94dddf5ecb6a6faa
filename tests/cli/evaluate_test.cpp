// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace
{

using namespace pipeloom::test;
using nlohmann::json;

const std::string story = samplePath("01-deepseek-v3-1024-h800");
const std::string production = samplePath("02-deepseek-v3-production");

json evaluated(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), { "--format", "json" });
    const ProcessResult result = runCli(arguments);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return parsed(result);
}

using Check = std::function<bool(const json &)>;
const Check whole = [](const json &j) { return j.is_number_integer(); };
const Check number = [](const json &j) { return j.is_number(); };
const Check text = [](const json &j) { return j.is_string(); };
const Check truth = [](const json &j) { return j.is_boolean(); };
const Check list = [](const json &j) { return j.is_array() && !j.empty(); };
const Check object = [](const json &j) { return j.is_object(); };

void expectKeys(const json &j, const std::string &where, const std::vector<std::pair<const char *, Check>> &keys)
{
    for (const auto &[key, check] : keys) {
        ASSERT_TRUE(j.contains(key)) << where << '/' << key << " is missing";
        EXPECT_TRUE(check(j.at(key))) << where << '/' << key << " is " << j.at(key).dump().substr(0, 80);
    }
}

TEST(CliEvaluate, jsonHoldsEveryKeyOfTheContract)
{
    const json j = evaluated({ story });
    expectKeys(j, "",
               { { "scenario", object },
                 { "diagnostics", [](const json &d) { return d.is_array(); } },
                 { "model", object },
                 { "groups", object },
                 { "stages", list },
                 { "routing", object },
                 { "schedule", object },
                 { "memory", object },
                 { "time", object },
                 { "throughput", object },
                 { "cost", object } });
    expectKeys(j["model"], "/model",
               { { "params_total", whole },
                 { "params_active", whole },
                 { "params_mtp", whole },
                 { "layers_requested", whole },
                 { "layers_built", whole },
                 { "flops_per_token", number },
                 { "matrices", list } });
    expectKeys(j["model"]["matrices"][0], "/model/matrices/0",
               { { "name", text }, { "shape", list }, { "count", whole }, { "kind", text }, { "split", text } });
    expectKeys(j["groups"], "/groups", { { "dp", whole }, { "edp", whole }, { "microbatches", whole } });
    for (const json &stage : j["stages"]) {
        expectKeys(stage, "/stages",
                   { { "stage", whole },
                     { "rank", whole },
                     { "layers", whole },
                     { "params_dense", whole },
                     { "params_expert", whole },
                     { "bytes_weights", whole } });
    }
    expectKeys(j["routing"], "/routing",
               { { "rank_load_max_over_mean", number },
                 { "expert_load_max_over_mean", number },
                 { "gini", number },
                 { "dropped_fraction", number },
                 { "nodes_per_token", number },
                 { "ranks_per_token", number } });
    expectKeys(j["schedule"], "/schedule",
               { { "name", text },
                 { "makespan_s", number },
                 { "ops", whole },
                 { "bubble_fraction_mean", number },
                 { "bubble_s_per_rank", list },
                 { "closed_form", object },
                 { "peak_in_flight_per_rank", list } });
    expectKeys(j["schedule"]["closed_form"], "/schedule/closed_form", { { "expression", text }, { "bubble_s", number } });
    expectKeys(j["memory"], "/memory",
               { { "capacity_bytes", whole },
                 { "usable_bytes", whole },
                 { "verdict", text },
                 { "fits", truth },
                 { "peak_rank", whole },
                 { "ranks", list } });
    for (const json &rank : j["memory"]["ranks"]) {
        expectKeys(rank, "/memory/ranks",
                   { { "rank", whole },
                     { "stages", list },
                     { "weights", whole },
                     { "grads", whole },
                     { "optimizer", whole },
                     { "activation_per_microbatch", list },
                     { "activations_peak", whole },
                     { "transient", whole },
                     { "buffers", whole },
                     { "peak_allocated", whole },
                     { "peak_reserved", whole },
                     { "tensors", list } });
        for (const json &tensor : rank["tensors"]) {
            expectKeys(tensor, "/memory/ranks/tensors",
                       { { "name", text },
                         { "shape", text },
                         { "dtype", text },
                         { "bytes", whole },
                         { "kept_by", text },
                         { "count", whole } });
        }
    }
    expectKeys(j["time"], "/time",
               { { "step_s", number },
                 { "pipeline_s", number },
                 { "optimizer_s", number },
                 { "exposed_comm_s", number },
                 { "f_s", number },
                 { "b_s", number },
                 { "w_s", number },
                 { "fb_s", number },
                 { "dispatch_s", number },
                 { "combine_s", number } });
    expectKeys(j["throughput"], "/throughput",
               { { "tokens_per_s_per_gpu", number },
                 { "model_tflops_per_gpu", number },
                 { "mfu", number },
                 { "mfu_peak_tflops", number },
                 { "mfu_peak_dtype", text },
                 { "causal", truth },
                 { "low", number },
                 { "high", number } });
    expectKeys(j["cost"], "/cost", { { "gpu_hours_per_1t_tokens", number }, { "usd_per_1t_tokens", number } });
    for (const json &term : j["terms"])
        expectKeys(
            term, "/terms",
            { { "id", text }, { "value", number }, { "unit", text }, { "tag", text }, { "formula", text }, { "source", text } });
}

TEST(CliEvaluate, numbersOfOneEvaluationAgree)
{
    const json j = evaluated({ story });
    const json &time = j["time"];
    EXPECT_NEAR(time["step_s"].get<double>(), time["pipeline_s"].get<double>() + time["optimizer_s"].get<double>(), 1e-9);
    EXPECT_NEAR(time["step_s"].get<double>(),
                time["compute_s"].get<double>() + time["exposed_comm_s"].get<double>() + time["bubble_s"].get<double>()
                    + time["optimizer_s"].get<double>(),
                1e-6);
    const json &throughput = j["throughput"];
    const double tokens = 2560.0 * 4096 / time["step_s"].get<double>() / 1024;
    EXPECT_NEAR(throughput["tokens_per_s_per_gpu"].get<double>(), tokens, 1e-6 * tokens);
    EXPECT_NEAR(throughput["mfu"].get<double>(),
                throughput["model_tflops_per_gpu"].get<double>() / throughput["mfu_peak_tflops"].get<double>(), 1e-9);
    EXPECT_NEAR(j["cost"]["gpu_hours_per_1t_tokens"].get<double>(), 1e12 / tokens / 3600, 1e-6 * 1e12 / tokens / 3600);
    EXPECT_LT(throughput["low"], throughput["tokens_per_s_per_gpu"]);
    EXPECT_GT(throughput["high"], throughput["tokens_per_s_per_gpu"]);
    EXPECT_EQ(j["groups"]["dp"], 128);
    EXPECT_EQ(j["groups"]["microbatches"], 20);
    EXPECT_EQ(j["memory"]["capacity_bytes"], 84943110144);
    // Weights of the stages a rank holds are the weights of the rank.
    for (const json &rank : j["memory"]["ranks"]) {
        double sum = 0;
        for (const json &stage : j["stages"]) {
            if (stage["rank"] == rank["rank"])
                sum += stage["bytes_weights"].get<double>();
        }
        EXPECT_NEAR(sum, rank["weights"].get<double>(), 4) << "rank " << rank["rank"];
        EXPECT_LE(rank["peak_allocated"], rank["peak_reserved"]);
    }
}

TEST(CliEvaluate, aPlanThatDoesNotFitGetsTheNearestThatDo)
{
    const json j = evaluated({ story });
    ASSERT_NE(j["memory"]["verdict"], "fits") << "the story's plan A is over";
    EXPECT_FALSE(j["memory"]["fits"].get<bool>());
    EXPECT_FALSE(j["memory"]["blame"].get<std::string>().empty());
    ASSERT_TRUE(j.contains("nearest"));
    ASSERT_FALSE(j["nearest"].empty());
    const json &first = j["nearest"][0];
    EXPECT_EQ(first["verdict"], "fits");
    std::vector<std::string> arguments = { story };
    for (const auto &[field, value] : first["set"].items())
        arguments.insert(arguments.end(), { "--set", field + "=" + value.dump() });
    const json applied = evaluated(arguments);
    EXPECT_EQ(applied["memory"]["verdict"], "fits");
    EXPECT_NEAR(applied["time"]["step_s"].get<double>(), first["step_s"].get<double>(), 1e-9);
    EXPECT_FALSE(applied.contains("nearest"));
}

TEST(CliEvaluate, setAndAlternativeChangeThePlan)
{
    const json byName = evaluated({ story, "--alternative", "1F1B" });
    EXPECT_EQ(byName["schedule"]["name"], "1f1b");
    const json bySet = evaluated({ story, "--set", "plan.schedule=1f1b" });
    EXPECT_EQ(byName["memory"]["ranks"], bySet["memory"]["ranks"]);
    const json both = evaluated({ story, "--alternative", "1F1B", "--set", "plan.pp=16", "--set", "money.usd_per_gpu_hour=3" });
    EXPECT_EQ(both["schedule"]["name"], "1f1b");
    EXPECT_EQ(both["groups"]["pp"], 16);
    EXPECT_NEAR(both["cost"]["usd_per_1t_tokens"].get<double>(), 3 * both["cost"]["gpu_hours_per_1t_tokens"].get<double>(), 1);
}

TEST(CliEvaluate, theNormalisedScenarioEvaluatesToTheSame)
{
    const json j = evaluated({ story });
    ProcessOptions options;
    options.input = j["scenario"].dump();
    const ProcessResult again = runCli({ "evaluate", "-", "--format", "json" }, options);
    EXPECT_EQ(again.exitCode, 0) << again.err;
    EXPECT_EQ(again.err, "");
    EXPECT_EQ(parsed(again)["memory"], j["memory"]);
    EXPECT_EQ(parsed(again)["time"], j["time"]);
    EXPECT_EQ(parsed(runCli({ "evaluate", "sample:01-deepseek-v3-1024-h800", "--format", "json" }))["time"], j["time"]);
}

TEST(CliEvaluate, theProductionRunStandsBesideItsMeasurement)
{
    const json j = evaluated({ production });
    EXPECT_NEAR(j["time"]["step_s"].get<double>(), 19.926, 0.10 * 19.926);
    ASSERT_TRUE(j.contains("measured")) << "the sample holds no measurement";
    double ours = 0;
    double measured = 0;
    for (const json &row : j["measured"]) {
        if (row["quantity"] != "Step")
            continue;
        ours = row["ours_s"].get<double>();
        measured = row["measured_s"].get<double>();
    }
    EXPECT_DOUBLE_EQ(measured, 19.926);
    EXPECT_DOUBLE_EQ(ours, j["time"]["step_s"].get<double>());
}

TEST(CliEvaluate, everySampleIsValid)
{
    for (const char *name :
         { "01-deepseek-v3-1024-h800", "02-deepseek-v3-production", "03-mixtral-8x22b-128-h100", "04-llama-3.1-70b-64-h100" }) {
        const json j = evaluated({ samplePath(name) });
        EXPECT_TRUE(j["valid"].get<bool>()) << name;
        const ProcessResult check = runCli({ "check", samplePath(name), "--strict" });
        EXPECT_EQ(check.exitCode, 0) << name << check.out;
        EXPECT_EQ(check.err, "") << name;
    }
}

TEST(CliEvaluate, textGivesVerdictFiguresAndRepairs)
{
    const ProcessResult result = runCli({ "evaluate", story });
    EXPECT_EQ(result.exitCode, 0);
    for (const char *piece : { "DeepSeek-V3 on 1,024 x H800", "Does not fit: rank", "Nearest plans that fit", "--set", "MFU",
                               "tokens/s/GPU", "Memory of the pipeline ranks", "What is not modelled" }) {
        EXPECT_NE(result.out.find(piece), std::string::npos) << piece << " is not in:\n" << result.out;
    }
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(CliEvaluate, csvHasOneQuantityALine)
{
    const json j = evaluated({ story });
    const ProcessResult result = runCli({ "evaluate", story, "--format", "csv" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_TRUE(result.out.starts_with("id,quantity,value,unit,tag,source\r\n"));
    const std::size_t line = result.out.find("\r\nmemory.peak,");
    ASSERT_NE(line, std::string::npos);
    const auto rank = j["memory"]["peak_rank"].get<std::size_t>();
    EXPECT_NE(result.out.find("," + j["memory"]["ranks"][rank]["peak"].dump() + ",B,modelled,", line), std::string::npos)
        << result.out.substr(line, 160);
}

TEST(CliEvaluate, htmlIsOnePageForBothThemes)
{
    const ProcessResult result = runCli({ "evaluate", story, "--format", "html" });
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_TRUE(result.out.starts_with("<!DOCTYPE html>"));
    EXPECT_NE(result.out.find("prefers-color-scheme: dark"), std::string::npos);
    for (const char *outside : { "<script", "<link", "src=", "@import", "url(" })
        EXPECT_EQ(result.out.find(outside), std::string::npos) << outside;
}

TEST(CliEvaluate, namesFromAFileCannotEscapeTheReport)
{
    const TemporaryFolder folder;
    json scenario = smallScenario();
    scenario["name"] = "<script>alert(1)</script> | \"x\"\n=1+1";
    const std::string path = folder.write("name.loom.json", scenario.dump());
    const ProcessResult html = runCli({ "evaluate", path, "--format", "html" });
    EXPECT_EQ(html.exitCode, 0) << html.err;
    EXPECT_EQ(html.out.find("<script"), std::string::npos);
    EXPECT_NE(html.out.find("&lt;script&gt;"), std::string::npos);
    const ProcessResult markdown = runCli({ "evaluate", path, "--format", "markdown" });
    EXPECT_NE(markdown.out.find("\\|"), std::string::npos);
    EXPECT_EQ(markdown.out.find("<script"), std::string::npos);
}

TEST(CliEvaluate, noNumberIsNaNOrInfinite)
{
    // Nothing is routed, nothing is overlapped: the corners where a ratio could break.
    for (const std::vector<std::string> &sets :
         { std::vector<std::string>{ "--set", "routing.family=uniform" }, std::vector<std::string>{ "--set", "routing.sigma=0" },
           std::vector<std::string>{ "--set", "runtime.overlap=false" },
           std::vector<std::string>{ "--set", "money.usd_per_gpu_hour=0" } }) {
        std::vector<std::string> arguments = { story };
        arguments.insert(arguments.end(), sets.begin(), sets.end());
        const json j = evaluated(arguments);
        EXPECT_EQ(j["notes"], json::array()) << sets[1];
    }
    const json dense = evaluated({ samplePath("04-llama-3.1-70b-64-h100") });
    EXPECT_EQ(dense["notes"], json::array());
}

} // namespace
