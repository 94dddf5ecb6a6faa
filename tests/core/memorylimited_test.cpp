// SPDX-License-Identifier: GPL-3.0-or-later
// V-Half, V-Min and 1F1B-V: their memory, their order on small pipelines, and what holds for any pipeline.
#include "core/schedule/buildingblock.h"
#include "core/schedule/schedule.h"
#include "tests/core/schedule_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace pipeloom
{

namespace
{

constexpr std::array kinds{ ScheduleKind::VHalf, ScheduleKind::VMin, ScheduleKind::OneForwardOneBackwardV };

Schedule scheduleOf(ScheduleKind kind, int ranks, int microbatches)
{
    return *generate({ .kind = kind, .ranks = ranks, .microbatches = microbatches });
}

/// The most chunk activations a rank holds when the block repeats for ever.
int blockMemory(const BuildingBlock &block, int rank)
{
    std::map<int, int> changes; // slot -> change; releases at the end of a backward, or of the slot that its weights take
    const int periods = 8 * static_cast<int>(block.slots.size());
    std::set<int> taken;
    std::vector<int> backwards;
    for (int m = 0; m < periods; ++m) {
        for (const Leg leg : { Leg::ForwardDown, Leg::ForwardUp, Leg::BackwardDown, Leg::BackwardUp }) {
            const int slot = block.slot(rank, leg) + blockPeriod * m;
            const bool forward = leg == Leg::ForwardDown || leg == Leg::ForwardUp;
            for (int i = 0; i < (forward ? 1 : block.backwardSlots); ++i)
                EXPECT_TRUE(taken.insert(slot + i).second) << "two ops of rank " << rank << " in slot " << slot;
            if (forward)
                ++changes[slot];
            else
                backwards.push_back(slot);
        }
    }
    std::ranges::sort(backwards);
    int weights = 0; // the slot after the last weights
    for (const int backward : backwards) {
        if (block.backwardSlots == 2) {
            --changes[backward + 2];
            continue;
        }
        weights = std::max(weights, backward + 1);
        while (taken.contains(weights))
            ++weights;
        --changes[++weights];
    }
    int alive = 0;
    int peak = 0;
    for (const auto &[slot, change] : changes) {
        alive += change;
        peak = std::max(peak, alive);
    }
    return peak;
}

int blockMemory(ScheduleKind kind, int ranks)
{
    const BuildingBlock block = buildingBlock(kind, ranks);
    int most = 0;
    for (int rank = 0; rank < ranks; ++rank)
        most = std::max(most, blockMemory(block, rank));
    return most;
}

using Key = std::tuple<OpKind, int, int>;

/// Every op once and on the rank that holds its stage; B after its F, W after its Bi on the same rank.
void expectWhole(const Schedule &schedule)
{
    const bool split = schedule.kind != ScheduleKind::OneForwardOneBackwardV;
    std::set<Key> seen;
    for (int r = 0; r < schedule.ranks; ++r) {
        for (const Op &op : schedule.rank(r)) {
            ASSERT_EQ(op.stage, stageOf(schedule.kind, schedule.ranks, r, op.chunk));
            ASSERT_TRUE(seen.insert({ op.kind, op.stage, op.microbatch }).second) << compact(op);
            if (op.kind == OpKind::W) {
                ASSERT_TRUE(seen.contains({ OpKind::Bi, op.stage, op.microbatch })) << compact(op);
            } else if (op.kind != OpKind::F) {
                ASSERT_EQ(op.kind, split ? OpKind::Bi : OpKind::B);
                ASSERT_TRUE(seen.contains({ OpKind::F, op.stage, op.microbatch })) << compact(op);
            }
        }
    }
    EXPECT_EQ(seen.size(),
              static_cast<std::size_t>(schedule.stages) * static_cast<std::size_t>(schedule.microbatches) * (split ? 3U : 2U));
}

} // namespace

TEST(MemoryLimited, PeaksAreHalfAThirdAndTwoThirdsOfThoseOf1F1B)
{
    // 1F1B on P ranks holds 2 P chunks of half a stage each. The numbers are those of the reference implementations.
    struct Row
    {
        int ranks, half, least, full;
    };
    for (const Row &row : { Row{ 2, 4, 4, 4 }, Row{ 4, 6, 4, 6 }, Row{ 8, 10, 8, 12 }, Row{ 16, 18, 12, 22 } }) {
        const std::array expected{ row.half, row.least, row.full };
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const Schedule schedule = scheduleOf(kinds[i], row.ranks, 4 * row.ranks);
            const auto timeline = simulate(schedule, uniformDurations(schedule, 1, 2, 1, 0, 0));
            ASSERT_TRUE(timeline);
            EXPECT_EQ(*std::ranges::max_element(timeline->peakInFlight), expected[i]) << name(kinds[i]) << " P " << row.ranks;
        }
    }
}

