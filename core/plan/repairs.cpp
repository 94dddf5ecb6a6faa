// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/repairs.h"

#include "core/base/format.h"
#include "core/plan/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr std::size_t mostFixes = 4;
constexpr std::size_t mostFirstSteps = 8; ///< of repairs in two steps

/// Codes of errors, sorted, each once.
using Faults = std::vector<std::string_view>;

/// A changed plan and what the rules say to it.
struct Trial
{
    Candidate candidate;
    std::string_view field; ///< of a neighbour; empty for what a rule thought of
    std::int64_t moved = 0; ///< as in Neighbour
    Faults faults;

    [[nodiscard]] bool leaves(std::string_view code) const { return std::ranges::binary_search(faults, code); }
};

using FieldOrder = std::array<std::string_view, 14>;

/// Where to look when the finding's own field has no answer: how the work is split, then how it is scheduled, then the work.
constexpr FieldOrder splitFirst = { "plan.pp",     "plan.tp",           "plan.ep",
                                    "plan.cp",     "plan.etp",          "plan.vpp",
                                    "plan.layout", "plan.schedule",     "plan.interleave_group",
                                    "plan.gpus",   "plan.global_batch", "plan.micro_batch",
                                    "plan.zero",   "plan.seq" };
/// What goes along with another change: the batch that it needs before anything that moves the ranks once more.
constexpr FieldOrder batchFirst = {
    "plan.global_batch", "plan.micro_batch",      "plan.ep",   "plan.cp", "plan.etp",  "plan.vpp", "plan.layout", "plan.pp",
    "plan.schedule",     "plan.interleave_group", "plan.gpus", "plan.tp", "plan.zero", "plan.seq"
};

auto orderBy(const FieldOrder &fields)
{
    return
        [&fields](const Trial &t) { return std::pair(std::ranges::find(fields, t.field) - fields.begin(), std::abs(t.moved)); };
}

class RepairSearch
{
public:
    explicit RepairSearch(PlanContext &context)
        : m_c(context)
        , m_before(context.findings.errorCodes())
    {
    }

    void run()
    {
        if (!m_before.empty())
            tryNeighbours();
        for (Finding &finding : m_c.findings.list()) {
            if (finding.diagnostic.severity == Severity::Warning)
                mendWarning(finding);
            else if (finding.diagnostic.severity == Severity::Error)
                mendError(finding);
        }
    }

private:
    using Choice = std::vector<const Trial *>;

    [[nodiscard]] bool breaksNothing(const Faults &faults) const { return std::ranges::includes(m_before, faults); }

    /// What runs after a change of one field, or, with several faults, everything such a change leads to.
    void tryNeighbours()
    {
        walkNeighbours(m_c.model, m_c.plan, [&](const Neighbour &n) {
            if (!runs(n.plan))
                return Walk::On;
            m_neighbours.push_back({ { n.plan, {} }, n.field, n.moved, {} });
            return Walk::Arrived;
        });
        m_oneFieldRuns = !m_neighbours.empty();
        if (!m_oneFieldRuns) {
            walkNeighbours(m_c.model, m_c.plan, [&](const Neighbour &n) {
                m_neighbours.push_back({ { n.plan, {} }, n.field, n.moved, faultsOf(n.plan) });
                return Walk::On;
            });
        }
        std::ranges::stable_sort(m_neighbours, {}, orderBy(splitFirst));
    }

    [[nodiscard]] bool runs(const ParallelPlan &plan) const { return planRuns(m_c.model, m_c.cluster, plan); }
    [[nodiscard]] Faults faultsOf(const ParallelPlan &plan) const
    {
        return applyRules(m_c.model, m_c.cluster, plan, Depth::Faults).findings.errorCodes();
    }

    [[nodiscard]] std::vector<Trial> tryOwn(const Finding &finding) const
    {
        std::vector<Trial> out;
        for (const Candidate &candidate : finding.candidates) {
            if (candidate.plan != m_c.plan)
                out.push_back({ candidate, {}, 0, faultsOf(candidate.plan) });
        }
        return out;
    }

    void mendWarning(Finding &finding) const
    {
        for (const Candidate &candidate : finding.candidates) {
            if (candidate.plan == m_c.plan)
                continue;
            const PlanContext after = applyRules(m_c.model, m_c.cluster, candidate.plan, Depth::Faults);
            if (!after.findings.has(finding.diagnostic.code) && breaksNothing(after.findings.errorCodes()))
                add(finding, candidate);
        }
    }

