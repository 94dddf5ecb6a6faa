// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/opanatomy.h"

#include <algorithm>
#include <utility>

namespace pipeloom
{

namespace
{

/// Two queues; keeps the parts only when somebody wants them.
class Streams
{
public:
    explicit Streams(std::vector<AnatomyPart> *parts)
        : m_parts(parts)
    {
    }

    /// Runs a part when its stream is free and `ready` has come; returns its end.
    Nanoseconds compute(OpPart part, int layer, Nanoseconds duration, Nanoseconds ready = 0)
    {
        m_busy += duration;
        return run(part, GpuStream::Compute, layer, duration, ready, m_compute);
    }

    Nanoseconds communicate(OpPart part, int layer, Nanoseconds duration, Nanoseconds ready = 0)
    {
        return run(part, GpuStream::Communication, layer, duration, ready, m_communication);
    }

    /// Communication that compute waits for, and that waits for the compute before it.
    Nanoseconds block(OpPart part, int layer, Nanoseconds duration)
    {
        if (duration <= 0)
            return m_compute;
        const Nanoseconds end = communicate(part, layer, duration, m_compute);
        m_compute = std::max(m_compute, end);
        return end;
    }

    /// From here on everything waits for what has run so far.
    void join() { m_compute = m_communication = std::max(m_compute, m_communication); }

    [[nodiscard]] PairTimes times() const { return { std::max(m_compute, m_communication), m_busy }; }

private:
    Nanoseconds run(OpPart part, GpuStream stream, int layer, Nanoseconds duration, Nanoseconds ready, Nanoseconds &free)
    {
        // A part that takes no time holds nothing up either: its result is there when its input is.
        if (duration <= 0)
            return std::max(ready, stream == GpuStream::Compute ? free : Nanoseconds{ 0 });
        const Nanoseconds start = std::max(free, ready);
        free = start + duration;
        if (m_parts != nullptr)
            m_parts->push_back({ part, stream, layer, start, free });
        return free;
    }

    std::vector<AnatomyPart> *m_parts;
    Nanoseconds m_compute = 0, m_communication = 0;
    Nanoseconds m_busy = 0;
};

void forwardLayer(Streams &s, const LayerParts &l)
{
    s.compute(OpPart::AttentionF, l.layer, l.attentionF);
    s.block(OpPart::Collectives, l.layer, l.collectivesF);
    s.block(OpPart::DispatchF, l.layer, l.dispatchF);
    s.compute(OpPart::MlpF, l.layer, l.mlpF);
    s.block(OpPart::CombineF, l.layer, l.combineF);
}

void backwardLayer(Streams &s, const LayerParts &l, bool input, bool weight)
{
    if (input) {
        s.block(OpPart::CombineB, l.layer, l.combineB);
        s.block(OpPart::Replay, l.layer, l.replay);
        s.compute(OpPart::MlpB, l.layer, l.mlpB);
    }
    if (weight)
        s.compute(OpPart::MlpW, l.layer, l.mlpW);
    if (input) {
        s.block(OpPart::DispatchB, l.layer, l.dispatchB);
        s.block(OpPart::Collectives, l.layer, l.collectivesB);
        s.compute(OpPart::AttentionB, l.layer, l.attentionB);
    }
    if (weight)
        s.compute(OpPart::AttentionW, l.layer, l.attentionW);
}

void forwardBegin(Streams &s, const StageParts &stage)
{
    s.block(OpPart::Collectives, -1, stage.collectivesF);
    s.compute(OpPart::Embedding, -1, stage.embeddingF);
}

void backwardBegin(Streams &s, const StageParts &stage, bool input, bool weight)
{
    if (input) {
        s.block(OpPart::Collectives, -1, stage.collectivesB);
        s.compute(OpPart::Head, -1, stage.headB);
    }
    if (weight)
        s.compute(OpPart::HeadW, -1, stage.headW);
}

/// Layer i of the forward beside the i-th layer that the backward meets.
void overlappedLayers(Streams &s, const StageParts &forward, const StageParts &backward, std::size_t pairs, PairOrder order)
{
    Nanoseconds forwardThere = 0; // the forward's activations reach its next layer
    Nanoseconds backwardThere = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        const LayerParts &f = forward.layers[i];
        const LayerParts &b = backward.layers[backward.layers.size() - 1 - i];
        Nanoseconds attention = s.compute(OpPart::AttentionF, f.layer, f.attentionF, forwardThere);
        if (f.collectivesF > 0)
            attention = s.block(OpPart::Collectives, f.layer, f.collectivesF);
        // What is recomputed needs no gradient: its exchange leaves before the gradient is there.
        const Nanoseconds replayed = s.communicate(OpPart::Replay, b.layer, b.replay);
        const Nanoseconds combined = std::max(replayed, s.communicate(OpPart::CombineB, b.layer, b.combineB, backwardThere));
        const Nanoseconds dispatched = s.communicate(OpPart::DispatchF, f.layer, f.dispatchF, attention);
        const Nanoseconds mlp = s.compute(OpPart::MlpB, b.layer, b.mlpB, combined);
        const Nanoseconds weight = s.compute(OpPart::MlpW, b.layer, b.mlpW);
        const Nanoseconds gradient = order == PairOrder::Megatron ? weight : mlp;
        const Nanoseconds returned = s.communicate(OpPart::DispatchB, b.layer, b.dispatchB, gradient);
        const Nanoseconds experts = s.compute(OpPart::MlpF, f.layer, f.mlpF, dispatched);
        forwardThere = s.communicate(OpPart::CombineF, f.layer, f.combineF, experts);
        if (b.collectivesB > 0)
            s.block(OpPart::Collectives, b.layer, b.collectivesB);
        backwardThere = s.compute(OpPart::AttentionB, b.layer, b.attentionB, returned);
        const Nanoseconds all = s.compute(OpPart::AttentionW, b.layer, b.attentionW);
        if (order == PairOrder::Megatron)
            backwardThere = all;
    }
    s.join();
}

PairTimes runPair(const PairHalf &forward, const PairHalf &backward, PairOrder order, std::vector<AnatomyPart> *parts)
{
    Streams s(parts);
    if (order == PairOrder::Serial) {
        forwardBegin(s, forward.alone);
        for (const LayerParts &layer : forward.alone.layers)
            forwardLayer(s, layer);
        s.compute(OpPart::Head, -1, forward.alone.headF);
        backwardBegin(s, backward.alone, true, true);
        for (auto layer = backward.alone.layers.rbegin(); layer != backward.alone.layers.rend(); ++layer)
            backwardLayer(s, *layer, true, true);
        s.compute(OpPart::Embedding, -1, backward.alone.embeddingW);
        return s.times();
    }
    const std::size_t pairs = std::min(forward.beside.layers.size(), backward.beside.layers.size());
    forwardBegin(s, forward.beside);
    backwardBegin(s, backward.beside, true, true);
    s.join();
    overlappedLayers(s, forward.beside, backward.beside, pairs, order);
    for (std::size_t i = pairs; i < forward.alone.layers.size(); ++i)
        forwardLayer(s, forward.alone.layers[i]);
    for (std::size_t i = pairs; i < backward.alone.layers.size(); ++i)
        backwardLayer(s, backward.alone.layers[backward.alone.layers.size() - 1 - i], true, true);
    s.compute(OpPart::Head, -1, forward.beside.headF);
    s.compute(OpPart::Embedding, -1, backward.beside.embeddingW);
    return s.times();
}

} // namespace

