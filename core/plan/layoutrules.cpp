// SPDX-License-Identifier: GPL-3.0-or-later
// Layers to stages: nothing given (even, or the smallest repair), a list, first/last, or a Megatron layout string. Layers are
// never dropped: a split whose sum is wrong is an error.
#include "core/base/format.h"
#include "core/plan/layoutstring.h"
#include "core/plan/planrules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace pipeloom
{

namespace
{

constexpr int mostStages = std::numeric_limits<std::int16_t>::max();
constexpr const char *layoutField = "plan.layout";

/// Where the parts beside the layers sit; -1 = on the last stage.
struct Ends
{
    int head = -1;
    int mtp = -1;
};

void offerEven(Candidates &out) { out.push_back({ "Split the layers evenly", { setLayout({}) } }); }

/// Even; else ceil(L / n) everywhere and the rest on the last stage, which also holds the head; else counts that differ by one,
/// the larger ones away from the ends. Precondition: 1 <= stages <= layers.
std::vector<int> smallestRepair(int layers, int stages)
{
    const auto count = static_cast<std::size_t>(stages);
    const int most = layers / stages + (layers % stages == 0 ? 0 : 1);
    const std::int64_t last = layers - std::int64_t{ most } * (stages - 1);
    if (last >= 1) {
        std::vector<int> out(count, most);
        out.back() = static_cast<int>(last);
        return out;
    }
    std::vector<int> out(count, layers / stages);
    const auto extra = static_cast<std::size_t>(layers % stages);
    for (std::size_t i = 0; i < extra; ++i)
        ++out[(1 + i) % count]; // stage 1, 2, ...: the first stage has the embedding, the last the head
    return out;
}

void build(PlanContext &c, const std::vector<int> &layersOf, Ends ends)
{
    StageLayout &layout = c.layout;
    std::int64_t first = 0;
    const int denseEnd = c.hasExperts() ? c.model.denseLayers : std::numeric_limits<int>::max();
    const int last = static_cast<int>(layersOf.size()) - 1;
    layout.stages.reserve(layersOf.size());
    for (int s = 0; s <= last; ++s) {
        const int layers = layersOf[static_cast<std::size_t>(s)];
        StageContent content;
        content.stage = s;
        content.firstLayer = static_cast<int>(first);
        content.layers = layers;
        content.denseLayers = static_cast<int>(std::clamp<std::int64_t>(denseEnd - first, 0, layers));
        content.moeLayers = layers - content.denseLayers;
        content.embedding = s == 0;
        content.head = s == (ends.head < 0 ? last : ends.head);
        content.mtpModules = s == (ends.mtp < 0 ? last : ends.mtp) ? c.model.mtpDepth : 0;
        layout.stages.push_back(content);
        first += layers;
    }
    layout.layersBuilt = static_cast<int>(first);
    layout.even = std::ranges::adjacent_find(layersOf, std::ranges::not_equal_to{}) == layersOf.end();
}

/// False, with a diagnostic, when the counts are impossible or do not sum to the model's layers.
bool checkSum(PlanContext &c, const std::vector<int> &layersOf, const Findings::Repairs &repairs)
{
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < layersOf.size(); ++s) {
        if (layersOf[s] < 0) {
            c.findings.error("layout-stages", layoutField, fmt::format("Stage {} cannot hold {} layers.", s, layersOf[s]),
                             offerEven);
            return false;
        }
        sum += layersOf[s];
    }
    if (sum == c.model.layers)
        return true;
    c.findings.error("layout-layers", layoutField,
                     fmt::format("The layout builds {} layers, the model has {}.", formatCount(sum), formatCount(c.model.layers)),
                     repairs);
    return false;
}

void splitEvenly(PlanContext &c, int stages)
{
    if (stages <= c.model.layers) {
        build(c, smallestRepair(c.model.layers, stages), {});
        return;
    }
    const ParallelPlan &p = c.plan;
    const bool looped = chunksPerRank(p.schedule, 2) != chunksPerRank(p.schedule, 3) && p.vpp > 1;
    const std::string what = looped ? fmt::format("PP {} × VPP {} makes {} stages", p.pp, p.vpp, formatCount(stages))
                                    : fmt::format("PP {} makes {} stages", p.pp, formatCount(stages));
    c.findings.error(
        "stages-layers", looped && p.pp <= c.model.layers ? "plan.vpp" : "plan.pp",
        fmt::format("{}, the model has {} layer{}.", what, formatCount(c.model.layers), c.model.layers == 1 ? "" : "s"),
        [&](Candidates &out) {
            const auto fits = [&](int pp, int vpp) { return stageCount(p.schedule, pp, vpp) <= c.model.layers; };
            if (looped) {
                for (const int vpp : nearestValues(p.vpp, p.vpp, [&](int v) { return fits(p.pp, v); }))
                    out.push_back({ fmt::format("Use VPP {}", vpp), { setVpp(vpp) } });
            }
            const std::int64_t rest = std::int64_t{ p.tp } * p.cp;
            const auto works = [&](int pp) { return fits(pp, p.vpp) && p.gpus % (rest * pp) == 0; };
            for (const int pp : nearestValues(p.pp, p.pp, works))
                out.push_back({ fmt::format("Use PP {}", pp), pipelineChange(p, pp) });
            for (const int pp : nearestValues(p.pp, p.pp, [&](int v) { return fits(v, p.vpp); }))
                out.push_back({ fmt::format("Use PP {}", pp), pipelineChange(p, pp) });
            if (p.schedule != ScheduleKind::OneForwardOneBackward)
                out.push_back({ "Use 1F1B instead", { setSchedule(ScheduleKind::OneForwardOneBackward) } });
            if (p.schedule != ScheduleKind::OneForwardOneBackward)
                out.push_back({ "Use 1F1B, PP 1", [&] {
                                   std::vector<PlanChange> changes = pipelineChange(p, 1);
                                   changes.push_back(setSchedule(ScheduleKind::OneForwardOneBackward));
                                   return changes;
                               }() });
        });
}

void checkStageCount(PlanContext &c, std::size_t given, int stages)
{
    c.findings.error("layout-stages", layoutField,
                     fmt::format("The layout has {} stage{}, PP {} with {} needs {}.",
                                 formatCount(static_cast<std::int64_t>(given)), given == 1 ? "" : "s", c.plan.pp,
                                 title(c.plan.schedule), formatCount(stages)),
                     [&](Candidates &out) {
                         const int chunks = stages / c.plan.pp;
                         const auto count = static_cast<int>(given);
                         if (count % c.plan.pp == 0 && count / c.plan.pp > 1 && count / c.plan.pp <= mostChunksPerRank) {
                             const int vpp = count / c.plan.pp;
                             if (chunksPerRank(c.plan.schedule, vpp) == vpp)
                                 out.push_back({ fmt::format("Use VPP {}", vpp), { setVpp(vpp) } });
                             else
                                 out.push_back({ fmt::format("Use interleaved 1F1B with VPP {}", vpp),
                                                 { setSchedule(ScheduleKind::Interleaved), setVpp(vpp) } });
                         }
                         if (count % chunks == 0 && count / chunks <= mostSplit)
                             out.push_back({ fmt::format("Use PP {}", count / chunks), { setPp(count / chunks) } });
                         offerEven(out);
                     });
}

void useList(PlanContext &c, const std::vector<int> &list, int stages)
{
    if (static_cast<std::int64_t>(list.size()) != stages) {
        checkStageCount(c, list.size(), stages);
        return;
    }
    const bool sums = checkSum(c, list, [&](Candidates &out) {
        std::vector<int> repaired(list);
        const std::int64_t others = std::accumulate(list.begin(), list.end() - 1, std::int64_t{ 0 });
        const std::int64_t last = c.model.layers - others;
        if (last >= 0 && last <= c.model.layers) {
            repaired.back() = static_cast<int>(last);
            out.push_back({ fmt::format("Put {} on the last stage", last), { setLayout(repaired) } });
        }
        offerEven(out);
    });
    if (sums)
        build(c, list, {});
    else if (!list.empty())
        c.layout.layersBuilt = static_cast<int>(std::clamp<std::int64_t>(
            std::accumulate(list.begin(), list.end(), std::int64_t{ 0 }), 0, std::numeric_limits<int>::max()));
}

/// Layers of each of `units` with first and last given, or nothing when the rest does not divide.
std::optional<std::vector<int>> spreadBetween(std::int64_t layers, int units, const FirstLastLayout &ends)
{
    if (units == 1) {
        const bool agrees =
            ends.first.value_or(static_cast<int>(layers)) == layers && ends.last.value_or(static_cast<int>(layers)) == layers;
        return agrees ? std::optional(std::vector{ static_cast<int>(layers) }) : std::nullopt;
    }
    const int between = units - (ends.first ? 1 : 0) - (ends.last ? 1 : 0);
    const std::int64_t rest = layers - ends.first.value_or(0) - ends.last.value_or(0);
    if (rest < 0 || ends.first.value_or(0) < 0 || ends.last.value_or(0) < 0 || (between == 0 ? rest != 0 : rest % between != 0))
        return std::nullopt;
    std::vector<int> out(static_cast<std::size_t>(units), between == 0 ? 0 : static_cast<int>(rest / between));
    if (ends.first)
        out.front() = *ends.first;
    if (ends.last)
        out.back() = *ends.last;
    return out;
}

/// Megatron's flags count layers of the first and last pipeline rank; looped chunks share them equally.
void useFirstLast(PlanContext &c, const FirstLastLayout &ends, int stages)
{
    const bool looped = stages > c.plan.pp && stageOf(c.plan.schedule, c.plan.pp, 0, 1) == c.plan.pp;
    const int chunks = looped ? stages / c.plan.pp : 1;
    const int units = stages / chunks;
    const auto spread = [&](const FirstLastLayout &e) -> std::optional<std::vector<int>> {
        std::optional<std::vector<int>> perUnit = spreadBetween(c.model.layers, units, e);
        if (perUnit && std::ranges::any_of(*perUnit, [&](int layers) { return layers % chunks != 0; }))
            return std::nullopt;
        return perUnit;
    };
    if (const std::optional<std::vector<int>> perUnit = spread(ends)) {
        std::vector<int> layersOf;
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (const int layers : *perUnit)
                layersOf.push_back(layers / chunks);
        }
        build(c, layersOf, {});
        return;
    }
    std::string given = ends.first ? fmt::format("first {}", *ends.first) : "";
    if (ends.last)
        given += fmt::format("{}last {}", given.empty() ? "" : " and ", *ends.last);
    const int between = std::max(0, units - (ends.first ? 1 : 0) - (ends.last ? 1 : 0));
    const std::int64_t rest = std::int64_t{ c.model.layers } - ends.first.value_or(0) - ends.last.value_or(0);
    c.findings.error("layout-first-last", layoutField,
                     fmt::format("After {}, {} layers remain for {} stage{}{}: they cannot be spread evenly.", given,
                                 formatCount(rest), between, between == 1 ? "" : "s",
                                 chunks > 1 ? fmt::format(" of {} chunks", chunks) : ""),
                     [&](Candidates &out) {
                         const auto offer = [&](std::optional<int> FirstLastLayout::*end, const char *label) {
                             FirstLastLayout changed = ends;
                             const auto works = [&](int value) {
                                 changed.*end = value;
                                 return spread(changed).has_value();
                             };
                             for (const int value : nearestValues((ends.*end).value_or(1), c.model.layers, works)) {
                                 changed.*end = value;
                                 out.push_back({ fmt::format("Use {} {}", label, value), { setLayout(changed) } });
                             }
                         };
                         offer(&FirstLastLayout::last, "last");
                         offer(&FirstLastLayout::first, "first");
                         offerEven(out);
                     });
}

