// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/findings.h"

#include "core/base/format.h"
#include "core/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

template<class T, class Member>
PlanChange number(const char *path, T value, Member ParallelPlan::*member)
{
    return { { path, std::to_string(value) }, [value, member](ParallelPlan &plan) { plan.*member = value; } };
}

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

} // namespace

PlanChange setGpus(std::int64_t value) { return number("plan.gpus", value, &ParallelPlan::gpus); }

PlanChange setTp(int value) { return number("plan.tp", value, &ParallelPlan::tp); }

PlanChange setPp(int value) { return number("plan.pp", value, &ParallelPlan::pp); }

PlanChange setVpp(int value) { return number("plan.vpp", value, &ParallelPlan::vpp); }

PlanChange setEp(int value) { return number("plan.ep", value, &ParallelPlan::ep); }

PlanChange setEtp(int value) { return number("plan.etp", value, &ParallelPlan::etp); }

PlanChange setCp(int value) { return number("plan.cp", value, &ParallelPlan::cp); }

PlanChange setMicroBatch(int value) { return number("plan.micro_batch", value, &ParallelPlan::microBatch); }

PlanChange setGlobalBatch(std::int64_t value) { return number("plan.global_batch", value, &ParallelPlan::globalBatch); }

PlanChange setSeq(int value) { return number("plan.seq", value, &ParallelPlan::seq); }

PlanChange setZero(int value) { return number("plan.zero", value, &ParallelPlan::zero); }

PlanChange setSequenceParallel(bool value)
{
    return { { "plan.sequence_parallel", value ? "true" : "false" },
             [value](ParallelPlan &plan) { plan.sequenceParallel = value; } };
}

PlanChange setSchedule(ScheduleKind kind)
{
    return { { "plan.schedule", fmt::format("\"{}\"", name(kind)) }, [kind](ParallelPlan &plan) { plan.schedule = kind; } };
}

PlanChange setLayout(const LayoutRequest &layout)
{
    return { { "plan.layout", layoutJson(layout) }, [layout](ParallelPlan &plan) { plan.layout = layout; } };
}

PlanChange clearInterleaveGroup()
{
    return { { "plan.interleave_group", "null" }, [](ParallelPlan &plan) { plan.interleaveGroup.reset(); } };
}

bool Findings::has(const std::string &code) const
{
    return std::ranges::any_of(m_list, [&](const Finding &f) { return f.diagnostic.code == code; });
}

void Findings::add(Severity severity, std::string code, std::string field, std::string message, const Repairs &repairs)
{
    Finding finding{ { severity, std::move(code), std::move(field), std::move(message), {} }, {} };
    if (m_wantRepairs && repairs)
        repairs(finding.candidates);
    m_list.push_back(std::move(finding));
}

std::vector<int> nearestValues(int from, int most, const std::function<bool(int)> &works)
{
    constexpr int farthest = 4096;
    std::vector<int> out;
    const int below = std::min(from, most);
    for (int value = below; value >= 1 && value > below - farthest; --value) {
        if (value != from && works(value)) {
            out.push_back(value);
            break;
        }
    }
    const std::int64_t first = std::max(from, 0);
    for (std::int64_t value = first + 1; value <= most && value <= first + farthest; ++value) {
        if (works(static_cast<int>(value))) {
            out.push_back(static_cast<int>(value));
            break;
        }
    }
    if (out.size() == 2 && std::int64_t{ out[1] } - from < std::int64_t{ from } - out[0])
        std::swap(out[0], out[1]);
    return out;
}

std::vector<std::int64_t> nearestMultiples(std::int64_t from, std::int64_t step, std::int64_t most)
{
    std::vector<std::int64_t> out;
    const std::int64_t below = std::min(from - 1, most) / step * step;
    const std::int64_t above = (std::max<std::int64_t>(from, 0) / step + 1) * step;
    if (below >= 1)
        out.push_back(below);
    if (above <= most)
        out.push_back(above);
    if (out.size() == 2 && above - from < from - below)
        std::swap(out[0], out[1]);
    return out;
}

std::string listOr(const std::vector<std::int64_t> &values)
{
    std::vector<std::string> words;
    for (const std::int64_t value : values)
        words.push_back(formatCount(value));
    std::ranges::sort(words, {}, [](const std::string &w) { return std::pair(w.size(), w); });
    return joinOr(words);
}

} // namespace pipeloom
