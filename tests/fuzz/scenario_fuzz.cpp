// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a scenario, a config.json, a setting and a schedule: none may crash, hang or break the promise that what was read
// can be written and read back.
#include "core/model/configimport.h"
#include "core/scenario/scenariofile.h"
#include "core/schedule/schedulecsv.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace
{

using namespace pipeloom;

void require(bool condition, std::string_view promise, std::string_view input)
{
    if (condition)
        return;
    std::cerr << "Broken promise: " << promise << "\nInput:\n" << input << '\n';
    std::abort();
}

void checkErrors(const Errors &errors, std::string_view input)
{
    require(!errors.empty() && errors.size() <= 101, "a refusal has 1 to 101 errors", input);
    for (const Error &error : errors)
        require(!error.message.empty(), "every error says something", input);
}

void readAsScenario(std::string_view input)
{
    const auto loaded = parseScenario(input, "input");
    const auto strict = parseScenario(input, "input", {}, { .strict = true });
    require(!strict || loaded, "what is fine under strict is fine without", input);
    if (!loaded) {
        checkErrors(loaded.errors(), input);
        return;
    }
    const auto again = parseScenario(toJson(loaded->scenario), "again", {}, { .strict = true });
    require(again && again->scenario == loaded->scenario, "a scenario reads back from its JSON", input);
    const auto same = applySettings(loaded->scenario, {});
    require(same && *same == loaded->scenario, "no setting changes nothing", input);
    for (std::size_t i = 0; i <= loaded->scenario.alternatives.size(); ++i)
        require(planScenario(loaded->scenario, i).hasValue(), "an accepted alternative can be applied", input);
}

/// Every line is one setting over the default sample.
void readAsSettings(std::string_view input)
{
    static const auto base = parseScenario(samples().front().text);
    constexpr int most = 20;
    for (int i = 0; i < most && !input.empty(); ++i) {
        const std::string_view line = input.substr(0, input.find('\n'));
        input.remove_prefix(std::min(input.size(), line.size() + 1));
        const auto setting = parseSetting(line);
        if (!setting)
            continue;
        const auto changed = applySettings(base->scenario, { &*setting, 1 });
        require(!changed || !settingValue(*changed, setting->path).empty(), "what can be set can be asked for", line);
    }
}

/// As PyTorch's schedule CSV.
void readAsOrder(std::string_view input)
{
    const auto order = parseScheduleCsv(input, "input");
    if (!order) {
        checkErrors(order.errors(), input);
        return;
    }
    const auto again = parseScheduleCsv(scheduleCsv(order->schedule), "again");
    require(again && again->schedule.ops == order->schedule.ops, "an order reads back from its CSV", input);
    const auto timeline = simulate(order->schedule, uniformDurations(order->schedule, 3, 5, 2, 0, 1));
    if (!timeline)
        checkErrors(timeline.errors(), input);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    readAsScenario(input);
    readAsSettings(input);
    readAsOrder(input);
    if (const auto imported = importConfig(input, "input"); !imported)
        checkErrors(imported.errors(), input);
    return 0;
}
