// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/findings.h"

#include "core/base/format.h"
#include "core/base/text.h"

#include <algorithm>

namespace pipeloom
{

std::vector<std::string_view> Findings::errorCodes() const
{
    std::vector<std::string_view> out;
    for (const Seen &seen : m_seen) {
        if (seen.severity == Severity::Error)
            out.push_back(seen.code);
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

std::vector<int> nearestValues(int from, int most, const std::function<bool(int)> &works)
{
    constexpr int farthest = 4096;
    std::vector<int> out;
    const int below = std::min(from, most);
    for (int value = below; value >= 1 && value > below - farthest; --value) {
        if (value != from && works(value)) {
            out.push_back(value);
            break;
        }
    }
    const std::int64_t first = std::max(from, 0);
    for (std::int64_t value = first + 1; value <= most && value <= first + farthest; ++value) {
        if (works(static_cast<int>(value))) {
            out.push_back(static_cast<int>(value));
            break;
        }
    }
    if (out.size() == 2 && std::int64_t{ out[1] } - from < std::int64_t{ from } - out[0])
        std::swap(out[0], out[1]);
    return out;
}

std::string listOr(const std::vector<std::int64_t> &values)
{
    std::vector<std::string> words;
    for (const std::int64_t value : values)
        words.push_back(formatCount(value));
    std::ranges::sort(words, {}, [](const std::string &w) { return std::pair(w.size(), w); });
    return joinOr(words);
}

} // namespace pipeloom
