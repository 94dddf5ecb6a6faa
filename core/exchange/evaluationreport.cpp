// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"
#include "core/cost/measured.h"
#include "core/exchange/document.h"
#include "core/exchange/quantity.h"
#include "core/exchange/report.h"
#include "core/exchange/sentences.h"
#include "core/memory/breakdown.h"
#include "core/scenario/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

Diagnostics worstFirst(Diagnostics diagnostics)
{
    std::ranges::stable_sort(diagnostics, std::ranges::greater(), &Diagnostic::severity);
    return diagnostics;
}

ReportTable findingsTable(const Evaluation &e)
{
    ReportTable table{ "Findings", {}, { { "severity" }, { "field" }, { "message" }, { "repair" } }, {} };
    for (const Diagnostic &d : worstFirst(e.diagnostics)) {
        if (d.severity == Severity::Info)
            continue;
        std::vector<std::string> repairs;
        for (const Fix &fix : d.fixes)
            repairs.push_back(repair(fix));
        table.rows.push_back({ severityWord(d.severity), d.field, d.message, fmt::format("{}", fmt::join(repairs, " or ")) });
    }
    return table;
}

ReportTable figuresTable(const Evaluation &e, bool withSource)
{
    ReportTable table{ "Key figures", {}, { { "quantity" }, { "value", true }, { "tag" } }, {} };
    if (withSource)
        table.columns.push_back({ "how it comes about" });
    for (const Quantity &q : quantities(e)) {
        std::vector<std::string> row{ q.label, displayed(q), name(q.tag) };
        if (withSource)
            row.push_back(q.source);
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable ranksTable(const Evaluation &e)
{
    ReportTable table{ "Memory of the pipeline ranks at their peak",
                       "GiB on one GPU, the hottest expert-parallel position of each rank.",
                       { { "rank", true },
                         { "stages" },
                         { "weights", true },
                         { "grads", true },
                         { "optimizer", true },
                         { "activations", true },
                         { "transient", true },
                         { "buffers", true },
                         { "peak", true },
                         { "in flight", true },
                         { "phase of the peak" },
                         { "idle", true } },
                       {} };
    for (const RankMemory &rank : e.memory.ranks) {
        const double idle = e.timeline.makespan > 0
            ? static_cast<double>(e.timeline.idle(rank.rank)) / static_cast<double>(e.timeline.makespan)
            : 0;
        table.rows.push_back({ formatCount(rank.rank), fmt::format("{}", fmt::join(rank.stages, "+")),
                               formatGib(rank.weights(), 2), formatGib(rank.gradients, 2), formatGib(rank.optimizer, 2),
                               formatGib(rank.activationsPeak, 2), formatGib(rank.transientPeak, 2), formatGib(rank.buffers, 2),
                               formatGib(rank.peak, 2), formatCount(rank.inFlightAtPeak), name(rank.phase),
                               formatPercent(idle) });
    }
    return table;
}

const RankMemory &worstRank(const Evaluation &e) { return e.memory.ranks[static_cast<std::size_t>(e.memory.peakRank)]; }

ReportTable instantsTable(const Evaluation &e)
{
    const RankMemory &rank = worstRank(e);
    ReportTable table{ fmt::format("Memory of rank {} at five instants", rank.rank),
                       fmt::format(
                           "GiB. Allocated: tensors; reserved: what the allocator took; device: with buffers outside it. Bad "
                           "routing: lognormal sigma {:g}, hottest rank {:.2f} times the mean.",
                           e.scenario.memory.badRoutingSigma, e.memory.badRouting),
                       { { "instant" }, { "allocated", true }, { "reserved", true }, { "device", true } },
                       {} };
    for (const Instant instant :
         { Instant::AfterInit, Instant::FirstStepPeak, Instant::LaterPeak, Instant::AfterOptimizer, Instant::BadRoutingPeak }) {
        const CountedBytes bytes = rank.at(instant);
        table.rows.push_back(
            { name(instant), formatGib(bytes.allocated, 2), formatGib(bytes.reserved, 2), formatGib(bytes.device, 2) });
    }
    return table;
}

ReportTable tensorsTable(const Evaluation &e)
{
    constexpr std::size_t most = 12;
    const RankMemory &rank = worstRank(e);
    std::vector<BreakdownRow> rows = breakdown(rank, Instant::LaterPeak);
    std::ranges::stable_sort(rows, std::ranges::greater(), &BreakdownRow::bytes);
    ReportTable table{ fmt::format("Largest tensors of rank {} at its peak", rank.rank),
                       "The whole ledger is in the JSON: memory.ranks[].tensors.",
                       { { "tensor" },
                         { "where" },
                         { "stage", true },
                         { "shape" },
                         { "type" },
                         { "split by" },
                         { "instances", true },
                         { "in flight", true },
                         { "GiB", true },
                         { "alive" } },
                       {} };
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        const LedgerRow &row = rows[i].row;
        table.rows.push_back({ std::string(row.name), name(row.place), row.stage < 0 ? "" : std::to_string(row.stage),
                               shapeText(row), std::string(row.dtype), splitText(row), formatCount(row.count),
                               formatCount(rows[i].inFlight), formatGib(rows[i].bytes, 2), keptByText(row) });
    }
    return table;
}

ReportTable nearestTable(std::span<const NearbyPlan> nearest)
{
    ReportTable table{ "Nearest plans that fit",
                       "Fewest fields changed first, then the shorter step.",
                       { { "plan" }, { "peak", true }, { "step", true }, { "to apply" } },
                       {} };
    for (const NearbyPlan &plan : nearest) {
        const MemoryResult &memory = plan.evaluation->memory;
        table.rows.push_back({ plan.label, formatBytes(memory.ranks[static_cast<std::size_t>(memory.peakRank)].peak),
                               formatDuration(plan.evaluation->time.step), setOptions(plan.set) });
    }
    return table;
}

ReportTable termsTable(const Evaluation &e)
{
    ReportTable table{
        "Where the numbers come from",
        {},
        { { "quantity" }, { "value", true }, { "unit" }, { "tag" }, { "formula" }, { "with numbers" }, { "source" } },
        {}
    };
    for (const Term &term : e.terms) {
        table.rows.push_back(
            { term.label, fmt::format("{:.6g}", term.value), term.unit, name(term.tag), term.formula, term.inputs, term.source });
    }
    return table;
}

ReportTable measuredTable(const Evaluation &e)
{
    ReportTable table{
        "Beside the measured run",
        "Seconds a step, mean of the ranks.",
        { { "part" }, { "ours", true }, { "measured", true }, { "difference", true }, { "why, as far as it is known" } },
        {}
    };
    for (const MeasuredRow &row : compareMeasured(e)) {
        const bool published = row.measured != 0;
        table.rows.push_back({ row.quantity, formatSeconds(row.ours, 3),
                               published ? formatSeconds(row.measured, 3) : "not published",
                               published ? formatSigned(row.measured - row.ours, 3) + " s" : std::string(), row.note });
    }
    return table;
}

ReportTable limitsTable(const Evaluation &e)
{
    ReportTable table{ "What is not modelled", {}, { { "limit" } }, {} };
    for (const std::string &sentence : notModelled(e))
        table.rows.push_back({ sentence });
    return table;
}

ReportDocument documentOf(const Evaluation &e, std::span<const NearbyPlan> nearest, bool withSources)
{
    ReportDocument document{ e.scenario.name, { planSentence(e), verdictSentence(e) }, {}, {} };
    if (e.valid)
        document.lead.push_back(speedSentence(e));
    const auto addFilled = [&document](ReportTable table) {
        if (!table.rows.empty())
            document.tables.push_back(std::move(table));
    };
    addFilled(findingsTable(e));
    addFilled(nearestTable(nearest));
    document.tables.push_back(figuresTable(e, withSources));
    addFilled(ranksTable(e));
    if (e.valid) {
        addFilled(instantsTable(e));
        addFilled(tensorsTable(e));
    }
    addFilled(measuredTable(e));
    if (withSources)
        addFilled(termsTable(e));
    if (e.valid)
        addFilled(limitsTable(e));
    document.footer = tagLegend();
    return document;
}

} // namespace

