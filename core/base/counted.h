// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/format.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pipeloom
{

/// "rank" of 1, "ranks" of any other number; "microbatch" gives "microbatches", "copy" gives "copies". For the nouns of this
/// program: none of them is irregular.
[[nodiscard]] std::string plural(std::int64_t count, std::string_view noun);

/// A count with its noun: "1 rank", "2,048 ranks", "0 microbatches".
[[nodiscard]] inline std::string formatCounted(std::int64_t count, std::string_view noun)
{
    return formatCount(count) + ' ' + plural(count, noun);
}

} // namespace pipeloom
