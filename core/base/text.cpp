// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr std::size_t longestCompared = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Bytes of the UTF-8 sequence that starts `text`, 0 when it is not one.
std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte(0);
    const std::size_t length = first < 0x80 ? 1
        : first >= 0xC2 && first < 0xE0     ? 2
        : (first & 0xF0) == 0xE0            ? 3
        : first >= 0xF0 && first < 0xF5     ? 4
                                            : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    return length;
}

constexpr std::size_t unlike = std::numeric_limits<std::size_t>::max();

/// True when `part` begins `name`, or a word of it.
bool beginsWord(std::string_view part, std::string_view name)
{
    constexpr std::size_t shortest = 2;
    if (part.size() < shortest)
        return false;
    for (std::size_t at = 0; at + part.size() <= name.size(); ++at) {
        const bool wordStart = at == 0 || name[at - 1] == '-' || name[at - 1] == '_' || name[at - 1] == '.';
        if (wordStart && std::ranges::equal(part, name.substr(at, part.size()), {}, lower, lower))
            return true;
    }
    return false;
}

/// 0 for the same spelling; close spellings come before names that only share a word; `unlike` beyond.
std::size_t unlikeness(std::string_view wanted, std::string_view name)
{
    const std::size_t distance = editDistance(wanted, name);
    // Two edits turn any two-letter name into any other: that is no likeness.
    if (distance <= std::max<std::size_t>(2, wanted.size() / 3) && distance < std::max(wanted.size(), name.size()))
        return distance;
    return beginsWord(wanted, name) ? longestCompared : unlike;
}

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b)
{
    a = a.substr(0, longestCompared);
    b = b.substr(0, longestCompared);
    std::array<std::size_t, longestCompared + 1> before{}, above{}, row{};
    for (std::size_t j = 0; j <= b.size(); ++j)
        above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({ above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U) });
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = above;
        above = row;
    }
    return above[b.size()];
}

std::vector<std::string> nearestFirst(std::string_view wanted, std::span<const std::string> known)
{
    std::vector<std::string> names(known.begin(), known.end());
    std::ranges::stable_sort(names, {}, [wanted](const std::string &name) { return unlikeness(wanted, name); });
    return names;
}

std::string closestName(std::string_view wanted, std::span<const std::string> known)
{
    const auto nearest =
        std::ranges::min_element(known, {}, [wanted](const std::string &name) { return unlikeness(wanted, name); });
    return nearest == known.end() || unlikeness(wanted, *nearest) == unlike ? std::string() : *nearest;
}

std::string knownNames(std::string_view wanted, std::span<const std::string> known)
{
    if (known.empty())
        return {};
    const std::string nearest = closestName(wanted, known);
    const std::string list = joinOr(nearestFirst(wanted, known));
    return nearest.empty() ? "use " + list : "did you mean \"" + nearest + "\"? Known: " + list;
}

std::string joinOr(std::span<const std::string> names)
{
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            out += i + 1 == names.size() ? " or " : ", ";
        out += names[i];
    }
    return out;
}

std::string printable(std::string_view text, std::size_t most)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        const bool control = length == 1 && (static_cast<std::uint8_t>(text[0]) < 0x20 || text[0] == 0x7F);
        if (out.size() + std::max<std::size_t>(length, 1) > most)
            return out + "...";
        if (length == 0 || control)
            out += '?';
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

} // namespace pipeloom
