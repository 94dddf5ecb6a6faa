// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/numbers.h"

#include "core/base/format.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

QString fixedNumber(double value, int decimals) { return QString::fromStdString(formatFixed(value, decimals)); }

QString wholeNumber(std::int64_t value) { return QString::fromStdString(formatCount(value)); }

QString gib(ByteCount bytes) { return QString::fromStdString(formatGib(bytes)); }

QString gibWithUnit(ByteCount bytes) { return QString::fromStdString(formatBytes(bytes)); }

QString signedGib(ByteCount bytes)
{
    const QString text = gib(bytes);
    return bytes > 0 && text != QStringLiteral("0.0") ? QLatin1Char('+') + text : text;
}

QString percent(double fraction) { return fixedNumber(100 * fraction, 1); }

QString durationText(Nanoseconds time) { return QString::fromStdString(formatDuration(toSeconds(time))); }

QString milliseconds(Nanoseconds time)
{
    const double value = static_cast<double>(time) / 1e6;
    const double size = std::abs(value);
    return QStringLiteral("%1 ms").arg(fixedNumber(value, size >= 100 ? 0 : size >= 10 ? 1 : 2));
}

double niceStep(double step)
{
    const double magnitude = std::pow(10, std::floor(std::log10(step)));
    for (const double factor : { 1.0, 2.0, 5.0 }) {
        if (factor * magnitude >= step * (1 - 1e-9))
            return factor * magnitude;
    }
    return 10 * magnitude;
}

TimeUnit TimeUnit::forView(Nanoseconds extent, double nsPerPixel)
{
    TimeUnit unit;
    if (extent < 1'000'000)
        unit = { 1e3, QStringLiteral("µs"), 0 };
    else if (extent < 1'000'000'000)
        unit = { 1e6, QStringLiteral("ms"), 0 };
    const int needed = static_cast<int>(std::ceil(std::log10(unit.nanoseconds / std::max(1.0, nsPerPixel)) - 0.3));
    unit.decimals = std::clamp(needed, unit.nanoseconds == 1e9 ? 2 : 0, 9);
    return unit;
}

QString TimeUnit::number(double time) const { return fixedNumber(time / nanoseconds, decimals); }

QString TimeUnit::text(double time) const { return number(time) + QLatin1Char(' ') + name; }

} // namespace pipeloom
