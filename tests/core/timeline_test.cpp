// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timeline/lanes.h"
#include "core/timeline/navigation.h"
#include "core/timeline/simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace pipeloom;

namespace
{

std::vector<Span> randomSpans(std::mt19937_64 &random, std::size_t count, Nanoseconds longestGap, Nanoseconds longestSpan)
{
    std::vector<Span> spans;
    Nanoseconds time = static_cast<Nanoseconds>(random() % 1000);
    for (std::size_t i = 0; i < count; ++i) {
        // Most spans short, a few long, some gaps of zero: what recorded streams look like.
        const Nanoseconds scale = random() % 10 == 0 ? longestSpan : std::max<Nanoseconds>(1, longestSpan / 50);
        const Nanoseconds length = static_cast<Nanoseconds>(random() % static_cast<std::uint64_t>(scale + 1));
        time += random() % 3 == 0 ? 0 : static_cast<Nanoseconds>(random() % static_cast<std::uint64_t>(longestGap + 1));
        spans.push_back({ .start = time,
                          .duration = length,
                          .source = static_cast<std::uint32_t>(i),
                          .classId = static_cast<std::uint8_t>(random() % 4) });
        time += length;
    }
    return spans;
}

struct Pixel
{
    std::size_t span = 0;
    double share = 0;
    bool whole = false;
    bool drawn = false;
};

/// The definition, without any index: every span against every column.
std::map<std::int64_t, Pixel> linearMerge(const std::vector<Span> &spans, Nanoseconds begin, Nanoseconds end, double p)
{
    std::map<std::int64_t, Pixel> pixels;
    const auto first = static_cast<std::int64_t>(std::floor(static_cast<double>(begin) / p));
    const auto last = static_cast<std::int64_t>(std::ceil(static_cast<double>(end) / p));
    for (std::int64_t c = first; c < last; ++c) {
        const double from = static_cast<double>(c) * p;
        const double to = static_cast<double>(c + 1) * p;
        double most = -1;
        double busy = 0;
        Pixel pixel;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const auto start = static_cast<double>(spans[i].start);
            const auto finish = static_cast<double>(spans[i].end());
            if (start >= to || (finish <= from && start < from))
                continue;
            const double overlap = std::min(finish, to) - std::max(start, from);
            busy += overlap;
            if (overlap > most) {
                most = overlap;
                pixel.span = i;
            }
        }
        if (most < 0)
            continue;
        pixel.whole = static_cast<double>(spans[pixel.span].duration) >= to - from;
        pixel.share = pixel.whole ? 1 : busy / p;
        pixel.drawn = !pixel.whole || 2 * busy >= to - from;
        if (pixel.drawn)
            pixels[c] = pixel;
    }
    return pixels;
}

void expectSame(const std::vector<VisibleSpan> &runs, const std::map<std::int64_t, Pixel> &pixels, const std::vector<Span> &spans)
{
    std::size_t columns = 0;
    for (const VisibleSpan &run : runs) {
        for (std::int64_t c = run.first; c < run.last; ++c) {
            ++columns;
            const auto at = pixels.find(c);
            ASSERT_TRUE(at != pixels.end()) << "column " << c << " is empty";
            EXPECT_EQ(run.whole, at->second.whole) << "column " << c;
            EXPECT_NEAR(run.share, std::clamp(255 * at->second.share, 1.0, 255.0), 0.51) << "column " << c;
            EXPECT_EQ(run.classId, spans[at->second.span].classId) << "column " << c;
            if (run.whole || c == run.first) {
                EXPECT_EQ(run.span, at->second.span) << "column " << c;
            }
        }
    }
    EXPECT_EQ(columns, pixels.size());
}

void expectOrdered(const std::vector<VisibleSpan> &runs, std::int64_t first, std::int64_t last)
{
    for (std::size_t i = 0; i < runs.size(); ++i) {
        EXPECT_LT(runs[i].first, runs[i].last);
        EXPECT_GE(runs[i].first, i == 0 ? first : runs[i - 1].last);
        EXPECT_LE(runs[i].last, last);
        if (i > 0 && runs[i - 1].last == runs[i].first) {
            const bool same = runs[i].whole
                ? runs[i - 1].whole && runs[i - 1].span == runs[i].span
                : !runs[i - 1].whole && runs[i - 1].classId == runs[i].classId && runs[i - 1].share == runs[i].share;
            EXPECT_FALSE(same) << "equal neighbours at column " << runs[i].first;
        }
    }
}

