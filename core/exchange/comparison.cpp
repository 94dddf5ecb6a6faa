// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/cause.h"
#include "core/exchange/document.h"
#include "core/exchange/evaluationjson.h"
#include "core/exchange/quantity.h"
#include "core/exchange/report.h"
#include "core/exchange/sentences.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace pipeloom
{

namespace
{

constexpr const char *conventionSentence =
    "\"A vs B\" is plan A minus plan B, and its percentage is of B: a minus sign says that A has less.";

/// One quantity of all plans.
struct Row
{
    std::vector<Quantity> values; ///< one a plan
    std::string cause;
};

/// A to Z, then AA, AB: every plan has its own.
std::string letter(std::size_t plan)
{
    std::string out(1, static_cast<char>('A' + plan % 26));
    return plan < 26 ? out : letter(plan / 26 - 1) + out;
}

/// "A vs B", read as the window's table reads: A minus B.
std::string versus(std::size_t plan) { return fmt::format("A vs {}", letter(plan)); }

/// The first plan against each other one that differs, with the cause.
std::string causes(std::span<const NamedPlan> plans, const std::vector<Quantity> &values)
{
    std::vector<std::string> sentences;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        std::string cause = causeOf(values[i].id, *plans[i].evaluation, *plans[0].evaluation);
        if (cause == "equal")
            continue;
        if (constexpr std::string_view invalid = "Not valid: "; cause.starts_with(invalid)) {
            const std::size_t broken = plans[i].evaluation->valid ? 0 : i;
            cause.replace(0, invalid.size(), fmt::format("Plan {} is not valid: ", letter(broken)));
        }
        sentences.push_back(plans.size() == 2 ? cause : fmt::format("{}: {}", versus(i), cause));
    }
    return sentences.empty() ? "equal" : fmt::format("{}", fmt::join(sentences, " "));
}

/// A minus the other plan in the quantity's own unit; NaN where one of them lacks it or, for a rank's number, where a difference
/// says nothing.
double differenceOf(const Row &row, std::size_t plan)
{
    const Quantity &other = row.values[plan];
    return other.unit == "rank" ? std::numeric_limits<double>::quiet_NaN() : row.values[0].value - other.value;
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
    ReportTable table{ "Plan A against the others", conventionSentence, { { "quantity" } }, {} };
    for (std::size_t i = 0; i < plans.size(); ++i) {
        document.lead.push_back(fmt::format("{} {}: {}", letter(i), plans[i].name, planSentence(*plans[i].evaluation)));
        document.lead.push_back(fmt::format("  {}", verdictSentence(*plans[i].evaluation)));
        table.columns.push_back({ letter(i), true });
        if (i > 0)
            table.columns.push_back({ versus(i), true });
    }
    table.columns.push_back({ "cause" });
    for (const Row &row : rowsOf(plans)) {
        std::vector<std::string> cells{ row.values.front().label };
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            cells.push_back(displayed(row.values[i]));
            if (i > 0)
                cells.push_back(row.values[i].value == row.values[0].value ? "=" : displayedDelta(row.values[i], row.values[0]));
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
    out["convention"] = conventionSentence;
    out["deltas"] = Json::array();
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
    for (const Row &row : rowsOf(plans)) {
        Json values = Json::array();
        Json differences = Json::array();
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            values.push_back(number(row.values[i].value));
            if (i == 0)
                continue;
            const double difference = differenceOf(row, i);
            const double other = row.values[i].value;
            differences.push_back({ { "label", versus(i) },
                                    { "value", number(difference) },
                                    { "relative", number(other == 0 ? std::nan("") : difference / std::abs(other)) } });
        }
        const std::string &label = row.values.front().label;
        out["deltas"].push_back({ { "quantity", row.values.front().id },
                                  { "label", label.substr(label.find_first_not_of(' ')) },
                                  { "unit", row.values.front().unit },
                                  { "values", std::move(values) },
                                  { "differences", std::move(differences) },
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
    for (std::size_t i = 0; i < plans.size(); ++i)
        table.columns.push_back({ fmt::format("{}: {}", letter(i), plans[i].name) });
    for (std::size_t i = 1; i < plans.size(); ++i)
        table.columns.push_back({ fmt::format("A minus {}", letter(i)) });
    table.columns.push_back({ "cause" });
    for (const Row &row : rowsOf(plans)) {
        std::vector<std::string> cells{ row.values.front().id, row.values.front().unit };
        for (const Quantity &q : row.values)
            cells.push_back(plainNumber(q));
        for (std::size_t i = 1; i < row.values.size(); ++i) {
            Quantity difference = row.values[i];
            difference.value = differenceOf(row, i);
            cells.push_back(plainNumber(difference));
        }
        cells.push_back(row.cause);
        table.rows.push_back(std::move(cells));
    }
    return toCsv(table);
}

} // namespace pipeloom