/// What the letters of a string say beside their number; the first fault found, or nothing.
struct LayoutFault
{
    const char *code;
    std::string message;
};

std::optional<LayoutFault> findEndsFault(const std::vector<LayoutStage> &stages)
{
    const int embeddings =
        std::accumulate(stages.begin(), stages.end(), 0, [](int sum, const LayoutStage &s) { return sum + s.embeddings; });
    if (embeddings != 1 || stages.front().embeddings != 1 || stages.front().anyBeforeEmbedding) {
        return LayoutFault{ "layout-embedding",
                            fmt::format("Stage 0 must begin with the one E, the layout has {}{}.", embeddings,
                                        embeddings == 1 && stages.front().embeddings == 0 ? " on another stage"
                                            : embeddings == 1                             ? " behind other letters"
                                                                                          : "") };
    }
    if (stages.back().losses < 1)
        return LayoutFault{ "layout-loss", fmt::format("Stage {} must end with L, the last stage has none.", stages.size() - 1) };
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (stages[s].anyAfterLoss || (stages[s].losses > 0 && s + 1 < stages.size() && stages[s + 1].losses == 0))
            return LayoutFault{ "layout-loss", fmt::format("On stage {} something follows L, the loss comes last.", s) };
    }
    return std::nullopt;
}

