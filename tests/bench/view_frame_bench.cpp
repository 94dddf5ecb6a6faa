// SPDX-License-Identifier: GPL-3.0-or-later
// What a frame of Explore costs, printed as JSON: milliseconds, median and 99th percentile over the frames of each case.
//   view_bench [frames]
// Run it under Xvfb or with QT_QPA_PLATFORM=offscreen.
#include "core/scenario/evaluation.h"
#include "core/scenario/scenariofile.h"
#include "views/explore/exploreview.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/stylesheet.h"

#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace pipeloom;

namespace
{

constexpr ByteCount gibibyte = 1LL << 30;

/// The curve of a rank that holds 1 GiB a microbatch in flight: enough to draw, whatever the model.
RankMemory countedMemory(const Schedule &schedule, const Timeline &timeline, int rank)
{
    std::vector<std::pair<Nanoseconds, int>> changes{ { 0, 0 } };
    for (std::size_t i = schedule.begin[static_cast<std::size_t>(rank)]; i < schedule.begin[static_cast<std::size_t>(rank) + 1];
         ++i) {
        const OpKind kind = schedule.ops[i].kind;
        if (kind == OpKind::F || kind == OpKind::FB)
            changes.emplace_back(timeline.start[i], 1);
        if (kind == OpKind::B || kind == OpKind::W || kind == OpKind::FB)
            changes.emplace_back(timeline.end[i], -1);
    }
    std::ranges::sort(changes);
    RankMemory memory;
    memory.rank = rank;
    memory.stages = { rank };
    memory.weightsDense = 4 * gibibyte;
    memory.gradients = 4 * gibibyte;
    memory.activationPerMicrobatch = { gibibyte, gibibyte };
    int flight = 0;
    for (const auto &[time, change] : changes) {
        flight += change;
        memory.curve.push_back({ .time = time, .activations = flight * gibibyte, .inFlight = flight });
        memory.peak = std::max(memory.peak, memory.states() + flight * gibibyte);
    }
    return memory;
}

std::shared_ptr<const Evaluation> large(ScheduleKind kind, int ranks, int microbatches)
{
    const auto schedule = generate({ .kind = kind, .ranks = ranks, .microbatches = microbatches });
    if (!schedule)
        return nullptr;
    auto evaluation = std::make_shared<Evaluation>();
    evaluation->valid = true;
    evaluation->schedule = *schedule;
    evaluation->times.durations = uniformDurations(*schedule, 10'000'000, 20'000'000, 9'000'000, 24'000'000, 100'000);
    const auto timeline = simulate(*schedule, evaluation->times.durations);
    if (!timeline)
        return nullptr;
    evaluation->timeline = *timeline;
    evaluation->times.optimizer = 200'000'000;
    evaluation->memory.capacity = 80 * gibibyte;
    evaluation->memory.usable = 76 * gibibyte;
    for (int rank = 0; rank < ranks; ++rank)
        evaluation->memory.ranks.push_back(countedMemory(evaluation->schedule, evaluation->timeline, rank));
    return evaluation;
}

struct Bench
{
    std::string name;
    std::vector<ShownPlan> plans;
};

std::vector<Bench> benches()
{
    std::vector<Bench> result;
    // The production run of the samples: 16 ranks, 120 microbatches, DualPipe, beside 1F1B.
    for (const Sample &sample : samples()) {
        if (sample.name.find("production") == std::string::npos)
            continue;
        const auto loaded = parseScenario(sample.text, sample.name);
        if (!loaded)
            continue;
        Scenario other = loaded->scenario;
        other.plan.schedule = ScheduleKind::OneForwardOneBackward;
        const auto a = evaluate(loaded->scenario);
        const auto b = evaluate(other);
        if (a->valid && b->valid)
            result.push_back({ "production PP16 M120, DualPipe and 1F1B",
                               { { QStringLiteral("A"), QStringLiteral("DualPipe"), a, a },
                                 { QStringLiteral("B"), QStringLiteral("1F1B"), b, b } } });
    }
    const auto a = large(ScheduleKind::DualPipe, 64, 512);
    const auto b = large(ScheduleKind::OneForwardOneBackward, 64, 512);
    if (a && b)
        result.push_back({ "P64 M512, DualPipe and 1F1B",
                           { { QStringLiteral("A"), QStringLiteral("DualPipe"), a, a },
                             { QStringLiteral("B"), QStringLiteral("1F1B"), b, b } } });
    return result;
}

/// Median and 99th percentile in ms of `frame` over `frames` runs.
std::string measure(int frames, const std::function<void(int)> &frame)
{
    std::vector<double> times;
    QElapsedTimer timer;
    for (int i = 0; i < frames + 5; ++i) {
        timer.start();
        frame(i);
        if (i >= 5) // the first ones fill caches
            times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(times);
    const auto at = [&](double share) { return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))]; };
    return fmt::format("{{\"median_ms\": {:.2f}, \"p99_ms\": {:.2f}}}", at(0.5), at(0.99));
}

