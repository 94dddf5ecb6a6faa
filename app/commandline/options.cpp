// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/options.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace pipeloom
{

namespace
{

Error refused(std::string_view option, std::string message, std::string hint)
{
    return Error{ ErrorCode::OutOfRange, std::move(message), {}, std::string(option), std::move(hint) };
}

} // namespace

std::string_view name(Format format)
{
    switch (format) {
    case Format::Text:
        return "text";
    case Format::Json:
        return "json";
    case Format::Csv:
        return "csv";
    case Format::Markdown:
        return "markdown";
    case Format::Html:
        return "html";
    case Format::TorchCsv:
        return "torch-csv";
    case Format::ChromeTrace:
        return "chrome-trace";
    }
    return "";
}

Expected<Format> parseFormat(std::string_view text, std::span<const Format> allowed)
{
    std::vector<std::string> names;
    for (const Format format : allowed) {
        if (name(format) == text)
            return format;
        names.emplace_back(name(format));
    }
    return Error{ ErrorCode::UnknownName,
                  fmt::format("there is no format \"{}\" here", printable(text)),
                  {},
                  "--format",
                  knownNames(text, names) };
}

Expected<double> parseNumber(std::string_view option, std::string_view text, double least, double most)
{
    const std::string hint = fmt::format("use a number from {} to {}", least, most);
    double value = 0;
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
        return refused(option, fmt::format("{} is beyond what can be computed with", printable(text)), hint);
    if (error != std::errc() || end != digits.data() + digits.size())
        return refused(option, fmt::format("\"{}\" is not a number", printable(text)), hint);
    if (!std::isfinite(value))
        return refused(option, fmt::format("{} is not a finite number", printable(text)), hint);
    if (value < least || value > most)
        return refused(option, fmt::format("{} is outside its range", printable(text)), hint);
    return value;
}

Expected<std::int64_t> parseWhole(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most)
{
    const std::string hint = fmt::format("use a whole number from {} to {}", least, most);
    std::int64_t value = 0;
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
        return refused(option, fmt::format("{} is outside its range", printable(text)), hint);
    if (error != std::errc() || end != digits.data() + digits.size())
        return refused(option, fmt::format("\"{}\" is not a whole number", printable(text)), hint);
    if (value < least || value > most)
        return refused(option, fmt::format("{} is outside its range", printable(text)), hint);
    return value;
}

} // namespace pipeloom
