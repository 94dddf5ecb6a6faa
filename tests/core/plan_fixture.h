// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/groups.h"
#include "core/scenario/scenariofile.h"
#include "core/schedule/schedule.h"

#include <algorithm>
#include <string>

namespace pipeloom
{

/// DeepSeek-V3 on 1,024 H800, DualPipe PP8 with 20 microbatches: the story of the design.
inline Scenario deepseekStory()
{
    Scenario s;
    s.modelChoice.preset = "deepseek-v3";
    s.model = *modelPreset("deepseek-v3");
    s.clusterChoice.preset = "h800";
    s.cluster = *clusterPreset("h800");
    s.plan.gpus = 1024;
    s.plan.pp = 8;
    s.plan.ep = 64;
    s.plan.globalBatch = 2560;
    s.plan.schedule = ScheduleKind::DualPipe;
    s.precisionChoice.preset = "deepseek-v3-fp8";
    s.precision = *precisionPreset("deepseek-v3-fp8");
    return s;
}

inline Scenario withModel(Scenario s, const char *preset)
{
    s.modelChoice.preset = preset;
    s.model = *modelPreset(preset);
    return s;
}

inline PlanCheck check(const Scenario &s) { return checkPlan(s.model, s.cluster, s.plan); }

/// The diagnostic with that code, or nullptr.
inline const Diagnostic *find(const PlanCheck &checked, const std::string &code)
{
    const auto found = std::ranges::find(checked.diagnostics, code, &Diagnostic::code);
    return found == checked.diagnostics.end() ? nullptr : &*found;
}

inline std::string codes(const PlanCheck &checked)
{
    std::string out;
    for (const Diagnostic &d : checked.diagnostics) {
        if (d.severity == Severity::Error)
            out += (out.empty() ? "" : " ") + d.code;
    }
    return out;
}

inline std::string labels(const Diagnostic &diagnostic)
{
    std::string out;
    for (const Fix &fix : diagnostic.fixes)
        out += (out.empty() ? "" : "; ") + fix.label;
    return out;
}

} // namespace pipeloom
