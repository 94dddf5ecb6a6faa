// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/model/counts.h"
#include "core/scenario/scenariofile.h"

#include <array>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct PublishedModel
{
    const char *name;
    double totalB; ///< 1e9 parameters
    double activeB; ///< 0 for a dense model
    double totalTolerance; ///< half a unit of the last printed digit, and a little
    double activeTolerance;
    const char *source;
};

constexpr std::array publishedModels{
    PublishedModel{ "deepseek-v3", 671, 37, 0.001, 0.015, "DeepSeek-V3 technical report, abstract" },
    PublishedModel{ "deepseek-v2", 236, 21, 0.002, 0.01, "DeepSeek-V2 paper, abstract" },
    PublishedModel{ "deepseek-v2-lite", 15.7, 2.4, 0.003, 0.025, "DeepSeek-V2 paper, appendix B" },
    PublishedModel{ "mixtral-8x22b", 141, 39, 0.004, 0.01, "Mistral AI, Mixtral 8x22B announcement" },
    PublishedModel{ "qwen3-235b-a22b", 235, 22, 0.003, 0.03, "Qwen3 technical report, table 2" },
    PublishedModel{ "qwen3-30b-a3b", 30.5, 3.3, 0.002, 0.08, "Qwen3-30B-A3B model card" },
    PublishedModel{ "kimi-k2", 1000, 32, 0.03, 0.03, "Kimi K2 model card; 1T is rounded" },
    PublishedModel{ "llama-3.1-70b", 70.6, 0, 0.001, 0, "Llama 3.1 model card" },
    PublishedModel{ "llama-3.1-405b", 405, 0, 0.003, 0, "Llama 3.1 model card" },
};

struct PublishedFlops
{
    const char *id;
    const char *model;
    const char *quantity;
    double gigaflops;
    double FlopCounts::*ours;
    double tolerance;
    const char *source;
};

constexpr const char *isca = "Insights into DeepSeek-V3, ISCA 2025, table 2";
constexpr const char *nvidia = "NVIDIA Megatron Bridge performance summary: TFLOP/s over tokens/s";

constexpr std::array publishedFlops{
    PublishedFlops{ "flops.deepseek-v3", "deepseek-v3", "DeepSeek-V3, a trained token of 4,096, causal", 250,
                    &FlopCounts::trainPerToken, 0.005, isca },
    PublishedFlops{ "flops.deepseek-v3-mtp", "deepseek-v3", "DeepSeek-V3 with MTP", 260, &FlopCounts::trainPerTokenWithMtp, 0.005,
                    nvidia },
    PublishedFlops{ "flops.deepseek-v3-noncausal", "deepseek-v3", "DeepSeek-V3, non-causal", 250.0 * 432 / 385,
                    &FlopCounts::trainPerTokenNonCausal, 0.005, "ISCA 2025, table 4: 432 against 385 TFLOP/s" },
    PublishedFlops{ "flops.deepseek-v2", "deepseek-v2", "DeepSeek-V2", 155, &FlopCounts::trainPerToken, 0.005, isca },
    PublishedFlops{ "flops.llama-3.1-405b", "llama-3.1-405b", "Llama-3.1-405B", 2448, &FlopCounts::trainPerToken, 0.02, isca },
    PublishedFlops{ "flops.qwen3-235b-a22b", "qwen3-235b-a22b", "Qwen3-235B-A22B", 148.1, &FlopCounts::trainPerToken, 0.005,
                    nvidia },
    PublishedFlops{ "flops.qwen3-30b-a3b", "qwen3-30b-a3b", "Qwen3-30B-A3B", 23.1, &FlopCounts::trainPerToken, 0.005, nvidia },
    PublishedFlops{ "flops.kimi-k2", "kimi-k2", "Kimi K2", 204.6, &FlopCounts::trainPerToken, 0.006, nvidia },
};

void addParameters(SelfCheckRows &rows, const PublishedModel &published)
{
    const Expected<ModelSpec> model = modelPreset(published.name);
    const ParameterCounts counts = model ? countParameters(*model) : ParameterCounts{};
    const std::string id = published.name;
    const std::string title = model ? model->title : id;
    rows.push_back({ "params." + id, title + ", parameters", "1e9 parameters", published.totalB,
                     model ? static_cast<double>(counts.total) / 1e9 : nan, published.totalTolerance, Provenance::Counted,
                     published.source });
    if (published.activeB > 0) {
        rows.push_back({ "active." + id, title + ", active parameters", "1e9 parameters", published.activeB,
                         model ? static_cast<double>(counts.activeWithHead) / 1e9 : nan, published.activeTolerance,
                         Provenance::Counted, published.source });
    }
}

/// Counts that other programs print with more digits than the papers.
void addExactCounts(SelfCheckRows &rows)
{
    const Expected<ModelSpec> v3 = modelPreset("deepseek-v3");
    const ParameterCounts counts = v3 ? countParameters(*v3) : ParameterCounts{};
    const auto add = [&](const char *id, const char *quantity, double published, std::int64_t ours, double tolerance,
                         const char *source) {
        rows.push_back({ id, quantity, "1e9 parameters", published, v3 ? static_cast<double>(ours) / 1e9 : nan, tolerance,
                         Provenance::Counted, source });
    };
    const char *estimator = "Megatron-LM report-theoretical-memory, printed to 0.01";
    add("params.deepseek-v3-megatron", "DeepSeek-V3, parameters, to 1e7", 671.03, counts.total, 0.00002, estimator);
    add("active.deepseek-v3-megatron", "DeepSeek-V3, active, embedding and head counted", 37.55, counts.activeWithBoth, 0.0002,
        estimator);
    add("params.deepseek-v3-mtp", "DeepSeek-V3, unique to the MTP module", 11.5, counts.mtp, 0.011,
        "DeepSeek-V3 README_WEIGHTS, rounded");
    add("params.deepseek-v3-stage", "DeepSeek-V3, four MoE layers of a pipeline stage", 46.029144064, 4 * counts.moeLayer, 0,
        "Memory analysis of DeepSeek training, arXiv 2502.07846");
}

} // namespace

void addModelRows(SelfCheckRows &rows)
{
    for (const PublishedModel &published : publishedModels)
        addParameters(rows, published);
    addExactCounts(rows);
    for (const PublishedFlops &published : publishedFlops) {
        const Expected<ModelSpec> model = modelPreset(published.model);
        const double ours = model ? countFlops(*model, 4096).*published.ours / 1e9 : nan;
        rows.push_back({ published.id, published.quantity, "GFLOP/token", published.gigaflops, ours, published.tolerance,
                         Provenance::Counted, published.source });
    }
}

} // namespace pipeloom
