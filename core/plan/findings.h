// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/plan/plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pipeloom
{

/// One field of the plan with a new value, both as a setting and ready to apply.
struct PlanChange
{
    Setting setting;
    std::function<void(ParallelPlan &)> apply;
};

[[nodiscard]] PlanChange setGpus(std::int64_t value);
[[nodiscard]] PlanChange setTp(int value);
[[nodiscard]] PlanChange setPp(int value);
[[nodiscard]] PlanChange setVpp(int value);
[[nodiscard]] PlanChange setEp(int value);
[[nodiscard]] PlanChange setEtp(int value);
[[nodiscard]] PlanChange setCp(int value);
[[nodiscard]] PlanChange setMicroBatch(int value);
[[nodiscard]] PlanChange setGlobalBatch(std::int64_t value);
[[nodiscard]] PlanChange setSeq(int value);
[[nodiscard]] PlanChange setZero(int value);
[[nodiscard]] PlanChange setSequenceParallel(bool value);
[[nodiscard]] PlanChange setSchedule(ScheduleKind kind);
[[nodiscard]] PlanChange setLayout(const LayoutRequest &layout);
[[nodiscard]] PlanChange clearInterleaveGroup();

/// A repair that was thought of; it becomes a Fix when the changed plan keeps the rule.
struct Candidate
{
    std::string label;
    std::vector<PlanChange> changes;
};
using Candidates = std::vector<Candidate>;

/// A diagnostic with the repairs to try.
struct Finding
{
    Diagnostic diagnostic;
    Candidates candidates;
};

/// Collects what the rules find. Repairs cost more than rules, so they are thought of only on demand.
class Findings
{
public:
    explicit Findings(bool wantRepairs)
        : m_wantRepairs(wantRepairs)
    {
    }

    using Repairs = std::function<void(Candidates &)>;
    void error(std::string code, std::string field, std::string message, const Repairs &repairs = {})
    {
        add(Severity::Error, std::move(code), std::move(field), std::move(message), repairs);
        m_hasError = true;
    }
    void warning(std::string code, std::string field, std::string message, const Repairs &repairs = {})
    {
        add(Severity::Warning, std::move(code), std::move(field), std::move(message), repairs);
    }
    void info(std::string code, std::string field, std::string message)
    {
        add(Severity::Info, std::move(code), std::move(field), std::move(message), {});
    }

    /// False when only codes and severities matter: then a rule may leave out what is costly to say.
    [[nodiscard]] bool wantsWords() const { return m_wantRepairs; }
    [[nodiscard]] bool hasError() const { return m_hasError; }
    [[nodiscard]] bool has(const std::string &code) const;
    [[nodiscard]] std::vector<Finding> &list() { return m_list; }
    [[nodiscard]] const std::vector<Finding> &list() const { return m_list; }

private:
    void add(Severity severity, std::string code, std::string field, std::string message, const Repairs &repairs);

    std::vector<Finding> m_list;
    bool m_wantRepairs;
    bool m_hasError = false;
};

/// The largest value <= `from` and the smallest >= `from` in [1, most] that `works`, nearest first, without `from` itself. Looks
/// at most 4,096 numbers away.
[[nodiscard]] std::vector<int> nearestValues(int from, int most, const std::function<bool(int)> &works);

/// The nearest multiples of `step` (> 0) below and above, in [1, most], nearest first, without `from` itself.
[[nodiscard]] std::vector<std::int64_t> nearestMultiples(std::int64_t from, std::int64_t step, std::int64_t most);

/// "16 or 32"; thousands with commas.
[[nodiscard]] std::string listOr(const std::vector<std::int64_t> &values);

} // namespace pipeloom
