// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenariofile.h"
#include "tests/fuzz/fuzz.h"

#include <gtest/gtest.h>

namespace pipeloom
{
namespace
{

// A broken promise aborts the process; tests/fuzz/standalone.cpp runs the same for as long as one likes.
TEST(Fuzz, MutatedSamplesNeverCrashAndAcceptedOnesReadBack)
{
    std::mt19937 random(20240607);
    int accepted = 0;
    for (int i = 0; i < 300; ++i) {
        const std::string text = mutated(samples()[static_cast<std::size_t>(i) % samples().size()].text, random);
        fuzzOne(text);
        accepted += parseScenario(text).hasValue() ? 1 : 0;
    }
    EXPECT_GT(accepted, 3) << "the mutations must leave some documents whole, or the deeper readers are never reached";
    EXPECT_LT(accepted, 250);
}

TEST(Fuzz, EveryPrefixOfASampleIsRefusedOrReadsBack)
{
    const std::string &text = samples().front().text;
    for (std::size_t length = 0; length < text.size(); length += 7)
        fuzzOne(std::string_view(text).substr(0, length));
}

TEST(Fuzz, HardInputs)
{
    const std::string deep(100'000, '[');
    const std::string objects = [] {
        std::string out;
        for (int i = 0; i < 20'000; ++i)
            out += "{\"a\":";
        return out;
    }();
    for (const std::string &input : { std::string(), std::string("\0\0\0", 3), std::string("\xEF\xBB\xBF"), std::string("{}"),
                                      std::string("null"), deep, objects, "\"" + std::string(1 << 20, 'x') + "\"",
                                      std::string("plan.pp=8\nplan.layout.first=3\nmodel.moe.top_k=2\nplan.pp=\xff") })
        fuzzOne(input);
}

} // namespace
} // namespace pipeloom
