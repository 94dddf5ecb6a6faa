// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/opdetails.h"

#include "core/schedule/bubbles.h"
#include "views/plot/numbers.h"

#include <QCoreApplication>

#include <numeric>

namespace pipeloom
{

namespace
{

QString tr(const char *text) { return QCoreApplication::translate("OpDetails", text); }

QString titleOf(OpKind kind)
{
    switch (kind) {
    case OpKind::F:
        return tr("Forward");
    case OpKind::B:
        return tr("Full backward");
    case OpKind::Bi:
        return tr("Input gradient");
    case OpKind::W:
        return tr("Weight gradient");
    case OpKind::FB:
        return tr("F&B pair");
    }
    return {};
}

QColor colourOf(OpKind kind, const Theme &theme)
{
    switch (kind) {
    case OpKind::F:
        return theme.forward.fill;
    case OpKind::W:
        return theme.weightGradient.fill;
    case OpKind::FB:
        return theme.pair.fill;
    case OpKind::B:
    case OpKind::Bi:
        break;
    }
    return theme.inputGradient.fill;
}

const char *termOf(OpKind kind)
{
    switch (kind) {
    case OpKind::F:
        return "time.f";
    case OpKind::B:
    case OpKind::Bi:
        return "time.bi";
    case OpKind::W:
        return "time.w";
    case OpKind::FB:
        return "time.pair";
    }
    return "";
}

QString place(int microbatch, int stage) { return tr("microbatch %1, stage %2").arg(microbatch).arg(stage); }

Nanoseconds at(const std::vector<Nanoseconds> &values, std::int16_t stage)
{
    const auto s = static_cast<std::size_t>(stage);
    return stage >= 0 && s < values.size() ? values[s] : 0;
}

/// "3.381 to 3.659 s, 278 ms": enough decimals that both ends differ.
QString timeText(Nanoseconds start, Nanoseconds end)
{
    const TimeUnit unit = TimeUnit::forView(std::max(end, Nanoseconds{ 1 }), static_cast<double>(end - start) / 100);
    return tr("%1 to %2, %3")
        .arg(unit.number(static_cast<double>(start)), unit.text(static_cast<double>(end)), milliseconds(end - start));
}

void addActivations(const Evaluation &evaluation, const Op &op, int rank, CardContent &card)
{
    const auto r = static_cast<std::size_t>(rank);
    if (r >= evaluation.memory.ranks.size())
        return;
    const std::vector<ByteCount> &held = evaluation.memory.ranks[r].activationPerMicrobatch;
    const auto bytes = [&](std::uint8_t chunk) { return chunk < held.size() ? held[chunk] : ByteCount{ 0 }; };
    QString text;
    switch (op.kind) {
    case OpKind::F:
        text = tr("%1 GiB at start").arg(signedGib(bytes(op.chunk)));
        break;
    case OpKind::FB:
        text = tr("%1 GiB at start, %2 GiB at end").arg(signedGib(bytes(op.chunk)), signedGib(-bytes(op.chunkB)));
        break;
    case OpKind::Bi:
        text = tr("%1 GiB held until its W").arg(gib(bytes(op.chunk)));
        break;
    case OpKind::B:
    case OpKind::W:
        text = tr("%1 GiB at end").arg(signedGib(-bytes(op.chunk)));
        break;
    }
    card.rows.emplace_back(tr("Activations"), text);
}

void addTimes(const Evaluation &evaluation, int rank, const Op &op, Nanoseconds length, CardContent &card)
{
    const OpDurations &durations = evaluation.times.durations;
    if (op.kind == OpKind::FB) {
        const Nanoseconds f = at(durations.f, op.stage);
        const Nanoseconds b = at(durations.b, op.stageB);
        const Nanoseconds saved = f + b - length;
        const QString sum = tr("F %1 + B %2 = %3").arg(milliseconds(f), milliseconds(b), milliseconds(f + b));
        card.rows.emplace_back(tr("If not paired"),
                               saved >= 0 ? tr("%1, saves %2").arg(sum, milliseconds(saved))
                                          : tr("%1, costs %2").arg(sum, milliseconds(-saved)));
    }
    if (op.kind == OpKind::B)
        card.rows.emplace_back(
            tr("Halves"),
            tr("B %1, W %2").arg(milliseconds(at(durations.bi, op.stage)), milliseconds(at(durations.w, op.stage))));
    if (op.kind == OpKind::FB) {
        const std::size_t i = pairIndex(evaluation.schedule, rank, op);
        if (i < evaluation.times.exposedPair.size() && !evaluation.times.beside.empty())
            card.rows.emplace_back(tr("Exposed comm."), tr("%1 of it").arg(milliseconds(evaluation.times.exposedPair[i])));
    }
    const auto stage = static_cast<std::size_t>(op.stage);
    if (op.stage >= 0 && stage < evaluation.times.stages.size() && op.kind != OpKind::FB && op.kind != OpKind::W) {
        const StageTimes &times = evaluation.times.stages[stage];
        const Nanoseconds exposed = op.kind == OpKind::F ? times.exposedF : times.exposedBi;
        if (exposed > 0)
            card.rows.emplace_back(tr("Exposed comm."), tr("%1 of it").arg(milliseconds(exposed)));
    }
}

} // namespace

QString CardContent::text() const
{
    QStringList lines{ title };
    for (const auto &[label, value] : rows)
        lines.append(label.isEmpty() ? value : QStringLiteral("%1: %2").arg(label, value));
    for (const QString &line : { formula, source }) {
        if (!line.isEmpty())
            lines.append(line);
    }
    return lines.join(QLatin1Char('\n'));
}

std::optional<CardContent> opDetails(const PlanPicture &picture, const OpRef &ref, const Theme &theme)
{
    if (!picture.evaluation || ref.op >= picture.evaluation->schedule.ops.size())
        return std::nullopt;
    const Evaluation &evaluation = *picture.evaluation;
    const Op &op = evaluation.schedule.ops[ref.op];
    const Nanoseconds start = evaluation.timeline.start[ref.op];
    const Nanoseconds end = evaluation.timeline.end[ref.op];
    CardContent card;
    card.swatch = colourOf(op.kind, theme);
    card.title = tr("%1 on rank %2").arg(titleOf(op.kind)).arg(ref.rank);
    if (op.kind == OpKind::FB) {
        card.rows.emplace_back(tr("Forward"), place(op.microbatch, op.stage));
        card.rows.emplace_back(tr("Backward"), place(op.microbatchB, op.stageB));
    } else {
        card.rows.emplace_back(tr("Work"), place(op.microbatch, op.stage));
    }
    card.rows.emplace_back(tr("Time"), timeText(start, end));
    addTimes(evaluation, ref.rank, op, end - start, card);
    addActivations(evaluation, op, ref.rank, card);
    if (const Term *term = findTerm(evaluation.terms, termOf(op.kind))) {
        card.formula = QString::fromStdString(term->formula);
        if (op.kind == OpKind::B)
            card.formula = tr("B: %1").arg(card.formula);
        card.source = tr("%1: %2").arg(QString::fromUtf8(name(term->tag)), QString::fromStdString(term->source));
    }
    return card;
}

std::optional<CardContent> bubbleDetails(const PlanPicture &picture, int rank, Nanoseconds time, const Theme &theme)
{
    if (!picture.evaluation || !picture.hasLanes())
        return std::nullopt;
    const Evaluation &evaluation = *picture.evaluation;
    const std::optional<Bubble> bubble =
        bubbleAt(evaluation.schedule, evaluation.timeline, evaluation.times.durations, rank, time);
    if (!bubble)
        return std::nullopt;
    CardContent card;
    card.swatch = theme.text3;
    card.title = tr("Bubble on rank %1").arg(rank);
    card.rows.emplace_back(tr("Time"), timeText(bubble->start, bubble->end));
    switch (bubble->cause) {
    case BubbleCause::Fill:
        card.rows.emplace_back(tr("Cause"), tr("fill: nothing has reached this rank yet"));
        break;
    case BubbleCause::Wait:
        card.rows.emplace_back(tr("Cause"), tr("waits for another op"));
        break;
    case BubbleCause::Drain:
        card.rows.emplace_back(tr("Cause"), tr("drain: this rank is done, others still run"));
        break;
    }
    const auto work = [&](std::size_t index) {
        const Op &op = evaluation.schedule.ops[index];
        return op.kind == OpKind::FB ? tr("%1, %2 and %3").arg(titleOf(op.kind)).arg(op.microbatch).arg(op.microbatchB)
                                     : tr("%1, %2").arg(titleOf(op.kind), place(op.microbatch, op.stage));
    };
    if (bubble->awaited) {
        card.rows.emplace_back(bubble->next ? tr("Waits for") : tr("Last op"),
                               tr("%1, on rank %2").arg(work(*bubble->awaited)).arg(bubble->awaitedRank));
        const Nanoseconds latency = bubble->arrival - evaluation.timeline.end[*bubble->awaited];
        if (latency > 0)
            card.rows.emplace_back(tr("P2P"), tr("%1 of the wait").arg(milliseconds(latency)));
        if (bubble->longerThanMean > 0)
            card.rows.emplace_back(
                tr("Imbalance"), tr("that op is %1 longer than the mean of its kind").arg(milliseconds(bubble->longerThanMean)));
    }
    if (bubble->next)
        card.rows.emplace_back(tr("Then runs"), work(*bubble->next));
    return card;
}

std::optional<CardContent> rankDetails(std::span<const PlanRank> plans, int rank, Nanoseconds time, const Theme &theme)
{
    if (plans.empty())
        return std::nullopt;
    CardContent card;
    card.swatch = theme.memory[static_cast<std::size_t>(MemoryClass::Activations)];
    card.title = tr("Memory of rank %1 at %2").arg(rank).arg(TimeUnit::forView(time, 1e7).text(static_cast<double>(time)));
    std::array<QStringList, memoryClassCount> classes;
    QStringList now, peak, reached, flight;
    for (const auto &[letter, memory] : plans) {
        const auto stack = memory->stackAt(time);
        for (std::size_t c = 0; c < memoryClassCount; ++c)
            classes[c].append(QStringLiteral("%1 %2").arg(letter, gib(stack[c])));
        now.append(QStringLiteral("%1 %2").arg(letter, gib(std::accumulate(stack.begin(), stack.end(), ByteCount{ 0 }))));
        peak.append(QStringLiteral("%1 %2").arg(letter, gib(memory->peak)));
        reached.append(QStringLiteral("%1 %2").arg(letter, durationText(memory->peakTime)));
        flight.append(QStringLiteral("%1 %2").arg(letter).arg(memory->at(time).inFlight));
    }
    const QString gap = QStringLiteral("    ");
    for (std::size_t c = memoryClassCount; c-- > 0;)
        card.rows.emplace_back(QString::fromUtf8(name(static_cast<MemoryClass>(c))),
                               classes[c].join(gap) + QStringLiteral(" GiB"));
    card.rows.emplace_back(tr("Now"), now.join(gap) + QStringLiteral(" GiB"));
    card.rows.emplace_back(tr("Peak in the step"), peak.join(gap) + QStringLiteral(" GiB"));
    card.rows.emplace_back(tr("Reached at"), reached.join(gap));
    card.rows.emplace_back(tr("Microbatches in flight"), flight.join(gap));
    return card;
}

std::optional<CardContent> rankDetails(const std::vector<std::shared_ptr<const PlanPicture>> &pictures, int rank,
                                       Nanoseconds time, const Theme &theme)
{
    const auto r = static_cast<std::size_t>(rank);
    std::vector<PlanRank> plans;
    for (const auto &picture : pictures) {
        if (rank >= 0 && picture->evaluation && r < picture->evaluation->memory.ranks.size()
            && !picture->evaluation->memory.ranks[r].curve.empty())
            plans.push_back({ picture->letter, &picture->evaluation->memory.ranks[r] });
    }
    return rankDetails(plans, rank, time, theme);
}

} // namespace pipeloom