std::string evaluationText(const Evaluation &evaluation, std::span<const NearbyPlan> nearest)
{
    return toText(documentOf(evaluation, nearest, false));
}

std::string evaluationMarkdown(const Evaluation &evaluation, std::span<const NearbyPlan> nearest)
{
    return toMarkdown(documentOf(evaluation, nearest, true));
}

std::string evaluationHtml(const Evaluation &evaluation, std::span<const NearbyPlan> nearest)
{
    return toHtml(documentOf(evaluation, nearest, true));
}

std::string evaluationCsv(const Evaluation &evaluation)
{
    ReportTable table{ {}, {}, { { "id" }, { "quantity" }, { "value" }, { "unit" }, { "tag" }, { "source" } }, {} };
    for (const Quantity &q : quantities(evaluation)) {
        const std::string label = q.label.substr(q.label.find_first_not_of(' '));
        table.rows.push_back({ q.id, label, plainNumber(q), q.unit, name(q.tag), q.source });
    }
    return toCsv(table);
}

std::string diagnosticsText(const Evaluation &evaluation)
{
    std::string out;
    for (const Diagnostic &d : worstFirst(evaluation.diagnostics)) {
        out += fmt::format("{}: {}: {} [{}]\n", severityWord(d.severity), d.field, d.message, d.code);
        for (const Fix &fix : d.fixes)
            out += fmt::format("    {}\n", repair(fix));
    }
    return out.empty() ? "Every rule holds.\n" : out;
}

} // namespace pipeloom
