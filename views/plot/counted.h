// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/counted.h"

#include <QString>

namespace pipeloom
{

/// "1 rank", "2,048 ranks": formatCounted() for the views.
[[nodiscard]] inline QString countedText(std::int64_t count, const char *noun)
{
    return QString::fromStdString(formatCounted(count, noun));
}

} // namespace pipeloom
