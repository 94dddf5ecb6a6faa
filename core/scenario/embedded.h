// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

// The sources that cmake/EmbedFilesScript.cmake writes hold the same declarations.

namespace pipeloom::presetfiles
{

/// One file under resources/presets, by its name without folders.
struct File
{
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] std::span<const File> files();

} // namespace pipeloom::presetfiles

namespace pipeloom::samplefiles
{

/// One file under samples.
struct File
{
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] std::span<const File> files();

} // namespace pipeloom::samplefiles