std::optional<LayoutFault> findMtpFault(const PlanContext &c, const std::vector<LayoutStage> &stages)
{
    int modules = 0;
    int holders = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        if (stages[s].layerAfterMtp)
            return LayoutFault{ "layout-mtp-stage", fmt::format("Stage {} holds t behind m, MTP follows the last layer.", s) };
        if (stages[s].mtpModules == 0)
            continue;
        modules += stages[s].mtpModules;
        ++holders;
        const int stage = static_cast<int>(s);
        // On looped stages rank 0 has the embedding; where the model is folded or mirrored it meets the head there anyway.
        if (c.plan.pp > 1 && stage % c.plan.pp == 0 && stageOf(c.plan.schedule, c.plan.pp, 0, stage / c.plan.pp) == stage)
            return LayoutFault{ "layout-mtp-stage",
                                fmt::format("Stage {} with m is on pipeline rank 0, MTP cannot be there.", s) };
    }
    if (modules != c.model.mtpDepth)
        return LayoutFault{ "layout-mtp",
                            fmt::format("The layout has {} m, the model {} MTP module{}.", modules, c.model.mtpDepth,
                                        c.model.mtpDepth == 1 ? "" : "s") };
    if (holders > 1)
        return LayoutFault{ "layout-mtp-stage", fmt::format("{} stages hold m, all MTP modules belong on one.", holders) };
    return std::nullopt;
}

