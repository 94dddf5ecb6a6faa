// SPDX-License-Identifier: GPL-3.0-or-later
// Every published order and timed case, where the data lies beside the source tree.
#include "core/schedule/schedule.h"
#include "tests/core/schedule_text.h"
#include "tests/shared.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

namespace pipeloom
{

namespace
{

using Json = nlohmann::json;

Json golden(const std::string &name)
{
    std::ifstream file(*sharedFolder() + "/golden/schedules/" + name);
    return Json::parse(file);
}

/// Our kind for a schedule of the golden files, or nothing for orders that come from a search.
std::optional<ScheduleKind> kindOf(const std::string &goldenName)
{
    static const std::map<std::string, ScheduleKind> kinds = {
        { "gpipe", ScheduleKind::GPipe },
        { "1f1b", ScheduleKind::OneForwardOneBackward },
        { "interleaved1f1b", ScheduleKind::Interleaved },
        { "interleaved1f1b_flex", ScheduleKind::Interleaved },
        { "looped_bfs", ScheduleKind::LoopedBfs },
        { "combined1f1b_ep_overlap", ScheduleKind::CombinedAllToAll },
        { "zb_h1", ScheduleKind::ZeroBubbleH1 },
        { "interleaved_zb", ScheduleKind::InterleavedZeroBubble },
        { "zb_h2_rule", ScheduleKind::ZeroBubbleH2 },
        { "zbv_torch", ScheduleKind::ZeroBubbleV },
        { "dualpipe", ScheduleKind::DualPipe },
        { "dualpipev", ScheduleKind::DualPipeV },
        { "chimera_concat", ScheduleKind::Chimera },
        { "v_half", ScheduleKind::VHalf },
        { "v_min", ScheduleKind::VMin },
        { "1f1b_v", ScheduleKind::OneForwardOneBackwardV },
    };
    const auto found = kinds.find(goldenName);
    return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ScheduleRequest> requestOf(const Json &entry)
{
    const auto schedule = entry.at("schedule").get<std::string>();
    const std::optional<ScheduleKind> kind = kindOf(schedule);
    if (!kind)
        return std::nullopt;
    ScheduleRequest request{ .kind = *kind,
                             .ranks = entry.at("pp").get<int>(),
                             .microbatches = entry.at("microbatches").get<int>(),
                             .vpp = entry.at("chunks_per_rank").get<int>() };
    if (schedule == "interleaved1f1b_flex") // PyTorch's group: as many rounds as fill the ranks
        request.group = request.microbatches / std::max(1, request.microbatches / request.ranks);
    return request;
}

OpDurations durationsOf(const Schedule &schedule, const Json &dur)
{
    const Nanoseconds bi = dur.at("Bi").get<Nanoseconds>();
    const Nanoseconds w = dur.at("W").get<Nanoseconds>();
    const Nanoseconds pair = dur.at("FB").is_null() ? 0 : dur.at("FB").get<Nanoseconds>();
    return uniformDurations(schedule, dur.at("F").get<Nanoseconds>(), bi + w, w, pair, dur.at("p2p").get<Nanoseconds>());
}

} // namespace

TEST(GoldenSchedules, OrdersAreThoseOfTheReferenceImplementationsOpForOp)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden schedules are not beside the source tree";
    int compared = 0;
    const Json orders = golden("orders.json");
    for (const auto &[key, entry] : orders.items()) {
        const std::optional<ScheduleRequest> request = requestOf(entry);
        if (!request)
            continue;
        const Expected<Schedule> schedule = generate(*request);
        ASSERT_TRUE(schedule) << key << ": " << text(schedule.errors());
        EXPECT_EQ(schedule->stages, entry.at("num_stages").get<int>()) << key;
        for (int r = 0; r < request->ranks; ++r) {
            const auto rank = static_cast<std::size_t>(r);
            EXPECT_EQ(compactRank(*schedule, r), entry.at("compact").at(rank).get<std::string>()) << key << " rank " << r;
            for (std::size_t chunk = 0; chunk < entry.at("stage_of_rank_chunk").at(rank).size(); ++chunk) {
                EXPECT_EQ(stageOf(request->kind, request->ranks, r, static_cast<int>(chunk)),
                          entry["stage_of_rank_chunk"][rank][chunk].get<int>())
                    << key;
            }
        }
        ++compared;
    }
    EXPECT_EQ(compared, 137);
}

TEST(GoldenSchedules, StartsAndEndsAreThoseOfTheTimelines)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden schedules are not beside the source tree";
    int compared = 0;
    const Json timelines = golden("timelines.json");
    for (const Json &entry : timelines) {
        const auto file = entry.at("file").get<std::string>();
        // "dualpipe_pp8_mb20.json", "interleaved1f1b_pp4_mb8_v2.json"
        const auto number = [&](const std::string &mark, int fallback) {
            const std::size_t at = file.find(mark);
            return at == std::string::npos ? fallback : std::stoi(file.substr(at + mark.size()));
        };
        const std::optional<ScheduleKind> kind = kindOf(file.substr(0, file.find("_pp")));
        ASSERT_TRUE(kind) << file;
        const Expected<Schedule> schedule = generate({ .kind = *kind,
                                                       .ranks = number("_pp", 0),
                                                       .microbatches = number("_mb", 0),
                                                       .vpp = number("_v", 1),
                                                       .group = std::nullopt });
        ASSERT_TRUE(schedule) << file;
        const Expected<Timeline> timeline = simulate(*schedule, durationsOf(*schedule, entry.at("dur")));
        ASSERT_TRUE(timeline) << file;
        EXPECT_EQ(timeline->makespan, entry.at("makespan").get<Nanoseconds>()) << file;
        std::size_t i = 0;
        for (int r = 0; r < schedule->ranks; ++r) {
            const Json &times = entry.at("times").at(static_cast<std::size_t>(r));
            ASSERT_EQ(times.size(), schedule->rank(r).size());
            for (const Json &span : times) {
                EXPECT_EQ(timeline->start[i], span.at(0).get<Nanoseconds>())
                    << file << " rank " << r << " " << compact(schedule->ops[i]);
                EXPECT_EQ(timeline->end[i], span.at(1).get<Nanoseconds>())
                    << file << " rank " << r << " " << compact(schedule->ops[i]);
                ++i;
            }
        }
        ++compared;
    }
    EXPECT_EQ(compared, 12);
}

