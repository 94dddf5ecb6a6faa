// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; letters compare without case. O(|a| |b|),
/// inputs are cut at 64 bytes.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

/// The known name that `wanted` was probably meant to be; empty when none is close (more than a third of the letters differ, at
/// least two).
[[nodiscard]] std::string closestName(std::string_view wanted, std::span<const std::string> known);

/// Up to `most` known names, the closest first: for lists in messages, always filled when `known` has entries.
[[nodiscard]] std::vector<std::string> closestNames(std::string_view wanted, std::span<const std::string> known,
                                                    std::size_t most);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string joinOr(std::span<const std::string> names);

/// The text with control bytes and bytes that are not UTF-8 replaced by '?', cut to `most` bytes with "..." at the end: for
/// quoting input.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 60);

} // namespace pipeloom