    void mendError(Finding &finding) const
    {
        const std::vector<Trial> thoughtOf = tryOwn(finding);
        const std::string_view code = finding.diagnostic.code;
        Choice all;
        const std::string_view field = finding.diagnostic.field;
        // Another value of the number itself, then what the rule thought of, then everything else.
        const auto addNeighbours = [&](bool ofNumber) {
            for (const Trial &t : m_neighbours) {
                if ((t.field == field && t.moved != 0) == ofNumber && !t.leaves(code))
                    all.push_back(&t);
            }
        };
        addNeighbours(true);
        for (const Trial &t : thoughtOf) {
            if (!t.leaves(code))
                all.push_back(&t);
        }
        const std::size_t near = all.size();
        addNeighbours(false);
        if (choose(finding, all, near, [](const Trial &t) { return t.faults.empty(); }) || m_oneFieldRuns)
            return;
        std::size_t fewest = m_before.size();
        for (const Trial *t : all) {
            if (breaksNothing(t->faults))
                fewest = std::min(fewest, t->faults.size());
        }
        if (choose(finding, all, near, [&](const Trial &t) { return t.faults.size() == fewest && breaksNothing(t.faults); }))
            return;
        mendInTwoSteps(finding, all);
    }

    /// Takes what qualifies among the first `near`, else among the rest; of a number the nearest value below and the nearest
    /// above. False when nothing does.
    template<class Qualifies>
    bool choose(Finding &finding, const Choice &from, std::size_t near, const Qualifies &qualifies) const
    {
        std::vector<std::pair<std::string_view, bool>> taken;
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (i == near && !finding.diagnostic.fixes.empty())
                break;
            const Trial &trial = *from[i];
            const std::pair direction(trial.field, trial.moved > 0);
            if ((trial.moved != 0 && std::ranges::find(taken, direction) != taken.end()) || !qualifies(trial))
                continue;
            taken.push_back(direction);
            add(finding, trial.candidate);
        }
        return !finding.diagnostic.fixes.empty();
    }

    /// Another field after each of the first changes that mend the finding, until the plan runs; failing that, until nothing is
    /// broken that was not broken before.
    void mendInTwoSteps(Finding &finding, const Choice &first) const
    {
        const std::string_view code = finding.diagnostic.code;
        const auto mends = [&](const ParallelPlan &plan) {
            const Faults faults = faultsOf(plan);
            return faults.size() < m_before.size() && breaksNothing(faults) && !std::ranges::binary_search(faults, code);
        };
        addSecondSteps(finding, first, [this](const ParallelPlan &plan) { return runs(plan); });
        if (finding.diagnostic.fixes.empty())
            addSecondSteps(finding, first, mends);
    }

    template<class Accepts>
    void addSecondSteps(Finding &finding, const Choice &first, const Accepts &accepts) const
    {
        const auto order = orderBy(batchFirst);
        for (std::size_t i = 0; i < std::min(first.size(), mostFirstSteps); ++i) {
            std::optional<Trial> best;
            walkNeighbours(m_c.model, first[i]->candidate.plan, [&](const Neighbour &n) {
                Trial trial{ { n.plan, {} }, n.field, n.moved, {} };
                if ((best && order(trial) >= order(*best)) || !accepts(n.plan))
                    return Walk::On;
                best = std::move(trial);
                return Walk::Arrived;
            });
            if (best)
                add(finding, best->candidate);
        }
    }

    void add(Finding &finding, const Candidate &candidate) const
    {
        std::vector<Fix> &fixes = finding.diagnostic.fixes;
        Fix fix{ candidate.label, settingsBetween(m_c.plan, candidate.plan) };
        if (fixes.size() >= mostFixes || std::ranges::any_of(fixes, [&](const Fix &other) { return other.set == fix.set; }))
            return;
        if (fix.label.empty())
            fix.label = changeLabel(m_c.plan, candidate.plan);
        fixes.push_back(std::move(fix));
    }

    PlanContext &m_c;
    Faults m_before;
    std::vector<Trial> m_neighbours;
    bool m_oneFieldRuns = false;
};

/// Values of the fixes that set the finding's field and nothing else.
std::vector<std::int64_t> ownValues(const Diagnostic &d)
{
    std::vector<std::int64_t> out;
    for (const Fix &fix : d.fixes) {
        if (fix.set.size() == 1 && fix.set.front().path == d.field)
            out.push_back(std::stoll(fix.set.front().json));
    }
    return out;
}

void addAdvice(const PlanContext &c, Finding &finding)
{
    Diagnostic &d = finding.diagnostic;
    if (finding.advice == Advice::None)
        return;
    const std::vector<std::int64_t> values = ownValues(d);
    if (values.empty())
        return;
    if (finding.advice == Advice::Values) {
        d.message += fmt::format(" {} work{}.", listOr(values), values.size() == 1 ? "s" : "");
    } else {
        d.message += fmt::format(" Global batch {} gives M {}.", formatCount(values.front()),
                                 formatCount(values.front() / (c.plan.microBatch * c.groups.dp)));
    }
}

} // namespace

void findRepairs(PlanContext &c)
{
    RepairSearch(c).run();
    for (Finding &finding : c.findings.list())
        addAdvice(c, finding);
}

} // namespace pipeloom