TEST(MemoryLimited, TheSteadyStateHasNoBubble)
{
    // F = Bi = W: a microbatch more makes the step longer by its own work, six slots, and by nothing else.
    for (const ScheduleKind kind : kinds) {
        for (const int ranks : { 1, 3, 4, 7, 8, 12 }) {
            const auto makespan = [&](int microbatches) {
                const Schedule schedule = scheduleOf(kind, ranks, microbatches);
                return simulate(schedule, uniformDurations(schedule, 1, 2, 1, 0, 0))->makespan;
            };
            const Nanoseconds shorter = makespan(4 * ranks);
            EXPECT_EQ(makespan(4 * ranks + 10) - shorter, 60) << name(kind) << " P " << ranks;
        }
    }
}

TEST(MemoryLimited, BlocksOverlapNowhereAndBoundTheMemory)
{
    for (const ScheduleKind kind : kinds) {
        for (int ranks = 1; ranks <= 24; ++ranks) {
            const BuildingBlock block = buildingBlock(kind, ranks);
            ASSERT_EQ(block.slots.size(), static_cast<std::size_t>(ranks));
            const int limit = blockMemory(kind, ranks);
            const Schedule schedule = scheduleOf(kind, ranks, 3 * ranks);
            const auto timeline = simulate(schedule, uniformDurations(schedule, 1, 2, 1, 0, 0));
            ASSERT_TRUE(timeline) << name(kind) << " P " << ranks;
            EXPECT_LE(*std::ranges::max_element(timeline->peakInFlight), limit) << name(kind) << " P " << ranks;
        }
    }
}

TEST(MemoryLimited, AnyPipelineRunsToTheEndWithinTheLimitWhateverTheDurations)
{
    std::mt19937 random(4);
    const auto upTo = [&random](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    for (int i = 0; i < 150; ++i) {
        const ScheduleKind kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
        const int ranks = upTo(20);
        const int microbatches = upTo(60);
        const std::string label = fmt::format("{} P {} M {}", name(kind), ranks, microbatches);
        const Schedule schedule = scheduleOf(kind, ranks, microbatches);
        expectWhole(schedule);
        OpDurations durations;
        for (int stage = 0; stage < schedule.stages; ++stage) {
            durations.f.push_back(upTo(30));
            durations.bi.push_back(upTo(30));
            durations.w.push_back(upTo(30));
            durations.b.push_back(durations.bi.back() + durations.w.back());
        }
        durations.p2p = upTo(5) - 1;
        const auto timeline = simulate(schedule, durations);
        ASSERT_TRUE(timeline) << label << ": " << text(timeline.errors());
        EXPECT_LE(*std::ranges::max_element(timeline->peakInFlight), blockMemory(kind, ranks)) << label;
        for (int r = 0; r < ranks; ++r) {
            Nanoseconds work = 0;
            for (const int chunk : { 0, 1 }) {
                const auto stage = static_cast<std::size_t>(stageOf(kind, ranks, r, chunk));
                work += microbatches * (durations.f[stage] + durations.b[stage]);
            }
            EXPECT_EQ(timeline->busy[static_cast<std::size_t>(r)], work) << label;
        }
    }
}

TEST(MemoryLimited, TheSameRequestGivesTheSameOrder)
{
    for (const ScheduleKind kind : kinds)
        EXPECT_EQ(scheduleOf(kind, 8, 40).ops, scheduleOf(kind, 8, 40).ops);
}

} // namespace pipeloom
