// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the fuzz target without libFuzzer: on the files named, or on a number of mutations of the samples (default 100,000) from a
// seed.
#include "core/base/file.h"
#include "core/scenario/scenariofile.h"
#include "tests/fuzz/fuzz.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

int main(int argc, char **argv)
{
    using namespace pipeloom;
    int files = 0;
    for (int i = 1; i < argc; ++i) {
        if (!std::filesystem::is_regular_file(argv[i]))
            continue;
        if (const auto text = readTextFile(argv[i])) {
            fuzzOne(*text);
            ++files;
        }
    }
    if (files > 0) {
        std::cout << files << " files, no promise broken\n";
        return 0;
    }
    const long count = argc > 1 ? std::atol(argv[1]) : 100'000;
    const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
    for (long i = 0; i < count; ++i)
        fuzzOne(mutated(samples()[random() % samples().size()].text, random));
    std::cout << count << " mutations, no promise broken\n";
    return 0;
}
