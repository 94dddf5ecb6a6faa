// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commands.h"
#include "app/commandline/options.h"
#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/exchange/schedulereport.h"
#include "core/schedule/schedulecsv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr std::array formats{ Format::Text, Format::Json, Format::TorchCsv, Format::ChromeTrace };
/// Stages are 16-bit and chunks 8-bit in an op.
constexpr std::int64_t mostRanks = 4096;
constexpr std::int64_t mostChunks = 64;
constexpr std::int64_t mostMicrobatches = 1'000'000;
/// Far beyond any unit a person would choose, far below where sums overflow.
constexpr double longest = 1e12;

/// Gathers the errors of several options, so that all are told at once.
struct Reader
{
    Errors errors;

    template<class T>
    T take(Expected<T> value, T otherwise)
    {
        if (value)
            return *value;
        errors.insert(errors.end(), value.errors().begin(), value.errors().end());
        return otherwise;
    }

    int whole(std::string_view option, const std::string &text, std::int64_t least, std::int64_t most)
    {
        return static_cast<int>(take(parseWhole(option, text, least, most), least));
    }

    double duration(std::string_view option, const std::string &text) { return take(parseNumber(option, text, 0, longest), 0.0); }
};

Expected<ScheduleKind> parseSchedule(const std::string &text)
{
    if (const auto kind = scheduleKind(text))
        return *kind;
    std::vector<std::string> names = generatedScheduleNames();
    names.emplace_back(name(ScheduleKind::Custom));
    return Error{ ErrorCode::UnknownName,
                  fmt::format("there is no schedule \"{}\"", printable(text)),
                  {},
                  "--schedule",
                  knownNames(text, names) };
}

/// The schedules for which `takes` holds, for hints.
std::string schedulesThat(bool (*takes)(ScheduleKind))
{
    std::vector<std::string> names;
    for (const ScheduleKind kind : allScheduleKinds()) {
        if (canGenerate(kind) && takes(kind))
            names.emplace_back(name(kind));
    }
    return joinOr(names);
}

/// Options that the schedule would not use: whoever typed them expects that they change the result. A value that states what
/// holds anyway is fine. --w is not among them: it divides the backward of every schedule, whether or not the halves run apart.
void refuseUnused(Errors &errors, const ScheduleOptions &options, const ScheduleRequest &request, const UnitDurations &durations)
{
    const ScheduleKind kind = request.kind;
    const auto refuse = [&](const char *option, const std::string &reason, bool (*takes)(ScheduleKind)) {
        errors.push_back({ ErrorCode::OutOfRange,
                           fmt::format("has no effect: {}", reason),
                           {},
                           option,
                           fmt::format("leave it out, or use {}", schedulesThat(takes)) });
    };
    const double sum = durations.f + durations.b;
    const int held = chunksPerRank(kind, 1);
    if (options.chunks && !takesChunks(kind) && request.vpp != 1 && request.vpp != held)
        refuse("--chunks", fmt::format("{} holds {} a rank", title(kind), formatCounted(held, "chunk")), takesChunks);
    if (options.group && !takesGroup(kind))
        refuse("--group", fmt::format("{} has no groups of microbatches", title(kind)), takesGroup);
    if (options.pair && !hasPairs(kind) && std::abs(*durations.pair - sum) > 1e-9 * sum)
        refuse("--fb", fmt::format("{} has no overlapped pairs", title(kind)), hasPairs);
}

/// "f" -> "--f", and so on for the errors of runSchedule(); those of a file stay.
Errors withOptionNames(Errors errors)
{
    for (Error &error : errors) {
        if (!error.file.empty())
            continue;
        if (error.where.empty())
            error.where = "schedule";
        else if (error.where != "durations")
            error.where = "--" + error.where;
    }
    return errors;
}

