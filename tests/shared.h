// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace pipeloom
{

/// The folder with the published and recorded numbers: $PIPELOOM_SHARED, or `shared` beside the source tree. Tests that
/// need it skip where it is absent; the product never reads it.
inline std::optional<std::string> sharedFolder()
{
    const char *const named = std::getenv("PIPELOOM_SHARED"); // NOLINT(concurrency-mt-unsafe)
    const std::string folder = named != nullptr ? named : PIPELOOM_SOURCE_DIR "/../shared";
    std::error_code error;
    if (!std::filesystem::is_directory(folder + "/golden", error))
        return std::nullopt;
    return folder;
}

} // namespace pipeloom
