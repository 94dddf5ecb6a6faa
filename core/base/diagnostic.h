// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace pipeloom
{

/// One field of a scenario and the value it should take: path "plan.pp", value as JSON text ("8", "\"1f1b\"", "null").
struct Setting
{
    std::string path;
    std::string json;
    bool operator==(const Setting &) const = default;
};

/// A repair that can be applied with one click or one `--set`.
struct Fix
{
    std::string label; ///< "Use 2,048", "Use 1F1B instead"
    std::vector<Setting> set;
    bool operator==(const Fix &) const = default;
};

enum class Severity
{
    Info, ///< a rule that holds, or a choice made for the user
    Warning, ///< legal, but it costs
    Error, ///< the plan cannot run
};

/// A finding about a plan. It names the field, the rule and the repairs.
struct Diagnostic
{
    Severity severity = Severity::Error;
    std::string code; ///< stable identifier, e.g. "dualpipe-microbatches"
    std::string field; ///< scenario path of the control it concerns, e.g. "plan.global_batch"
    std::string message; ///< subject, number, limit; one or two sentences
    std::vector<Fix> fixes;
    bool operator==(const Diagnostic &) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] bool hasError(const Diagnostics &diagnostics);

} // namespace pipeloom
