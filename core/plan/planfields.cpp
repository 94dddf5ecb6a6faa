// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/planfields.h"

#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/model/modelspec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

namespace pipeloom
{

namespace
{

template<auto Member>
std::int64_t get(const ParallelPlan &plan)
{
    return plan.*Member;
}

template<auto Member>
void set(ParallelPlan &plan, std::int64_t value)
{
    plan.*Member = static_cast<std::remove_reference_t<decltype(plan.*Member)>>(value);
}

template<auto Member>
constexpr PlanNumber number(const char *path, const char *rangeCode, const char *label, const char *noun, std::int64_t least,
                            std::int64_t most)
{
    return { path, rangeCode, label, noun, least, most, get<Member>, set<Member> };
}

constexpr std::array<PlanNumber, 11> numbers = { {
    number<&ParallelPlan::gpus>("plan.gpus", "range-gpus", "GPU count", "GPU", 1, mostGpus),
    number<&ParallelPlan::tp>("plan.tp", "range-tp", "TP", "TP", 1, mostSplit),
    number<&ParallelPlan::pp>("plan.pp", "range-pp", "PP", "PP", 1, mostSplit),
    number<&ParallelPlan::vpp>("plan.vpp", "range-vpp", "VPP", "VPP", 1, mostChunksPerRank),
    number<&ParallelPlan::ep>("plan.ep", "range-ep", "EP", "EP", 1, mostExpertParallel),
    number<&ParallelPlan::etp>("plan.etp", "range-etp", "ETP", "ETP", 1, mostSplit),
    number<&ParallelPlan::cp>("plan.cp", "range-cp", "CP", "CP", 1, mostSplit),
    number<&ParallelPlan::microBatch>("plan.micro_batch", "range-micro_batch", "Micro-batch", "micro-batch", 1, mostMicroBatch),
    number<&ParallelPlan::globalBatch>("plan.global_batch", "range-global_batch", "Global batch", "global batch", 1,
                                       mostGlobalBatch),
    number<&ParallelPlan::seq>("plan.seq", "range-seq", "Sequence", "sequence", 1, mostSequence),
    number<&ParallelPlan::zero>("plan.zero", "range-zero", "ZeRO", "ZeRO", 0, 3),
} };

std::string layoutJson(const LayoutRequest &layout)
{
    if (const auto *text = std::get_if<std::string>(&layout))
        return fmt::format("\"{}\"", *text); // our own strings hold nothing that JSON escapes
    if (const auto *list = std::get_if<std::vector<int>>(&layout))
        return fmt::format("[{}]", fmt::join(*list, ","));
    if (const auto *ends = std::get_if<FirstLastLayout>(&layout)) {
        std::string out;
        if (ends->first)
            out += fmt::format("\"first\":{}", *ends->first);
        if (ends->last)
            out += fmt::format("{}\"last\":{}", out.empty() ? "" : ",", *ends->last);
        return "{" + out + "}";
    }
    return "null";
}

std::string layoutName(const LayoutRequest &layout)
{
    if (std::holds_alternative<std::monostate>(layout))
        return "an even split";
    const auto *ends = std::get_if<FirstLastLayout>(&layout);
    if (ends == nullptr)
        return "another layout";
    std::string out;
    if (ends->first)
        out += fmt::format("first {}", *ends->first);
    if (ends->last)
        out += fmt::format("{}last {}", out.empty() ? "" : " and ", *ends->last);
    return out;
}

} // namespace

std::int64_t mostTokens(const ModelSpec &m)
{
    constexpr std::int64_t most = 8'388'608;
    constexpr double mostBytes = 1e15;
    const AttentionSpec &a = m.attention;
    const auto n = [](auto value) { return static_cast<double>(value); };
    // A generous bound of what a layer keeps of a token, in numbers of 4 bytes.
    const double attention = n(a.heads) * (2 * n(a.qkDim()) + 2 * n(a.vDim())) + 2 * (n(a.queryRank) + n(a.kvRank));
    const double experts =
        n(m.moe.topK) * (2 * n(m.hidden) + 3 * n(m.moe.expertWidth)) + 3 * n(m.moe.besideWidth()) + 4 * n(m.moe.experts);
    const double layer = 8 * n(m.hidden) + attention + experts + 3 * n(m.denseWidth);
    const double bytes = 4 * ((n(m.layers) + n(m.mtpDepth)) * layer + 3 * (1 + n(m.mtpDepth)) * n(m.vocab));
    return bytes * n(most) <= mostBytes ? most : static_cast<std::int64_t>(mostBytes / bytes);
}

std::span<const PlanNumber> planNumbers() { return numbers; }

std::vector<Setting> settingsBetween(const ParallelPlan &before, const ParallelPlan &after)
{
    std::vector<Setting> out;
    if (after.schedule != before.schedule)
        out.push_back({ "plan.schedule", fmt::format("\"{}\"", name(after.schedule)) });
    for (const PlanNumber &n : numbers) {
        if (n.get(after) != n.get(before))
            out.push_back({ n.path, std::to_string(n.get(after)) });
    }
    if (after.interleaveGroup != before.interleaveGroup)
        out.push_back({ "plan.interleave_group", after.interleaveGroup ? std::to_string(*after.interleaveGroup) : "null" });
    if (after.layout != before.layout)
        out.push_back({ "plan.layout", layoutJson(after.layout) });
    if (after.sequenceParallel != before.sequenceParallel)
        out.push_back({ "plan.sequence_parallel", after.sequenceParallel ? "true" : "false" });
    return out;
}

std::string changeLabel(const ParallelPlan &before, const ParallelPlan &after)
{
    std::vector<std::string> parts;
    if (after.schedule != before.schedule)
        parts.emplace_back(title(after.schedule));
    for (const PlanNumber &n : numbers) {
        if (n.get(after) == n.get(before))
            continue;
        const std::int64_t value = n.get(after);
        parts.push_back(n.path == std::string_view("plan.gpus") ? formatCounted(value, n.noun)
                                                                : fmt::format("{} {}", n.noun, formatCount(value)));
    }
    if (after.interleaveGroup != before.interleaveGroup)
        parts.push_back(after.interleaveGroup ? fmt::format("groups of {} microbatches", *after.interleaveGroup)
                                              : std::string("groups of PP microbatches"));
    if (after.layout != before.layout)
        parts.push_back(layoutName(after.layout));
    if (after.sequenceParallel != before.sequenceParallel)
        parts.emplace_back(after.sequenceParallel ? "sequence parallelism" : "no sequence parallelism");
    std::string out = "Use ";
    for (std::size_t i = 0; i < parts.size(); ++i)
        out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    if (parts.size() == 1 && after.schedule != before.schedule)
        out += " instead";
    return out;
}

} // namespace pipeloom
