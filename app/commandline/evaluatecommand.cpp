// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commands.h"
#include "app/commandline/options.h"
#include "app/commandline/scenarioinput.h"
#include "core/exchange/report.h"
#include "core/planner/nearest.h"

#include <array>
#include <vector>

namespace pipeloom
{

namespace
{

constexpr std::array reportFormats{ Format::Text, Format::Json, Format::Csv, Format::Markdown, Format::Html };
constexpr std::array checkFormats{ Format::Text, Format::Json };

std::vector<NearbyPlan> nearestIfNeeded(const Evaluation &evaluation, bool quiet)
{
    if (!evaluation.valid || evaluation.memory.verdict == Verdict::Fits)
        return {};
    showProgress("searching for the nearest plans that fit", quiet);
    std::vector<NearbyPlan> nearest = nearestPlans(evaluation.scenario);
    showProgress({}, quiet);
    return nearest;
}

std::string written(const Evaluation &evaluation, Format format, bool quiet)
{
    if (format == Format::Csv)
        return evaluationCsv(evaluation);
    const std::vector<NearbyPlan> nearest = nearestIfNeeded(evaluation, quiet);
    switch (format) {
    case Format::Json:
        return evaluationJson(evaluation, true, nearest);
    case Format::Markdown:
        return evaluationMarkdown(evaluation, nearest);
    case Format::Html:
        return evaluationHtml(evaluation, nearest);
    default:
        return evaluationText(evaluation, nearest);
    }
}

/// The evaluation of the one plan that the options mean.
std::shared_ptr<const Evaluation> evaluatePlan(const ScenarioOptions &options, ExitCode &code)
{
    const std::optional<Scenario> scenario = loadScenario(*options.scenario, options, code);
    if (!scenario)
        return nullptr;
    const std::optional<Scenario> plan = choosePlan(*scenario, options, code);
    return plan ? evaluate(*plan) : nullptr;
}

/// A result that was written decides nothing: the finding does. A result that could not be written comes first.
ExitCode after(ExitCode printed, bool wrong) { return printed == ExitCode::Fine && wrong ? ExitCode::Wrong : printed; }

/// Plan A and the alternatives of one scenario.
bool addAlternatives(const Scenario &scenario, const ScenarioOptions &options, std::vector<NamedPlan> &plans, ExitCode &code)
{
    for (const Alternative &alternative : scenario.alternatives) {
        ScenarioOptions one = options;
        one.alternative = alternative.name;
        const std::optional<Scenario> plan = choosePlan(scenario, one, code);
        if (!plan)
            return false;
        plans.push_back({ alternative.name, evaluate(*plan) });
    }
    return true;
}

} // namespace

ExitCode runEvaluate(const ScenarioOptions &options)
{
    const Expected<Format> format = parseFormat(options.format, reportFormats);
    if (!format)
        return reportUsage(format.errors());
    ExitCode code = ExitCode::Fine;
    const auto evaluation = evaluatePlan(options, code);
    if (!evaluation)
        return code;
    return after(printResult(written(*evaluation, *format, options.quiet)), !evaluation->valid);
}

ExitCode runCheck(const ScenarioOptions &options)
{
    const Expected<Format> format = parseFormat(options.format, checkFormats);
    if (!format)
        return reportUsage(format.errors());
    ExitCode code = ExitCode::Fine;
    const auto evaluation = evaluatePlan(options, code);
    if (!evaluation)
        return code;
    const std::string result = *format == Format::Json ? diagnosticsJson(*evaluation) : diagnosticsText(*evaluation);
    return after(printResult(result), hasError(evaluation->diagnostics));
}

ExitCode runCompare(const ScenarioOptions &options)
{
    const Expected<Format> format = parseFormat(options.format, reportFormats);
    if (!format)
        return reportUsage(format.errors());
    ExitCode code = ExitCode::Fine;
    std::vector<NamedPlan> plans;
    std::vector<std::string> sources = { *options.scenario };
    sources.insert(sources.end(), options.more.begin(), options.more.end());
    for (const std::string &source : sources) {
        const std::optional<Scenario> scenario = loadScenario(source, options, code);
        if (!scenario)
            return code;
        const std::optional<Scenario> plan = choosePlan(*scenario, options, code);
        if (!plan)
            return code;
        plans.push_back({ scenario->name, evaluate(*plan) });
        if (options.more.empty() && !options.alternative && !addAlternatives(*scenario, options, plans, code))
            return code;
    }
    if (plans.size() < 2) {
        return report({ Error{ ErrorCode::Unsupported, "there is one plan only, and a comparison needs two", *options.scenario,
                               "/alternatives", "give the scenario alternatives or name a second file" } });
    }
    bool wrong = false;
    for (const NamedPlan &plan : plans)
        wrong = wrong || !plan.evaluation->valid;
    switch (*format) {
    case Format::Json:
        return after(printResult(comparisonJson(plans)), wrong);
    case Format::Csv:
        return after(printResult(comparisonCsv(plans)), wrong);
    case Format::Markdown:
        return after(printResult(comparisonMarkdown(plans)), wrong);
    case Format::Html:
        return after(printResult(comparisonHtml(plans)), wrong);
    default:
        return after(printResult(comparisonText(plans)), wrong);
    }
}

} // namespace pipeloom