/// The string with its missing m in front of the loss: Megatron's place when nothing else is asked for.
std::string withMtp(const std::string &text, int modules)
{
    const std::size_t loss = text.find('L');
    return loss == std::string::npos
        ? text
        : text.substr(0, loss) + std::string(static_cast<std::size_t>(std::clamp(modules, 0, 64)), 'm') + text.substr(loss);
}

void useString(PlanContext &c, const std::string &text, int stages)
{
    const Expected<std::vector<LayoutStage>> parsed = parseLayout(text);
    if (!parsed) {
        const Error &error = parsed.error();
        c.findings.error("layout-string", layoutField,
                         fmt::format("The layout cannot be read{}: {}{}.", error.where.empty() ? "" : " at " + error.where,
                                     error.message, error.hint.empty() ? "" : "; " + error.hint),
                         offerEven);
        return;
    }
    std::vector<int> layersOf;
    Ends ends;
    for (const LayoutStage &stage : *parsed) {
        if (stage.losses > 0)
            ends.head = static_cast<int>(layersOf.size());
        if (stage.mtpModules > 0)
            ends.mtp = static_cast<int>(layersOf.size());
        layersOf.push_back(stage.layers);
    }
    c.layout.layersBuilt = std::accumulate(layersOf.begin(), layersOf.end(), 0);
    if (static_cast<std::int64_t>(parsed->size()) != stages) {
        checkStageCount(c, parsed->size(), stages);
        return;
    }
    std::optional<LayoutFault> fault = findEndsFault(*parsed);
    if (!fault)
        fault = findMtpFault(c, *parsed);
    if (fault) {
        c.findings.error(fault->code, layoutField, fault->message, [&](Candidates &out) {
            if (ends.mtp < 0 && c.model.mtpDepth > 0)
                out.push_back({ "Add the MTP module before L", { setLayout(withMtp(text, c.model.mtpDepth)) } });
            offerEven(out);
        });
        return;
    }
    if (!checkSum(c, layersOf, offerEven))
        return;
    const int losses =
        std::accumulate(parsed->begin(), parsed->end(), 0, [](int sum, const LayoutStage &s) { return sum + s.losses; });
    if (losses > 1)
        c.findings.warning("layout-losses", layoutField,
                           fmt::format("The layout splits the loss in {}: it is counted whole on the last stage.", losses),
                           offerEven);
    c.layout.layersBuilt = 0;
    build(c, layersOf, ends);
}