std::string run(const Bench &bench, int frames)
{
    ViewState state;
    ExploreView view(&state);
    view.setReduceMotion(true);
    view.resize(1600, 900);
    view.setPlans(bench.plans);
    view.show();
    QCoreApplication::processEvents();
    const auto whole = [&] {
        view.timelines().updateView();
        view.timelines().replot(QCustomPlot::rpImmediateRefresh);
        view.stacks().refresh();
        view.stacks().plot().repaint();
    };
    const auto playhead = [&](int i) {
        state.setPlayhead(state.extent() * (i % 100) / 100);
        view.timelines().updateMarks();
        view.timelines().layer(QStringLiteral("overlay"))->replot();
        view.timelines().repaint();
        view.stacks().refresh();
        view.stacks().plot().repaint();
    };
    const auto pan = [&](int) {
        const double column = view.timelines().axisMap().nsPerColumn;
        const Nanoseconds shift = std::llround(7 * column);
        state.setRange({ state.range().begin + shift, state.range().end + shift });
        whole();
    };
    std::string json = fmt::format("  {{\"case\": \"{}\", \"size\": \"1600x900\", \"ops\": {}", bench.name,
                                   bench.plans[0].shown->schedule.ops.size() + bench.plans[1].shown->schedule.ops.size());
    json += ", \"whole_step\": " + measure(frames, [&](int) { whole(); });
    json += ", \"playhead_frame\": " + measure(frames, playhead);
    // So close that numbers stand on the ops: 60 ops across.
    const Nanoseconds op = view.timelines().pictures()[0]->nominal[0];
    state.setRange({ state.extent() / 3, state.extent() / 3 + 60 * op });
    json += ", \"pan_with_numbers\": " + measure(frames, pan);
    // Two sets in turn, so that every frame brings new evaluations as the drag of a slider does.
    std::vector<ShownPlan> copies = bench.plans;
    for (ShownPlan &plan : copies)
        plan.latest = plan.shown = std::make_shared<const Evaluation>(*plan.shown);
    json += ", \"new_result\": " + measure(frames, [&](int i) {
                view.setPlans(i % 2 == 0 ? copies : bench.plans);
                whole();
            });
    return json + "}";
}

/// Ten million recorded spans on 16 lanes: what one frame asks the index for, at three zooms.
std::string lanesCase(int frames)
{
    constexpr std::size_t laneCount = 16;
    constexpr std::size_t perLane = 625'000;
    Lanes lanes;
    lanes.reserve(laneCount * perLane);
    std::vector<Span> spans(perLane);
    std::uint64_t random = 1;
    QElapsedTimer timer;
    timer.start();
    for (std::size_t lane = 0; lane < laneCount; ++lane) {
        Nanoseconds time = 0;
        for (Span &span : spans) {
            random = random * 6364136223846793005ULL + 1442695040888963407ULL;
            span.start = time + static_cast<Nanoseconds>((random >> 33U) % 2000);
            span.duration = static_cast<Nanoseconds>((random >> 45U) % 20000);
            span.classId = static_cast<std::uint8_t>((random >> 60U) % 5);
            time = span.end();
        }
        static_cast<void>(lanes.addLane(spans));
    }
    const double built = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    std::string json = fmt::format("  {{\"case\": \"index of {} spans\", \"build_ms\": {:.0f}", lanes.spanCount(), built);
    std::vector<VisibleSpan> out;
    for (const auto &[name, share] :
         std::vector<std::pair<std::string, double>>{ { "all", 1.0 }, { "hundredth", 0.01 }, { "millionth", 1e-6 } }) {
        const auto width = static_cast<Nanoseconds>(static_cast<double>(lanes.extent()) * share);
        json += fmt::format(", \"{}\": ", name) + measure(frames, [&](int i) {
                    const Nanoseconds begin = (lanes.extent() - width) / 100 * (i % 100);
                    for (std::size_t lane = 0; lane < laneCount; ++lane)
                        lanes.visibleSpans(lane, begin, begin + width, static_cast<double>(width) / 1500, out);
                });
    }
    return json + "}";
}

} // namespace

int main(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && !qEnvironmentVariableIsSet("DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    applyTheme(app, lightTheme());
    const int frames = argc > 1 ? std::max(10, std::atoi(argv[1])) : 200;
    std::string json = "[\n";
    const std::vector<Bench> all = benches();
    for (const Bench &bench : all)
        json += run(bench, frames) + ",\n";
    std::puts((json + lanesCase(frames) + "\n]").c_str());
    return all.empty() ? 1 : 0;
}
