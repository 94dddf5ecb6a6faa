// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"

namespace pipeloom
{

/// A place on the canvas where a rank idles: plan index, rank and a time inside the bubble.
struct BubbleRef
{
    int plan = 0;
    int rank = 0;
    Nanoseconds time = 0;
    bool operator==(const BubbleRef &) const = default;
};

} // namespace pipeloom
