// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/curveplan.h"

#include <QColor>
#include <QCoreApplication>
#include <QImage>
#include <QWidget>

#include <algorithm>
#include <vector>

namespace pipeloom::fixture
{

inline constexpr ByteCount gib = ByteCount{ 1 } << 30;
inline constexpr Nanoseconds second = 1'000'000'000;

/// A rank with 1 GiB of each kind of parameters, 2 of gradients, 1 of optimizer states, 1 of buffers: 6 GiB that never move.
inline RankMemory rankMemory(int rank, std::vector<MemoryPoint> curve)
{
    RankMemory memory;
    memory.rank = rank;
    memory.weightsDense = memory.weightsExpert = memory.optimizer = memory.buffers = gib;
    memory.gradients = 2 * gib;
    memory.reserve = 1.25;
    memory.curve = std::move(curve);
    const auto highest =
        std::ranges::max_element(memory.curve, {}, [](const MemoryPoint &point) { return point.activations + point.transient; });
    memory.activationsPeak = highest->activations;
    memory.transientPeak = highest->transient;
    memory.peakTime = highest->time;
    memory.peakAllocated = memory.states() + highest->activations + highest->transient;
    memory.peakReserved = memory.peakAllocated + memory.peakAllocated / 4;
    memory.peak = memory.peakAllocated + memory.buffers;
    return memory;
}

/// Rank r: 0, then 2 GiB of activations at 1 s, 4 and 1 of transient at 2 s, 4 at 3 s, nothing from 4 s on; each higher rank has
/// `less` GiB less of the activations. Rank 0 peaks at 11 GiB. HBM 10 GiB, usable 9 GiB.
inline CurvePlan curvePlan(const char *letter, int ranks, ByteCount less = 0, double stretch = 1)
{
    auto result = std::make_shared<MemoryResult>();
    result->capacity = 10 * gib;
    result->usable = 9 * gib;
    const auto at = [stretch](int seconds) { return static_cast<Nanoseconds>(stretch * seconds) * second; };
    for (int r = 0; r < ranks; ++r) {
        const auto held = [&](ByteCount bytes) { return std::max<ByteCount>(0, bytes * gib - r * less); };
        result->ranks.push_back(rankMemory(r,
                                           { { .time = 0 },
                                             { .time = at(1), .activations = held(2) },
                                             { .time = at(2), .activations = held(4), .transient = gib },
                                             { .time = at(3), .activations = held(4) },
                                             { .time = at(4) } }));
    }
    return { QString::fromUtf8(letter), result, at(5), false };
}

/// What the widget shows, as a picture with one pixel for each logical pixel.
inline QImage picture(QWidget &widget)
{
    QCoreApplication::processEvents(); // queued replots
    return widget.grab().toImage().convertToFormat(QImage::Format_ARGB32);
}

inline int countPixels(const QImage &image, const QRect &area, const QColor &colour)
{
    int count = 0;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        for (int x = area.left(); x <= area.right(); ++x)
            count += image.pixelColor(x, y) == colour ? 1 : 0;
    }
    return count;
}

} // namespace pipeloom::fixture
