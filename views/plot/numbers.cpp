// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/numbers.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

const QChar minus(0x2212);

QString withMinus(QString text)
{
    if (text.startsWith(QLatin1Char('-')))
        text[0] = minus;
    return text;
}

} // namespace

QString fixedNumber(double value, int decimals)
{
    QString text = QString::number(value, 'f', decimals);
    const bool zero = std::all_of(text.cbegin(), text.cend(), [](QChar c) { return !c.isDigit() || c == QLatin1Char('0'); });
    if (zero && text.startsWith(QLatin1Char('-')))
        text.remove(0, 1);
    return withMinus(text);
}

QString wholeNumber(std::int64_t value)
{
    QString text = QString::number(value);
    for (auto at = text.size() - 3; at > (value < 0 ? 1 : 0); at -= 3)
        text.insert(at, QLatin1Char(','));
    return withMinus(text);
}

QString gib(ByteCount bytes) { return fixedNumber(static_cast<double>(bytes) / bytesPerGiB, 1); }

QString gibWithUnit(ByteCount bytes)
{
    const double value = static_cast<double>(bytes) / bytesPerGiB;
    if (bytes != 0 && std::abs(value) < 0.1)
        return QStringLiteral("%1 MiB").arg(fixedNumber(static_cast<double>(bytes) / bytesPerMiB, 0));
    return QStringLiteral("%1 GiB").arg(gib(bytes));
}

QString signedGib(ByteCount bytes)
{
    const QString text = gib(bytes);
    const bool zero = text == QStringLiteral("0.0");
    return bytes > 0 && !zero ? QLatin1Char('+') + text : text;
}

QString percent(double fraction) { return fixedNumber(100 * fraction, 1); }

QString secondsText(Nanoseconds time)
{
    const auto t = static_cast<double>(time);
    if (std::abs(t) >= 1e9 || time == 0)
        return QStringLiteral("%1 s").arg(fixedNumber(t / 1e9, 2));
    if (std::abs(t) >= 1e6)
        return milliseconds(time);
    return QStringLiteral("%1 µs").arg(fixedNumber(t / 1e3, 0));
}

QString milliseconds(Nanoseconds time)
{
    const double value = static_cast<double>(time) / 1e6;
    const double size = std::abs(value);
    return QStringLiteral("%1 ms").arg(fixedNumber(value, size >= 100 ? 0 : size >= 10 ? 1 : 2));
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