const char *name(OpPart part)
{
    switch (part) {
    case OpPart::Embedding:
        return "EMBED";
    case OpPart::AttentionF:
        return "ATTN(F)";
    case OpPart::DispatchF:
        return "DISP(F)";
    case OpPart::MlpF:
        return "MLP(F)";
    case OpPart::CombineF:
        return "COMB(F)";
    case OpPart::Head:
        return "HEAD";
    case OpPart::HeadW:
        return "HEAD(W)";
    case OpPart::CombineB:
        return "COMB(B)";
    case OpPart::Replay:
        return "REPLAY";
    case OpPart::MlpB:
        return "MLP(B)";
    case OpPart::MlpW:
        return "MLP(W)";
    case OpPart::DispatchB:
        return "DISP(B)";
    case OpPart::AttentionB:
        return "ATTN(B)";
    case OpPart::AttentionW:
        return "ATTN(W)";
    case OpPart::Collectives:
        return "TP/CP";
    case OpPart::SendF:
        return "PP(F)";
    case OpPart::SendB:
        return "PP(B)";
    }
    return "";
}

OpAnatomy forwardAnatomy(const StageParts &stage)
{
    OpAnatomy out;
    Streams s(&out.parts);
    forwardBegin(s, stage);
    for (const LayerParts &layer : stage.layers)
        forwardLayer(s, layer);
    s.compute(OpPart::Head, -1, stage.headF);
    out.duration = s.times().duration;
    out.compute = s.times().compute;
    return out;
}

OpAnatomy backwardAnatomy(const StageParts &stage, bool input, bool weight)
{
    OpAnatomy out;
    Streams s(&out.parts);
    backwardBegin(s, stage, input, weight);
    for (auto layer = stage.layers.rbegin(); layer != stage.layers.rend(); ++layer)
        backwardLayer(s, *layer, input, weight);
    if (weight)
        s.compute(OpPart::Embedding, -1, stage.embeddingW);
    out.duration = s.times().duration;
    out.compute = s.times().compute;
    return out;
}

OpAnatomy pairAnatomy(const PairHalf &forward, const PairHalf &backward, PairOrder order)
{
    OpAnatomy out;
    const PairTimes times = runPair(forward, backward, order, &out.parts);
    out.duration = times.duration;
    out.compute = times.compute;
    return out;
}

PairTimes pairTimes(const PairHalf &forward, const PairHalf &backward, PairOrder order)
{
    return runPair(forward, backward, order, nullptr);
}

} // namespace pipeloom
