// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/neighbours.h"

#include "core/plan/planfields.h"
#include "core/schedule/rules.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr std::int64_t farthest = 4096;

/// The smallest world that both meshes and `step` divide, or nothing when that is more than any cluster has.
std::optional<std::int64_t> worldStep(const ModelSpec &model, const ParallelPlan &p, std::int64_t step)
{
    const std::int64_t attention = std::int64_t{ p.tp } * p.cp * p.pp;
    const std::int64_t expert = model.moe.experts > 0 ? std::int64_t{ p.etp } * p.ep * p.pp : 1;
    for (const std::int64_t group : { attention, expert }) {
        if (group < 1 || group > mostGpus)
            return std::nullopt;
        step = std::lcm(step, group);
        if (step > mostGpus)
            return std::nullopt;
    }
    return step;
}

/// True when the batch is whole microbatches on a world of so many GPUs that the attention mesh divides.
bool cutsBatch(const ParallelPlan &p, std::int64_t gpus)
{
    const std::int64_t ranks = gpus / (std::int64_t{ p.tp } * p.cp * p.pp);
    return p.globalBatch % (p.microBatch * ranks) == 0;
}

class NeighbourWalk
{
public:
    NeighbourWalk(const ModelSpec &model, const ParallelPlan &plan, const std::function<Walk(const Neighbour &)> &visit)
        : m_model(model)
        , m_plan(plan)
        , m_visit(visit)
        , m_changed(plan)
    {
    }

    void run()
    {
        const auto outside = std::ranges::count_if(planNumbers(), [&](const PlanNumber &n) { return !n.inRange(m_plan); });
        for (const PlanNumber &n : planNumbers()) {
            // No rule but its own looks at a plan with a number out of range.
            if (m_stopped || (outside > 0 && n.inRange(m_plan)))
                continue;
            if (outside > 1)
                visitNumber(n, std::clamp(n.get(m_plan), n.least, n.most));
            else
                walk(n);
        }
        if (outside == 0)
            visitChoices();
    }

private:
    void walk(const PlanNumber &n)
    {
        const ParallelPlan &p = m_plan;
        const MoeSpec &moe = m_model.moe;
        const bool experts = moe.experts > 0;
        const std::string_view field = n.path;
        const auto divides = [](std::int64_t whole) { return [whole](std::int64_t v) { return whole % v == 0; }; };
        if (field == "plan.gpus")
            walkGpus(n);
        else if (field == "plan.global_batch")
            walkBatches(n);
        else if (field == "plan.tp")
            outwards(n, m_model.attention.heads, 1, divides(m_model.attention.heads));
        else if (field == "plan.pp" || field == "plan.cp")
            outwards(n, p.gpus, 1, divides(p.gpus));
        else if (field == "plan.ep")
            outwards(n, experts ? moe.experts : 1, 1, divides(experts ? moe.experts : 1));
        else if (field == "plan.etp")
            outwards(n, experts ? moe.expertWidth : 1, 1, divides(experts ? moe.expertWidth : 1));
        else if (field == "plan.micro_batch")
            outwards(n, std::min(p.globalBatch, mostTokens(m_model) / std::max(1, p.seq)), 1, divides(p.globalBatch));
        else if (field == "plan.seq")
            outwards(
                n, mostTokens(m_model) / std::max(1, p.microBatch), sequenceStep(), [](std::int64_t) { return true; }, 1);
        else if (!n.inRange(p) || (field == "plan.vpp" && chunksPerRank(p.schedule, 2) != chunksPerRank(p.schedule, 3)))
            outwards(n, n.most, 1, [](std::int64_t) { return true; });
        // Else nothing but its range speaks of the number.
    }

    /// What CP, and TP with sequence parallelism, cut the sequence into.
    [[nodiscard]] std::int64_t sequenceStep() const
    {
        const std::int64_t cp = m_plan.cp;
        return std::lcm(cp > 1 ? 2 * cp : 1, m_plan.sequenceParallel && m_plan.tp > 1 ? cp * m_plan.tp : 1);
    }

    void walkGpus(const PlanNumber &n)
    {
        const std::optional<std::int64_t> step = worldStep(m_model, m_plan, 1);
        if (!step)
            return;
        const std::int64_t present = m_plan.gpus;
        // The nearest worlds count even where the batch is no whole number of microbatches: that may be another fault.
        outwards(n, n.most, *step, [&](std::int64_t gpus) {
            return std::abs(gpus - std::clamp(present, n.least, n.most)) <= *step || cutsBatch(m_plan, gpus);
        });
    }

    void walkBatches(const PlanNumber &n)
    {
        const ParallelPlan &p = m_plan;
        const std::int64_t ranks = std::int64_t{ p.tp } * p.cp * p.pp;
        if (p.gpus < ranks || p.gpus % ranks != 0)
            return;
        const std::int64_t step = p.microBatch * (p.gpus / ranks);
        const std::int64_t present = std::clamp<std::int64_t>(p.globalBatch, 0, mostGlobalBatch);
        const std::int64_t whole = present / step;
        std::set<std::int64_t> counts = { whole, whole + 1 };
        if (present % step == 0)
            counts.insert(whole - 1);
        for (const std::int64_t m : { whole, whole + 1 }) {
            const ScheduleRequest request{ p.schedule, p.pp, static_cast<int>(m), p.vpp, p.interleaveGroup };
            if (countsMatter(request)) {
                const std::vector<int> nearest = nearestMicrobatches(request);
                counts.insert(nearest.begin(), nearest.end());
            }
        }
        for (const std::int64_t m : counts) {
            if (m >= 1 && m <= n.most / step && m * step != p.globalBatch)
                visitNumber(n, m * step);
        }
    }

