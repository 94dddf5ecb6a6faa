// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheck.h"

#include "core/base/format.h"
#include "core/exchange/document.h"
#include "core/exchange/selfcheckrows.h"
#include "core/scenario/scenariofile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

/// A tolerance from here on is no claim about the number itself.
constexpr double looseFrom = 0.2;

/// Enough digits to see the error, no more.
std::string value(double number, const char *missing = "not computed")
{
    if (!std::isfinite(number))
        return missing;
    const double magnitude = std::abs(number);
    if (magnitude >= 1000)
        return formatFixed(number, 0);
    return formatFixed(number, magnitude >= 100 ? 2 : magnitude >= 1 ? 3 : 4);
}

std::string percent(double ratio) { return std::isfinite(ratio) ? formatSigned(100 * ratio, 2) + " %" : std::string(); }

std::string toleranceText(const SelfCheckRow &row)
{
    if (!row.tolerance)
        return "none";
    if (row.toleranceAbove)
        return fmt::format("{}{:g} to +{:g} %", minusSign, 100 * *row.tolerance, 100 * *row.toleranceAbove);
    return fmt::format("{:g} %", 100 * *row.tolerance);
}

const char *verdict(const SelfCheckRow &row)
{
    if (!row.within())
        return "OUT";
    if (!row.tolerance)
        return "";
    return row.loose() ? "loose" : "ok";
}

