// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commands.h"
#include "app/commandline/options.h"
#include "app/commandline/scenarioinput.h"
#include "core/exchange/paperreport.h"

#include <array>

namespace pipeloom
{

namespace
{

constexpr std::array formats{ Format::Text, Format::Json, Format::Csv, Format::Markdown, Format::Html };

std::string written(const PaperComparison &comparison, Format format)
{
    switch (format) {
    case Format::Json:
        return paperJson(comparison);
    case Format::Csv:
        return paperCsv(comparison);
    case Format::Markdown:
        return paperMarkdown(comparison);
    case Format::Html:
        return paperHtml(comparison);
    default:
        return paperText(comparison);
    }
}

} // namespace

ExitCode runPaper(const ScenarioOptions &options)
{
    const Expected<Format> format = parseFormat(options.format, formats);
    if (!format)
        return reportUsage(format.errors());
    ExitCode code = ExitCode::Fine;
    const std::optional<Scenario> scenario =
        options.scenario ? loadScenario(*options.scenario, options, code) : std::optional(paperScenario());
    if (!scenario)
        return code;
    const std::optional<Scenario> plan = choosePlan(*scenario, options, code);
    if (!plan)
        return code;
    const Expected<PaperComparison> comparison = comparePaper(*plan);
    if (!comparison)
        return report(comparison.errors());
    return printResult(written(*comparison, *format));
}

} // namespace pipeloom
