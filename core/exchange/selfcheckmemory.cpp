// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/memory/layertensors.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <array>
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
    ParallelPlan plan;
    plan.ep = 64;
    plan.gpus = 64;
    const RankTokens tokens = rankTokens(*model, plan, 1.0);
    return keptBytes(layerTensors(*model, LayerKind::Moe, plan, precision, tokens), recompute) / bytesPerMiB;
}

void addLayers(SelfCheckRows &rows)
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

/// Allocator peaks that SimuMax recorded with Megatron-LM on eight B200.
struct RecordedPeak
{
    const char *id;
    const char *model; ///< JSON
    int layers;
    int tp, pp, cp, ep, seq;
    bool last; ///< last pipeline rank, else the first
    double gib;
};

constexpr const char *v3 = R"({"preset":"deepseek-v3","layers":4,"dense_layers":1,"mtp_depth":0})";
constexpr const char *v2 = R"({"preset":"deepseek-v2","layers":4,"dense_layers":1,"mtp_depth":0})";
constexpr const char *llama70 = R"({"preset":"llama-3.1-70b","layers":12})";
constexpr const char *llama405 = R"({"preset":"llama-3.1-405b","layers":4})";

constexpr std::array recordedPeaks{
    RecordedPeak{ "v3-ep8", v3, 4, 1, 1, 1, 8, 4096, false, 104.3 },
    RecordedPeak{ "v3-ep4-pp2-last", v3, 4, 1, 2, 1, 4, 4096, true, 114.0 },
    RecordedPeak{ "v2-ep8", v2, 4, 1, 1, 1, 8, 4096, false, 45.63 },
    RecordedPeak{ "v2-ep4-pp2-last", v2, 4, 1, 2, 1, 4, 4096, true, 44.7 },
    RecordedPeak{ "llama70-pp2-first", llama70, 12, 1, 2, 1, 1, 4096, false, 66.55 },
    RecordedPeak{ "llama70-pp2-last", llama70, 12, 1, 2, 1, 1, 4096, true, 62.97 },
    RecordedPeak{ "llama70-tp4", llama70, 12, 4, 1, 1, 1, 4096, false, 39.07 },
    RecordedPeak{ "llama70-tp8", llama70, 12, 8, 1, 1, 1, 4096, false, 28.29 },
    RecordedPeak{ "llama405-pp2-last", llama405, 4, 1, 2, 1, 1, 4096, true, 87.08 },
    RecordedPeak{ "llama405-tp2", llama405, 4, 2, 1, 1, 1, 4096, false, 81.59 },
    RecordedPeak{ "llama405-tp8", llama405, 4, 8, 1, 1, 1, 4096, false, 38.57 },
    RecordedPeak{ "llama70-tp2-cp4-32k", llama70, 12, 2, 1, 4, 1, 32768, false, 68.43 },
    RecordedPeak{ "llama405-tp2-cp4-32k", llama405, 4, 2, 1, 4, 1, 32768, false, 87.03 },
    RecordedPeak{ "llama70-tp2-cp4-128k", llama70, 12, 2, 1, 4, 1, 131072, false, 112.67 },
};

double peakGib(const RecordedPeak &c)
{
    constexpr int gpus = 8;
    const int dp = gpus / (c.tp * c.pp * c.cp);
    const auto scenario = builtScenario(fmt::format(
        R"({{"format":"pipeloom-scenario","schema":1,"name":"{}","model":{},"cluster":"b200","plan":{{"gpus":{},"tp":{},"pp":{},"cp":{},"ep":{},"etp":1,)"
        R"("micro_batch":1,"global_batch":{},"seq":{},"schedule":"1f1b","zero":1,"sequence_parallel":true}},"precision":"megatron-bf16","recompute":"none",)"
        R"("routing":{{"family":"uniform"}},"runtime":{{"moe":"megatron-alltoall","loss_fusion":"te","dummy_wgrad":true}}}})",
        c.id, c.model, gpus, c.tp, c.pp, c.cp, c.ep, 8 * dp, c.seq));
    if (!scenario)
        return nan;
    const auto evaluation = evaluate(*scenario);
    if (!evaluation->valid)
        return nan;
    const RankMemory &rank = c.last ? evaluation->memory.ranks.back() : evaluation->memory.ranks.front();
    return static_cast<double>(rank.peakAllocated) / bytesPerGiB;
}

} // namespace

void addMemoryRows(SelfCheckRows &rows)
{
    addLayers(rows);
    for (const RecordedPeak &c : recordedPeaks) {
        std::string split = fmt::format("TP {}, PP {}, EP {}", c.tp, c.pp, c.ep);
        if (c.cp > 1)
            split += fmt::format(", CP {}, sequence {}", c.cp, c.seq);
        const std::string_view stage = c.pp == 1 ? "" : c.last ? ", last stage" : ", first stage";
        const std::string model = c.model == v3 ? "DeepSeek-V3"
            : c.model == v2                     ? "DeepSeek-V2"
            : c.model == llama70                ? "Llama-70B"
                                                : "Llama-405B";
        rows.push_back({ fmt::format("memory.b200.{}", c.id),
                         fmt::format("{} cut to {} layers, {}{}: allocated peak", model, c.layers, split, stage), "GiB", c.gib,
                         peakGib(c), 0.015, Provenance::Modelled, "SimuMax, Megatron-LM on 8 B200, torch allocator peak" });
    }
}

} // namespace pipeloom
