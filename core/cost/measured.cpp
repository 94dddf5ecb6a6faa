// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measured.h"

#include <cmath>

#include <fmt/format.h>

namespace pipeloom
{

namespace
{

/// Mean seconds per rank that the simulated step spends in each kind of op.
struct OpSums
{
    double f = 0, bi = 0, w = 0, pair = 0;
};

OpSums sumOps(const Evaluation &e)
{
    OpSums sums;
    for (std::size_t i = 0; i < e.schedule.ops.size(); ++i) {
        const Op &op = e.schedule.ops[i];
        const double seconds = toSeconds(e.timeline.end[i] - e.timeline.start[i]);
        switch (op.kind) {
        case OpKind::F:
            sums.f += seconds;
            break;
        case OpKind::Bi:
            sums.bi += seconds;
            break;
        case OpKind::W:
            sums.w += seconds;
            break;
        case OpKind::FB:
            sums.pair += seconds;
            break;
        case OpKind::B: {
            const double weight = toSeconds(e.times.stages[static_cast<std::size_t>(op.stage)].w);
            sums.w += weight;
            sums.bi += seconds - weight;
            break;
        }
        }
    }
    for (double *sum : { &sums.f, &sums.bi, &sums.w, &sums.pair })
        *sum /= e.schedule.ranks;
    return sums;
}

} // namespace

std::vector<MeasuredRow> compareMeasured(const Evaluation &e)
{
    if (!e.valid || !e.scenario.measured || e.scenario.measured->step <= 0)
        return {};
    const MeasuredStep &m = *e.scenario.measured;
    const OpSums ours = sumOps(e);
    std::vector<MeasuredRow> rows = { { "Step", e.time.step, m.step, m.source } };
    double explained = 0;
    const auto part = [&](const char *quantity, double predicted, double measured, std::string note) {
        rows.push_back({ quantity, predicted, measured, std::move(note) });
        if (measured > 0)
            explained += measured - predicted;
    };
    part("Overlapped pairs", ours.pair, m.pair,
         "the trace has no pipeline P2P, and its gates are balanced; a real pair waits for both");
    part("Forwards alone", ours.f, m.f, "the trace times communication beside compute; alone it is faster");
    part("Input backwards alone", ours.bi, m.bi, "as for the forwards");
    part("Weight backwards alone", ours.w, m.w, "on all SMs instead of the 112 of the trace");
    part("Bubble", e.time.bubble, m.bubble, "stage times and jitter that the simulated step does not have");
    part("Optimizer", e.time.optimizer, m.optimizer, "the overlap of its communication is assumed");
    rows.push_back({ "Not explained by the parts", 0, m.step - e.time.step - explained, "rounding of the published parts" });
    return rows;
}

} // namespace pipeloom
