// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/scenarioinput.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace pipeloom
{

namespace
{

constexpr std::string_view samplePrefix = "sample:";

Expected<std::string> readStdin()
{
    std::string text;
    std::array<char, 1U << 16U> block{};
    for (;;) {
        const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return Error{ ErrorCode::Unreadable, std::strerror(errno), "stdin", {}, "name a file instead" };
        if (count == 0)
            return text;
        text.append(block.data(), static_cast<std::size_t>(count));
        if (text.size() > textFileLimit)
            return Error{ ErrorCode::Unreadable,
                          fmt::format("more than {} MiB", textFileLimit >> 20U),
                          "stdin",
                          {},
                          "a scenario is a few kB of JSON" };
    }
}

Expected<LoadedScenario> readSample(std::string_view name, const ReadOptions &options)
{
    std::vector<std::string> names;
    for (const Sample &sample : samples()) {
        if (sample.name == name)
            return parseScenario(sample.text, std::string(samplePrefix) + sample.name, {}, options);
        names.push_back(sample.name);
    }
    return Error{
        ErrorCode::UnknownName, fmt::format("there is no sample \"{}\"", printable(name)), {}, "sample", knownNames(name, names)
    };
}

Expected<LoadedScenario> read(const std::string &source, const ReadOptions &options)
{
    if (source == "-") {
        const Expected<std::string> text = readStdin();
        if (!text)
            return text.errors();
        return parseScenario(*text, "stdin", ".", options);
    }
    if (source.starts_with(samplePrefix))
        return readSample(std::string_view(source).substr(samplePrefix.size()), options);
    return readScenario(source, options);
}

} // namespace

std::optional<Scenario> loadScenario(const std::string &source, const ScenarioOptions &options, ExitCode &code)
{
    if (source.empty()) {
        code = reportUsage({ Error{ ErrorCode::OutOfRange,
                                    "an empty text is no file name",
                                    {},
                                    "SCENARIO",
                                    "name a file, - for stdin or sample:NAME" } });
        return std::nullopt;
    }
    Expected<LoadedScenario> loaded = read(source, { .strict = options.strict });
    if (!loaded) {
        code = report(loaded.errors());
        return std::nullopt;
    }
    if (!options.quiet) {
        for (const Error &warning : loaded->warnings)
            printMessage("warning: " + warning.text() + '\n');
    }
    return std::move(loaded->scenario);
}

std::optional<Scenario> choosePlan(const Scenario &scenario, const ScenarioOptions &options, ExitCode &code)
{
    Expected<Scenario> plan = scenario;
    if (options.alternative) {
        const auto found = std::ranges::find(scenario.alternatives, *options.alternative, &Alternative::name);
        if (found == scenario.alternatives.end()) {
            std::vector<std::string> names;
            for (const Alternative &alternative : scenario.alternatives)
                names.push_back(alternative.name);
            for (std::string &name : names = nearestFirst(*options.alternative, names))
                name = '"' + name + '"';
            code = reportUsage({ Error{ ErrorCode::UnknownName,
                                        fmt::format("the scenario has no alternative \"{}\"", printable(*options.alternative)),
                                        {},
                                        "--alternative",
                                        names.empty() ? "it has none" : fmt::format("it has {}", joinOr(names)) } });
            return std::nullopt;
        }
        plan = planScenario(scenario, static_cast<std::size_t>(found - scenario.alternatives.begin()) + 1);
        if (!plan) {
            code = reportOption(plan.errors(), "--alternative");
            return std::nullopt;
        }
    }
    std::vector<Setting> settings;
    for (const std::string &text : options.sets) {
        Expected<Setting> setting = parseSetting(text);
        if (!setting) {
            code = reportOption(setting.errors(), "--set");
            return std::nullopt;
        }
        settings.push_back(*std::move(setting));
    }
    if (settings.empty())
        return *std::move(plan);
    Expected<Scenario> changed = applySettings(*plan, settings);
    if (!changed) {
        code = reportOption(changed.errors(), "--set");
        return std::nullopt;
    }
    return *std::move(changed);
}

} // namespace pipeloom
