// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted.h"

namespace pipeloom
{

std::string plural(std::int64_t count, std::string_view noun)
{
    std::string out(noun);
    if (count == 1 || noun.size() < 2)
        return out;
    const bool sibilant = noun.ends_with("s") || noun.ends_with("x") || noun.ends_with("ch") || noun.ends_with("sh");
    const bool consonantY =
        noun.ends_with("y") && std::string_view("aeiou").find(noun[noun.size() - 2]) == std::string_view::npos;
    if (consonantY) {
        out.pop_back();
        return out + "ies";
    }
    return out + (sibilant ? "es" : "s");
}

} // namespace pipeloom
