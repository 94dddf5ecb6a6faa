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
std::string value(double number)
{
    if (!std::isfinite(number))
        return "not computed";
    const double magnitude = std::abs(number);
    if (magnitude >= 1000)
        return formatFixed(number, 0);
    return formatFixed(number, magnitude >= 100 ? 2 : magnitude >= 1 ? 3 : 4);
}

std::string percent(double ratio) { return std::isfinite(ratio) ? formatSigned(100 * ratio, 2) + " %" : "not computed"; }

std::string toleranceText(const SelfCheckRow &row)
{
    const auto outside = std::ranges::count_if(rows, [](const SelfCheckRow &row) { return !row.within(); });
    const auto loose = std::ranges::count_if(rows, &SelfCheckRow::loose);
    ReportDocument document{ "Self-check: published numbers against what this program computes",
                             { outside == 0 ? fmt::format("All {} rows are within their tolerance.", rows.size())
                                            : fmt::format("{} of {} rows are outside their tolerance.", outside, rows.size()) },
                             {},
                             "The tag says how our number comes about. Tolerances are relative." };
    if (loose > 0) {
        document.lead.push_back(
            fmt::format("{} of them, marked \"loose\", {} claimed to {:g} % or worse only: being within says little.", loose,
                        loose == 1 ? "is" : "are", 100 * looseFrom));
    }
    ReportTable table{ "Rows",
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
        table.rows.push_back({ !row.within()     ? "OUT"
                                   : row.loose() ? "loose"
                                                 : "ok",
                               row.quantity, value(row.published), value(row.ours), row.unit, percent(row.error()),
                               fmt::format("{:g} %", 100 * row.tolerance), name(row.tag), row.source });
    }
    document.tables.push_back(std::move(table));
    ReportTable notes{ "What the errors do not say", {}, { { "quantity" }, { "note" } }, {} };
    for (const SelfCheckRow &row : rows) {
        if (!row.note.empty())
            notes.rows.push_back({ row.quantity, row.note });
    }
    if (!notes.rows.empty())
        document.tables.push_back(std::move(notes));
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

bool SelfCheckRow::loose() const { return tolerance >= looseFrom; }

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
    section("Schedules", addScheduleRows);
    section("Runs", addRunRows);
    return rows;
}

std::string selfCheckJson(std::span<const SelfCheckRow> rows)
{
    using Json = nlohmann::ordered_json;
    const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
    Json list = Json::array();
    for (const SelfCheckRow &row : rows) {
        list.push_back({ { "id", row.id },
                         { "quantity", row.quantity },
                         { "unit", row.unit },
                         { "published", number(row.published) },
                         { "ours", number(row.ours) },
                         { "error", number(row.error()) },
                         { "tolerance", row.tolerance },
                         { "ok", row.within() },
                         { "tag", name(row.tag) },
                         { "source", row.source },
                         { "loose", row.loose() },
                         { "note", row.note } });
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
                               number(row.tolerance), row.within() ? "yes" : "no", name(row.tag), row.source,
                               row.loose() ? "yes" : "no", row.note });
    }
    return toCsv(table);
}

} // namespace pipeloom
