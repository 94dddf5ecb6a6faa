// SPDX-License-Identifier: GPL-3.0-or-later
// Layers to stages as a Megatron layout string: what its letters must say (Megatron-Core pipeline_parallel_layer_layout).
#include "core/base/format.h"
#include "core/plan/layoutbuild.h"
#include "core/plan/layoutstring.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace pipeloom
{

namespace
{

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

} // namespace

void useLayoutString(PlanContext &c, const std::string &text, int stages)
{
    const auto even = [&](Candidates &out) { offerEvenSplit(out, c); };
    const Expected<std::vector<LayoutStage>> parsed = parseLayout(text);
    if (!parsed) {
        const Error &error = parsed.error();
        c.findings.error(
            "layout-string", layoutField,
            [&] {
                return fmt::format("The layout cannot be read{}: {}{}.", error.where.empty() ? "" : " at " + error.where,
                                   error.message, error.hint.empty() ? "" : "; " + error.hint);
            },
            even);
        return;
    }
    std::vector<int> layersOf;
    LayoutEnds ends;
    for (const LayoutStage &stage : *parsed) {
        if (stage.losses > 0)
            ends.head = static_cast<int>(layersOf.size());
        if (stage.mtpModules > 0)
            ends.mtp = static_cast<int>(layersOf.size());
        layersOf.push_back(stage.layers);
    }
    c.layout.layersBuilt = std::accumulate(layersOf.begin(), layersOf.end(), 0);
    if (static_cast<std::int64_t>(parsed->size()) != stages) {
        refuseStageCount(c, parsed->size(), stages);
        return;
    }
    std::optional<LayoutFault> fault = findEndsFault(*parsed);
    if (!fault)
        fault = findMtpFault(c, *parsed);
    if (fault) {
        c.findings.error(
            fault->code, layoutField, [&] { return fault->message; },
            [&](Candidates &out) {
                if (ends.mtp < 0 && c.model.mtpDepth > 0)
                    offerLayout(out, c, withMtp(text, c.model.mtpDepth), "Add the MTP module before L");
                offerEvenSplit(out, c);
            });
        return;
    }
    if (!checkLayerSum(c, layersOf, even))
        return;
    const int losses =
        std::accumulate(parsed->begin(), parsed->end(), 0, [](int sum, const LayoutStage &s) { return sum + s.losses; });
    if (losses > 1)
        c.findings.warning(
            "layout-losses", layoutField,
            [&] { return fmt::format("The layout splits the loss in {}: it is counted whole on the last stage.", losses); },
            even);
    c.layout.layersBuilt = 0;
    buildLayout(c, layersOf, ends);
}

} // namespace pipeloom
