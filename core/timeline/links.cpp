// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/links.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

void add(std::vector<std::size_t> &ops, std::uint32_t op)
{
    if (op != Producers::nobody)
        ops.push_back(op);
}

std::vector<std::size_t> eachOnce(std::vector<std::size_t> ops)
{
    std::ranges::sort(ops);
    const auto repeats = std::ranges::unique(ops);
    ops.erase(repeats.begin(), repeats.end());
    return ops;
}

} // namespace

OpLinks::OpLinks(const Schedule &schedule)
    : m_schedule(&schedule)
    , m_producers(schedule)
    , m_weights(static_cast<std::size_t>(schedule.stages) * static_cast<std::size_t>(schedule.microbatches), Producers::nobody)
{
    for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
        const Op &op = schedule.ops[i];
        if (op.kind == OpKind::W)
            m_weights[static_cast<std::size_t>(op.stage) * static_cast<std::size_t>(schedule.microbatches)
                      + static_cast<std::size_t>(op.microbatch)] = static_cast<std::uint32_t>(i);
    }
}

std::vector<std::size_t> OpLinks::inputs(std::size_t op) const
{
    std::vector<std::size_t> ops;
    const Needs needs(m_schedule->ops[op], m_schedule->stages);
    for (const Need &need : needs.all())
        add(ops, m_producers.of(need));
    return eachOnce(std::move(ops));
}

std::vector<std::size_t> OpLinks::outputs(std::size_t op) const
{
    const Op &own = m_schedule->ops[op];
    std::vector<std::size_t> ops;
    if (own.kind == OpKind::F || own.kind == OpKind::FB) {
        if (own.stage + 1 < m_schedule->stages)
            add(ops, m_producers.of({ true, own.stage + 1, own.microbatch }));
        add(ops, m_producers.of({ false, own.stage, own.microbatch }));
    }
    if (own.kind == OpKind::B || own.kind == OpKind::Bi || own.kind == OpKind::FB) {
        const int stage = own.kind == OpKind::FB ? own.stageB : own.stage;
        const int microbatch = own.kind == OpKind::FB ? own.microbatchB : own.microbatch;
        if (stage > 0)
            add(ops, m_producers.of({ false, stage - 1, microbatch }));
        add(ops,
            m_weights[static_cast<std::size_t>(stage) * static_cast<std::size_t>(m_schedule->microbatches)
                      + static_cast<std::size_t>(microbatch)]);
    }
    return eachOnce(std::move(ops));
}

} // namespace pipeloom
