// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/format.h"

#include "core/base/format.h"

#include <cmath>

namespace pipeloom
{

namespace
{

QString withSign(double value, const QString &digits)
{
    if (value == 0) {
        return QStringLiteral("±") + digits;
    }
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + digits;
}

double roundedTo(double value, int decimals)
{
    const double scale = std::pow(10.0, decimals);
    return std::round(value * scale) / scale;
}

} // namespace

QString groupedText(std::int64_t value) { return QString::fromStdString(formatCount(value)); }

QString fixedText(double value, int decimals) { return QString::fromStdString(formatFixed(value, decimals)); }

QString gibText(ByteCount bytes, int decimals) { return QString::fromStdString(formatGib(bytes, decimals)); }

QString shortCount(double value) { return QString::fromStdString(formatParameters(static_cast<std::int64_t>(value))); }

QString thousandsText(double value) { return QString::fromStdString(formatShort(value)); }

Delta delta(double first, double second, DeltaStyle style)
{
    if (!std::isfinite(first) || !std::isfinite(second)) {
        return {};
    }
    const double difference = first - second;
    const bool small = style == DeltaStyle::Points ? std::abs(difference) < 1 : std::abs(difference) < 0.01 * std::abs(second);
    const int tone = small ? 0 : difference < 0 ? -1 : 1;
    switch (style) {
    case DeltaStyle::Points: {
        const double shown = roundedTo(difference, 1);
        return { withSign(shown, fixedText(std::abs(shown), 1)) + QStringLiteral(" pt"), tone };
    }
    case DeltaStyle::Thousands:
        return { withSign(difference, thousandsText(std::abs(difference))), tone };
    case DeltaStyle::Percent:
        break;
    }
    if (second == 0) {
        return difference == 0 ? Delta{ QStringLiteral("±0 %"), 0 } : Delta{};
    }
    const double percent = 100 * difference / second;
    const int decimals = std::abs(percent) < 9.95 && std::abs(percent) > 0 ? 1 : 0;
    const double shown = roundedTo(percent, decimals);
    return { withSign(shown, fixedText(std::abs(shown), shown == 0 ? 0 : decimals)) + QStringLiteral(" %"), tone };
}

QString termValue(const Term &term)
{
    const QString unit = QString::fromStdString(term.unit);
    if (unit == QLatin1String("B")) {
        const double gibibytes = term.value / bytesPerGiB;
        return std::abs(gibibytes) < 0.1 ? fixedText(term.value / bytesPerMiB, 1) + QStringLiteral(" MiB")
                                         : fixedText(gibibytes, 2) + QStringLiteral(" GiB");
    }
    if (unit == QLatin1String("s")) {
        const double size = std::abs(term.value);
        if (size >= 1 || size == 0) {
            return fixedText(term.value, 3) + QStringLiteral(" s");
        }
        return size >= 1e-3 ? fixedText(term.value * 1e3, 2) + QStringLiteral(" ms")
                            : fixedText(term.value * 1e6, 1) + QStringLiteral(" us");
    }
    const double size = std::abs(term.value);
    QString digits;
    if (size != 0 && (size >= 1e12 || size < 1e-3)) {
        digits = QString::number(term.value, 'g', 5);
    } else if (term.value == std::floor(term.value)) {
        digits = fixedText(term.value, 0);
    } else {
        digits = fixedText(term.value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4);
    }
    return unit.isEmpty() ? digits : digits + QLatin1Char(' ') + unit;
}

QString zeroTitle(int level)
{
    switch (level) {
    case 0:
        return QStringLiteral("0: nothing sharded");
    case 1:
        return QStringLiteral("1: optimizer states");
    case 2:
        return QStringLiteral("2: gradients too");
    case 3:
        return QStringLiteral("3: weights too");
    default:
        return QString::number(level);
    }
}

} // namespace pipeloom
