// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/selfcheckrows.h"

#include "core/reference/peermemory.h"

#include <fmt/format.h>

#include <limits>

namespace pipeloom
{

/// Estimates of other programs are no truth to hold ours against: nothing is claimed; the note says where they count differently.
void addPeerRows(SelfCheckRows &rows)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const PeerMemoryRow &peer : peerMemory()) {
        SelfCheckRow row{ peer.id,
                          fmt::format("{}: {}", peer.scenario, peer.quantity),
                          "GiB",
                          peer.value.value_or(nan),
                          peer.ours.value_or(nan),
                          std::nullopt,
                          Provenance::Modelled,
                          fmt::format("{}, {}", peer.peer, peer.version) };
        row.note = peer.note;
        row.peer = true;
        rows.push_back(std::move(row));
    }
}

} // namespace pipeloom