Schedule twoRanks1F1B()
{
    Schedule schedule;
    schedule.ranks = 2;
    schedule.stages = 2;
    schedule.microbatches = 2;
    const auto op = [](OpKind kind, int stage, int microbatch) {
        return Op{ .kind = kind, .stage = static_cast<std::int16_t>(stage), .microbatch = microbatch };
    };
    schedule.ops = { op(OpKind::F, 0, 0), op(OpKind::F, 0, 1), op(OpKind::B, 0, 0), op(OpKind::B, 0, 1),
                     op(OpKind::F, 1, 0), op(OpKind::B, 1, 0), op(OpKind::F, 1, 1), op(OpKind::B, 1, 1) };
    schedule.begin = { 0, 4, 8 };
    return schedule;
}

/// F 10, B 30 (Bi 20, W 10), by hand.
Timeline twoRanksTimeline()
{
    Timeline timeline;
    timeline.start = { 0, 10, 50, 90, 10, 20, 50, 60 };
    timeline.end = { 10, 20, 80, 120, 20, 50, 60, 90 };
    timeline.makespan = 120;
    timeline.busy = { 80, 80 };
    timeline.firstStart = { 0, 10 };
    timeline.lastEnd = { 120, 90 };
    timeline.peakInFlight = { 2, 1 };
    return timeline;
}

OpDurations handDurations()
{
    OpDurations durations;
    durations.f = { 10, 10 };
    durations.b = { 30, 30 };
    durations.bi = { 20, 20 };
    durations.w = { 10, 10 };
    return durations;
}

} // namespace

TEST(Lanes, LevelOfDetailEqualsTheLinearMerge)
{
    std::mt19937_64 random(7);
    std::vector<VisibleSpan> runs;
    for (int round = 0; round < 60; ++round) {
        Lanes lanes;
        // A lane in front, so that the flat numbering does not start at 0.
        ASSERT_TRUE(lanes.addLane(randomSpans(random, random() % 40, 10, 100)).empty());
        const std::vector<Span> spans = randomSpans(random, 1 + random() % 700, 40, 900);
        ASSERT_TRUE(lanes.addLane(spans).empty());
        const std::size_t offset = lanes.laneRange(1).first;
        for (const double p : { 0.5, 1.0, 7.0, 33.3, 250.0, 4000.0, 1e6 }) {
            const Nanoseconds middle = spans[random() % spans.size()].start;
            const auto width = static_cast<Nanoseconds>(200 * p) + 1;
            const Nanoseconds begin = middle - width / 2;
            lanes.visibleSpans(1, begin, begin + width, p, runs);
            for (VisibleSpan &run : runs)
                run.span -= offset;
            expectSame(runs, linearMerge(spans, begin, begin + width, p), spans);
            expectOrdered(runs, static_cast<std::int64_t>(std::floor(static_cast<double>(begin) / p)),
                          static_cast<std::int64_t>(std::ceil(static_cast<double>(begin + width) / p)));
        }
    }
}

TEST(Lanes, PanningByWholePixelsKeepsEveryColumn)
{
    std::mt19937_64 random(11);
    Lanes lanes;
    ASSERT_TRUE(lanes.addLane(randomSpans(random, 5000, 60, 400)).empty());
    std::vector<VisibleSpan> before, after;
    for (const double p : { 1.5, 17.25, 333.0 }) {
        const std::int64_t width = 300;
        const std::int64_t origin = 300;
        const auto time = [&](std::int64_t column) {
            return static_cast<Nanoseconds>(std::ceil(static_cast<double>(column) * p));
        };
        lanes.visibleSpans(0, time(origin), time(origin + width), p, before);
        for (const std::int64_t pan : { 1, 2, 77, 299 }) {
            lanes.visibleSpans(0, time(origin + pan), time(origin + pan + width), p, after);
            std::map<std::int64_t, std::pair<int, int>> seen;
            for (const VisibleSpan &run : before) {
                for (std::int64_t c = run.first; c < run.last; ++c)
                    seen[c] = { run.classId, run.share };
            }
            std::int64_t compared = 0;
            for (const VisibleSpan &run : after) {
                for (std::int64_t c = run.first; c < std::min(run.last, origin + width - 1); ++c) {
                    ASSERT_TRUE(seen.contains(c));
                    EXPECT_EQ(seen[c], std::pair(int{ run.classId }, int{ run.share }));
                    ++compared;
                }
            }
            if (pan < 100) {
                EXPECT_GT(compared, 100);
            }
        }
    }
}

