// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

#include "app/commandline/commands.h"
#include "app/commandline/help.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipeloom
{

namespace
{

constexpr std::array subcommands{ "evaluate", "check", "compare", "schedule", "models", "paper", "selfcheck" };

bool isKnown(std::string_view word) { return std::ranges::find(subcommands, word) != subcommands.end(); }

bool isHelpOrVersion(std::string_view word) { return word == "--help" || word == "-h" || word == "--version" || word == "help"; }

Errors unknownSubcommand(std::string_view word, bool window)
{
    std::vector<std::string> names(subcommands.begin(), subcommands.end());
    if (window)
        names.emplace_back("render");
    if (word == "render" && !window) {
        return { Error{ ErrorCode::UnknownName,
                        "render draws pictures, which this program without a window cannot",
                        {},
                        {},
                        "use `pipeloom render`" } };
    }
    return { Error{ ErrorCode::UnknownName,
                    fmt::format("there is no subcommand \"{}\"", printable(word)),
                    {},
                    {},
                    knownNames(word, names) } };
}

/// An argument that nothing takes: the nearest option, or what to do.
Errors unexpectedArgument(const CLI::App &command, const std::string &argument)
{
    Error error{ ErrorCode::UnknownName,
                 {},
                 {},
                 {},
                 fmt::format("`{} {} --help` lists what it takes", command.get_parent()->get_name(), command.get_name()) };
    if (!argument.starts_with('-')) {
        error.message = fmt::format("{} does not take \"{}\"", command.get_name(), printable(argument));
        return { error };
    }
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &longName : option->get_lnames())
            names.push_back("--" + longName);
    }
    const std::string typed = argument.substr(0, argument.find('='));
    error.message = fmt::format("{} has no option {}", command.get_name(), printable(typed));
    if (const std::string nearest = closestName(typed, names); !nearest.empty())
        error.hint = fmt::format("did you mean {}?", nearest);
    return { error };
}

CLI::App *addCommand(CLI::App &app, const char *name)
{
    CLI::App *command = app.add_subcommand(name, summary(name));
    command->footer(details(name));
    command->allow_extras();
    command->get_formatter()->column_width(34);
    return command;
}

void addScenarioOptions(CLI::App &command, ScenarioOptions &options, const char *formats)
{
    command.add_option("--set", options.sets, "Set a field first, e.g. plan.pp=8 or model.layers=4; may be repeated")
        ->type_name("FIELD=VALUE")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    command.add_option("--alternative", options.alternative, "Take this alternative of the scenario instead of plan A")
        ->type_name("NAME");
    command.add_option("--format", options.format, formats)->type_name("FORMAT");
    command.add_flag("--strict", options.strict, "Unknown keys in a scenario are errors, not warnings");
    command.add_flag("--quiet", options.quiet, "No progress and no warnings on stderr; errors stay");
}

void addSchedule(CLI::App &command, ScheduleOptions &options)
{
    command.add_option("--schedule", options.schedule, "1f1b, dualpipe, ...; a wrong name gets the list")
        ->required()
        ->type_name("NAME");
    command.add_option("--pp", options.pp, "Pipeline ranks")->type_name("N");
    command.add_option("--microbatches", options.microbatches, "Microbatches of a step, on each pipeline")->type_name("M");
    command.add_option("--file", options.file, "Order of --schedule custom: PyTorch's pipelining CSV")->type_name("FILE");
    command.add_option("--chunks", options.chunks, "Model chunks a rank holds, of schedules that leave it open [1]")
        ->type_name("V");
    command.add_option("--group", options.group, "Microbatch group, of schedules that have one [PP]")->type_name("N");
    command.add_option("--f", options.f, "Forward of a chunk [1]")->type_name("TIME");
    command.add_option("--b", options.b, "Full backward of a chunk [2]")->type_name("TIME");
    command.add_option("--w", options.w, "The weight part of the backward [1]")->type_name("TIME");
    command.add_option("--fb", options.pair, "Overlapped forward and backward, of schedules with pairs [F + B]")
        ->type_name("TIME");
    command.add_option("--p2p", options.p2p, "Latency between neighbouring ranks [0]")->type_name("TIME");
    command.add_option("--format", options.format, "text, json, torch-csv or chrome-trace [text]")->type_name("FORMAT");
}

/// All subcommands with where their options go and what runs them.
struct Program
{
    CLI::App app;
    ScenarioOptions scenario;
    ScheduleOptions schedule;
    ModelsOptions models;
    SelfCheckOptions selfCheck;
    std::vector<std::pair<CLI::App *, std::function<ExitCode()>>> commands;

