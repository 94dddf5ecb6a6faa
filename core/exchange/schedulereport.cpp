// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/schedulereport.h"

#include "core/base/counted.h"
#include "core/schedule/schedulecsv.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace pipeloom
{

namespace
{

/// Text shows the orders up to here; beyond, a line of ops no longer helps anybody.
constexpr std::size_t mostOpsInText = 4000;

std::optional<Error> checkDuration(double value, const char *where)
{
    if (!std::isfinite(value))
        return Error{ ErrorCode::OutOfRange, "the duration is not a finite number", {}, where, "use a number from 0" };
    if (value < 0)
        return Error{
            ErrorCode::OutOfRange, fmt::format("{} is negative, and a duration is not", value), {}, where, "use a number from 0"
        };
    return std::nullopt;
}

Errors checkDurations(const UnitDurations &d)
{
    Errors errors;
    const auto check = [&errors](double value, const char *where) {
        if (auto error = checkDuration(value, where))
            errors.push_back(*std::move(error));
    };
    check(d.f, "f");
    check(d.b, "b");
    check(d.w, "w");
    check(d.p2p, "p2p");
    if (d.pair)
        check(*d.pair, "fb");
    if (errors.empty() && d.w > d.b) {
        errors.push_back({ ErrorCode::OutOfRange,
                           fmt::format("the weight part {} is longer than the full backward {} that holds it", d.w, d.b),
                           {},
                           "w",
                           "b is the full backward, input and weight part together" });
    }
    return errors;
}

/// An upper bound of the ops, before any is made.
double mostOps(const ScheduleRequest &request)
{
    return 3.0 * request.ranks * request.microbatches * chunksPerRank(request.kind, std::max(1, request.vpp));
}

double meanUnits(const ScheduleReport &report, const std::vector<Nanoseconds> &times)
{
    const Nanoseconds total = std::accumulate(times.begin(), times.end(), Nanoseconds{ 0 });
    return report.scale.toUnits(total) / static_cast<double>(times.size());
}

std::vector<Nanoseconds> idlePerRank(const ScheduleReport &report)
{
    std::vector<Nanoseconds> idle;
    for (int r = 0; r < report.schedule.ranks; ++r)
        idle.push_back(report.timeline.idle(r));
    return idle;
}

void appendOpJson(std::string &out, const ScheduleReport &report, std::size_t index)
{
    const Op &op = report.schedule.ops[index];
    auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"kind":"{}","mb":{},"chunk":{},"stage":{},"start":{},"end":{})", name(op.kind), op.microbatch,
                   op.chunk, op.stage, report.scale.toUnits(report.timeline.start[index]),
                   report.scale.toUnits(report.timeline.end[index]));
    if (op.kind == OpKind::FB)
        fmt::format_to(to, R"(,"mb_b":{},"chunk_b":{},"stage_b":{})", op.microbatchB, op.chunkB, op.stageB);
    if (op.step != 0)
        fmt::format_to(to, R"(,"step":{})", op.step);
    out += '}';
}

nlohmann::ordered_json closedFormJson(const ScheduleReport &report)
{
    const ClosedForm &form = report.closedForm;
    const std::optional<ClosedForm::Shown> shown = form.shown();
    if (!shown)
        return nullptr;
    nlohmann::ordered_json json;
    json["expression"] = shown->expression;
    json["bubble"] = report.scale.toUnits(shown->bubble);
    json["makespan"] =
        form.exactMakespan ? nlohmann::ordered_json(report.scale.toUnits(*form.exactMakespan)) : nlohmann::ordered_json();
    json["holds_for"] = "equal stages, p2p 0";
    if (!form.expression.empty()) {
        json["published"] = { { "expression", form.expression },
                              { "bubble", report.scale.toUnits(form.bubble) },
                              { "condition", form.condition },
                              { "holds", form.holds } };
    }
    return json;
}

/// "12.5 (3.1 %)"
std::string withShare(double units, double makespan)
{
    return makespan > 0 ? fmt::format("{:.10g} ({:.1f} %)", units, 100 * units / makespan) : fmt::format("{:.10g}", units);
}

