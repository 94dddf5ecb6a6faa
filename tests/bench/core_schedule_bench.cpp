// SPDX-License-Identifier: GPL-3.0-or-later
// Generation and simulation of large pipelines. The aim is at most 25 ns an op on one core (counter ns_per_op), at most 100 ms
// for P128 M8192, and no more an op with M 8192 than 1.5 times that with M 256.
#include "core/schedule/schedule.h"

#include <benchmark/benchmark.h>

namespace pipeloom
{

namespace
{

constexpr Nanoseconds millisecond = 1000000;

OpDurations typicalDurations(const Schedule &schedule)
{
    return uniformDurations(schedule, 77 * millisecond, 127 * millisecond, 30 * millisecond, 129 * millisecond, millisecond / 10);
}

void setNanosecondsPerOp(benchmark::State &state, std::size_t ops)
{
    state.counters["ops"] = static_cast<double>(ops);
    // Ops in billions, as an inverted rate, are nanoseconds an op.
    state.counters["ns_per_op"] = benchmark::Counter(static_cast<double>(ops) * 1e-9,
                                                     benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void generateAndSimulate(benchmark::State &state, const ScheduleRequest &request)
{
    std::size_t ops = 0;
    for (auto _ : state) {
        const Expected<Schedule> schedule = generate(request);
        const Expected<Timeline> timeline = simulate(*schedule, typicalDurations(*schedule));
        benchmark::DoNotOptimize(timeline->makespan);
        ops = schedule->ops.size();
    }
    setNanosecondsPerOp(state, ops);
}

void generateOnly(benchmark::State &state, const ScheduleRequest &request)
{
    std::size_t ops = 0;
    for (auto _ : state) {
        const Expected<Schedule> schedule = generate(request);
        benchmark::DoNotOptimize(schedule->ops.data());
        ops = schedule->ops.size();
    }
    setNanosecondsPerOp(state, ops);
}

const ScheduleRequest large1f1b{ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 64, .microbatches = 1024 };
const ScheduleRequest largeDualPipe{ .kind = ScheduleKind::DualPipe, .ranks = 64, .microbatches = 1024 };
const ScheduleRequest largeInterleaved{ .kind = ScheduleKind::Interleaved, .ranks = 64, .microbatches = 1024, .vpp = 2 };
const ScheduleRequest largeZeroBubble{ .kind = ScheduleKind::ZeroBubbleH1, .ranks = 64, .microbatches = 1024 };
const ScheduleRequest productionRun{ .kind = ScheduleKind::DualPipe, .ranks = 16, .microbatches = 120 };

const ScheduleRequest largestRun{ .kind = ScheduleKind::OneForwardOneBackward, .ranks = 128, .microbatches = 8192 };

/// The same ranks with few and many microbatches: what a step costs an op must not grow.
ScheduleRequest withMicrobatches(ScheduleKind kind, int microbatches)
{
    return { .kind = kind, .ranks = 64, .microbatches = microbatches };
}

BENCHMARK_CAPTURE(generateAndSimulate, 1f1b_p64_m1024, large1f1b)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, dualpipe_p64_m1024, largeDualPipe)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, interleaved_p64_m1024_v2, largeInterleaved)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, zb_h1_p64_m1024, largeZeroBubble)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, v_half_p64_m1024, withMicrobatches(ScheduleKind::VHalf, 1024))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, v_min_p64_m1024, withMicrobatches(ScheduleKind::VMin, 1024))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, 1f1b_v_p64_m1024, withMicrobatches(ScheduleKind::OneForwardOneBackwardV, 1024))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, v_half_p64_m256, withMicrobatches(ScheduleKind::VHalf, 256))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, v_half_p64_m8192, withMicrobatches(ScheduleKind::VHalf, 8192))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, 1f1b_p64_m256, withMicrobatches(ScheduleKind::OneForwardOneBackward, 256))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, 1f1b_p64_m8192, withMicrobatches(ScheduleKind::OneForwardOneBackward, 8192))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, 1f1b_p128_m8192, largestRun)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(generateAndSimulate, dualpipe_p16_m120, productionRun)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(generateOnly, dualpipe_p64_m1024, largeDualPipe)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace pipeloom
