// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reference/peermemory.h"

#include "core/reference/referencereader.h"
#include "core/scenario/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr const char *fileName = "memory-peers.json";
constexpr double mostGib = 1e6;

const std::array<std::string, 2> quantityKeys{ "allocated", "states" };
const std::array<std::string, 3> rankKeys{ "heaviest", "first", "last" };

/// The peers by their keys.
using Peers = std::map<std::string, PeerValue>;

Peers readPeers(JsonReport &report, ObjectReader &reader)
{
    Peers peers;
    eachMember(reader, "peers", [&](const std::string &key, const Json &value, const std::string &where) {
        ObjectReader member(report, value, where);
        PeerValue peer;
        member.text("name", peer.peer, ObjectReader::Required);
        member.text("version", peer.version, ObjectReader::Required);
        member.finish();
        peers[key] = std::move(peer);
    });
    return peers;
}

PeerValue readValue(JsonReport &report, const Json &json, const std::string &where, const Peers &peers)
{
    ObjectReader reader(report, json, where);
    std::string key;
    reader.text("peer", key, ObjectReader::Required);
    PeerValue value;
    if (const auto found = peers.find(key); found != peers.end())
        value = found->second;
    else
        reader.error(ErrorCode::UnknownName, "peer", fmt::format("there is no peer \"{}\"", key));
    std::size_t rank = 0;
    reader.choice("rank", rank, rankKeys);
    value.rank = static_cast<PeerRank>(rank);
    double gib = 0;
    if (reader.number("gib", gib, 1e-3, mostGib))
        value.gib = gib;
    reader.text("note", value.note);
    if (!reader.has("gib") && value.note.empty())
        reader.error(ErrorCode::OutOfRange, "note", "without a number, the reason is missing");
    reader.finish();
    return value;
}

PeerScenario readScenario(JsonReport &report, const Json &json, const std::string &where, const Peers &peers)
{
    ObjectReader reader(report, json, where);
    PeerScenario out;
    reader.text("id", out.id, ObjectReader::Required);
    reader.text("title", out.title, ObjectReader::Required);
    std::size_t quantity = 0;
    if (reader.choice("quantity", quantity, quantityKeys) && quantity == 1)
        out.quantity = MeasuredQuantity::States;
    if (const Json *scenario = reader.find("scenario", ObjectReader::Required))
        readNestedScenario(report, *scenario, reader.at("scenario"), out.scenario);
    eachItem(reader, "values",
             [&](const Json &value, const std::string &place) { out.values.push_back(readValue(report, value, place, peers)); });
    reader.finish();
    return out;
}

const RankMemory &rankOf(const MemoryResult &memory, PeerRank rank)
{
    if (rank == PeerRank::First)
        return memory.ranks.front();
    if (rank == PeerRank::Last)
        return memory.ranks.back();
    return memory.ranks[static_cast<std::size_t>(memory.peakRank)];
}

/// "simumax" of "SimuMax", "megatron-lm-theoretical_memory_usage" of "Megatron-LM theoretical_memory_usage".
std::string keyOf(const std::string &peer)
{
    std::string key = peer;
    std::ranges::transform(key, key.begin(), [](unsigned char c) {
        if (c >= 'A' && c <= 'Z')
            return static_cast<char>(c - 'A' + 'a');
        return c == ' ' ? '-' : static_cast<char>(c);
    });
    return key;
}

std::string idOf(const PeerScenario &scenario, const PeerValue &value)
{
    std::string id = fmt::format("peer.{}.{}", scenario.id, keyOf(value.peer));
    if (value.rank != PeerRank::Heaviest)
        id += '.' + rankKeys[static_cast<std::size_t>(value.rank)];
    return value.gib ? id : id + ".refused";
}

} // namespace

const char *name(PeerRank rank)
{
    switch (rank) {
    case PeerRank::Heaviest:
        return "heaviest rank";
    case PeerRank::First:
        return "first rank";
    case PeerRank::Last:
        return "last rank";
    }
    return "";
}

Expected<std::vector<PeerScenario>> parsePeerScenarios(std::string_view text, const std::string &file)
{
    const Expected<Json> document = parseJson(text, file);
    if (!document)
        return document.errors();
    JsonReport report(file, true);
    ObjectReader reader(report, *document, "");
    readHead(reader, "pipeloom-peer-memory");
    const Peers peers = readPeers(report, reader);
    std::vector<PeerScenario> scenarios;
    eachItem(reader, "scenarios", [&](const Json &value, const std::string &where) {
        scenarios.push_back(readScenario(report, value, where, peers));
    });
    reader.finish();
    if (report.failed())
        return report.takeErrors();
    return scenarios;
}

const std::vector<PeerScenario> &peerScenarios()
{
    static const std::vector<PeerScenario> scenarios = bundledReference(fileName, &parsePeerScenarios);
    return scenarios;
}

std::optional<double> PeerMemoryRow::difference() const { return value && ours ? std::optional(*ours - *value) : std::nullopt; }

std::vector<PeerMemoryRow> peerMemory(const std::stop_token &stop)
{
    std::vector<PeerMemoryRow> rows;
    for (const PeerScenario &scenario : peerScenarios()) {
        const auto evaluation = evaluate(scenario.scenario, stop);
        if (!evaluation)
            break;
        for (const PeerValue &value : scenario.values) {
            PeerMemoryRow row{ idOf(scenario, value),
                               scenario.title,
                               value.peer,
                               value.version,
                               fmt::format("{}, {}", name(scenario.quantity), name(value.rank)),
                               value.gib,
                               std::nullopt,
                               value.note };
            if (evaluation->valid)
                row.ours = quantityGib(rankOf(evaluation->memory, value.rank), scenario.quantity);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

} // namespace pipeloom
