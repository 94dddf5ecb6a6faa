// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/planpicture.h"

#include "views/planshape.h"
#include "views/plot/counted.h"
#include "views/plot/numbers.h"

#include <algorithm>
#include <numeric>

namespace pipeloom
{

namespace
{

bool entersFromBothEnds(ScheduleKind kind) { return kind == ScheduleKind::DualPipe || kind == ScheduleKind::Chimera; }

QString subtitleOf(const Evaluation &evaluation)
{
    const Schedule &schedule = evaluation.schedule;
    const QString stages = countedText(schedule.chunks, "stage") + QStringLiteral(" per rank");
    const int m = schedule.microbatches;
    if (entersFromBothEnds(schedule.kind))
        return QStringLiteral("%1, %2 + %3 microbatches from both ends").arg(stages, wholeNumber(m / 2), wholeNumber(m - m / 2));
    return QStringLiteral("%1, %2 from rank 0").arg(stages, countedText(m, "microbatch"));
}

QString stagesOf(const Evaluation &evaluation, int rank)
{
    const auto r = static_cast<std::size_t>(rank);
    if (r >= evaluation.memory.ranks.size())
        return {};
    const std::vector<int> &stages = evaluation.memory.ranks[r].stages;
    QString text;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (i == 2)
            return text + QStringLiteral("…");
        text += (i == 0 ? QStringLiteral("s") : QStringLiteral("+")) + QString::number(stages[i]);
    }
    return text;
}

std::array<Nanoseconds, opClassCount> medianLengths(const Lanes &lanes)
{
    std::array<std::vector<Nanoseconds>, opClassCount> lengths;
    for (std::size_t i = 0; i < lanes.spanCount(); ++i) {
        const Span span = lanes.span(i);
        lengths[span.classId].push_back(span.duration);
    }
    std::array<Nanoseconds, opClassCount> medians{};
    for (std::size_t c = 0; c < opClassCount; ++c) {
        if (lengths[c].empty())
            continue;
        const auto middle = lengths[c].begin() + static_cast<std::ptrdiff_t>(lengths[c].size() / 2);
        std::nth_element(lengths[c].begin(), middle, lengths[c].end());
        medians[c] = *middle;
    }
    return medians;
}

std::optional<PlanProblem> problemOf(const ShownPlan &plan)
{
    if (!plan.latest || plan.latest->valid)
        return std::nullopt;
    PlanProblem problem;
    problem.title = QStringLiteral("No schedule for this plan");
    const auto error =
        std::ranges::find_if(plan.latest->diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
    if (error != plan.latest->diagnostics.end()) {
        problem.sentence = QString::fromStdString(error->message);
        if (!error->fixes.empty()) {
            problem.fix = error->fixes.front();
            problem.fixLabel = QString::fromStdString(problem.fix.label);
        }
    }
    if (plan.latest->groups.microbatches > 0 && error != plan.latest->diagnostics.end()
        && error->code.find("microbatch") != std::string::npos)
        problem.title = QStringLiteral("No schedule for M = %1").arg(wholeNumber(plan.latest->groups.microbatches));
    return problem;
}

} // namespace

ByteCount PlanPicture::memoryAt(int rank, Nanoseconds time) const
{
    if (!evaluation || rank < 0 || static_cast<std::size_t>(rank) >= evaluation->memory.ranks.size())
        return 0;
    const RankMemory &memory = evaluation->memory.ranks[static_cast<std::size_t>(rank)];
    if (memory.curve.empty())
        return 0;
    const auto stack = memory.stackAt(time);
    return std::accumulate(stack.begin(), stack.end(), ByteCount{ 0 });
}

std::shared_ptr<const PlanPicture> makePicture(const ShownPlan &plan, OpClassMask mask, bool bubbles)
{
    auto picture = std::make_shared<PlanPicture>();
    picture->letter = plan.letter;
    picture->name = plan.name;
    picture->evaluation = plan.shown;
    picture->stale = plan.stale();
    picture->lastValid = lastValidText(plan);
    picture->problem = problemOf(plan);
    picture->mask = mask;
    picture->bubbles = bubbles;
    if (!plan.shown)
        return picture;

    const Evaluation &evaluation = *plan.shown;
    const Nanoseconds optimizer = evaluation.times.optimizer;
    picture->ranks = evaluation.schedule.ranks;
    picture->makespan = evaluation.timeline.makespan;
    picture->end = picture->makespan + optimizer;
    picture->subtitle = subtitleOf(evaluation);
    picture->lanes = simulatedLanes(evaluation.schedule, evaluation.timeline, evaluation.times.durations, optimizer);
    if (mask != allOpClasses)
        picture->drawn = simulatedLanes(evaluation.schedule, evaluation.timeline, evaluation.times.durations, optimizer, mask);
    picture->nominal = medianLengths(picture->lanes);
    for (std::size_t c = 0; c < opClassCount; ++c) {
        if (picture->nominal[c] > 0)
            picture->present = static_cast<OpClassMask>(picture->present | (1U << c));
    }
    picture->labelDigits =
        std::max(2, static_cast<int>(QString::number(std::max(0, evaluation.schedule.microbatches - 1)).size()));
    for (int rank = 0; rank < picture->ranks; ++rank) {
        picture->stages.push_back(stagesOf(evaluation, rank));
        const double idle = picture->makespan > 0
            ? static_cast<double>(evaluation.timeline.idle(rank)) / static_cast<double>(picture->makespan)
            : 0;
        picture->idle.push_back(percent(idle));
    }
    return picture;
}

bool anyEvaluation(const std::vector<std::shared_ptr<const PlanPicture>> &pictures)
{
    return std::ranges::any_of(pictures, [](const auto &picture) { return picture->evaluation != nullptr; });
}

QString inFlightText(const Timeline &timeline)
{
    if (timeline.peakInFlight.empty())
        return QStringLiteral("0");
    const auto [low, high] = std::ranges::minmax_element(timeline.peakInFlight);
    if (*low == *high)
        return QString::number(*high);
    return QStringLiteral("%1 to %2").arg(*high).arg(*low);
}

} // namespace pipeloom
