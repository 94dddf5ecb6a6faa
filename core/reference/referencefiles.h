// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

// The source that cmake/EmbedFilesScript.cmake writes holds the same declarations.

namespace pipeloom::referencefiles
{

/// One file under resources/references, by its name.
struct File
{
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] std::span<const File> files();

} // namespace pipeloom::referencefiles

namespace pipeloom
{

/// The text of a bundled reference file; the program ends when there is none: a fault of the build, found by the first test.
[[nodiscard]] std::string_view referenceText(std::string_view name);

} // namespace pipeloom
