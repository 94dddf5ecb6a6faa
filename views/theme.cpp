// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme.h"

#include <QGuiApplication>
#include <QScreen>

#include <cmath>

namespace pipeloom
{

namespace
{

Theme makeLight()
{
    Theme t;
    t.dark = false;
    t.bg = "#EBEDF0";
    t.panel = "#FFFFFF";
    t.alt = "#F5F6F8";
    t.lane = "#FAFBFC";
    t.line = "#D3D8DE";
    t.grid = "#E7EAEE";
    t.text = "#1A2027";
    t.text2 = "#46515D";
    t.text3 = "#5A6571";
    t.accent = "#0B6B72";
    t.accentBg = "#DFEFF0";
    t.onAccent = "#FFFFFF";
    t.ok = "#1A7442";
    t.okBg = "#E6F3EB";
    t.warn = "#855600";
    t.warnBg = "#FBF0D9";
    t.err = "#B3261E";
    t.errBg = "#FCEBE9";
    t.input = "#FFFFFF";
    t.inputLine = "#BFC6CE";
    t.groove = "#CCD2D9";
    t.hatch = "#C9CFD6";
    t.hatchBg = "#F4F5F7";
    t.reserve = "#D9A9A5";
    t.play = "#1A2027";
    t.ghost = "#8993A0";
    t.planGrey = "#5C6875";
    t.forward = { "#2F76B8", "#235A8E", "#FFFFFF" };
    t.inputGradient = { "#DA7A1B", "#B4610F", "#171C22" };
    t.weightGradient = { "#F5D09B", "#B68537", "#171C22" };
    t.pair = { "#372B7C", "#231A57", "#FFFFFF" };
    t.optimizer = { "#7E8888", "#5F6868", "#FFFFFF" };
    t.pairBackwardLabel = "#F5C58C";
    t.memory = { "#2F4456", "#567189", "#829CB3", "#CBD7E1", "#DDAF45", "#F4E2AE", "#8F8A83" };
    return t;
}

Theme makeDark()
{
    Theme t;
    t.dark = true;
    t.bg = "#101419";
    t.panel = "#191D24";
    t.alt = "#20252D";
    t.lane = "#161A20";
    t.line = "#323A45";
    t.grid = "#262C35";
    t.text = "#E7EBF0";
    t.text2 = "#B5BEC9";
    t.text3 = "#8F9AA7";
    t.accent = "#45B8BE";
    t.accentBg = "#15353A";
    t.onAccent = "#08191B";
    t.ok = "#62CB8F";
    t.okBg = "#152D20";
    t.warn = "#E5B454";
    t.warnBg = "#322810";
    t.err = "#FF8A7E";
    t.errBg = "#3A1B1A";
    t.input = "#14181E";
    t.inputLine = "#444E5A";
    t.groove = "#3A434E";
    t.hatch = "#3A434E";
    t.hatchBg = "#15191F";
    t.reserve = "#7A4541";
    t.play = "#F4F7FA";
    t.ghost = "#77828F";
    t.planGrey = "#97A2AF";
    t.forward = { "#6FB0EE", "#4A86BE", "#0F141A" };
    t.inputGradient = { "#D9832A", "#A8611A", "#0F141A" };
    t.weightGradient = { "#E2CBA3", "#AF9770", "#0F141A" };
    t.pair = { "#6658BA", "#867AD1", "#FFFFFF" };
    t.optimizer = { "#6A716F", "#858D8A", "#FFFFFF" };
    t.pairBackwardLabel = "#FFE3BF";
    t.memory = { "#3C5266", "#587793", "#8FABC2", "#DAE3EC", "#D9A93C", "#F3E1AE", "#8A847B" };
    return t;
}

/// Half pixels (10.5, 12.5) exist in the design; QFont takes whole pixels only, so these go through points.
void setPixels(QFont &font, double pixelSize)
{
    const double whole = std::round(pixelSize);
    if (std::abs(whole - pixelSize) < 0.01) {
        font.setPixelSize(static_cast<int>(whole));
        return;
    }
    const QScreen *screen = QGuiApplication::primaryScreen();
    font.setPointSizeF(pixelSize * 72.0 / (screen != nullptr ? screen->logicalDotsPerInchY() : 96.0));
}

QFont designFont(const QStringList &families, double pixelSize, QFont::Weight weight)
{
    QFont font;
    font.setFamilies(families);
    setPixels(font, pixelSize);
    font.setWeight(weight);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

/// Relative luminance, 0 to 1.
double luminance(const QColor &colour)
{
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

const Theme &lightTheme()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

QColor textOn(const QColor &fill)
{
    static const QColor dark("#12171D");
    const double ground = luminance(fill);
    const double withWhite = 1.05 / (ground + 0.05);
    const double withDark = (ground + 0.05) / (luminance(dark) + 0.05);
    return withWhite >= withDark ? QColor(Qt::white) : dark;
}

QFont uiFont(double pixelSize, QFont::Weight weight)
{
    return designFont(
        { QStringLiteral("Roboto"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"), QStringLiteral("sans-serif") },
        pixelSize, weight);
}

QFont condensedFont(double pixelSize, QFont::Weight weight)
{
    return designFont(
        { QStringLiteral("Roboto Condensed"), QStringLiteral("DejaVu Sans Condensed"), QStringLiteral("sans-serif") }, pixelSize,
        weight);
}

QFont monoFont(double pixelSize)
{
    return designFont({ QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono"), QStringLiteral("monospace") },
                      pixelSize, QFont::Normal);
}

} // namespace pipeloom
