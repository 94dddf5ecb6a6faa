// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/needs.h"
#include "core/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeloom
{

/// Which op takes results from which, both ways. O(ops) to make, O(1) to ask. Precondition: the order was simulated. The schedule
/// must outlive it.
class OpLinks
{
public:
    explicit OpLinks(const Schedule &schedule);

    /// The ops whose results `op` takes, each once, ascending; at most three.
    [[nodiscard]] std::vector<std::size_t> inputs(std::size_t op) const;
    /// The ops that take a result of `op`, each once, ascending; at most four: those of a pair's forward and of its backward.
    [[nodiscard]] std::vector<std::size_t> outputs(std::size_t op) const;

private:
    const Schedule *m_schedule;
    Producers m_producers;
    std::vector<std::uint32_t> m_weights; ///< the W of stage x microbatches + microbatch
};

} // namespace pipeloom
