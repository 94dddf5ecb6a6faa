// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commands.h"
#include "app/commandline/options.h"
#include "core/exchange/selfcheck.h"

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

constexpr std::array formats{ Format::Text, Format::Json, Format::Csv, Format::Markdown, Format::Html };

std::string written(std::span<const SelfCheckRow> rows, Format format)
{
    switch (format) {
    case Format::Json:
        return selfCheckJson(rows);
    case Format::Csv:
        return selfCheckCsv(rows);
    case Format::Markdown:
        return selfCheckMarkdown(rows);
    case Format::Html:
        return selfCheckHtml(rows);
    default:
        return selfCheckText(rows);
    }
}

} // namespace

ExitCode runSelfCheck(const SelfCheckOptions &options)
{
    const Expected<Format> format = parseFormat(options.format, formats);
    if (!format)
        return reportUsage(format.errors());
    const std::vector<SelfCheckRow> rows = selfCheck();
    const ExitCode printed = printResult(written(rows, *format));
    const bool outside = std::ranges::any_of(rows, [](const SelfCheckRow &row) { return !row.within(); });
    return printed == ExitCode::Fine && outside ? ExitCode::Wrong : printed;
}

} // namespace pipeloom