/// "7 stages of 8, last of 5"
std::string describeCounts(const std::vector<StageContent> &stages)
{
    const auto layers = [&](std::size_t s) { return stages[s].layers; };
    const std::size_t n = stages.size();
    const auto equalFrom = [&](std::size_t first, std::size_t last) {
        for (std::size_t s = first; s + 1 < last; ++s) {
            if (layers(s) != layers(s + 1))
                return false;
        }
        return true;
    };
    const auto run = [&](std::size_t count, std::size_t s) {
        return fmt::format("{} stage{} of {}", formatCount(static_cast<std::int64_t>(count)), count == 1 ? "" : "s", layers(s));
    };
    if (equalFrom(0, n))
        return run(n, 0);
    if (equalFrom(0, n - 1))
        return fmt::format("{}, last of {}", run(n - 1, 0), layers(n - 1));
    if (equalFrom(1, n))
        return fmt::format("first of {}, {}", layers(0), run(n - 1, 1));
    if (equalFrom(1, n - 1))
        return fmt::format("first of {}, {}, last of {}", layers(0), run(n - 2, 1), layers(n - 1));
    const auto [least, most] = std::ranges::minmax_element(stages, {}, &StageContent::layers);
    return fmt::format("{} stages of {} to {}", formatCount(static_cast<std::int64_t>(n)), least->layers, most->layers);
}

} // namespace

void checkLayout(PlanContext &c)
{
    c.layout.layersRequested = c.model.layers;
    const int stages = c.stages();
    if (stages > mostStages)
        return; // the schedule's rule on its size speaks
    if (const auto *text = std::get_if<std::string>(&c.plan.layout))
        useString(c, *text, stages);
    else if (const auto *list = std::get_if<std::vector<int>>(&c.plan.layout))
        useList(c, *list, stages);
    else if (const auto *ends = std::get_if<FirstLastLayout>(&c.plan.layout))
        useFirstLast(c, *ends, stages);
    else
        splitEvenly(c, stages);
    if (!c.layout.stages.empty()) {
        c.findings.info("layers-built", layoutField,
                        fmt::format("{} of {} layers built: {}", formatCount(c.layout.layersBuilt),
                                    formatCount(c.layout.layersRequested), describeCounts(c.layout.stages)));
    }
}

} // namespace pipeloom