/// The options that only one of the two kinds of orders takes: those from a file, and those from a rule.
void checkSource(Errors &errors, const ScheduleOptions &options, ScheduleKind kind)
{
    const auto complain = [&](const char *option, const char *message, const char *hint) {
        errors.push_back({ ErrorCode::OutOfRange, message, {}, option, hint });
    };
    const bool custom = kind == ScheduleKind::Custom;
    if (custom && !options.file)
        complain("--file", "is missing", "name the CSV that holds the order");
    if (!custom && options.file)
        complain("--file", "has no effect: the order follows from the schedule's rule", "leave it out, or use --schedule custom");
    for (const auto &[option, value] : { std::pair("--pp", &options.pp),
                                         { "--microbatches", &options.microbatches },
                                         { "--chunks", &options.chunks },
                                         { "--group", &options.group } }) {
        const std::string_view named = option;
        const bool needed = named == "--pp" || named == "--microbatches";
        if (custom && *value)
            complain(option, "has no effect: the file says it", "leave it out");
        else if (!custom && needed && !*value)
            complain(option, "is missing", "give a whole number");
    }
}

/// The order of a file, simulated.
Expected<ScheduleReport> runCustom(const std::string &file, const UnitDurations &durations, std::size_t &skipped)
{
    const Expected<std::string> text = readTextFile(file);
    if (!text)
        return text.errors();
    Expected<CustomOrder> order = parseScheduleCsv(*text, file);
    if (!order)
        return order.errors();
    skipped = order->skipped;
    const bool pairs = std::ranges::find(order->schedule.ops, OpKind::FB, &Op::kind) != order->schedule.ops.end();
    if (durations.pair && !pairs)
        return Error{ ErrorCode::OutOfRange, "has no effect: the order has no overlapped pairs", {}, "fb", "leave it out" };
    Expected<ScheduleReport> result = runOrder(std::move(order->schedule), durations);
    if (result)
        return result;
    Errors errors = result.errors();
    for (Error &error : errors) {
        if (error.where.empty())
            error.file = file;
    }
    return errors;
}

ExitCode print(const ScheduleReport &result, Format format)
{
    switch (format) {
    case Format::Json:
        return printResult(scheduleJson(result));
    case Format::TorchCsv:
        return printResult(scheduleTorchCsv(result));
    case Format::ChromeTrace:
        return printResult(scheduleChromeTrace(result));
    default:
        return printResult(scheduleText(result));
    }
}

} // namespace

ExitCode runScheduleCommand(const ScheduleOptions &options)
{
    Reader reader;
    const Format format = reader.take(parseFormat(options.format, formats), Format::Text);
    ScheduleRequest request;
    request.kind = reader.take(parseSchedule(options.schedule), ScheduleKind::OneForwardOneBackward);
    checkSource(reader.errors, options, request.kind);
    if (options.pp)
        request.ranks = reader.whole("--pp", *options.pp, 1, mostRanks);
    if (options.microbatches)
        request.microbatches = reader.whole("--microbatches", *options.microbatches, 1, mostMicrobatches);
    if (options.chunks)
        request.vpp = reader.whole("--chunks", *options.chunks, 1, mostChunks);
    if (options.group)
        request.group = reader.whole("--group", *options.group, 1, mostMicrobatches);
    UnitDurations durations;
    durations.f = reader.duration("--f", options.f);
    durations.b = reader.duration("--b", options.b);
    durations.w = reader.duration("--w", options.w);
    durations.p2p = reader.duration("--p2p", options.p2p);
    if (options.pair)
        durations.pair = reader.duration("--fb", *options.pair);
    if (reader.errors.empty() && canGenerate(request.kind))
        refuseUnused(reader.errors, options, request, durations);
    if (!reader.errors.empty())
        return reportUsage(reader.errors);

    std::size_t skipped = 0;
    const Expected<ScheduleReport> result =
        request.kind == ScheduleKind::Custom ? runCustom(*options.file, durations, skipped) : runSchedule(request, durations);
    if (!result)
        return report(withOptionNames(result.errors()));
    if (skipped > 0) {
        printMessage(fmt::format("{}: {} of communication and sharding skipped: P2P follows from --p2p.", *options.file,
                                 formatCounted(static_cast<std::int64_t>(skipped), "cell")));
    }
    return print(*result, format);
}

} // namespace pipeloom
