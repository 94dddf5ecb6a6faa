// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

/// libFuzzer's entry: aborts when a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace pipeloom
{

inline void fuzzOne(std::string_view input)
{
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
}

/// Changes a text in one to four places: bytes flipped, pieces cut, doubled or moved, values replaced by hard ones.
inline std::string mutated(std::string text, std::mt19937 &random)
{
    static const char *const values[] = { "-1",
                                          "0",
                                          "1e999",
                                          "1e308",
                                          "61.7",
                                          "null",
                                          "true",
                                          "\"\"",
                                          "[]",
                                          "{}",
                                          "18446744073709551616",
                                          "NaN",
                                          "\"1f1b\"",
                                          "[[[[[",
                                          "\"\xff\"",
                                          "-0.0",
                                          "9999999",
                                          "{\"a\":",
                                          "\\u0000",
                                          "\"deepseek-v2\"",
                                          ",",
                                          ":",
                                          "\"" };
    const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(random()) % limit; };
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = std::min(below(12), text.size() - at);
        switch (below(6)) {
        case 0:
            if (at < text.size())
                text[at] = static_cast<char>(random());
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(at, text.substr(at, length));
            break;
        case 3:
            text.resize(at);
            break;
        case 4:
            text.insert(at, values[below(std::size(values))]);
            break;
        default: {
            // The value behind a colon, so that the document stays JSON and the readers get to see it.
            const std::size_t colon = text.find(':', at);
            const std::size_t end = text.find_first_of(",}\n", colon);
            if (colon != std::string::npos && end != std::string::npos)
                text.replace(colon + 1, end - colon - 1, values[below(std::size(values))]);
        }
        }
    }
    return text;
}

} // namespace pipeloom
