// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/layoutbuild.h"

#include "core/base/counted.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pipeloom
{

void offerLayout(Candidates &out, const PlanContext &c, LayoutRequest layout, std::string label)
{
    Candidate candidate{ c.plan, std::move(label) };
    candidate.plan.layout = std::move(layout);
    out.push_back(std::move(candidate));
}

void offerEvenSplit(Candidates &out, const PlanContext &c) { offerLayout(out, c, {}, "Split the layers evenly"); }

void buildLayout(PlanContext &c, const std::vector<int> &layersOf, LayoutEnds ends)
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
bool checkLayerSum(PlanContext &c, const std::vector<int> &layersOf, const std::function<void(Candidates &)> &repairs)
{
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < layersOf.size(); ++s) {
        if (layersOf[s] < 0) {
            c.findings.error(
                "layout-stages", layoutField,
                [&] { return fmt::format("Stage {} cannot hold {}.", s, formatCounted(layersOf[s], "layer")); },
                [&](Candidates &out) { offerEvenSplit(out, c); });
            return false;
        }
        sum += layersOf[s];
    }
    if (sum == c.model.layers)
        return true;
    c.findings.error(
        "layout-layers", layoutField,
        [&] {
            return fmt::format("The layout builds {}, the model has {}.", formatCounted(sum, "layer"),
                               formatCount(c.model.layers));
        },
        repairs);
    return false;
}

void refuseStageCount(PlanContext &c, std::size_t given, int stages)
{
    c.findings.error(
        "layout-stages", layoutField,
        [&] {
            return fmt::format("The layout has {} stage{}, PP {} with {} needs {}.",
                               formatCount(static_cast<std::int64_t>(given)), given == 1 ? "" : "s", c.plan.pp,
                               title(c.plan.schedule), formatCount(stages));
        },
        [&](Candidates &out) {
            // VPP and PP by themselves are tried anyway; a list for several chunks may lack the schedule too.
            const auto count = static_cast<int>(given);
            if (count % c.plan.pp == 0 && count / c.plan.pp > 1 && count / c.plan.pp <= mostChunksPerRank) {
                const int vpp = count / c.plan.pp;
                Candidate candidate{ c.plan, {} };
                candidate.plan.vpp = vpp;
                if (chunksPerRank(c.plan.schedule, vpp) != vpp) {
                    candidate.plan.schedule = ScheduleKind::Interleaved;
                    candidate.label = fmt::format("Use interleaved 1F1B with VPP {}", vpp);
                }
                out.push_back(std::move(candidate));
            }
            const int chunks = stages / c.plan.pp;
            if (count % chunks == 0 && count / chunks >= 1 && count / chunks <= mostSplit) {
                Candidate candidate{ c.plan, {} };
                candidate.plan.pp = count / chunks;
                out.push_back(std::move(candidate));
            }
            offerEvenSplit(out, c);
        });
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
        return fmt::format("{} of {}", formatCounted(static_cast<std::int64_t>(count), "stage"), layers(s));
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

} // namespace pipeloom
