// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commands.h"
#include "app/commandline/options.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/exchange/schedulereport.h"

#include <fmt/format.h>

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
    return Error{ ErrorCode::UnknownName,
                  fmt::format("there is no schedule \"{}\"", printable(text)),
                  {},
                  "--schedule",
                  knownNames(text, generatedScheduleNames()) };
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

/// "f" -> "--f", and so on for the errors of runSchedule().
Errors withOptionNames(Errors errors)
{
    for (Error &error : errors) {
        if (error.where.empty())
            error.where = "schedule";
        else if (error.where != "durations")
            error.where = "--" + error.where;
    }
    return errors;
}

} // namespace

ExitCode runScheduleCommand(const ScheduleOptions &options)
{
    Reader reader;
    const Format format = reader.take(parseFormat(options.format, formats), Format::Text);
    ScheduleRequest request;
    request.kind = reader.take(parseSchedule(options.schedule), ScheduleKind::OneForwardOneBackward);
    request.ranks = reader.whole("--pp", options.pp, 1, mostRanks);
    request.microbatches = reader.whole("--microbatches", options.microbatches, 1, mostMicrobatches);
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

    const Expected<ScheduleReport> result = runSchedule(request, durations);
    if (!result)
        return report(withOptionNames(result.errors()));
    switch (format) {
    case Format::Json:
        return printResult(scheduleJson(*result));
    case Format::TorchCsv:
        return printResult(scheduleTorchCsv(*result));
    case Format::ChromeTrace:
        return printResult(scheduleChromeTrace(*result));
    default:
        return printResult(scheduleText(*result));
    }
}

} // namespace pipeloom
