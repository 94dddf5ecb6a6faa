// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/cause.h"
#include "core/exchange/document.h"
#include "core/exchange/evaluationjson.h"
#include "core/exchange/quantity.h"
#include "core/exchange/report.h"
#include "core/exchange/sentences.h"

#include <fmt/format.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

/// One quantity of all plans.
struct Row
{
    std::vector<Quantity> values; ///< one a plan
    std::string cause;
};

char letter(std::size_t plan) { return static_cast<char>('A' + plan % 26); }

/// Plans against the first, each that differs with its cause.
std::string causes(std::span<const NamedPlan> plans, const std::vector<Quantity> &values)
{
    std::vector<std::string> sentences;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        const std::string cause = causeOf(values[i].id, *plans[0].evaluation, *plans[i].evaluation);
        if (cause == "equal")
            continue;
        sentences.push_back(plans.size() == 2 ? cause : fmt::format("{}: {}", letter(i), cause));
    }
    return sentences.empty() ? "equal" : fmt::format("{}", fmt::join(sentences, " "));
}

std::vector<Row> rowsOf(std::span<const NamedPlan> plans)
{
    std::vector<std::vector<Quantity>> all;
    for (const NamedPlan &plan : plans)
        all.push_back(quantities(*plan.evaluation));
    std::vector<Row> rows;
    for (std::size_t q = 0; !all.empty() && q < all.front().size(); ++q) {
        Row row;
        for (const auto &list : all)
            row.values.push_back(list[q]);
        row.cause = causes(plans, row.values);
        rows.push_back(std::move(row));
    }
    return rows;
}

ReportDocument documentOf(std::span<const NamedPlan> plans)
{
    ReportDocument document{ "Comparison", {}, {}, tagLegend() };
    ReportTable table{ "Differences, each plan against A", {}, { { "quantity" } }, {} };
    for (std::size_t i = 0; i < plans.size(); ++i) {
        document.lead.push_back(fmt::format("{} {}: {}", letter(i), plans[i].name, planSentence(*plans[i].evaluation)));
        document.lead.push_back(fmt::format("  {}", verdictSentence(*plans[i].evaluation)));
        table.columns.push_back({ std::string(1, letter(i)), true });
        if (i > 0)
            table.columns.push_back({ fmt::format("{} - A", letter(i)), true });
    }
    table.columns.push_back({ "cause" });
    for (const Row &row : rowsOf(plans)) {
        std::vector<std::string> cells{ row.values.front().label };
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            cells.push_back(displayed(row.values[i]));
            if (i > 0)
                cells.push_back(row.values[i].value == row.values[0].value ? "=" : displayedDelta(row.values[0], row.values[i]));
        }
        cells.push_back(row.cause);
        table.rows.push_back(std::move(cells));
    }
    document.tables.push_back(std::move(table));
    return document;
}

} // namespace

std::string comparisonJson(std::span<const NamedPlan> plans)
{
    using Json = nlohmann::ordered_json;
    Json out;
    out["plans"] = Json::array();
    for (const NamedPlan &plan : plans) {
        Json object;
        object["name"] = plan.name;
        object.update(evaluationObject(*plan.evaluation, false, {}));
        out["plans"].push_back(std::move(object));
    }
    out["deltas"] = Json::array();
    for (const Row &row : rowsOf(plans)) {
        Json values = Json::array();
        for (const Quantity &q : row.values)
            values.push_back(q.known() ? Json(q.value) : Json());
        const std::string &label = row.values.front().label;
        out["deltas"].push_back({ { "quantity", row.values.front().id },
                                  { "label", label.substr(label.find_first_not_of(' ')) },
                                  { "unit", row.values.front().unit },
                                  { "values", std::move(values) },
                                  { "cause", row.cause } });
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string comparisonText(std::span<const NamedPlan> plans)
{
    // A terminal line cannot hold the causes: they follow as sentences of their own.
    ReportDocument document = documentOf(plans);
    ReportTable &table = document.tables.front();
    ReportTable reasons{ "Causes", {}, { { "quantity" }, { "cause" } }, {} };
    for (auto &row : table.rows) {
        if (row.back() != "equal")
            reasons.rows.push_back({ row.front().substr(row.front().find_first_not_of(' ')), row.back() });
        row.pop_back();
    }
    table.columns.pop_back();
    if (!reasons.rows.empty())
        document.tables.push_back(std::move(reasons));
    return toText(document);
}

std::string comparisonMarkdown(std::span<const NamedPlan> plans) { return toMarkdown(documentOf(plans)); }

std::string comparisonHtml(std::span<const NamedPlan> plans) { return toHtml(documentOf(plans)); }

std::string comparisonCsv(std::span<const NamedPlan> plans)
{
    ReportTable table{ {}, {}, { { "quantity" }, { "unit" } }, {} };
    for (const NamedPlan &plan : plans)
        table.columns.push_back({ plan.name });
    table.columns.push_back({ "cause" });
    for (const Row &row : rowsOf(plans)) {
        std::vector<std::string> cells{ row.values.front().id, row.values.front().unit };
        for (const Quantity &q : row.values)
            cells.push_back(plainNumber(q));
        cells.push_back(row.cause);
        table.rows.push_back(std::move(cells));
    }
    return toCsv(table);
}

} // namespace pipeloom
