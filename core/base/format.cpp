// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace pipeloom
{

namespace
{

constexpr const char *noValue = "\u2013";

/// Commas into the digits before the point.
std::string grouped(std::string digits)
{
    const std::size_t point = std::min(digits.find('.'), digits.size());
    for (std::size_t at = point; at > 3; at -= 3)
        digits.insert(at - 3, 1, ',');
    return digits;
}

std::string magnitude(double value, int decimals) { return grouped(fmt::format("{:.{}f}", std::abs(value), decimals)); }

bool showsZero(const std::string &digits) { return digits.find_first_of("123456789") == std::string::npos; }

std::string signedText(double value, const std::string &digits)
{
    if (showsZero(digits))
        return "\u00b1" + digits;
    return (value < 0 ? minusSign : "+") + digits;
}

/// Bytes without their sign.
std::string byteSize(double size, int decimals)
{
    constexpr double kib = 1024.0;
    constexpr double leastGib = 0.1;
    if (size >= leastGib * bytesPerGiB)
        return magnitude(size / bytesPerGiB, decimals) + " GiB";
    // 9.95 would show as 10.0: the border follows what is shown.
    if (size >= bytesPerMiB)
        return magnitude(size / bytesPerMiB, size / bytesPerMiB < 9.95 ? 1 : 0) + " MiB";
    if (size >= kib)
        return magnitude(size / kib, 0) + " KiB";
    return magnitude(size, 0) + " B";
}

struct Scale
{
    double factor;
    const char *unit;
};

/// Three significant digits of a number in the largest unit below it.
std::string scaled(double value, std::span<const Scale> scales)
{
    const double size = std::abs(value);
    for (const Scale &scale : scales) {
        // Rounding must not show "1,000 k": the unit changes where the rounded number does.
        if (size < scale.factor * 0.9995)
            continue;
        const double shown = size / scale.factor;
        return magnitude(shown, shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0) + scale.unit;
    }
    return magnitude(size, 0);
}

} // namespace

std::string formatCount(std::int64_t value)
{
    const std::string digits = fmt::format("{}", value);
    return value < 0 ? minusSign + grouped(digits.substr(1)) : grouped(digits);
}

std::string formatFixed(double value, int decimals)
{
    if (!std::isfinite(value))
        return noValue;
    const std::string digits = magnitude(value, decimals);
    return value < 0 && !showsZero(digits) ? minusSign + digits : digits;
}

std::string formatBytes(ByteCount bytes, int decimals)
{
    const std::string size = byteSize(std::abs(static_cast<double>(bytes)), decimals);
    return bytes < 0 ? minusSign + size : size;
}

std::string formatGib(ByteCount bytes, int decimals) { return formatFixed(static_cast<double>(bytes) / bytesPerGiB, decimals); }

std::string formatDuration(double seconds)
{
    if (!std::isfinite(seconds))
        return noValue;
    const double size = std::abs(seconds);
    // The borders are where rounding would show a thousand of the smaller unit.
    if (size >= 0.999995)
        return formatFixed(seconds, 2) + " s";
    if (size >= 0.0009995)
        return formatFixed(seconds * 1e3, 2) + " ms";
    if (size >= 0.9995e-6)
        return formatFixed(seconds * 1e6, 0) + " \u00b5s";
    if (size >= 0.5e-9)
        return formatFixed(seconds * 1e9, 0) + " ns";
    return "0 s";
}

std::string formatSeconds(double seconds, int decimals) { return formatFixed(seconds, decimals) + " s"; }

std::string formatPercent(double ratio, int decimals) { return formatFixed(ratio * 100, decimals) + " %"; }

std::string formatShort(double value)
{
    if (!std::isfinite(value))
        return noValue;
    static constexpr std::array<Scale, 4> scales{ { { 1e12, " T" }, { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" } } };
    const std::string digits = scaled(value, scales);
    return value < 0 && !showsZero(digits) ? minusSign + digits : digits;
}

std::string formatSigned(double value, int decimals)
{
    return std::isfinite(value) ? signedText(value, magnitude(value, decimals)) : noValue;
}

std::string formatSignedBytes(ByteCount bytes, int decimals)
{
    return signedText(static_cast<double>(bytes), byteSize(std::abs(static_cast<double>(bytes)), decimals));
}

std::string formatChange(double before, double after)
{
    if (before == 0 || !std::isfinite(before) || !std::isfinite(after))
        return {};
    const double change = (after - before) / std::abs(before) * 100;
    return formatSigned(change, std::abs(change) < 1 ? 1 : 0) + " %";
}

std::string formatParameters(std::int64_t count)
{
    constexpr double billion = 1e9;
    const auto size = static_cast<double>(count);
    if (size >= 9.995 * billion)
        return magnitude(size / billion, 1) + " B";
    static constexpr std::array<Scale, 3> scales{ { { billion, " B" }, { 1e6, " M" }, { 1e3, " k" } } };
    return scaled(size, scales);
}

} // namespace pipeloom
