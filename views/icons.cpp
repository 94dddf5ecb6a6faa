// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/icons.h"

#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

#include <array>
#include <cmath>

// Must stand outside of every namespace: the macro declares the resource's own function.
static void initResources() { Q_INIT_RESOURCE(icons); }

namespace pipeloom
{

namespace
{

constexpr std::array<const char *, iconCount> fileNames = {
    "play",    "pause",         "step-back",    "step-forward", "start", "end",  "loop",   "undo",    "redo",  "pin",
    "swap",    "import",        "export",       "present",      "sun",   "moon", "search", "fit",     "link",  "copy",
    "chevron", "chevron-right", "chevron-left", "check",        "close", "open", "ok",     "warning", "error",
};

QByteArray source(Icon icon)
{
    loadIconResources();
    QFile file(QStringLiteral(":/pipeloom/icons/%1.svg").arg(QLatin1String(fileNames[static_cast<std::size_t>(icon)])));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void addState(QIcon &result, Icon icon, const QColor &colour, QIcon::Mode mode, QIcon::State state)
{
    for (const double ratio : { 1.0, 2.0 }) {
        result.addPixmap(iconPixmap(icon, colour, 16, ratio), mode, state);
    }
}

} // namespace

void loadIconResources()
{
    static const bool loaded = [] {
        initResources();
        return true;
    }();
    static_cast<void>(loaded);
}

QPixmap iconPixmap(Icon icon, const QColor &colour, double size, double devicePixelRatio, const QColor &ground)
{
    QByteArray svg = source(icon);
    svg.replace("currentColor", colour.name().toLatin1());
    svg.replace("#FEFEFE", ground.name().toLatin1());
    const int pixels = static_cast<int>(std::lround(size * devicePixelRatio));
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(svg).render(&painter, QRectF(0, 0, pixels, pixels));
    painter.end();
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

QIcon themedIcon(Icon icon, const Theme &theme)
{
    QIcon result;
    addState(result, icon, theme.text2, QIcon::Normal, QIcon::Off);
    addState(result, icon, theme.accent, QIcon::Normal, QIcon::On);
    QColor faint = theme.text3;
    faint.setRgb(theme.inputLine.rgb());
    addState(result, icon, faint, QIcon::Disabled, QIcon::Off);
    return result;
}

QIcon plainIcon(Icon icon, const QColor &colour)
{
    QIcon result;
    addState(result, icon, colour, QIcon::Normal, QIcon::Off);
    return result;
}

QPixmap statusPixmap(Icon icon, const Theme &theme, double size, double devicePixelRatio)
{
    const QColor colour = icon == Icon::Ok ? theme.ok : icon == Icon::Warning ? theme.warn : theme.err;
    return iconPixmap(icon, colour, size, devicePixelRatio, theme.panel);
}

} // namespace pipeloom
