// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "core/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipeloom
{

/// A repair that was thought of: the plan with it. It becomes a Fix when the rules accept the plan (plan/repairs.h).
struct Candidate
{
    ParallelPlan plan;
    std::string label; ///< empty: from what changes
};
using Candidates = std::vector<Candidate>;

/// What a message adds about its repairs once they are known.
enum class Advice
{
    None,
    Values, ///< "16 or 32 work."
    Microbatches, ///< "Global batch 2,048 gives M 16."
};

/// A diagnostic with the repairs to try.
struct Finding
{
    Diagnostic diagnostic;
    Candidates candidates;
    Advice advice = Advice::None;
};

/// Collects what the rules find. Words and repairs cost more than rules: both are callables that run on demand alone.
class Findings
{
public:
    enum class Detail
    {
        Codes, ///< for trials: codes and severities
        Words, ///< messages and repairs too
    };

    explicit Findings(Detail detail)
        : m_detail(detail)
    {
    }

    /// Codes are literals. words: () -> string. repairs: (Candidates &) adds what only this rule can think of; every number of
    /// the plan is tried anyway.
    template<class Words, class Repairs>
    void error(std::string_view code, const char *field, const Words &words, const Repairs &repairs, Advice advice = Advice::None)
    {
        m_hasError = true;
        add(Severity::Error, code, field, words, repairs, advice);
    }
    template<class Words>
    void error(std::string_view code, const char *field, const Words &words, Advice advice = Advice::None)
    {
        error(code, field, words, noRepairs, advice);
    }
    template<class Words, class Repairs>
    void warning(std::string_view code, const char *field, const Words &words, const Repairs &repairs)
    {
        add(Severity::Warning, code, field, words, repairs, Advice::None);
    }
    template<class Words>
    void warning(std::string_view code, const char *field, const Words &words)
    {
        warning(code, field, words, noRepairs);
    }
    /// A rule that holds: words and nothing else, so trials skip it.
    template<class Words>
    void info(std::string_view code, const char *field, const Words &words)
    {
        if (m_detail == Detail::Words)
            add(Severity::Info, code, field, words, noRepairs, Advice::None);
    }

    [[nodiscard]] bool hasError() const { return m_hasError; }
    [[nodiscard]] bool has(std::string_view code) const
    {
        return std::ranges::any_of(m_seen, [&](const Seen &seen) { return seen.code == code; });
    }
    /// Codes of the errors, sorted, each once.
    [[nodiscard]] std::vector<std::string_view> errorCodes() const;
    /// Empty without words.
    [[nodiscard]] std::vector<Finding> &list() { return m_list; }

private:
    struct Seen
    {
        Severity severity;
        std::string_view code;
    };
    static constexpr auto noRepairs = [](Candidates &) {};

    template<class Words, class Repairs>
    void add(Severity severity, std::string_view code, const char *field, const Words &words, const Repairs &repairs,
             Advice advice)
    {
        m_seen.push_back({ severity, code });
        if (m_detail == Detail::Codes)
            return;
        Finding finding{ { severity, std::string(code), field, words(), {} }, {}, advice };
        repairs(finding.candidates);
        m_list.push_back(std::move(finding));
    }

    std::vector<Seen> m_seen;
    std::vector<Finding> m_list;
    Detail m_detail;
    bool m_hasError = false;
};

/// The largest value <= `from` and the smallest >= `from` in [1, most] that `works`, nearest first, without `from` itself. Looks
/// at most 4,096 numbers away.
[[nodiscard]] std::vector<int> nearestValues(int from, int most, const std::function<bool(int)> &works);

/// "16 or 32"; thousands with commas.
[[nodiscard]] std::string listOr(const std::vector<std::int64_t> &values);

} // namespace pipeloom
