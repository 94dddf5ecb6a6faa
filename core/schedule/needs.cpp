// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/needs.h"

namespace pipeloom
{

Needs::Needs(const Op &op, int stages)
{
    if (op.kind == OpKind::F || op.kind == OpKind::FB)
        forward(op.stage, op.microbatch);
    if (op.kind == OpKind::B || op.kind == OpKind::Bi)
        backward(op.stage, op.microbatch, stages);
    if (op.kind == OpKind::FB)
        backward(op.stageB, op.microbatchB, stages);
    if (op.kind == OpKind::W)
        add({ false, op.stage, op.microbatch });
}

void Needs::forward(int stage, int microbatch)
{
    if (stage > 0)
        add({ true, stage - 1, microbatch });
}

void Needs::backward(int stage, int microbatch, int stages)
{
    add({ true, stage, microbatch });
    if (stage + 1 < stages)
        add({ false, stage + 1, microbatch });
}

bool brings(const Op &op, const Need &need)
{
    if (need.forward)
        return (op.kind == OpKind::F || op.kind == OpKind::FB) && op.stage == need.stage && op.microbatch == need.microbatch;
    if (op.kind == OpKind::FB)
        return op.stageB == need.stage && op.microbatchB == need.microbatch;
    return (op.kind == OpKind::B || op.kind == OpKind::Bi) && op.stage == need.stage && op.microbatch == need.microbatch;
}

Producers::Producers(const Schedule &schedule)
    : m_microbatches(static_cast<std::size_t>(schedule.microbatches))
    , m_ops(2 * static_cast<std::size_t>(schedule.stages) * m_microbatches, nobody)
{
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        const Op &op = schedule.ops[i];
        const auto index = static_cast<std::uint32_t>(i);
        if (op.kind == OpKind::F || op.kind == OpKind::FB)
            m_ops[cell({ true, op.stage, op.microbatch })] = index;
        if (op.kind == OpKind::B || op.kind == OpKind::Bi)
            m_ops[cell({ false, op.stage, op.microbatch })] = index;
        if (op.kind == OpKind::FB)
            m_ops[cell({ false, op.stageB, op.microbatchB })] = index;
    }
}

} // namespace pipeloom
