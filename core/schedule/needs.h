// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace pipeloom
{

/// A result that an op takes: the forward or the backward (for the input) of a stage and microbatch.
struct Need
{
    bool forward = true;
    int stage = 0;
    int microbatch = 0;
};

/// What an op takes from other ops: for FB up to three results, fewer for the rest.
class Needs
{
public:
    Needs(const Op &op, int stages);

    [[nodiscard]] std::span<const Need> all() const { return { m_all.data(), m_count }; }

private:
    void add(Need need) { m_all[m_count++] = need; }
    void forward(int stage, int microbatch);
    void backward(int stage, int microbatch, int stages);

    std::array<Need, 3> m_all{};
    std::size_t m_count = 0;
};

/// True when the op brings that result.
[[nodiscard]] bool brings(const Op &op, const Need &need);

/// Which op brings each result. O(ops) to make, O(1) to ask. Precondition: the order was simulated, so that every op's stages and
/// microbatches are within the schedule's.
class Producers
{
public:
    static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

    explicit Producers(const Schedule &schedule);

    /// Index into Schedule::ops, or nobody.
    [[nodiscard]] std::uint32_t of(const Need &need) const { return m_ops[cell(need)]; }

private:
    [[nodiscard]] std::size_t cell(const Need &need) const
    {
        return 2 * (static_cast<std::size_t>(need.stage) * m_microbatches + static_cast<std::size_t>(need.microbatch))
            + (need.forward ? 0 : 1);
    }

    std::size_t m_microbatches;
    std::vector<std::uint32_t> m_ops;
};

} // namespace pipeloom
