// SPDX-License-Identifier: GPL-3.0-or-later
// Memory recorded on real GPUs against its prediction.
#include "core/reference/measuredmemory.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

namespace pipeloom
{
namespace
{

double errorOf(const MeasuredMemory &record)
{
    const auto ours = predictedGib(record);
    EXPECT_TRUE(ours) << record.id << ": its plan does not evaluate";
    return ours ? *ours / record.gib - 1 : 1;
}

TEST(MeasuredMemory, everyClaimHolds)
{
    for (const MeasuredMemory &record : measuredMemory()) {
        if (!record.scenario)
            continue;
        const double error = errorOf(record);
        if (!record.tolerance)
            continue;
        EXPECT_LE(std::abs(error), *record.tolerance) << record.id;
        EXPECT_LE(error, record.toleranceAbove.value_or(*record.tolerance)) << record.id;
    }
}

/// B200 within 1.5 % each and 0.7 % in the mean; Moonlight within 4 %; states within 6 % and none high by more than 1 %.
TEST(MeasuredMemory, theClaimsAreTheOnesOfTheContract)
{
    double sum = 0;
    int b200 = 0, moonlight = 0, states = 0;
    for (const MeasuredMemory &record : measuredMemory()) {
        if (record.inMean) {
            ++b200;
            sum += std::abs(errorOf(record));
            EXPECT_LE(record.tolerance.value_or(1), 0.015) << record.id;
        }
        if (record.id.starts_with("moonlight.")) {
            ++moonlight;
            EXPECT_LE(record.tolerance.value_or(1), 0.04) << record.id;
            EXPECT_EQ(record.scenario->runtime.lossFusion, "unfused") << record.id;
        }
        if (record.quantity == MeasuredQuantity::States) {
            ++states;
            EXPECT_LE(record.tolerance.value_or(1), 0.06) << record.id;
            EXPECT_LE(record.toleranceAbove.value_or(1), 0.01) << record.id;
        }
    }
    EXPECT_EQ(b200, 14);
    EXPECT_LE(sum / b200, 0.007);
    EXPECT_EQ(moonlight, 5);
    EXPECT_EQ(states, 4);
}

/// Allocated is never held against reserved: what an allocator reserves is more than what is allocated.
TEST(MeasuredMemory, aRankIsReadByTheQuantityThatWasRecorded)
{
    RankMemory rank;
    rank.weightsDense = 1LL << 30U;
    rank.gradients = 2LL << 30U;
    rank.optimizer = 3LL << 30U;
    rank.peakAllocated = 10LL << 30U;
    rank.peakReserved = 11LL << 30U;
    EXPECT_EQ(quantityGib(rank, MeasuredQuantity::Allocated), 10);
    EXPECT_EQ(quantityGib(rank, MeasuredQuantity::Reserved), 11);
    EXPECT_EQ(quantityGib(rank, MeasuredQuantity::States), 6);
    for (const MeasuredMemory &record : measuredMemory()) {
        const bool torchtitan = record.id.starts_with("torchtitan.");
        EXPECT_EQ(record.quantity == MeasuredQuantity::Reserved, torchtitan) << record.id;
    }
}

TEST(MeasuredMemory, everyRecordHasAPredictionOrAReason)
{
    std::set<std::string> ids;
    for (const MeasuredMemory &record : measuredMemory()) {
        EXPECT_TRUE(ids.insert(record.id).second) << "twice: " << record.id;
        EXPECT_NE(record.scenario.has_value(), !record.notModelled.empty()) << record.id;
        EXPECT_FALSE(record.title.empty() || record.source.empty()) << record.id;
        // Without a claim the reason stands in the row.
        EXPECT_TRUE(record.tolerance || !record.note.empty() || !record.notModelled.empty()) << record.id;
    }
}

/// The best class of the recorded cases is complete here, figure by figure.
TEST(MeasuredMemory, noRecordOfTheBestClassIsMissing)
{
    const auto shared = sharedFolder();
    if (!shared)
        GTEST_SKIP() << "the folder with the published numbers is absent";
    const auto has = [](double gib, MeasuredQuantity quantity, double digits) {
        return std::ranges::any_of(measuredMemory(), [&](const MeasuredMemory &record) {
            return record.quantity == quantity && std::abs(record.gib - gib) <= digits;
        });
    };
    std::ifstream cases(*shared + "/golden/memory/measured_cases.json");
    int compared = 0;
    const auto all = nlohmann::json::parse(cases);
    for (const auto &golden : all["cases"]) {
        if (golden["quality_class"] != "A")
            continue;
        ++compared;
        if (golden.contains("measured_alloc_GiB")) {
            EXPECT_TRUE(has(golden["measured_alloc_GiB"], MeasuredQuantity::Allocated, 0.0011)) << golden;
        } else {
            EXPECT_TRUE(has(golden.at("measured_reserved_GiB"), MeasuredQuantity::Reserved, 1e-9)) << golden;
        }
    }
    EXPECT_EQ(compared, 28);
    std::ifstream validation(*shared + "/golden/memory/validation_b200.json");
    const auto peaks = nlohmann::json::parse(validation);
    for (const auto &golden : peaks) {
        EXPECT_TRUE(has(golden["measured_alloc_GiB"], MeasuredQuantity::Allocated, 1e-9)) << golden;
    }
    std::ifstream states(*shared + "/golden/static_check.json");
    const auto afterStep = nlohmann::json::parse(states);
    for (const auto &golden : afterStep["rows"]) {
        EXPECT_TRUE(has(golden["measured_GiB"], MeasuredQuantity::States, 1e-9)) << golden;
    }
}

struct BadFile
{
    const char *text;
    const char *where;
};

TEST(MeasuredMemory, aWrongFileIsRefusedWithItsPlace)
{
    const BadFile files[] = {
        { R"({"format":"x","schema":1,"sources":{},"bases":{},"cases":[]})", "/format" },
        { R"({"format":"pipeloom-measured-memory","schema":1,"sources":{},"bases":{},"cases":[{"id":"a","title":"b","base":"none",)"
          R"("quantity":"allocated","gib":1,"source":"s"}]})",
          "/cases/0/base" },
        { R"({"format":"pipeloom-measured-memory","schema":1,"sources":{"s":"t"},"bases":{},"cases":[{"id":"a","title":"b",)"
          R"("not_modelled":"c","quantity":"used","gib":1,"source":"s"}]})",
          "/cases/0/quantity" },
        { R"({"format":"pipeloom-measured-memory","schema":1,"sources":{"s":"t"},"bases":{},"cases":[{"id":"a","title":"b",)"
          R"("not_modelled":"c","quantity":"reserved","gib":-1,"source":"s"}]})",
          "/cases/0/gib" },
        { R"({"format":"pipeloom-measured-memory","schema":1,"sources":{"s":"t"},"bases":{},"cases":[{"id":"a","title":"b",)"
          R"("not_modelled":"c","quantity":"reserved","gib":1,"source":"t"}]})",
          "/cases/0/source" },
    };
    for (const BadFile &file : files) {
        const auto result = parseMeasuredMemory(file.text, "x.json");
        ASSERT_FALSE(result) << file.text;
        EXPECT_EQ(result.error().where, file.where);
    }
}

} // namespace
} // namespace pipeloom
