// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace pipeloom
{

/// Which plan an edit changes: one (0 = A, 1 = B, ..) or all that have no value of their own, and B.
struct EditTarget
{
    static constexpr int everyPlan = -1;
    int plan = everyPlan;
    bool operator==(const EditTarget &) const = default;
};

} // namespace pipeloom
