// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/sentences.h"

#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace pipeloom
{

namespace
{

bool isPlainInShell(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("._-=:/,+").find(c) != std::string_view::npos;
    });
}

/// A JSON string goes without its quotes where the command line reads the same value back.
std::string settingText(const Setting &setting)
{
    const std::string &json = setting.json;
    if (json.size() > 2 && json.front() == '"' && json.back() == '"') {
        const std::string bare = setting.path + '=' + json.substr(1, json.size() - 2);
        const Expected<Setting> back = parseSetting(bare);
        if (back && *back == setting)
            return bare;
    }
    return setting.path + '=' + json;
}

} // namespace

std::string planSentence(const Evaluation &e)
{
    const ParallelPlan &p = e.scenario.plan;
    std::string groups = fmt::format("PP {}, TP {}", formatCount(p.pp), formatCount(p.tp));
    if (p.vpp > 1)
        groups += fmt::format(", VPP {}", p.vpp);
    if (e.scenario.model.moe.experts > 0)
        groups += fmt::format(", EP {}", formatCount(p.ep));
    if (p.etp > 1)
        groups += fmt::format(", ETP {}", p.etp);
    if (p.cp > 1)
        groups += fmt::format(", CP {}", p.cp);
    if (e.groups.dp > 0)
        groups += fmt::format(", DP {}", formatCount(e.groups.dp));
    const std::string batches = e.groups.microbatches > 0
        ? fmt::format("{} of {} x {}", formatCounted(e.groups.microbatches, "microbatch"), formatCount(p.microBatch),
                      formatCounted(p.seq, "token"))
        : fmt::format("global batch {} of {}", formatCount(p.globalBatch), formatCounted(p.seq, "token"));
    return fmt::format("{} on {} x {}: {}, {}, {}; precision {}, recompute {}, ZeRO {}.", e.scenario.model.title,
                       formatCount(p.gpus), e.scenario.cluster.title, title(p.schedule), groups, batches,
                       e.scenario.precision.name, e.scenario.recompute.name, p.zero);
}

std::string verdictSentence(const Evaluation &e)
{
    if (!e.valid || e.memory.ranks.empty()) {
        const auto found = std::ranges::find(e.diagnostics, Severity::Error, &Diagnostic::severity);
        return found == e.diagnostics.end() ? "Not valid." : fmt::format("Not valid: {}", found->message);
    }
    const RankMemory &rank = e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)];
    const std::string needs = fmt::format("rank {} needs {}", rank.rank, formatBytes(rank.peak));
    const std::string usable = formatBytes(e.memory.usable);
    std::string sentence;
    switch (e.memory.verdict) {
    case Verdict::Fits:
        return fmt::format("Fits: {}, {} left of the usable {}.", needs, formatBytes(e.memory.usable - rank.peak), usable);
    case Verdict::Tight:
        sentence =
            fmt::format("Tight: {}, {} into the reserve above {}.", needs, formatBytes(rank.peak - e.memory.usable), usable);
        break;
    case Verdict::Over:
    case Verdict::Invalid:
        sentence = fmt::format("Does not fit: {}, {} over the usable {} of {}", needs, formatBytes(rank.peak - e.memory.usable),
                               usable, formatBytes(e.memory.capacity));
        break;
    }
    return e.memory.blame.empty() ? sentence + '.' : fmt::format("{}; {}.", sentence, e.memory.blame);
}

std::string speedSentence(const Evaluation &e)
{
    const Throughput &t = e.throughput;
    return fmt::format("Step {}: {} tokens/s/GPU ({} to {}), MFU {} = {} of {} TFLOP/s {}, {} GPU-hours per 1T tokens, {} USD at "
                       "{:.2f} an hour.",
                       formatDuration(e.time.step), formatFixed(t.tokensPerSecondPerGpu, 0), formatFixed(t.low, 0),
                       formatFixed(t.high, 0), formatPercent(t.mfu), formatFixed(t.modelTflopsPerGpu, 0),
                       formatFixed(t.mfuPeakTflops, 1), t.mfuPeakDtype, formatShort(e.cost.gpuHoursPerTrillionTokens),
                       formatShort(e.cost.usdPerTrillionTokens), e.cost.usdPerGpuHour);
}

std::string tagLegend()
{
    return "counted: exact, from shapes. modelled: from a formula with assumed efficiencies. calibrated: from a profile of a "
           "recorded trace. "
           "measured: printed by a published run. assumed: a stated assumption.";
}

const char *severityWord(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "info";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "";
}

std::string setOptions(std::span<const Setting> settings)
{
    std::vector<std::string> out;
    for (const Setting &setting : settings) {
        const std::string text = settingText(setting);
        out.push_back(isPlainInShell(text) ? "--set " + text : "--set '" + text + "'");
    }
    return fmt::format("{}", fmt::join(out, " "));
}

std::string repair(const Fix &fix)
{
    return fix.set.empty() ? fix.label : fmt::format("{} ({})", fix.label, setOptions(fix.set));
}

std::string plainNumber(const Quantity &quantity)
{
    if (!quantity.known())
        return {};
    const bool whole = std::abs(quantity.value) < 9e15 && quantity.value == std::floor(quantity.value);
    return whole ? fmt::format("{}", std::llround(quantity.value)) : fmt::format("{}", quantity.value);
}

} // namespace pipeloom
