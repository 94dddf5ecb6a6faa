// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/diagnostic.h"

#include <algorithm>

namespace pipeloom
{

bool hasError(const Diagnostics &diagnostics)
{
    return std::ranges::any_of(diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

} // namespace pipeloom