ReportTable tableOf(std::span<const SelfCheckRow> rows)
{
    const bool notes = std::ranges::any_of(rows, [](const SelfCheckRow &row) { return !row.note.empty(); });
    ReportTable table{ rows.front().section,
                       {},
                       { { "" },
                         { "quantity" },
                         { "published", true },
                         { "ours", true },
                         { "unit" },
                         { "error", true },
                         { "tolerance", true },
                         { "tag" },
                         { "source" } },
                       {} };
    if (notes)
        table.columns.push_back({ "note" });
    for (const SelfCheckRow &row : rows) {
        std::vector<std::string> cells{ verdict(row),       row.quantity,  value(row.published, "refused"),
                                        value(row.ours),    row.unit,      percent(row.error()),
                                        toleranceText(row), row.tagName(), row.source };
        if (notes)
            cells.push_back(row.note);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::string lead(std::span<const SelfCheckRow> rows)
{
    const auto claimed = std::ranges::count_if(rows, [](const SelfCheckRow &row) { return row.tolerance.has_value(); });
    const auto outside = std::ranges::count_if(rows, [](const SelfCheckRow &row) { return !row.within(); });
    std::string text = outside == 0 ? fmt::format("All {} rows are within their tolerance.", claimed)
                                    : fmt::format("{} of {} rows are outside their tolerance.", outside, claimed);
    const auto peers = std::ranges::count_if(rows, &SelfCheckRow::peer);
    const auto rest = std::ssize(rows) - claimed - peers;
    if (rest > 0)
        text += fmt::format(" {} more claim nothing and say why.", rest);
    if (peers > 0)
        text += fmt::format(" {} hold estimates of other programs, which claim nothing about ours.", peers);
    const auto loose = std::ranges::count_if(rows, &SelfCheckRow::loose);
    if (loose > 0) {
        text += fmt::format(" {}, marked \"loose\", {} claimed to {:g} % or worse only: being within says little.", loose,
                            loose == 1 ? "is" : "are", 100 * looseFrom);
    }
    return text;
}

ReportDocument documentOf(std::span<const SelfCheckRow> rows)
{
    ReportDocument document{ "Self-check: published numbers against what this program computes",
                             { lead(rows) },
                             {},
                             "The tag says how our number comes about; peer: the published number is another program's estimate. "
                             "Tolerances are relative." };
    for (std::size_t begin = 0; begin < rows.size();) {
        std::size_t end = begin + 1;
        while (end < rows.size() && rows[end].section == rows[begin].section)
            ++end;
        document.tables.push_back(tableOf(rows.subspan(begin, end - begin)));
        begin = end;
    }
    return document;
}

} // namespace

double SelfCheckRow::error() const { return ours / published - 1; }

bool SelfCheckRow::within() const
{
    if (!tolerance)
        return true;
    // Not written as > so that NaN is outside.
    const double wrong = error();
    return std::abs(wrong) <= *tolerance && (wrong <= 0 || !toleranceAbove || wrong <= *toleranceAbove);
}

bool SelfCheckRow::loose() const { return tolerance && *tolerance >= looseFrom; }

const char *SelfCheckRow::tagName() const { return peer ? "peer" : name(tag); }

std::optional<Scenario> builtScenario(const std::string &json)
{
    Expected<LoadedScenario> loaded = parseScenario(json, "selfcheck");
    if (!loaded)
        return std::nullopt;
    return std::move(loaded->scenario);
}

std::vector<SelfCheckRow> selfCheck()
{
    SelfCheckRows rows;
    const auto section = [&rows](const char *title, void (*add)(SelfCheckRows &)) {
        const std::size_t before = rows.size();
        add(rows);
        for (std::size_t i = before; i < rows.size(); ++i)
            rows[i].section = title;
    };
    section("Models", addModelRows);
    section("Memory of a layer", addLayerMemoryRows);
    section("Memory measured on GPUs", addMeasuredMemoryRows);
    section("Memory as in arXiv:2502.07846", addPaperRows);
    section("X-MoE and the runtimes it compares", addXMoeRows);
    section("Schedules", addScheduleRows);
    section("Runs", addRunRows);
    section("Memory as other programs estimate it", addPeerRows);
    return rows;
}

std::string selfCheckJson(std::span<const SelfCheckRow> rows)
{
    using Json = nlohmann::ordered_json;
    const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
    Json list = Json::array();
    for (const SelfCheckRow &row : rows) {
        Json entry = { { "id", row.id },
                       { "section", row.section },
                       { "quantity", row.quantity },
                       { "unit", row.unit },
                       { "published", number(row.published) },
                       { "ours", number(row.ours) },
                       { "error", number(row.error()) },
                       { "tolerance", row.tolerance ? Json(*row.tolerance) : Json() },
                       { "ok", row.within() },
                       { "loose", row.loose() },
                       { "tag", row.tagName() },
                       { "source", row.source },
                       { "note", row.note } };
        if (row.toleranceAbove)
            entry["tolerance_above"] = *row.toleranceAbove;
        list.push_back(std::move(entry));
    }
    Json out;
    out["rows"] = std::move(list);
    return out.dump(2) + '\n';
}

std::string selfCheckText(std::span<const SelfCheckRow> rows) { return toText(documentOf(rows)); }

std::string selfCheckMarkdown(std::span<const SelfCheckRow> rows) { return toMarkdown(documentOf(rows)); }

std::string selfCheckHtml(std::span<const SelfCheckRow> rows) { return toHtml(documentOf(rows)); }

std::string selfCheckCsv(std::span<const SelfCheckRow> rows)
{
    ReportTable table{ {},
                       {},
                       { { "id" },
                         { "quantity" },
                         { "unit" },
                         { "published" },
                         { "ours" },
                         { "error" },
                         { "tolerance" },
                         { "ok" },
                         { "tag" },
                         { "source" },
                         { "loose" },
                         { "note" } },
                       {} };
    const auto number = [](double v) { return std::isfinite(v) ? fmt::format("{}", v) : std::string(); };
    for (const SelfCheckRow &row : rows) {
        table.rows.push_back({ row.id, row.quantity, row.unit, number(row.published), number(row.ours), number(row.error()),
                               row.tolerance ? number(*row.tolerance) : std::string(), row.within() ? "yes" : "no", row.tagName(),
                               row.source, row.loose() ? "yes" : "no", row.note });
    }
    return toCsv(table);
}

} // namespace pipeloom
