// SPDX-License-Identifier: GPL-3.0-or-later
// `core_bench --benchmark_format=json` prints JSON.
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