    /// Whether the rules on ranks, chunks and group hold, so that a number of microbatches can be asked for.
    static bool countsMatter(ScheduleRequest request)
    {
        request.microbatches = std::max(1, request.microbatches);
        const std::optional<ScheduleProblem> problem = findProblem(request);
        if (!problem || problem->subject == ScheduleSubject::Microbatches || problem->subject == ScheduleSubject::Size)
            return true;
        return problem->subject == ScheduleSubject::Group && *request.group >= request.ranks;
    }

    /// Multiples of `stride` that pass the filter, down and up from the present value; at most `perDirection` of them each.
    template<class Filter>
    void outwards(const PlanNumber &n, std::int64_t most, std::int64_t stride, const Filter &passes,
                  std::int64_t perDirection = farthest)
    {
        most = std::min(most, n.most);
        const std::int64_t present = std::clamp(n.get(m_plan), n.least - 1, n.most + 1);
        const std::int64_t below = std::min(present - 1, most);
        const std::int64_t above = std::max(present, n.least - 1);
        // ZeRO starts at 0; everything else is positive.
        const auto direction = [&](std::int64_t first, std::int64_t step) {
            std::int64_t visited = 0;
            for (std::int64_t i = 0, v = first; i < farthest && v >= n.least && v <= most && !m_stopped; ++i, v += step) {
                if (!passes(v))
                    continue;
                if (visitNumber(n, v) || ++visited == perDirection)
                    return;
            }
        };
        direction(below < 0 ? -1 : below / stride * stride, -stride);
        direction(above < 0 ? 0 : (above / stride + 1) * stride, stride);
    }

    /// True when the visitor has arrived.
    bool visitNumber(const PlanNumber &n, std::int64_t value)
    {
        n.set(m_changed, value);
        const std::int64_t moved = value - std::clamp(n.get(m_plan), n.least - 1, n.most + 1);
        const bool stages = n.path == std::string_view("plan.pp") || n.path == std::string_view("plan.vpp");
        const bool arrived = visit(n.path, moved, stages);
        n.set(m_changed, n.get(m_plan));
        return arrived;
    }

    /// Visits the changed plan, and once more with its layers spread anew when the number of stages changes under a layout.
    bool visit(std::string_view field, std::int64_t moved, bool stages)
    {
        Walk walk = m_stopped ? Walk::Stop : m_visit({ field, m_changed, moved });
        if (walk == Walk::On && stages && !std::holds_alternative<std::monostate>(m_plan.layout)) {
            m_changed.layout = std::monostate{};
            walk = m_visit({ field, m_changed, moved });
            m_changed.layout = m_plan.layout;
        }
        m_stopped = m_stopped || walk == Walk::Stop;
        return walk != Walk::On;
    }

    void visitChoices()
    {
        // The schedules that everything can run come first.
        constexpr std::array first = { ScheduleKind::OneForwardOneBackward, ScheduleKind::DualPipe };
        const auto visitKind = [&](ScheduleKind kind) {
            if (kind == m_plan.schedule || !canGenerate(kind))
                return;
            m_changed.schedule = kind;
            visit("plan.schedule", 0, true);
            m_changed.schedule = m_plan.schedule;
        };
        std::ranges::for_each(first, visitKind);
        for (const ScheduleKind kind : allScheduleKinds()) {
            if (std::ranges::find(first, kind) == first.end())
                visitKind(kind);
        }
        if (m_plan.interleaveGroup) {
            m_changed.interleaveGroup.reset();
            visit("plan.interleave_group", 0, false);
            m_changed.interleaveGroup = m_plan.interleaveGroup;
        }
        if (!std::holds_alternative<std::monostate>(m_plan.layout)) {
            m_changed.layout = std::monostate{};
            visit("plan.layout", 0, false);
            m_changed.layout = m_plan.layout;
        }
        m_changed.sequenceParallel = !m_plan.sequenceParallel;
        visit("plan.sequence_parallel", 0, false);
        m_changed.sequenceParallel = m_plan.sequenceParallel;
    }

    const ModelSpec &m_model;
    const ParallelPlan &m_plan;
    const std::function<Walk(const Neighbour &)> &m_visit;
    ParallelPlan m_changed;
    bool m_stopped = false;
};

} // namespace

void walkNeighbours(const ModelSpec &model, const ParallelPlan &plan, const std::function<Walk(const Neighbour &)> &visit)
{
    NeighbourWalk(model, plan, visit).run();
}

std::vector<std::int64_t> nearestGpus(const ModelSpec &model, const ParallelPlan &plan, std::int64_t step)
{
    constexpr std::size_t perDirection = 4;
    const std::optional<std::int64_t> world = worldStep(model, plan, step);
    std::vector<std::int64_t> out;
    if (!world)
        return out;
    const auto direction = [&](std::int64_t first, std::int64_t stride) {
        const std::size_t before = out.size();
        std::int64_t gpus = first;
        for (std::int64_t i = 0; i < farthest && gpus >= 1 && gpus <= mostGpus && out.size() < before + perDirection; ++i) {
            if (cutsBatch(plan, gpus))
                out.push_back(gpus);
            gpus += stride;
        }
    };
    direction((plan.gpus - 1) / *world * *world, -*world);
    direction((plan.gpus / *world + 1) * *world, *world);
    std::ranges::stable_sort(out, {}, [&](std::int64_t gpus) { return std::abs(gpus - plan.gpus); });
    return out;
}

} // namespace pipeloom
