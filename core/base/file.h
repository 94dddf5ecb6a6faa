// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace pipeloom
{

/// No file a person writes by hand is larger.
inline constexpr std::size_t textFileLimit = std::size_t{ 64 } << 20U;

/// The bytes of a regular file. Directories, pipes, devices, unreadable paths and files above `limit` are refused without reading
/// them; a file that grows while it is read is refused at the limit.
[[nodiscard]] Expected<std::string> readTextFile(const std::string &path, std::size_t limit = textFileLimit);

/// Replaces a file in one step: a temporary file beside the target, synced, renamed over it, the folder synced. On any error the
/// old file is untouched and the temporary is gone. A symbolic link is followed, so that the link stays; the old file's
/// permissions are kept.
[[nodiscard]] Expected<bool> writeFileAtomically(const std::string &path, std::string_view content);

} // namespace pipeloom