std::string headlines(const ScheduleReport &report)
{
    const Schedule &schedule = report.schedule;
    const UnitDurations &d = report.durations;
    const auto units = [&report](Nanoseconds ticks) { return report.scale.toUnits(ticks); };
    const double makespan = units(report.timeline.makespan);
    const std::vector<Nanoseconds> idle = idlePerRank(report);
    const double pair = d.pair ? *d.pair : units(report.scale.toTicks(d.f) + report.scale.toTicks(d.b));
    std::string out;
    auto to = std::back_inserter(out);
    fmt::format_to(to, "{}: {}, {}, {} a rank, {}\n", title(schedule.kind), formatCounted(schedule.ranks, "pipeline rank"),
                   formatCounted(schedule.microbatches, "microbatch"), formatCounted(schedule.chunks, "chunk"),
                   formatCounted(static_cast<std::int64_t>(schedule.ops.size()), "op"));
    fmt::format_to(to, "Durations of an op, in the unit they were given in: F {}, B {} (W {} of it), {}P2P {}\n\n", d.f, d.b, d.w,
                   hasPairs(schedule.kind) ? fmt::format("F&B {}, ", pair) : std::string(), d.p2p);
    fmt::format_to(to, "Makespan             {}\n", makespan);
    fmt::format_to(to, "Bubble, worst rank   {}\n", withShare(units(std::ranges::max(idle)), makespan));
    fmt::format_to(to, "Bubble, mean         {}\n", withShare(meanUnits(report, idle), makespan));
    const ClosedForm &form = report.closedForm;
    if (const std::optional<ClosedForm::Shown> shown = form.shown()) {
        fmt::format_to(to, "Closed form          {} = {}, for equal stages and no P2P\n", shown->expression,
                       units(shown->bubble));
        if (!form.expression.empty() && !shown->published)
            fmt::format_to(to, "Published form       {} holds for {}\n", form.expression, form.condition);
    }
    return out;
}

std::string rankTable(const ScheduleReport &report)
{
    std::string out;
    auto to = std::back_inserter(out);
    fmt::format_to(to, "\n{:>4}  {:>6}  {:>12}  {:>12}  {:>12}  {:>14}\n", "rank", "ops", "busy", "idle", "idle in span",
                   "peak in flight");
    for (int r = 0; r < report.schedule.ranks; ++r) {
        const auto i = static_cast<std::size_t>(r);
        fmt::format_to(to, "{:>4}  {:>6}  {:>12}  {:>12}  {:>12}  {:>14}\n", r, report.schedule.rank(r).size(),
                       report.scale.toUnits(report.timeline.busy[i]), report.scale.toUnits(report.timeline.idle(r)),
                       report.scale.toUnits(report.timeline.idleInSpan(r)), report.timeline.peakInFlight[i]);
    }
    return out;
}

std::string orders(const ScheduleReport &report)
{
    std::string out = "\nOrders, microbatch.chunk (I = backward for the input, W = for the weights, B = both):\n";
    for (int r = 0; r < report.schedule.ranks; ++r) {
        fmt::format_to(std::back_inserter(out), "{:>4} ", r);
        for (const Op &op : report.schedule.rank(r))
            out += ' ' + opToken(op);
        out += '\n';
    }
    return out;
}

/// Simulates an order on equal stages. `ops`: an upper bound of its ops.
Expected<ScheduleReport> simulated(const ScheduleRequest &request, Expected<Schedule> schedule, const UnitDurations &durations,
                                   double ops)
{
    if (!schedule)
        return schedule.errors();
    ScheduleReport report{ request, durations, {}, {}, {}, {} };
    const double pair = durations.pair.value_or(durations.f + durations.b);
    const std::vector<double> values = durations.pair ? std::vector{ durations.f, durations.b, durations.w, pair, durations.p2p }
                                                      : std::vector{ durations.f, durations.b, durations.w, durations.p2p };
    const double largest = std::ranges::max(values);
    if (!DecimalScale::fits(largest, 2 * ops)) {
        return Error{ ErrorCode::OutOfRange,
                      fmt::format("{} is too long a duration for {:.0f} ops", largest, ops),
                      {},
                      "durations",
                      "give the durations in a larger unit" };
    }
    report.scale = DecimalScale::forValues(values, 2 * ops);

    report.schedule = std::move(schedule).value();
    const auto ticks = [&report](double units) { return report.scale.toTicks(units); };
    const Nanoseconds pairTicks = durations.pair ? ticks(pair) : ticks(durations.f) + ticks(durations.b);
    auto timeline = simulate(report.schedule,
                             uniformDurations(report.schedule, ticks(durations.f), ticks(durations.b), ticks(durations.w),
                                              pairTicks, ticks(durations.p2p)));
    if (!timeline)
        return timeline.errors();
    report.timeline = std::move(timeline).value();
    report.closedForm =
        closedForm(request, ticks(durations.f), ticks(durations.b) - ticks(durations.w), ticks(durations.w), pairTicks);
    return report;
}

} // namespace

