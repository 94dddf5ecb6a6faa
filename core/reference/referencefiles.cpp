// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reference/referencefiles.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace pipeloom
{

std::string_view referenceText(std::string_view name)
{
    const auto files = referencefiles::files();
    const auto found = std::ranges::find(files, name, &referencefiles::File::name);
    if (found == files.end()) {
        std::cerr << "Bundled file " << name << " is missing\n";
        std::abort();
    }
    return found->text;
}

} // namespace pipeloom
