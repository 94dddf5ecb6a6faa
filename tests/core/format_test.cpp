// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted.h"
#include "core/base/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pipeloom
{
namespace
{

constexpr ByteCount mib = 1 << 20;
constexpr ByteCount gib = 1 << 30;

TEST(Format, CountsHaveCommasAndATrueMinus)
{
    EXPECT_EQ(formatCount(0), "0");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCount(15'360), "15,360");
    EXPECT_EQ(formatCount(671'026'404'352), "671,026,404,352");
    EXPECT_EQ(formatCount(-1'234), "−1,234");
    EXPECT_EQ(formatCount(std::numeric_limits<std::int64_t>::min()), "−9,223,372,036,854,775,808");
}

TEST(Format, FixedNumbers)
{
    EXPECT_EQ(formatFixed(1541.68, 1), "1,541.7");
    EXPECT_EQ(formatFixed(-3.084, 2), "−3.08");
    EXPECT_EQ(formatFixed(-0.001, 2), "0.00") << "no minus on a number that shows as zero";
    EXPECT_EQ(formatFixed(999.96, 1), "1,000.0");
    EXPECT_EQ(formatFixed(std::nan(""), 1), "–");
    EXPECT_EQ(formatFixed(INFINITY, 1), "–");
}

TEST(Format, BytesAreGibWithOneDecimalAndMibBelowATenth)
{
    EXPECT_EQ(formatBytes(84'943'110'144), "79.1 GiB");
    EXPECT_EQ(formatBytes(84'943'110'144, 2), "79.11 GiB");
    EXPECT_EQ(formatBytes(gib), "1.0 GiB");
    EXPECT_EQ(formatBytes(1788 * mib), "1.7 GiB");
    EXPECT_EQ(formatBytes(103 * mib), "0.1 GiB");
    EXPECT_EQ(formatBytes(102 * mib), "102 MiB");
    EXPECT_EQ(formatBytes(56 * mib), "56 MiB");
    EXPECT_EQ(formatBytes(9 * mib / 2), "4.5 MiB");
    EXPECT_EQ(formatBytes(64 * 1024), "64 KiB");
    EXPECT_EQ(formatBytes(512), "512 B");
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(-2 * gib), "−2.0 GiB");
    EXPECT_EQ(formatBytes(2000 * gib), "2,000.0 GiB");
    EXPECT_EQ(formatGib(1788 * mib, 2), "1.75");
    EXPECT_EQ(formatBytes(std::numeric_limits<ByteCount>::min()), "−8,589,934,592.0 GiB");
}

TEST(Format, DurationsTakeTheUnitThatReads)
{
    EXPECT_EQ(formatDuration(7.1234), "7.12 s");
    EXPECT_EQ(formatDuration(0.129012), "129.01 ms");
    EXPECT_EQ(formatDuration(0.999994), "999.99 ms");
    EXPECT_EQ(formatDuration(0.999996), "1.00 s");
    EXPECT_EQ(formatDuration(540e-6), "540 µs");
    EXPECT_EQ(formatDuration(999.7e-6), "1.00 ms");
    EXPECT_EQ(formatDuration(3.33e-6), "3 µs");
    EXPECT_EQ(formatDuration(80e-9), "80 ns");
    EXPECT_EQ(formatDuration(0), "0 s");
    EXPECT_EQ(formatDuration(-0.5), "−500.00 ms");
    EXPECT_EQ(formatDuration(std::nan("")), "–");
    EXPECT_EQ(formatSeconds(1.1, 3), "1.100 s");
    EXPECT_EQ(formatSeconds(10.2), "10.20 s");
}

TEST(Format, RatiosAndDeltas)
{
    EXPECT_EQ(formatPercent(0.38944), "38.9 %");
    EXPECT_EQ(formatPercent(0.2592, 0), "26 %");
    EXPECT_EQ(formatSigned(1.174, 2), "+1.17");
    EXPECT_EQ(formatSigned(-3.084, 2), "−3.08");
    EXPECT_EQ(formatSigned(-0.001, 2), "±0.00");
    EXPECT_EQ(formatSignedBytes(17 * gib + gib / 10), "+17.1 GiB");
    EXPECT_EQ(formatSignedBytes(-64 * mib), "−64 MiB");
    EXPECT_EQ(formatSignedBytes(0), "±0 B");
    EXPECT_EQ(formatChange(10.20, 7.12), "−30 %");
    EXPECT_EQ(formatChange(7.12, 7.15), "+0.4 %");
    EXPECT_EQ(formatChange(5, 5), "±0.0 %");
    EXPECT_EQ(formatChange(0, 5), "");
}

TEST(Format, ShortNumbersKeepThreeDigits)
{
    EXPECT_EQ(formatShort(0), "0");
    EXPECT_EQ(formatShort(999), "999");
    EXPECT_EQ(formatShort(999.6), "1.00 k");
    EXPECT_EQ(formatShort(193'400), "193 k");
    EXPECT_EQ(formatShort(54'250), "54.2 k");
    EXPECT_EQ(formatShort(5.576e6), "5.58 M");
    EXPECT_EQ(formatShort(9.996e3), "10.0 k");
    EXPECT_EQ(formatShort(14.8e12), "14.8 T");
    EXPECT_EQ(formatShort(-167'000), "−167 k");
}

TEST(Format, ParametersInBillions)
{
    EXPECT_EQ(formatParameters(671'026'404'352), "671.0 B");
    EXPECT_EQ(formatParameters(36'625'603'584), "36.6 B");
    EXPECT_EQ(formatParameters(8'030'261'248), "8.03 B");
    EXPECT_EQ(formatParameters(44'040'192), "44.0 M");
}

TEST(FormatCounted, ANounAgreesWithItsNumber)
{
    EXPECT_EQ(formatCounted(1, "rank"), "1 rank");
    EXPECT_EQ(formatCounted(0, "rank"), "0 ranks");
    EXPECT_EQ(formatCounted(2'048, "GPU"), "2,048 GPUs");
    EXPECT_EQ(formatCounted(1, "microbatch"), "1 microbatch");
    EXPECT_EQ(formatCounted(20, "microbatch"), "20 microbatches");
    EXPECT_EQ(formatCounted(2, "copy"), "2 copies");
    EXPECT_EQ(formatCounted(2, "day"), "2 days");
    EXPECT_EQ(formatCounted(3, "MoE layer"), "3 MoE layers");
}

} // namespace
} // namespace pipeloom
