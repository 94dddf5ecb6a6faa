// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/memory/layertensors.h"
#include "core/reference/measuredmemory.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct LayerCase
{
    const char *id;
    const char *quantity;
    double mebibytes;
    std::uint32_t modules;
    bool full;
};

constexpr std::array layerCases{
    LayerCase{ "memory.layer.none", "V3 MoE layer, nothing recomputed", 1788, 0, false },
    LayerCase{ "memory.layer.moe_act", "V3 MoE layer, moe_act recomputed", 1660, Recompute::MoeActivation, false },
    LayerCase{ "memory.layer.layernorm", "V3 MoE layer, layernorm recomputed", 1676, Recompute::LayerNorm, false },
    LayerCase{ "memory.layer.mla_up_proj", "V3 MoE layer, mla_up_proj recomputed", 1260, Recompute::MlaUpProjection, false },
    LayerCase{ "memory.layer.moe", "V3 MoE layer, moe recomputed", 898, Recompute::Moe, false },
    LayerCase{ "memory.layer.full", "V3 MoE layer, everything recomputed", 56, 0, true },
};

constexpr const char *layerSource =
    "NVIDIA Megatron Core saved tensors, without the expert output that versions before 0.13 kept";

double layerMebibytes(const Precision &precision, const Recompute &recompute)
{
    const Expected<ModelSpec> model = modelPreset("deepseek-v3");
    if (!model)
        return nan;
    Scenario s;
    s.model = *model;
    s.precision = precision;
    s.plan.ep = 64;
    s.plan.gpus = 64;
    return keptBytes(layerTensors(s, LayerKind::Moe, rankTokens(s, 1.0)), recompute) / bytesPerMiB;
}

} // namespace

void addLayerMemoryRows(SelfCheckRows &rows)
{
    const Expected<Precision> bf16 = precisionPreset("megatron-bf16");
    for (const LayerCase &c : layerCases) {
        Recompute recompute;
        recompute.modules = c.modules;
        recompute.full = c.full;
        rows.push_back({ c.id, c.quantity, "MiB", c.mebibytes, bf16 ? layerMebibytes(*bf16, recompute) : nan, 0.001,
                         Provenance::Counted, layerSource });
    }
    const Expected<Precision> own = precisionPreset("deepseek-v3-fp8");
    const Expected<Recompute> ownRecompute = recomputePreset("deepseek-v3");
    rows.push_back({ "memory.layer.deepseek", "V3 MoE layer, DeepSeek's own storage and recompute", "MiB", 610.25,
                     own && ownRecompute ? layerMebibytes(*own, *ownRecompute) : nan, 0.001, Provenance::Counted,
                     "tensors listed in the V3 report, sections 3.2.3 and 3.3.3" });
}

namespace
{

/// A row for each record; those that the model cannot express say why instead.
void addRecord(SelfCheckRows &rows, const MeasuredMemory &record, double ours)
{
    SelfCheckRow row{ "memory." + record.id,
                      fmt::format("{}: {}", record.title, name(record.quantity)),
                      "GiB",
                      record.gib,
                      ours,
                      record.tolerance,
                      Provenance::Modelled,
                      record.source };
    row.toleranceAbove = record.toleranceAbove;
    row.note = record.notModelled.empty() ? record.note : "not modelled: " + record.notModelled;
    rows.push_back(std::move(row));
}

} // namespace

void addMeasuredMemoryRows(SelfCheckRows &rows)
{
    double errors = 0;
    int count = 0;
    std::size_t behindB200 = rows.size();
    for (const MeasuredMemory &record : measuredMemory()) {
        const double ours = predictedGib(record).value_or(nan);
        addRecord(rows, record, ours);
        if (record.id.starts_with("b200."))
            behindB200 = rows.size();
        if (record.inMean) {
            errors += std::abs(ours / record.gib - 1);
            ++count;
        }
    }
    constexpr double claimedMean = 0.007;
    SelfCheckRow mean{ "memory.b200.mean",
                       fmt::format("Mean absolute error of {} B200 peaks, added to 1", count),
                       "ratio",
                       1,
                       1 + errors / count,
                       claimedMean,
                       Provenance::Modelled,
                       "the rows above" };
    mean.note = "without CP 8, and without Llama-405B at sequence 131,072";
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(behindB200), std::move(mean));
}

} // namespace pipeloom
