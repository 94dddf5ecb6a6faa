// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/timeticker.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

TimeTicker::TimeTicker() { setTickOrigin(0); }

double TimeTicker::getTickStep(const QCPRange &range)
{
    // About 80 px a tick, and never less than a nanosecond.
    return std::max(1.0, niceStep(range.size() * 80 / std::max(80.0, m_width)));
}

int TimeTicker::getSubTickCount(double tickStep)
{
    const double leading = tickStep / std::pow(10, std::floor(std::log10(tickStep)));
    return tickStep < 2 ? 0 : leading > 4.5 ? 4 : 1;
}

void TimeTicker::generate(const QCPRange &range, const QLocale &, QChar, int, QVector<double> &ticks, QVector<double> *subTicks,
                          QVector<QString> *tickLabels)
{
    const double step = getTickStep(range);
    ticks = createTickVector(step, range);
    ticks.erase(std::remove_if(ticks.begin(), ticks.end(), [&](double t) { return !range.contains(t); }), ticks.end());
    if (subTicks != nullptr)
        *subTicks = ticks.isEmpty() ? QVector<double>() : createSubTickVector(getSubTickCount(step), ticks);
    if (tickLabels == nullptr)
        return;
    tickLabels->clear();
    TimeUnit unit = TimeUnit::forView(m_extent, 1e9);
    unit.decimals = std::clamp(static_cast<int>(std::ceil(std::log10(unit.nanoseconds / step) - 1e-9)), 0, 9);
    for (qsizetype i = 0; i < ticks.size(); ++i)
        tickLabels->append(i == 0 || i + 1 == ticks.size() ? unit.text(ticks[i]) : unit.number(ticks[i]));
}

} // namespace pipeloom
