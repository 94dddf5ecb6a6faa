// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/documents.h"

namespace pipeloom
{

void checkTogether(JsonReport &report, const Scenario &scenario)
{
    const bool skewed = scenario.routing.family != RoutingFamily::Uniform && scenario.routing.sigma > 0;
    if (scenario.runtime.capacityFactor && skewed && scenario.model.moe.experts > 0)
        report.error(ErrorCode::Unsupported, "/runtime/capacity_factor",
                     "drops tokens under skewed routing, which is not modelled yet",
                     "set routing.family to \"uniform\" or capacity_factor to null");
}

} // namespace pipeloom
