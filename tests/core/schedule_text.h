// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/schedule.h"

#include <fmt/format.h>

#include <string>

namespace pipeloom
{

/// The compact form of the published orders: "F0.1" is F of microbatch 0 on chunk 1, I stands for Bi, "(F3.0&B5.1)" is a pair.
inline std::string compact(const Op &op)
{
    if (op.kind == OpKind::FB)
        return fmt::format("(F{}.{}&B{}.{})", op.microbatch, op.chunk, op.microbatchB, op.chunkB);
    return fmt::format("{}{}.{}", op.kind == OpKind::Bi ? "I" : name(op.kind), op.microbatch, op.chunk);
}

inline std::string compactRank(const Schedule &schedule, int rank)
{
    std::string out;
    for (const Op &op : schedule.rank(rank)) {
        if (!out.empty())
            out += ' ';
        out += compact(op);
    }
    return out;
}

} // namespace pipeloom
