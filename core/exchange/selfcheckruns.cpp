// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/model/counts.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <limits>

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
    rows.push_back({ "gpu-hours.per-trillion", "V3 GPU-hours per 1T tokens from the published tokens a day", "1e3 h", 180,
                     1e12 / tokens / secondsPerHour / 1e3, 0.005, Provenance::Counted,
                     "DeepSeek-V3 technical report, section 1" });
    rows.push_back({ "gpu-hours.pre-training", "V3 GPU-hours of 14.8T tokens from the published tokens a day", "1e3 h", 2664,
                     preTrainingTokens / tokens / secondsPerHour / 1e3, 0.005, Provenance::Counted, report });
    rows.push_back({ "usd.pre-training", "V3 pre-training at 2 USD a GPU-hour", "1e6 USD", 5.328,
                     2 * preTrainingTokens / tokens / secondsPerHour / 1e6, 0.005, Provenance::Counted, report });
}

constexpr const char *productionRun =
    R"({"format":"pipeloom-scenario","schema":1,"name":"DeepSeek-V3 as trained","model":"deepseek-v3","cluster":"h800",)"
    R"("plan":{"gpus":2048,"tp":1,"pp":16,"ep":64,"micro_batch":1,"global_batch":15360,"seq":4096,"schedule":"dualpipe","zero":1},)"
    R"("precision":"deepseek-v3-fp8","recompute":"deepseek-v3","timing":{"source":"calibrated","profile":"deepseek-v3-h800"}})";

/// The run as a whole, predicted: the trace knows neither P2P nor jitter, so the prediction is short by what the difference
/// shows.
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
    add("run.deepseek-v3.bubble", "V3 production run: bubble, mean of the ranks", "s", 2.06, time.bubble, 0.15);
    add("run.deepseek-v3.tokens", "V3 production run: tokens/s/GPU", "tokens/s/GPU", tokensPerDay / secondsPerDay / gpus,
        throughput.tokensPerSecondPerGpu, 0.10);
    add("run.deepseek-v3.mfu", "V3 production run: MFU, causal", "%", 38.94, 100 * throughput.mfu, 0.10);
}

} // namespace

void addRunRows(SelfCheckRows &rows)
{
    addPublishedThroughput(rows);
    addProductionRun(rows);
}

} // namespace pipeloom
