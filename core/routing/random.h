// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace pipeloom
{

/// xoshiro256** seeded by splitmix64 (Blackman and Vigna): the same numbers on every platform, unlike std distributions.
class Random
{
public:
    explicit Random(std::uint64_t seed)
    {
        for (std::uint64_t &word : m_state) {
            seed += 0x9e3779b97f4a7c15U;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
            mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
            word = mixed ^ (mixed >> 31U);
        }
    }

    std::uint64_t next()
    {
        const std::uint64_t result = rotate(m_state[1] * 5, 7) * 9;
        const std::uint64_t shifted = m_state[1] << 17U;
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= shifted;
        m_state[3] = rotate(m_state[3], 45);
        return result;
    }

    /// Uniform in [0, bound); bound > 0. The bias of at most bound / 2^32 does not matter for pictures and samples.
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U); }

    /// Uniform in (0, 1), never an end.
    double uniform() { return (static_cast<double>(next() >> 11U) + 0.5) * 0x1p-53; }

private:
    static std::uint64_t rotate(std::uint64_t x, unsigned by) { return (x << by) | (x >> (64U - by)); }

    std::array<std::uint64_t, 4> m_state{};
};

} // namespace pipeloom
