// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reference/measuredmemory.h"

#include "core/reference/referencereader.h"
#include "core/scenario/evaluation.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace pipeloom
{

namespace
{

constexpr const char *fileName = "memory-measured.json";
constexpr double mostGib = 1e6;

const std::array<std::string, 3> quantityKeys{ "allocated", "reserved", "states" };
const std::array<std::string, 2> rankKeys{ "first", "last" };

using Texts = std::map<std::string, std::string>;
using Scenarios = std::map<std::string, Scenario>;

Texts readSources(JsonReport &report, ObjectReader &reader)
{
    Texts sources;
    eachMember(reader, "sources", [&](const std::string &member, const Json &value, const std::string &where) {
        if (value.is_string())
            sources[member] = value.get<std::string>();
        else
            report.error(ErrorCode::WrongType, where, "expects a text");
    });
    return sources;
}

Scenarios readBases(JsonReport &report, ObjectReader &reader)
{
    Scenarios bases;
    eachMember(reader, "bases", [&](const std::string &member, const Json &value, const std::string &where) {
        readNestedScenario(report, value, where, bases[member]);
    });
    return bases;
}

std::vector<Setting> readSettings(ObjectReader &reader)
{
    std::vector<Setting> settings;
    if (!reader.has("set"))
        return settings;
    eachMember(reader, "set", [&](const std::string &member, const Json &value, const std::string &) {
        settings.push_back({ member, value.dump() });
    });
    return settings;
}

void readScenarioOf(JsonReport &report, ObjectReader &reader, const Scenarios &bases, MeasuredMemory &record)
{
    reader.text("not_modelled", record.notModelled);
    if (!record.notModelled.empty())
        return;
    std::string base;
    reader.text("base", base, ObjectReader::Required);
    const std::vector<Setting> settings = readSettings(reader);
    const auto found = bases.find(base);
    if (found == bases.end()) {
        reader.error(ErrorCode::UnknownName, "base", fmt::format("there is no base \"{}\"", base));
        return;
    }
    Expected<Scenario> scenario = applySettings(found->second, settings);
    if (scenario)
        record.scenario = *std::move(scenario);
    else
        report.add(scenario.errors(), reader.at("set"));
}

void readTolerances(ObjectReader &reader, MeasuredMemory &record)
{
    double tolerance = 0;
    if (reader.number("tolerance", tolerance, 0, 1))
        record.tolerance = tolerance;
    if (reader.number("tolerance_above", tolerance, 0, 1))
        record.toleranceAbove = tolerance;
}

MeasuredMemory readRecord(JsonReport &report, const Json &value, const std::string &where, const Texts &sources,
                          const Scenarios &bases)
{
    ObjectReader reader(report, value, where);
    MeasuredMemory record;
    reader.text("id", record.id, ObjectReader::Required);
    reader.text("title", record.title, ObjectReader::Required);
    readScenarioOf(report, reader, bases, record);
    std::size_t rank = 0;
    reader.choice("rank", rank, rankKeys);
    record.lastRank = rank == 1;
    auto quantity = static_cast<std::size_t>(record.quantity);
    reader.choice("quantity", quantity, quantityKeys, ObjectReader::Required);
    record.quantity = static_cast<MeasuredQuantity>(quantity);
    reader.number("gib", record.gib, 1e-3, mostGib, ObjectReader::Required);
    readTolerances(reader, record);
    reader.boolean("in_mean", record.inMean);
    reader.text("note", record.note);
    std::string source;
    reader.text("source", source, ObjectReader::Required);
    const auto found = sources.find(source);
    if (found == sources.end())
        reader.error(ErrorCode::UnknownName, "source", fmt::format("there is no source \"{}\"", source));
    else
        record.source = found->second;
    reader.finish();
    return record;
}

} // namespace

const char *name(MeasuredQuantity quantity)
{
    switch (quantity) {
    case MeasuredQuantity::Allocated:
        return "allocated peak";
    case MeasuredQuantity::Reserved:
        return "reserved peak";
    case MeasuredQuantity::States:
        return "states";
    }
    return "";
}

Expected<std::vector<MeasuredMemory>> parseMeasuredMemory(std::string_view text, const std::string &file)
{
    const Expected<Json> document = parseJson(text, file);
    if (!document)
        return document.errors();
    JsonReport report(file, true);
    ObjectReader reader(report, *document, "");
    readHead(reader, "pipeloom-measured-memory");
    const Texts sources = readSources(report, reader);
    const Scenarios bases = readBases(report, reader);
    std::vector<MeasuredMemory> records;
    eachItem(reader, "cases", [&](const Json &value, const std::string &where) {
        records.push_back(readRecord(report, value, where, sources, bases));
    });
    reader.finish();
    if (report.failed())
        return report.takeErrors();
    return records;
}

const std::vector<MeasuredMemory> &measuredMemory()
{
    static const std::vector<MeasuredMemory> records = bundledReference(fileName, &parseMeasuredMemory);
    return records;
}

double quantityGib(const RankMemory &rank, MeasuredQuantity quantity)
{
    switch (quantity) {
    case MeasuredQuantity::Allocated:
        return static_cast<double>(rank.peakAllocated) / bytesPerGiB;
    case MeasuredQuantity::Reserved:
        return static_cast<double>(rank.peakReserved) / bytesPerGiB;
    case MeasuredQuantity::States:
        return static_cast<double>(rank.states()) / bytesPerGiB;
    }
    return 0;
}

std::optional<double> predictedGib(const MeasuredMemory &record)
{
    if (!record.scenario)
        return std::nullopt;
    const auto evaluation = evaluate(*record.scenario);
    if (!evaluation->valid)
        return std::nullopt;
    const std::vector<RankMemory> &ranks = evaluation->memory.ranks;
    return quantityGib(record.lastRank ? ranks.back() : ranks.front(), record.quantity);
}

} // namespace pipeloom