TEST(Lanes, LongestAndBusyTimeEqualAScan)
{
    std::mt19937_64 random(3);
    Lanes lanes;
    std::vector<std::vector<Span>> all;
    for (const std::size_t count : { 0UL, 1UL, 15UL, 16UL, 17UL, 256UL, 4100UL, 3UL }) {
        all.push_back(randomSpans(random, count, 20, 300));
        ASSERT_TRUE(lanes.addLane(all.back()).empty());
    }
    for (std::size_t lane = 0; lane < all.size(); ++lane) {
        const auto [begin, end] = lanes.laneRange(lane);
        ASSERT_EQ(end - begin, all[lane].size());
        for (int round = 0; round < 200 && begin < end; ++round) {
            const std::size_t first = begin + random() % (end - begin);
            const std::size_t last = first + 1 + random() % (end - first);
            std::size_t longest = first;
            for (std::size_t i = first; i < last; ++i)
                longest = lanes.span(i).duration > lanes.span(longest).duration ? i : longest;
            EXPECT_EQ(lanes.longest(first, last), longest);

            const Nanoseconds from = static_cast<Nanoseconds>(random() % static_cast<std::uint64_t>(lanes.extent()));
            const Nanoseconds to = from + static_cast<Nanoseconds>(random() % 5000);
            Nanoseconds busy = 0;
            for (const Span &span : all[lane])
                busy += std::max<Nanoseconds>(0, std::min(span.end(), to) - std::max(span.start, from));
            EXPECT_EQ(lanes.busyTime(lane, from, to), busy);
        }
    }
}

TEST(Lanes, AnOpOfAPixelOrMoreIsAlwaysVisible)
{
    std::mt19937_64 random(5);
    Lanes lanes;
    const std::vector<Span> spans = randomSpans(random, 2000, 50, 700);
    ASSERT_TRUE(lanes.addLane(spans).empty());
    std::vector<VisibleSpan> runs;
    const double p = 37.0;
    lanes.visibleSpans(0, 0, lanes.extent(), p, runs);
    std::vector<bool> seen(spans.size());
    for (const VisibleSpan &run : runs) {
        if (run.whole)
            seen[run.span] = true;
    }
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (static_cast<double>(spans[i].duration) >= p) {
            EXPECT_TRUE(seen[i]) << "span " << i;
        }
    }
}

TEST(Lanes, SortsAndHandsBackWhatOverlaps)
{
    Lanes lanes;
    const std::vector<Span> rest =
        lanes.addLane({ { .start = 50, .duration = 10 }, { .start = 0, .duration = 20 }, { .start = 10, .duration = 5 } });
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].start, 10);
    EXPECT_EQ(lanes.spanCount(), 2U);
    EXPECT_EQ(lanes.span(0).start, 0);
    EXPECT_EQ(lanes.span(1).start, 50);
    EXPECT_EQ(lanes.extent(), 60);
}

TEST(Lanes, FindsSpansAndEdgesAtATime)
{
    Lanes lanes;
    ASSERT_TRUE(lanes.addLane({ { .start = 10, .duration = 10 }, { .start = 20, .duration = 5 }, { .start = 40, .duration = 5 } })
                    .empty());
    EXPECT_FALSE(lanes.spanAt(0, 9));
    EXPECT_EQ(lanes.spanAt(0, 10), 0U);
    EXPECT_EQ(lanes.spanAt(0, 20), 1U);
    EXPECT_FALSE(lanes.spanAt(0, 25));
    EXPECT_FALSE(lanes.spanAt(0, 45));
    EXPECT_EQ(lanes.nearestEdge(0, 0), 10);
    EXPECT_EQ(lanes.nearestEdge(0, 31), 25);
    EXPECT_EQ(lanes.nearestEdge(0, 34), 40);
    EXPECT_EQ(lanes.nearestEdge(0, 999), 45);
}

TEST(Lanes, EmptyAndZeroLengthSpansAreHarmless)
{
    Lanes lanes;
    ASSERT_TRUE(lanes.addLane({}).empty());
    ASSERT_TRUE(lanes.addLane({ { .start = 100, .duration = 0, .classId = 2 } }).empty());
    std::vector<VisibleSpan> runs{ {} };
    lanes.visibleSpans(0, 0, 1000, 10, runs);
    EXPECT_TRUE(runs.empty());
    lanes.visibleSpans(1, 0, 1000, 10, runs);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0], (VisibleSpan{ .first = 10, .last = 11, .span = 0, .classId = 2, .share = 1, .whole = false }));
    lanes.visibleSpans(1, 100, 200, 10, runs);
    EXPECT_EQ(runs.size(), 1U);
    EXPECT_FALSE(lanes.nearestEdge(0, 5));
}

