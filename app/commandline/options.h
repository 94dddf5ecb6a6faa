// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pipeloom
{

enum class Format
{
    Text,
    Json,
    Csv,
    Markdown,
    Html,
    TorchCsv,
    ChromeTrace,
};

[[nodiscard]] std::string_view name(Format format);

/// The format of that name among the allowed ones, or an error with the nearest.
[[nodiscard]] Expected<Format> parseFormat(std::string_view text, std::span<const Format> allowed);

/// The number that an option's text is, within [least, most]. Refuses NaN, infinities, units and trailing letters, naming the
/// option.
[[nodiscard]] Expected<double> parseNumber(std::string_view option, std::string_view text, double least, double most);

/// The same for whole numbers: "61.7" is refused, not cut.
[[nodiscard]] Expected<std::int64_t> parseWhole(std::string_view option, std::string_view text, std::int64_t least,
                                                std::int64_t most);

} // namespace pipeloom
