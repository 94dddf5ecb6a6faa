// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedulekind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace pipeloom
{

namespace
{

/// Which stages the chunks of a rank are.
enum class ChunkPlacement
{
    Single, ///< stage r
    Looped, ///< c P + r
    Folded, ///< r and 2P-1-r: the model goes down the ranks and comes back up
    Mirrored, ///< r and P-1-r: two copies of the model in opposite directions
};

struct Traits
{
    ScheduleKind kind;
    std::string_view name;
    std::string_view title;
    ChunkPlacement placement;
    bool generated;
};

constexpr std::array<Traits, 16> traitsOfAll = { {
    { ScheduleKind::GPipe, "gpipe", "GPipe", ChunkPlacement::Single, true },
    { ScheduleKind::OneForwardOneBackward, "1f1b", "1F1B", ChunkPlacement::Single, true },
    { ScheduleKind::Interleaved, "interleaved", "Interleaved 1F1B", ChunkPlacement::Looped, true },
    { ScheduleKind::LoopedBfs, "looped-bfs", "Looped BFS", ChunkPlacement::Looped, true },
    { ScheduleKind::CombinedAllToAll, "1f1b-a2a-overlap", "1F1B with all-to-all overlap", ChunkPlacement::Looped, true },
    { ScheduleKind::ZeroBubbleH1, "zb-h1", "ZB-H1", ChunkPlacement::Single, true },
    { ScheduleKind::InterleavedZeroBubble, "interleaved-zb", "Interleaved zero bubble", ChunkPlacement::Looped, true },
    { ScheduleKind::ZeroBubbleH2, "zb-h2", "ZB-H2", ChunkPlacement::Single, true },
    { ScheduleKind::ZeroBubbleV, "zb-v", "ZB-V", ChunkPlacement::Folded, true },
    { ScheduleKind::VHalf, "v-half", "V-Half", ChunkPlacement::Folded, true },
    { ScheduleKind::VMin, "v-min", "V-Min", ChunkPlacement::Folded, true },
    { ScheduleKind::OneForwardOneBackwardV, "1f1b-v", "1F1B-V", ChunkPlacement::Folded, true },
    { ScheduleKind::DualPipe, "dualpipe", "DualPipe", ChunkPlacement::Mirrored, true },
    { ScheduleKind::DualPipeV, "dualpipev", "DualPipeV", ChunkPlacement::Folded, true },
    { ScheduleKind::Chimera, "chimera", "Chimera", ChunkPlacement::Mirrored, true },
    { ScheduleKind::Custom, "custom", "Custom order", ChunkPlacement::Single, false },
} };

constexpr bool inEnumOrder()
{
    for (std::size_t i = 0; i < traitsOfAll.size(); ++i) {
        if (static_cast<std::size_t>(traitsOfAll[i].kind) != i)
            return false;
    }
    return true;
}
static_assert(inEnumOrder(), "the table is indexed by the enum");

const Traits &traits(ScheduleKind kind) { return traitsOfAll[static_cast<std::size_t>(kind)]; }

/// Sliders may ask for anything: the product stays an int.
int saturatedProduct(int a, int b)
{
    const std::int64_t product = std::int64_t{ a } * b;
    return static_cast<int>(std::clamp<std::int64_t>(product, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

} // namespace

std::span<const ScheduleKind> allScheduleKinds()
{
    static constexpr auto kinds = [] {
        std::array<ScheduleKind, traitsOfAll.size()> out{};
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = traitsOfAll[i].kind;
        return out;
    }();
    return kinds;
}

std::string_view name(ScheduleKind kind) { return traits(kind).name; }

std::string_view title(ScheduleKind kind) { return traits(kind).title; }

std::optional<ScheduleKind> scheduleKind(std::string_view name)
{
    const auto *const found = std::ranges::find(traitsOfAll, name, &Traits::name);
    return found == traitsOfAll.end() ? std::nullopt : std::optional(found->kind);
}

bool canGenerate(ScheduleKind kind) { return traits(kind).generated; }

bool takesChunks(ScheduleKind kind) { return traits(kind).placement == ChunkPlacement::Looped; }

bool takesGroup(ScheduleKind kind) { return kind == ScheduleKind::Interleaved || kind == ScheduleKind::CombinedAllToAll; }

bool hasPairs(ScheduleKind kind)
{
    return kind == ScheduleKind::CombinedAllToAll || kind == ScheduleKind::DualPipe || kind == ScheduleKind::DualPipeV;
}

std::vector<std::string> generatedScheduleNames()
{
    std::vector<std::string> names;
    for (const Traits &traits : traitsOfAll) {
        if (traits.generated)
            names.emplace_back(traits.name);
    }
    return names;
}

int chunksPerRank(ScheduleKind kind, int vpp)
{
    switch (traits(kind).placement) {
    case ChunkPlacement::Single:
        return 1;
    case ChunkPlacement::Looped:
        return vpp;
    case ChunkPlacement::Folded:
    case ChunkPlacement::Mirrored:
        return 2;
    }
    return 1;
}

int stageCount(ScheduleKind kind, int pp, int vpp)
{
    switch (traits(kind).placement) {
    case ChunkPlacement::Single:
    case ChunkPlacement::Mirrored:
        return pp;
    case ChunkPlacement::Looped:
        return saturatedProduct(pp, vpp);
    case ChunkPlacement::Folded:
        return saturatedProduct(pp, 2);
    }
    return pp;
}

int stageOf(ScheduleKind kind, int pp, int rank, int chunk)
{
    switch (traits(kind).placement) {
    case ChunkPlacement::Single:
        return rank;
    case ChunkPlacement::Looped:
        return chunk * pp + rank;
    case ChunkPlacement::Folded:
        return chunk == 0 ? rank : 2 * pp - 1 - rank;
    case ChunkPlacement::Mirrored:
        return chunk == 0 ? rank : pp - 1 - rank;
    }
    return rank;
}

} // namespace pipeloom