TEST(GoldenSchedules, MakespansIdleTimesAndPeaksAreThoseOfTheTimedCases)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden schedules are not beside the source tree";
    int compared = 0;
    const Json results = golden("results.json");
    for (const Json &entry : results.at("cases")) {
        const std::optional<ScheduleRequest> request = requestOf(entry);
        if (!request)
            continue;
        const std::string label = entry.at("file").get<std::string>() + " " + entry.at("set").get<std::string>();
        const Expected<Schedule> schedule = generate(*request);
        ASSERT_TRUE(schedule) << label;
        const Expected<Timeline> timeline = simulate(*schedule, durationsOf(*schedule, entry.at("dur")));
        ASSERT_TRUE(timeline) << label;
        EXPECT_EQ(timeline->makespan, entry.at("makespan").get<Nanoseconds>()) << label;
        std::vector<Nanoseconds> idle, idleInSpan;
        for (int r = 0; r < request->ranks; ++r) {
            idle.push_back(timeline->idle(r));
            idleInSpan.push_back(timeline->idleInSpan(r));
        }
        EXPECT_EQ(idle, entry.at("idle_per_rank").get<std::vector<Nanoseconds>>()) << label;
        EXPECT_EQ(idleInSpan, entry.at("idle_in_span_per_rank").get<std::vector<Nanoseconds>>()) << label;
        EXPECT_EQ(timeline->firstStart, entry.at("start_per_rank").get<std::vector<Nanoseconds>>()) << label;
        EXPECT_EQ(timeline->lastEnd, entry.at("end_per_rank").get<std::vector<Nanoseconds>>()) << label;
        EXPECT_EQ(timeline->peakInFlight, entry.at("peak_act_relW_per_rank").get<std::vector<int>>()) << label;
        ++compared;
    }
    EXPECT_EQ(compared, 906);
}

TEST(GoldenSchedules, ClosedFormsAreThoseOfTheTimedCases)
{
    if (!sharedFolder())
        GTEST_SKIP() << "golden schedules are not beside the source tree";
    int published = 0;
    int exact = 0;
    int holding = 0;
    const Json results = golden("results.json");
    for (const Json &entry : results.at("cases")) {
        const std::optional<ScheduleRequest> request = requestOf(entry);
        if (!request || !entry.contains("paper_bubble"))
            continue;
        const Json &dur = entry.at("dur");
        const Nanoseconds pair = dur.at("FB").is_null() ? dur.at("F").get<Nanoseconds>() + dur.at("B").get<Nanoseconds>()
                                                        : dur.at("FB").get<Nanoseconds>();
        const ClosedForm form = closedForm(*request, dur.at("F").get<Nanoseconds>(), dur.at("Bi").get<Nanoseconds>(),
                                           dur.at("W").get<Nanoseconds>(), pair);
        const std::string label = entry.at("file").get<std::string>() + " " + entry.at("set").get<std::string>();
        // Combined 1F1B has no published form: the file repeats that of plain interleaving.
        if (!entry.at("paper_bubble").is_null() && request->kind != ScheduleKind::CombinedAllToAll) {
            EXPECT_FALSE(form.expression.empty()) << label;
            EXPECT_EQ(form.bubble, entry.at("paper_bubble").get<Nanoseconds>()) << label;
            // The form says that it holds only where the recorded simulation agrees with it.
            EXPECT_TRUE(!form.holds || entry.at("paper_bubble_matches").get<bool>()) << label;
            holding += form.holds ? 1 : 0;
            ++published;
        }
        if (!entry.at("exact_bubble_max_rank").is_null()) {
            EXPECT_EQ(form.exactBubble, entry.at("exact_bubble_max_rank").get<Nanoseconds>()) << label;
            EXPECT_EQ(form.exactMakespan, entry.at("exact_makespan").get<Nanoseconds>()) << label;
            ++exact;
        }
    }
    EXPECT_GT(published, 300);
    EXPECT_GT(exact, 300);
    EXPECT_GT(holding, 200);
}

} // namespace pipeloom