std::string opToken(const Op &op)
{
    switch (op.kind) {
    case OpKind::F:
        return fmt::format("F{}.{}", op.microbatch, op.chunk);
    case OpKind::B:
        return fmt::format("B{}.{}", op.microbatch, op.chunk);
    case OpKind::Bi:
        return fmt::format("I{}.{}", op.microbatch, op.chunk);
    case OpKind::W:
        return fmt::format("W{}.{}", op.microbatch, op.chunk);
    case OpKind::FB:
        return fmt::format("(F{}.{}&B{}.{})", op.microbatch, op.chunk, op.microbatchB, op.chunkB);
    }
    return {};
}

Expected<ScheduleReport> runSchedule(const ScheduleRequest &request, const UnitDurations &durations)
{
    if (Errors errors = checkDurations(durations); !errors.empty())
        return errors;
    if (auto error = checkSchedule(request))
        return *error;
    const double ops = mostOps(request);
    if (ops > static_cast<double>(mostScheduleOps) * 1.5) {
        return Error{ ErrorCode::OutOfRange,
                      fmt::format("{} on {} make up to {:.0f} ops", formatCounted(request.microbatches, "microbatch"),
                                  formatCounted(request.ranks, "rank"), ops),
                      {},
                      "microbatches",
                      fmt::format("stay below {} ops", mostScheduleOps) };
    }
    return simulated(request, generate(request), durations, ops);
}

Expected<ScheduleReport> runOrder(Schedule order, const UnitDurations &durations)
{
    if (Errors errors = checkDurations(durations); !errors.empty())
        return errors;
    const ScheduleRequest request{ ScheduleKind::Custom, order.ranks, order.microbatches, order.chunks, std::nullopt };
    const auto ops = static_cast<double>(2 * order.ops.size());
    return simulated(request, std::move(order), durations, ops);
}

std::string scheduleJson(const ScheduleReport &report)
{
    const Schedule &schedule = report.schedule;
    const Timeline &timeline = report.timeline;
    nlohmann::ordered_json head;
    head["schedule"] = std::string(name(schedule.kind));
    head["pp"] = schedule.ranks;
    head["microbatches"] = schedule.microbatches;
    head["chunks_per_rank"] = schedule.chunks;
    head["stages"] = schedule.stages;
    head["makespan"] = report.scale.toUnits(timeline.makespan);
    auto bubbles = nlohmann::ordered_json::array();
    auto spans = nlohmann::ordered_json::array();
    for (int r = 0; r < schedule.ranks; ++r) {
        bubbles.push_back(report.scale.toUnits(timeline.idle(r)));
        spans.push_back(report.scale.toUnits(timeline.idleInSpan(r)));
    }
    head["bubble_per_rank"] = std::move(bubbles);
    head["idle_in_span_per_rank"] = std::move(spans);
    head["peak_in_flight_per_rank"] = timeline.peakInFlight;
    head["closed_form"] = closedFormJson(report);

    std::string out = head.dump();
    out.pop_back();
    out += ",\n\"ranks\":[";
    out.reserve(out.size() + 90 * schedule.ops.size());
    for (std::size_t r = 0; r + 1 < schedule.begin.size(); ++r) {
        out += r == 0 ? "\n[" : ",\n[";
        for (std::size_t i = schedule.begin[r]; i < schedule.begin[r + 1]; ++i) {
            if (i != schedule.begin[r])
                out += ',';
            appendOpJson(out, report, i);
        }
        out += ']';
    }
    out += "\n]}\n";
    return out;
}

std::string scheduleText(const ScheduleReport &report)
{
    std::string out = headlines(report) + rankTable(report);
    if (report.schedule.ops.size() <= mostOpsInText)
        return out + orders(report);
    return out + "\nThe orders are long: --format json lists every op.\n";
}

std::string scheduleTorchCsv(const ScheduleReport &report) { return scheduleCsv(report.schedule); }

} // namespace pipeloom
