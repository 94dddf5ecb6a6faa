// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/reference/measuredmemory.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace pipeloom
{

/// The rank that a figure is about.
enum class PeerRank
{
    Heaviest,
    First,
    Last,
};
[[nodiscard]] const char *name(PeerRank rank); ///< "heaviest rank"

/// What another program printed for a scenario.
struct PeerValue
{
    std::string peer; ///< "SimuMax"
    std::string version; ///< "1.2 (4dcaae51)"
    PeerRank rank = PeerRank::Heaviest;
    std::optional<double> gib; ///< nullopt: it refuses the scenario
    std::string note; ///< how it counts differently, or why it refuses
};

/// A scenario with what other programs say about its memory.
struct PeerScenario
{
    std::string id; ///< "v3-pp16-ep64"
    std::string title;
    Scenario scenario;
    MeasuredQuantity quantity = MeasuredQuantity::Allocated;
    std::vector<PeerValue> values;
};

/// The bundled recordings (resources/references/memory-peers.json), in the order of the file.
[[nodiscard]] const std::vector<PeerScenario> &peerScenarios();

/// Recordings from JSON text; `file` names it in errors.
[[nodiscard]] Expected<std::vector<PeerScenario>> parsePeerScenarios(std::string_view text, const std::string &file);

/// One recorded value beside ours.
struct PeerMemoryRow
{
    std::string id; ///< "peer.v3-pp16-ep64.simumax", with ".first" or ".last" where it is not the heaviest rank; unique
    std::string scenario; ///< its title
    std::string peer;
    std::string version;
    std::string quantity; ///< "allocated peak, heaviest rank"
    std::optional<double> value; ///< GiB; nullopt: the peer refuses
    std::optional<double> ours; ///< GiB, evaluated now; nullopt: the plan does not evaluate
    std::string note;

    /// ours - value in GiB, where both exist.
    [[nodiscard]] std::optional<double> difference() const;
};

/// Evaluates every scenario; well below a second. When a stop is requested the list ends early.
[[nodiscard]] std::vector<PeerMemoryRow> peerMemory(const std::stop_token &stop = {});

} // namespace pipeloom
