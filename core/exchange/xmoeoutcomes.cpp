// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/xmoeoutcomes.h"

#include "core/plan/groups.h"
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>

namespace pipeloom
{

namespace
{

/// A published cell with the sizes its authors swept.
struct Cell
{
    const char *model;
    int seq;
    const char *policy;
    int gpus;
    bool trained;
    std::span<const int> expertParallel;
    std::span<const int> tensorParallel;
};

constexpr std::array frontierExperts{ 8, 32, 64, 128, 256 };
constexpr std::array oneNode{ 8 };
constexpr std::array alone{ 1 };
constexpr std::array upToEight{ 1, 2, 4, 8 };
constexpr std::array upToTwo{ 1, 2 };
constexpr std::array sixtyFour{ 64 };
constexpr std::array hundredTwentyEight{ 128 };

constexpr const char *oneHot = "deepspeed-moe-0.15";
constexpr const char *ted = "deepspeed-ted";
constexpr const char *tutel = "tutel";
constexpr const char *xmoe = "x-moe-ssmb";

constexpr std::array cells{
    // Figure 9: MI250X GCDs of Frontier.
    Cell{ "xmoe-small", 2048, oneHot, 256, true, frontierExperts, alone },
    Cell{ "xmoe-small", 2048, ted, 256, true, frontierExperts, upToEight },
    Cell{ "xmoe-small", 2048, tutel, 256, true, frontierExperts, alone },
    Cell{ "xmoe-small", 2048, xmoe, 256, true, frontierExperts, upToEight },
    Cell{ "xmoe-medium", 4096, oneHot, 256, false, frontierExperts, alone },
    Cell{ "xmoe-medium", 4096, ted, 256, true, frontierExperts, upToEight },
    Cell{ "xmoe-medium", 4096, tutel, 256, true, frontierExperts, alone },
    Cell{ "xmoe-medium", 4096, xmoe, 256, true, frontierExperts, upToEight },
    Cell{ "xmoe-large", 4096, oneHot, 256, false, frontierExperts, alone },
    Cell{ "xmoe-large", 4096, ted, 256, false, frontierExperts, upToEight },
    Cell{ "xmoe-large", 4096, tutel, 256, false, frontierExperts, alone },
    Cell{ "xmoe-large", 4096, xmoe, 256, true, frontierExperts, upToEight },
    Cell{ "xmoe-super", 4096, oneHot, 1024, false, frontierExperts, alone },
    Cell{ "xmoe-super", 4096, ted, 1024, false, frontierExperts, upToEight },
    Cell{ "xmoe-super", 4096, tutel, 1024, false, frontierExperts, alone },
    Cell{ "xmoe-super", 4096, xmoe, 1024, true, frontierExperts, upToEight },
    // Figure 10b, the smallest machine of the strong scaling.
    Cell{ "xmoe-medium", 4096, tutel, 128, false, hundredTwentyEight, alone },
    Cell{ "xmoe-medium", 4096, xmoe, 128, true, sixtyFour, upToTwo },
    // Table 5: eight A100 of 40 GB.
    Cell{ "xmoe-small", 2048, oneHot, 8, false, oneNode, alone },
    Cell{ "xmoe-small", 2048, tutel, 8, false, oneNode, alone },
    Cell{ "xmoe-small", 2048, xmoe, 8, true, oneNode, alone },
    Cell{ "xmoe-small-sr", 1024, oneHot, 8, true, oneNode, alone },
    Cell{ "xmoe-small-sr", 1024, tutel, 8, true, oneNode, alone },
    Cell{ "xmoe-small-sr", 1024, xmoe, 8, true, oneNode, alone },
    Cell{ "xmoe-small-lr", 2048, oneHot, 8, true, oneNode, alone },
    Cell{ "xmoe-small-lr", 2048, tutel, 8, true, oneNode, alone },
    Cell{ "xmoe-small-lr", 2048, xmoe, 8, true, oneNode, alone },
};

/// What the authors' scripts set, whatever the parallel sizes. Context and library take 3 GiB on Frontier, where RCCL's buffers
/// are larger, and 2 on one node; an assumption made before any cell was compared.
std::optional<Scenario> scenarioOf(const Cell &cell)
{
    const bool frontier = cell.gpus > 8;
    const Expected<ModelSpec> model = modelPreset(cell.model);
    const Expected<Cluster> cluster = clusterPreset(frontier ? "mi250x-frontier" : "a100-40g");
    const Expected<Precision> precision = precisionPreset("deepspeed-fp16");
    if (!model || !cluster || !precision)
        return std::nullopt;
    Scenario s;
    s.model = *model;
    s.cluster = *cluster;
    s.precision = *precision;
    s.plan.gpus = cell.gpus;
    s.plan.seq = cell.seq;
    s.plan.globalBatch = 1024;
    s.runtime.moe = cell.policy;
    s.runtime.capacityFactor = 1.25;
    s.runtime.lossFusion = "unfused";
    s.routing.family = RoutingFamily::Uniform;
    s.memory.contextGib = frontier ? 3 : 2;
    return s;
}

TrainingOutcome outcomeOf(const Cell &cell)
{
    TrainingOutcome out;
    out.model = cell.model;
    out.policy = cell.policy;
    out.gpus = cell.gpus;
    out.trained = cell.trained;
    std::optional<Scenario> s = scenarioOf(cell);
    if (!s)
        return out;
    out.capacity = s->cluster.hbmBytes;
    for (const int ep : cell.expertParallel) {
        for (const int tp : cell.tensorParallel) {
            for (const int zero : { 1, 2 }) {
                s->plan.ep = ep;
                s->plan.tp = tp;
                s->plan.etp = std::string_view(cell.policy) == ted ? tp : 1;
                s->plan.zero = zero;
                if (!planRuns(s->model, s->cluster, s->plan))
                    continue;
                const auto evaluation = evaluatePlain(*s);
                if (!evaluation->valid)
                    continue;
                const ByteCount peak = evaluation->memory.ranks.front().peak;
                if (out.tp != 0 && peak >= out.peak)
                    continue;
                out.peak = peak;
                out.tp = tp;
                out.ep = ep;
                out.zero = zero;
            }
        }
    }
    return out;
}

} // namespace

std::string TrainingOutcome::plan() const { return fmt::format("TP {}, EP {}, ZeRO {}", tp, ep, zero); }

std::vector<TrainingOutcome> xmoeOutcomes()
{
    std::vector<TrainingOutcome> out;
    out.reserve(cells.size());
    for (const Cell &cell : cells)
        out.push_back(outcomeOf(cell));
    return out;
}

} // namespace pipeloom
