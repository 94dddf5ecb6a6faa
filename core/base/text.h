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

/// The known name that `wanted` was probably meant to be: at most a third of the letters differ, or two; else the first name that
/// `wanted` begins or is a word of ("zb" of "zb-h1", "v3" of "deepseek-v3"). Empty when none is like it.
[[nodiscard]] std::string closestName(std::string_view wanted, std::span<const std::string> known);

/// All known names for a list in a message: those like `wanted`, the nearest spelling first, then the others in their own order.
[[nodiscard]] std::vector<std::string> nearestFirst(std::string_view wanted, std::span<const std::string> known);

/// The remedy for an unknown name: `did you mean "zb-h1"? Known: zb-h1, zb-h2, 1f1b or dualpipe`, or `use 1f1b or dualpipe` when
/// none is like it.
[[nodiscard]] std::string knownNames(std::string_view wanted, std::span<const std::string> known);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string joinOr(std::span<const std::string> names);

/// The text with control bytes and bytes that are not UTF-8 replaced by '?', cut to `most` bytes with "..." at the end: for
/// quoting input.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 60);

} // namespace pipeloom
