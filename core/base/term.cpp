// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/term.h"

#include <algorithm>

namespace pipeloom
{

const char *name(Provenance provenance)
{
    switch (provenance) {
    case Provenance::Counted:
        return "counted";
    case Provenance::Modelled:
        return "modelled";
    case Provenance::Calibrated:
        return "calibrated";
    case Provenance::Measured:
        return "measured";
    case Provenance::Assumed:
        return "assumed";
    }
    return "";
}

const Term *findTerm(const Terms &terms, const std::string &id)
{
    const auto found = std::ranges::find(terms, id, &Term::id);
    return found == terms.end() ? nullptr : &*found;
}

} // namespace pipeloom
