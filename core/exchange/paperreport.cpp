// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/paperreport.h"

#include "core/base/counted.h"
#include "core/base/format.h"
#include "core/exchange/document.h"
#include "core/schedule/schedulekind.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace pipeloom
{

namespace
{

constexpr std::array<const char *, 4> zeroLabels{ "none", "os", "os+g", "os+g+params" };
constexpr const char *paperName = "arXiv:2502.07846";

std::string gibText(double bytes) { return formatFixed(bytes / bytesPerGiB, 3); }

std::string mebibytes(double bytes) { return formatFixed(bytes / bytesPerMiB, 3); }

/// Counts whole, the rest with the digits that show the difference.
std::string valueText(double value, const std::string &unit)
{
    const bool whole = unit == "parameters" || unit == "token copies" || unit == "microbatches";
    return formatFixed(value, whole ? 0 : 3);
}

std::string changeText(const PaperCorrection &row)
{
    return row.paper == 0 ? std::string() : formatFixed(row.corrected / row.paper, 3);
}

ReportTable parametersTable(const PaperComparison &c)
{
    const PaperParameters &p = c.paper.parameters;
    ReportTable table{ "Parameters of the device, as in the paper",
                       fmt::format("{} MoE layers; DP {}, EDP {}.", c.paper.layers, c.paper.dp, c.paper.edp),
                       { { "part" }, { "parameters", true } },
                       {} };
    table.rows = { { "MLA", formatCount(p.attention) },         { "norms", formatCount(p.norms) },
                   { "routed experts", formatCount(p.routed) }, { "shared experts", formatCount(p.shared) },
                   { "routers", formatCount(p.router) },        { "device", formatCount(p.total()) } };
    return table;
}

ReportTable statesTable(const PaperComparison &c)
{
    ReportTable table{ "States of the device, as in the paper",
                       "GiB; 2 B of weights, 4 B of gradients and 8 B of optimizer states a parameter.",
                       { { "ZeRO" }, { "parameters", true }, { "gradients", true }, { "optimizer", true }, { "sum", true } },
                       {} };
    for (std::size_t i = 0; i < zeroLabels.size(); ++i) {
        const PaperStates &s = c.paper.zero[i];
        table.rows.push_back(
            { zeroLabels[i], gibText(s.parameters), gibText(s.gradients), gibText(s.optimizer), gibText(s.total()) });
    }
    return table;
}

ReportTable tensorsTable(const PaperComparison &c)
{
    const PaperActivations &a = c.paper.activations;
    ReportTable table{ "Activations of one microbatch, as in the paper",
                       fmt::format("MiB in one layer; the sums are of {}.", formatCounted(a.layers, "layer")),
                       { { "block" }, { "tensor" }, { "formula" }, { "MiB", true } },
                       {} };
    const auto add = [&table](const char *block, const std::vector<PaperTensor> &tensors) {
        for (const PaperTensor &tensor : tensors)
            table.rows.push_back({ block, tensor.name, tensor.formula, mebibytes(tensor.bytes) });
    };
    add("attention", a.attention);
    add("MoE", a.moe);
    add("full recompute", a.full);
    table.rows.push_back({ "sum", "attention", "", mebibytes(a.attentionBytes()) });
    table.rows.push_back({ "sum", "MoE", "", mebibytes(a.moeBytes()) });
    table.rows.push_back({ "sum", "nothing recomputed", "", mebibytes(a.total()) });
    table.rows.push_back({ "sum", "full recompute", "", mebibytes(a.fullBytes()) });
    return table;
}

ReportTable correctionsTable(const PaperComparison &c)
{
    ReportTable table{ "Corrections",
                       {},
                       { { "figure" },
                         { "paper", true },
                         { "corrected", true },
                         { "unit" },
                         { "ratio", true },
                         { "cause" },
                         { "tag" },
                         { "source" } },
                       {} };
    for (const PaperCorrection &row : c.corrections) {
        table.rows.push_back({ row.what, valueText(row.paper, row.unit), valueText(row.corrected, row.unit), row.unit,
                               changeText(row), row.cause, name(row.tag), row.source });
    }
    return table;
}

ReportTable stagesTable(const PaperComparison &c)
{
    ReportTable table{ "Every stage, as evaluated here",
                       fmt::format("GiB allocated at the peak under {}; the paper has one device, ours is rank {}.",
                                   title(c.scenario.plan.schedule), c.rank),
                       { { "rank", true },
                         { "stages" },
                         { "layers", true },
                         { "states", true },
                         { "in flight", true },
                         { "activations", true },
                         { "transient", true },
                         { "peak", true } },
                       {} };
    for (const RankMemory &rank : c.evaluation->memory.ranks) {
        int layers = 0;
        for (const int stage : rank.stages)
            layers += c.evaluation->layout.stages[static_cast<std::size_t>(stage)].layers;
        table.rows.push_back({ formatCount(rank.rank), fmt::format("{}", fmt::join(rank.stages, "+")), formatCount(layers),
                               formatGib(rank.states(), 3), formatCount(rank.inFlightAtPeak), formatGib(rank.activationsPeak, 3),
                               formatGib(rank.transientPeak, 3), formatGib(rank.peakAllocated, 3) });
    }
    return table;
}

ReportDocument documentOf(const PaperComparison &c)
{
    const ParallelPlan &p = c.scenario.plan;
    return { fmt::format("Memory as in {}, and corrected", paperName),
             { fmt::format("{}: {}, TP {}{}, PP {}, EP {}, micro-batch {}, sequence {}.", c.scenario.name,
                           formatCounted(p.gpus, "GPU"), p.tp, p.sequenceParallel ? " with SP" : "", p.pp, p.ep, p.microBatch,
                           formatCount(p.seq)) },
             { parametersTable(c), statesTable(c), tensorsTable(c), correctionsTable(c), stagesTable(c) },
             "The paper's figures are its formulas evaluated; where its text gives only totals, the split is the one that yields "
             "them. Corrected values are computed by this program." };
}

using Json = nlohmann::ordered_json;

Json tensorsJson(const std::vector<PaperTensor> &tensors)
{
    Json list = Json::array();
    for (const PaperTensor &tensor : tensors)
        list.push_back({ { "name", tensor.name }, { "formula", tensor.formula }, { "bytes", tensor.bytes } });
    return list;
}

Json paperPart(const PaperMemory &m)
{
    Json zero = Json::array();
    for (std::size_t i = 0; i < zeroLabels.size(); ++i) {
        const PaperStates &s = m.zero[i];
        zero.push_back({ { "zero", zeroLabels[i] },
                         { "parameters", s.parameters },
                         { "gradients", s.gradients },
                         { "optimizer", s.optimizer },
                         { "total", s.total() } });
    }
    const PaperParameters &p = m.parameters;
    const PaperActivations &a = m.activations;
    return { { "layers", m.layers },
             { "dp", m.dp },
             { "edp", m.edp },
             { "parameters",
               { { "attention", p.attention },
                 { "norms", p.norms },
                 { "routed", p.routed },
                 { "shared", p.shared },
                 { "router", p.router },
                 { "total", p.total() } } },
             { "bytes_weights", m.zero[0].parameters },
             { "zero", std::move(zero) },
             { "tensors",
               { { "attention", tensorsJson(a.attention) }, { "moe", tensorsJson(a.moe) }, { "full", tensorsJson(a.full) } } },
             { "activations",
               { { "attention", a.attentionBytes() },
                 { "moe", a.moeBytes() },
                 { "total", a.total() },
                 { "scores", a.scoreBytes() },
                 { "routed", a.routedBytes() },
                 { "full_recompute", a.fullBytes() } } } };
}

} // namespace

std::string paperJson(const PaperComparison &c)
{
    Json out;
    out["paper"] = paperPart(c.paper);
    out["rank"] = c.rank;
    out["corrections"] = Json::array();
    for (const PaperCorrection &row : c.corrections) {
        out["corrections"].push_back({ { "id", row.id },
                                       { "what", row.what },
                                       { "unit", row.unit },
                                       { "paper", row.paper },
                                       { "corrected", row.corrected },
                                       { "cause", row.cause },
                                       { "source", row.source },
                                       { "tag", name(row.tag) } });
    }
    out["stages"] = Json::array();
    for (const RankMemory &rank : c.evaluation->memory.ranks) {
        out["stages"].push_back({ { "rank", rank.rank },
                                  { "stages", rank.stages },
                                  { "states", rank.states() },
                                  { "in_flight", rank.inFlightAtPeak },
                                  { "activations", rank.activationsPeak },
                                  { "transient", rank.transientPeak },
                                  { "peak_allocated", rank.peakAllocated } });
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string paperText(const PaperComparison &comparison) { return toText(documentOf(comparison)); }

std::string paperMarkdown(const PaperComparison &comparison) { return toMarkdown(documentOf(comparison)); }

std::string paperHtml(const PaperComparison &comparison) { return toHtml(documentOf(comparison)); }

std::string paperCsv(const PaperComparison &comparison)
{
    ReportTable table{
        {}, {}, { { "id" }, { "what" }, { "unit" }, { "paper" }, { "corrected" }, { "cause" }, { "source" }, { "tag" } }, {}
    };
    for (const PaperCorrection &row : comparison.corrections) {
        table.rows.push_back({ row.id, row.what, row.unit, fmt::format("{}", row.paper), fmt::format("{}", row.corrected),
                               row.cause, row.source, name(row.tag) });
    }
    return toCsv(table);
}

} // namespace pipeloom