    Program(const std::string &name, bool window)
        : app(summary("pipeloom"), name)
    {
        app.footer(details(window ? "pipeloom" : "pipeloom-cli"));
        app.set_version_flag("--version", "PipeLoom " PIPELOOM_VERSION);
        app.require_subcommand(1);
        app.get_formatter()->column_width(34);

        CLI::App *evaluate = addCommand(app, "evaluate");
        evaluate->add_option("SCENARIO", scenario.scenario, scenarioHelp)->required();
        addScenarioOptions(*evaluate, scenario, "text, json, csv, markdown or html [text]");
        commands.emplace_back(evaluate, [this] { return runEvaluate(scenario); });

        CLI::App *check = addCommand(app, "check");
        check->add_option("SCENARIO", scenario.scenario, scenarioHelp)->required();
        addScenarioOptions(*check, scenario, "text or json [text]");
        commands.emplace_back(check, [this] { return runCheck(scenario); });

        CLI::App *compare = addCommand(app, "compare");
        compare->add_option("SCENARIO", scenario.scenario, "One scenario: its plan A against its alternatives")->required();
        compare->add_option("MORE", scenario.more, "Further scenarios: plan A of each, at most 25")->expected(0, 25);
        addScenarioOptions(*compare, scenario, "text, json, csv, markdown or html [text]");
        commands.emplace_back(compare, [this] { return runCompare(scenario); });

        CLI::App *scheduleCommand = addCommand(app, "schedule");
        addSchedule(*scheduleCommand, schedule);
        commands.emplace_back(scheduleCommand, [this] { return runScheduleCommand(schedule); });

        CLI::App *modelsCommand = addCommand(app, "models");
        modelsCommand->add_option("MODEL", models.model, "Preset name or path of a config.json; without it: all presets");
        modelsCommand->add_option("--seq", models.seq, "Tokens of a sequence, for the FLOPs [4096]")->type_name("N");
        modelsCommand->add_option("--format", models.format, "text or json [text]")->type_name("FORMAT");
        commands.emplace_back(modelsCommand, [this] { return runModels(models); });

        CLI::App *paper = addCommand(app, "paper");
        paper->add_option("SCENARIO", scenario.scenario,
                          "Another plan of a model with MLA and experts; without it: the paper's own");
        addScenarioOptions(*paper, scenario, "text, json, csv, markdown or html [text]");
        commands.emplace_back(paper, [this] { return runPaper(scenario); });

        CLI::App *selfCheckCommand = addCommand(app, "selfcheck");
        selfCheckCommand->add_option("--format", selfCheck.format, "text, json, csv, markdown or html [text]")
            ->type_name("FORMAT");
        commands.emplace_back(selfCheckCommand, [this] { return runSelfCheck(selfCheck); });
    }

    ExitCode run()
    {
        for (const auto &[command, action] : commands) {
            if (!command->parsed())
                continue;
            if (const std::vector<std::string> extra = command->remaining(); !extra.empty())
                return reportUsage(unexpectedArgument(*command, extra.front()));
            return action();
        }
        return ExitCode::Usage;
    }
};

ExitCode parseAndRun(int argc, char **argv)
{
    const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "pipeloom";
    const bool window = name == "pipeloom";
    Program program(name, window);
    // `help evaluate` is `evaluate --help`.
    std::vector<char *> words(argv, argv + argc);
    std::string helpOption = "--help";
    if (argc > 1 && std::string_view(words[1]) == "help") {
        words[1] = helpOption.data();
        if (argc > 2)
            std::swap(words[1], words[2]);
        words.resize(argc > 2 ? 3 : 2);
    }
    const std::string_view first = words.size() > 1 ? words[1] : "--help";
    if (!first.starts_with('-') && !isKnown(first))
        return reportUsage(unknownSubcommand(first, window));
    try {
        program.app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::CallForVersion &) {
        return printResult("PipeLoom " PIPELOOM_VERSION "\n");
    } catch (const CLI::Success &) {
        return printResult(program.app.help());
    } catch (const CLI::ParseError &error) {
        if (argc <= 1) {
            printMessage(program.app.help());
            return ExitCode::Usage;
        }
        const std::string of = isKnown(first) ? fmt::format(" {}", first) : std::string();
        return reportUsage({ Error{
            ErrorCode::OutOfRange, error.what(), {}, {}, fmt::format("`{}{} --help` explains the options", name, of) } });
    }
    return program.run();
}

} // namespace

int runCommandLine(int argc, char **argv)
{
    prepareConsole();
    return toInt(parseAndRun(argc, argv));
}

bool isSubcommand(const char *argument)
{
    if (argument == nullptr)
        return false;
    const std::string_view word = argument;
    if (isKnown(word) || isHelpOrVersion(word))
        return true;
    if (word.empty() || word == "render")
        return false;
    const bool bare = std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    std::error_code ignored;
    return bare && word.front() != '-' && !std::filesystem::exists(std::filesystem::path(word), ignored);
}

} // namespace pipeloom
