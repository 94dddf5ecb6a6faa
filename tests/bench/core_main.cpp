// SPDX-License-Identifier: GPL-3.0-or-later
// `core_bench --benchmark_format=json` prints JSON. The allocator is set as in the programs.
#include "core/base/allocation.h"

#include <benchmark/benchmark.h>

int main(int argc, char **argv)
{
    pipeloom::keepFreedMemory();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
