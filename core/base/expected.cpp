// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/expected.h"

namespace pipeloom
{

std::string Error::text() const
{
    std::string out;
    if (!file.empty())
        out += file + ": ";
    if (!where.empty())
        out += where + ": ";
    out += message;
    // A whole sentence ends before its remedy begins.
    if (!hint.empty() && out.ends_with('.'))
        out.pop_back();
    if (!hint.empty())
        out += "; " + hint;
    return out;
}

std::string text(const Errors &errors)
{
    std::string out;
    for (const Error &error : errors) {
        out += error.text();
        out += '\n';
    }
    return out;
}

} // namespace pipeloom