TEST(SimulatedLanes, SplitAFullBackwardAndAddTheOptimizer)
{
    const Lanes lanes = simulatedLanes(twoRanks1F1B(), twoRanksTimeline(), handDurations(), 30);
    ASSERT_EQ(lanes.laneCount(), 2U);
    ASSERT_EQ(lanes.laneRange(0), (std::pair<std::size_t, std::size_t>(0, 7)));
    EXPECT_EQ(lanes.span(2), (Span{ .start = 50, .duration = 20, .label = 0, .labelB = -1, .source = 2, .classId = 1 }));
    EXPECT_EQ(lanes.span(3), (Span{ .start = 70, .duration = 10, .label = 0, .labelB = -1, .source = 2, .classId = 2 }));
    EXPECT_EQ(lanes.span(6), (Span{ .start = 120, .duration = 30, .classId = static_cast<std::uint8_t>(OpClass::Optimizer) }));
    EXPECT_EQ(lanes.extent(), 150);
}

TEST(SimulatedLanes, LeaveOutMaskedClasses)
{
    const OpClassMask noForward = allOpClasses & ~OpClassMask{ 1 };
    const Lanes lanes = simulatedLanes(twoRanks1F1B(), twoRanksTimeline(), handDurations(), 0, noForward);
    EXPECT_EQ(lanes.spanCount(), 8U); // four backwards of two halves
    for (std::size_t i = 0; i < lanes.spanCount(); ++i)
        EXPECT_NE(lanes.span(i).classId, static_cast<std::uint8_t>(OpClass::Forward));
}

TEST(Navigation, StepsLandOnOpsMicrobatchesAndPhases)
{
    const Schedule schedule = twoRanks1F1B();
    const Timeline timeline = twoRanksTimeline();
    EXPECT_EQ(stepTimes(schedule, timeline, 30, 0, StepUnit::Op), (std::vector<Nanoseconds>{ 0, 10, 20, 50, 80, 90, 120, 150 }));
    EXPECT_EQ(stepTimes(schedule, timeline, 30, 0, StepUnit::Microbatch), (std::vector<Nanoseconds>{ 0, 10, 50, 90, 150 }));
    EXPECT_EQ(stepTimes(schedule, timeline, 30, 0, StepUnit::Phase), (std::vector<Nanoseconds>{ 0, 20, 50, 120, 150 }));
    EXPECT_EQ(stepTimes(schedule, timeline, 0, 9, StepUnit::Op), (std::vector<Nanoseconds>{ 0, 120 }));
}

TEST(Navigation, FollowsDependencies)
{
    const Schedule schedule = twoRanks1F1B();
    const Timeline timeline = twoRanksTimeline();
    EXPECT_FALSE(dependency(schedule, timeline, 0)); // the first forward waits for nothing
    EXPECT_EQ(dependency(schedule, timeline, 4), 0U); // F on stage 1 after F on stage 0
    EXPECT_EQ(dependency(schedule, timeline, 5), 4U); // B on the last stage after its own F
    EXPECT_EQ(dependency(schedule, timeline, 2), 5U); // B on stage 0 after B on stage 1
    EXPECT_EQ(dependent(schedule, timeline, 0), 4U);
    EXPECT_EQ(dependent(schedule, timeline, 4), 5U);
    EXPECT_EQ(dependent(schedule, timeline, 5), 2U);
    EXPECT_FALSE(dependent(schedule, timeline, 2));
    EXPECT_EQ(rankOf(schedule, 3), 0);
    EXPECT_EQ(rankOf(schedule, 4), 1);
}

TEST(Navigation, APairDependsOnBothItsHalves)
{
    Schedule schedule;
    schedule.ranks = 2;
    schedule.stages = 2;
    schedule.microbatches = 4;
    schedule.ops = { { .kind = OpKind::F, .stage = 0, .microbatch = 3 },
                     { .kind = OpKind::F, .stage = 1, .microbatch = 1 },
                     { .kind = OpKind::FB, .stage = 1, .stageB = 1, .microbatch = 3, .microbatchB = 1 } };
    schedule.begin = { 0, 1, 3 };
    Timeline timeline;
    timeline.start = { 0, 0, 20 };
    timeline.end = { 20, 15, 50 };
    EXPECT_EQ(dependency(schedule, timeline, 2), 0U); // the input that came last
    timeline.end = { 10, 15, 50 };
    EXPECT_EQ(dependency(schedule, timeline, 2), 1U);
    EXPECT_EQ(dependent(schedule, timeline, 1), 2U);
}
