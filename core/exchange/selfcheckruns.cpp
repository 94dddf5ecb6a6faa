// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/base/format.h"
#include "core/cost/measured.h"
#include "core/model/counts.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

namespace pipeloom
{

namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr const char *table4 = "Insights into DeepSeek-V3, ISCA 2025, table 4";
constexpr const char *report = "DeepSeek-V3 technical report, table 1";

constexpr double tokensPerDay = 272.80e9;
constexpr double gpus = 2048;
constexpr double peakFlops = 989e12; ///< the denominator that table 4 names
constexpr double secondsPerDay = 86400;
constexpr double secondsPerHour = 3600;
constexpr double preTrainingTokens = 14.8e12;

/// FLOPs are counted here, the throughput is the published one: the division must give the published utilisation.
void addPublishedThroughput(SelfCheckRows &rows)
{
    const Expected<ModelSpec> model = modelPreset("deepseek-v3");
    const FlopCounts flops = model ? countFlops(*model, 4096) : FlopCounts{};
    const double tokens = tokensPerDay / secondsPerDay / gpus;
    const auto ratio = [&](double flopsPerToken) { return model ? 100 * flopsPerToken * tokens / peakFlops : nan; };
    rows.push_back({ "mfu.causal", "V3 MFU of the published 272.8 G tokens a day, causal", "%", 38.94, ratio(flops.trainPerToken),
                     0.005, Provenance::Counted, table4 });
    rows.push_back({ "mfu.noncausal", "V3 MFU of the published tokens a day, non-causal", "%", 43.73,
                     ratio(flops.trainPerTokenNonCausal), 0.005, Provenance::Counted, table4 });
    rows.push_back({ "gpu-hours.per-trillion", "V3 GPU-hours per 1T tokens from the published tokens a day", "1e3 GPU-h", 180,
                     1e12 / tokens / secondsPerHour / 1e3, 0.005, Provenance::Counted,
                     "DeepSeek-V3 technical report, section 1" });
    rows.push_back({ "gpu-hours.pre-training", "V3 GPU-hours of 14.8T tokens from the published tokens a day", "1e3 GPU-h", 2664,
                     preTrainingTokens / tokens / secondsPerHour / 1e3, 0.005, Provenance::Counted, report });
    rows.push_back({ "usd.pre-training", "V3 pre-training at 2 USD a GPU-hour", "1e6 USD", 5.328,
                     2 * preTrainingTokens / tokens / secondsPerHour / 1e6, 0.005, Provenance::Counted, report });
}

constexpr const char *productionRun =
    R"({"format":"pipeloom-scenario","schema":1,"name":"DeepSeek-V3 as trained","model":"deepseek-v3","cluster":"h800",)"
    R"("plan":{"gpus":2048,"tp":1,"pp":16,"ep":64,"micro_batch":1,"global_batch":15360,"seq":4096,"schedule":"dualpipe","zero":1},)"
    R"("precision":"deepseek-v3-fp8","recompute":"deepseek-v3","timing":{"source":"calibrated","profile":"deepseek-v3-h800"},)"
    R"("measured":{"step_s":19.926,"f_s":1.13,"bi_s":1.99,"w_s":0.48,"fb_s":13.95,"bubble_s":2.06,"optimizer_s":0.29}})";

/// What is claimed for a part of the step. The trace knows no jitter and no P2P, and times forwards beside communication: where
/// that matters the claim is weak, and the source column says why.
double partTolerance(const std::string &part)
{
    if (part == "Overlapped pairs")
        return 0.05;
    if (part == "Input backwards alone")
        return 0.10;
    if (part == "Optimizer")
        return 0.20;
    return 0.40;
}

/// The parts that the publication gives a number for.
std::vector<MeasuredRow> measuredParts(const Evaluation &evaluation)
{
    std::vector<MeasuredRow> parts = compareMeasured(evaluation);
    std::erase_if(parts, [](const MeasuredRow &part) {
        return part.measured == 0 || part.quantity == "Step" || part.quantity.starts_with("Not explained");
    });
    return parts;
}

/// How far the sum is right only because its parts are wrong in both directions.
std::string cancellation(const Evaluation &evaluation)
{
    std::string longer, shorter;
    double over = 0;
    double under = 0;
    for (const MeasuredRow &part : measuredParts(evaluation)) {
        const double difference = part.ours - part.measured;
        std::string &list = difference > 0 ? longer : shorter;
        (difference > 0 ? over : under) += difference;
        list += fmt::format("{}{} {} s", list.empty() ? "" : ", ", part.quantity, formatSigned(difference, 2));
    }
    const double step = evaluation.scenario.measured->step;
    return fmt::format(
        "Right partly by cancellation. Predicted too long: {}, {} s in all. Too short: {}, {} s in all. Taken without "
        "signs the parts miss by {} s, {} of the step; their sum misses by {} s, the step by {} s.",
        longer, formatSigned(over, 2), shorter, formatSigned(under, 2), formatFixed(over - under, 2),
        formatPercent((over - under) / step), formatFixed(std::abs(over + under), 2),
        formatFixed(std::abs(evaluation.time.step - step), 2));
}

void addParts(SelfCheckRows &rows, const Evaluation &evaluation)
{
    for (const MeasuredRow &part : measuredParts(evaluation)) {
        std::string id = "run.deepseek-v3.part." + part.quantity.substr(0, part.quantity.find(' '));
        std::ranges::transform(id, id.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        rows.push_back({ id, "  of it: " + part.quantity + ", mean of the ranks", "s", part.measured, part.ours,
                         partTolerance(part.quantity), Provenance::Calibrated, std::string(table4) + "; " + part.note });
    }
}

constexpr const char *followsFromStep = "A quotient of the step time: right by the same cancellation.";

/// The run as a whole, predicted from the recorded trace.
void addProductionRun(SelfCheckRows &rows)
{
    const auto scenario = builtScenario(productionRun);
    const auto evaluation = scenario ? evaluate(*scenario) : nullptr;
    const bool valid = evaluation && evaluation->valid;
    const auto add = [&](const char *id, const char *quantity, const char *unit, double published, double ours,
                         double tolerance) {
        rows.push_back({ id, quantity, unit, published, valid ? ours : nan, tolerance, Provenance::Calibrated, table4 });
    };
    const StepTime time = valid ? evaluation->time : StepTime{};
    const Throughput throughput = valid ? evaluation->throughput : Throughput{};
    add("run.deepseek-v3.step", "V3 production run, 2,048 H800: step time", "s", 19.926, time.step, 0.10);
    if (valid) {
        rows.back().note = cancellation(*evaluation);
        addParts(rows, *evaluation);
    }
    add("run.deepseek-v3.tokens", "V3 production run: throughput", "tokens/s/GPU", tokensPerDay / secondsPerDay / gpus,
        throughput.tokensPerSecondPerGpu, 0.10);
    rows.back().note = followsFromStep;
    add("run.deepseek-v3.mfu", "V3 production run: MFU, causal", "%", 38.94, 100 * throughput.mfu, 0.10);
    rows.back().note = followsFromStep;
}

} // namespace

void addRunRows(SelfCheckRows &rows)
{
    addPublishedThroughput(rows);
    addProductionRun(rows);
}

} // namespace pipeloom
