// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/memorytables.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <iterator>
#include <numeric>

namespace pipeloom
{

namespace
{

/// A column's title in words, and its name with the unit.
struct Column
{
    const char *title;
    const char *name;
    bool number = true;
};

template<std::size_t count>
std::vector<ReportColumn> columnsOf(const Column (&columns)[count], TableNumbers numbers)
{
    std::vector<ReportColumn> out;
    for (const Column &column : columns)
        out.push_back({ numbers == TableNumbers::Exact ? column.name : column.title, column.number });
    return out;
}

std::string bytesText(ByteCount bytes, TableNumbers numbers)
{
    return numbers == TableNumbers::Exact ? std::to_string(bytes) : formatFixed(static_cast<double>(bytes) / bytesPerGiB, 2);
}

std::string timeText(Nanoseconds time, TableNumbers numbers)
{
    return numbers == TableNumbers::Exact ? fmt::format("{:.9f}", toSeconds(time)) : formatFixed(toSeconds(time), 4);
}

} // namespace

ReportTable curveTable(const RankMemory *rank, TableNumbers numbers)
{
    static constexpr Column columns[] = {
        { "time, s", "time_s" },
        { "dense", "parameters_dense_bytes" },
        { "experts", "parameters_expert_bytes" },
        { "gradients", "gradients_bytes" },
        { "optimizer", "optimizer_bytes" },
        { "activations", "activations_bytes" },
        { "transient", "transient_bytes" },
        { "buffers", "buffers_bytes" },
        { "total, GiB", "total_bytes" },
        { "in flight", "in_flight" },
    };
    static_assert(std::size(columns) == memoryClassCount + 3);
    ReportTable table{ "Memory over the step", {}, columnsOf(columns, numbers), {} };
    if (rank == nullptr)
        return table;
    table.rows.reserve(rank->curve.size());
    for (const MemoryPoint &point : rank->curve) {
        const auto stack = rank->stackAt(point.time);
        std::vector<std::string> row{ timeText(point.time, numbers) };
        for (const ByteCount bytes : stack)
            row.push_back(bytesText(bytes, numbers));
        row.push_back(bytesText(std::accumulate(stack.begin(), stack.end(), ByteCount{ 0 }), numbers));
        row.push_back(std::to_string(point.inFlight));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable rankTable(const MemoryResult &memory, TableNumbers numbers)
{
    static constexpr Column columns[] = {
        { "rank", "rank" },
        { "stages", "stages", false },
        { "after init", "after_init_bytes" },
        { "first step", "first_step_peak_bytes" },
        { "peak, GiB", "peak_bytes" },
        { "after optim.", "after_optimizer_bytes" },
        { "bad routing", "bad_routing_peak_bytes" },
        { "peak at, s", "peak_time_s" },
        { "phase", "peak_phase", false },
    };
    static_assert(std::size(columns) == instantCount + 4);
    ReportTable table{ "Memory of the pipeline ranks", {}, columnsOf(columns, numbers), {} };
    for (const RankMemory &rank : memory.ranks) {
        std::vector<std::string> row{ std::to_string(rank.rank), fmt::format("{}", fmt::join(rank.stages, " ")) };
        for (std::size_t i = 0; i < instantCount; ++i)
            row.push_back(bytesText(rank.at(static_cast<Instant>(i)).allocated + rank.buffers, numbers));
        row.push_back(timeText(rank.peakTime, numbers));
        row.emplace_back(name(rank.phase));
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace pipeloom
