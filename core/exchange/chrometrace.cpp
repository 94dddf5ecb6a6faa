// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated schedule for Perfetto: a track a rank, and an arrow for everything that one rank sends another.
#include "core/exchange/plantrace.h"
#include "core/exchange/schedulereport.h"
#include "core/schedule/criticalpath.h"
#include "core/schedule/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace pipeloom
{

namespace
{

/// One unit is drawn as a millisecond; trace events count microseconds.
constexpr int microsecondPlaces = 3;

/// What is written: a schedule and its times, and what a tick of them is.
struct TraceSource
{
    const Schedule &schedule;
    const Timeline &timeline;
    Nanoseconds p2p = 0;
    Nanoseconds optimizer = 0; ///< after the makespan, on every rank
    std::function<double(Nanoseconds ticks)> microseconds;
    std::string unit; ///< what the times stand for
    std::string name; ///< of the process, in front of the number of microbatches
};

class TraceWriter
{
public:
    explicit TraceWriter(const TraceSource &source, const WriteProgress &progress = {})
        : m_source(source)
        , m_schedule(source.schedule)
        , m_progress(progress)
        , m_withFlows(source.schedule.ops.size() <= mostOpsWithFlows)
        , m_critical(source.schedule.ops.size())
    {
        for (const CriticalOp &step : criticalPath(m_schedule, source.timeline, source.p2p))
            m_critical[step.op] = true;
    }

    /// Nothing when `progress` asked to stop.
    std::optional<std::string> write()
    {
        fmt::format_to(std::back_inserter(m_out),
                       R"({{"displayTimeUnit":"ms","otherData":{{"made_by":"PipeLoom {}",)"
                       R"("unit":"{}","flows":"{}"}},)"
                       "\n\"traceEvents\":[\n",
                       PIPELOOM_VERSION, m_source.unit,
                       m_withFlows ? std::string("an arrow for every result that goes to another rank")
                                   : fmt::format("left out: more than {} ops", mostOpsWithFlows));
        fmt::format_to(std::back_inserter(m_out),
                       R"({{"ph":"M","pid":0,"name":"process_name","args":{{"name":"{}, {} microbatches"}}}})", m_source.name,
                       m_schedule.microbatches);
        for (int r = 0; r < m_schedule.ranks; ++r) {
            fmt::format_to(std::back_inserter(m_out),
                           ",\n"
                           R"({{"ph":"M","pid":0,"tid":{0},"name":"thread_name","args":{{"name":"rank {0}"}}}})"
                           ",\n"
                           R"({{"ph":"M","pid":0,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
                           r);
            const auto rank = static_cast<std::size_t>(r);
            for (std::size_t i = m_schedule.begin[rank]; i < m_schedule.begin[rank + 1]; ++i)
                writeSlice(i, r);
            if (m_source.optimizer > 0)
                fmt::format_to(std::back_inserter(m_out),
                               ",\n"
                               R"({{"ph":"X","pid":0,"tid":{},"ts":{},"dur":{},"cat":"optimizer","name":"optimizer"}})",
                               r, microseconds(m_source.timeline.makespan), microseconds(m_source.optimizer));
            if (m_progress && !m_progress((r + 1.0) / m_schedule.ranks))
                return std::nullopt;
        }
        if (m_withFlows)
            writeFlows();
        m_out += "\n]}\n";
        return std::move(m_out);
    }

private:
    [[nodiscard]] double microseconds(Nanoseconds ticks) const { return m_source.microseconds(ticks); }

    void writeSlice(std::size_t i, int rank)
    {
        const Op &op = m_schedule.ops[i];
        const Nanoseconds start = m_source.timeline.start[i];
        fmt::format_to(
            std::back_inserter(m_out),
            ",\n"
            R"({{"ph":"X","pid":0,"tid":{},"ts":{},"dur":{},"cat":"{}","name":"{}","args":{{"stage":{},"mb":{},"chunk":{})",
            rank, microseconds(start), microseconds(m_source.timeline.end[i] - start), name(op.kind), opToken(op), op.stage,
            op.microbatch, op.chunk);
        if (op.kind == OpKind::FB)
            fmt::format_to(std::back_inserter(m_out), R"(,"stage_b":{},"mb_b":{},"chunk_b":{})", op.stageB, op.microbatchB,
                           op.chunkB);
        if (op.step != 0)
            fmt::format_to(std::back_inserter(m_out), R"(,"step":{})", op.step);
        if (m_critical[i])
            m_out += R"(,"critical":true)";
        m_out += "}}";
    }

    void writeFlows()
    {
        const Producers producers(m_schedule);
        std::vector<int> rankOf(m_schedule.ops.size());
        for (std::size_t r = 0; r + 1 < m_schedule.begin.size(); ++r)
            std::fill(rankOf.begin() + static_cast<std::ptrdiff_t>(m_schedule.begin[r]),
                      rankOf.begin() + static_cast<std::ptrdiff_t>(m_schedule.begin[r + 1]), static_cast<int>(r));
        for (std::size_t i = 0; i < m_schedule.ops.size(); ++i) {
            const Needs needs(m_schedule.ops[i], m_schedule.stages);
            for (const Need &need : needs.all()) {
                const std::size_t producer = producers.of(need);
                if (rankOf[producer] != rankOf[i])
                    writeFlow(need, producer, rankOf[producer], i, rankOf[i]);
            }
        }
    }

    /// The ends of an arrow belong to the slices that enclose them: the tail lies a tick before the end of its slice, since the
    /// end itself may be the start of the next.
    void writeFlow(const Need &need, std::size_t from, int fromRank, std::size_t to, int toRank)
    {
        const Timeline &timeline = m_source.timeline;
        const char *const what = need.forward ? "activations" : "gradients";
        fmt::format_to(std::back_inserter(m_out),
                       ",\n"
                       R"({{"ph":"s","pid":0,"tid":{},"ts":{},"id":{},"cat":"p2p","name":"{}"}})"
                       ",\n"
                       R"({{"ph":"f","bp":"e","pid":0,"tid":{},"ts":{},"id":{},"cat":"p2p","name":"{}"}})",
                       fromRank, microseconds(std::max(timeline.start[from], timeline.end[from] - 1)), m_flows, what, toRank,
                       microseconds(timeline.start[to]), m_flows, what);
        ++m_flows;
    }

    const TraceSource &m_source;
    const Schedule &m_schedule;
    const WriteProgress &m_progress;
    bool m_withFlows;
    std::vector<bool> m_critical;
    std::int64_t m_flows = 1;
    std::string m_out;
};

} // namespace

std::string scheduleChromeTrace(const ScheduleReport &report)
{
    const TraceSource source{
        .schedule = report.schedule,
        .timeline = report.timeline,
        .p2p = report.scale.toTicks(report.durations.p2p),
        .microseconds = [&report](Nanoseconds ticks) { return report.scale.toUnits(ticks, microsecondPlaces); },
        .unit = "1 unit of the durations = 1 ms",
        .name = std::string(title(report.schedule.kind)),
    };
    return TraceWriter(source).write().value();
}

std::optional<std::string> planChromeTrace(const Evaluation &evaluation, const WriteProgress &progress)
{
    const TraceSource source{
        .schedule = evaluation.schedule,
        .timeline = evaluation.timeline,
        .p2p = evaluation.times.durations.p2p,
        .optimizer = evaluation.times.optimizer,
        .microseconds = [](Nanoseconds ticks) { return static_cast<double>(ticks) / 1000; },
        .unit = "times of the modelled step",
        .name = std::string(title(evaluation.schedule.kind)),
    };
    return TraceWriter(source, progress).write();
}

} // namespace pipeloom
