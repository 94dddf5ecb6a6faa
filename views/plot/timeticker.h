// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantities.h"
#include "views/plot/numbers.h"

#include <qcustomplot.h>

namespace pipeloom
{

/// Ticks of a time axis in nanoseconds: steps of 1, 2 or 5, one unit for the whole axis, the unit's name at the first and last
/// label.
class TimeTicker : public QCPAxisTicker
{
public:
    TimeTicker();
    void setExtent(Nanoseconds extent) { m_extent = extent; } ///< of the step: decides between s, ms and µs
    void setWidth(double pixels) { m_width = pixels; }

    void generate(const QCPRange &range, const QLocale &locale, QChar formatChar, int precision, QVector<double> &ticks,
                  QVector<double> *subTicks, QVector<QString> *tickLabels) override;

private:
    double getTickStep(const QCPRange &range) override;
    int getSubTickCount(double tickStep) override;

    Nanoseconds m_extent = 0;
    double m_width = 800;
};

} // namespace pipeloom
