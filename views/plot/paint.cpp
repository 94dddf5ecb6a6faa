// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/paint.h"

#include <QFontMetricsF>
#include <QHash>
#include <QImage>
#include <QPaintDevice>
#include <QPaintEngine>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double hatchPitch = 8;

/// Lines x + y = k x pitch (from anchor) cut to the rectangle.
QVector<QLineF> hatchLines(const QRectF &rect, double anchor)
{
    QVector<QLineF> lines;
    const double low = rect.left() + rect.top() - anchor;
    const double high = rect.right() + rect.bottom() - anchor;
    for (double k = std::ceil(low / hatchPitch); k * hatchPitch < high; ++k) {
        const double sum = k * hatchPitch + anchor;
        const double x1 = std::max(rect.left(), sum - rect.bottom());
        const double x2 = std::min(rect.right(), sum - rect.top());
        if (x2 > x1)
            lines.append(QLineF(x1, sum - x1, x2, sum - x2));
    }
    return lines;
}

/// One tile of the pattern in device pixels.
QImage hatchTile(const QColor &line, const QColor &ground, double ratio)
{
    const int size = std::max(4, static_cast<int>(std::lround(hatchPitch * ratio)));
    QImage tile(size, size, QImage::Format_ARGB32_Premultiplied);
    tile.fill(ground.isValid() ? ground : QColor(Qt::transparent));
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, ratio));
    for (const int shift : { -size, 0, size })
        painter.drawLine(QPointF(shift - 2, size + 2), QPointF(shift + size + 2, -2));
    return tile;
}

} // namespace

void drawPlanBadge(QPainter &painter, const QRectF &rect, const QString &letter, const Theme &theme, bool grey)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool outlined = letter == QStringLiteral("B");
    const QColor ink = grey ? theme.text3 : theme.text;
    QColor label = theme.panel;
    if (outlined) {
        label = ink;
        painter.setPen(QPen(ink, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), 3, 3);
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(letter == QStringLiteral("A") ? ink : theme.planGrey);
        painter.drawRoundedRect(rect, 3, 3);
    }
    painter.setFont(uiFont(std::round(rect.height() * 0.68), QFont::Bold));
    painter.setPen(label);
    painter.drawText(rect, Qt::AlignCenter, letter);
    painter.restore();
}

void drawLine(QPainter &painter, const QRectF &rect, int flags, const QFont &font, const QColor &colour, const QString &text)
{
    painter.setFont(font);
    painter.setPen(colour);
    const QFontMetricsF metrics(font);
    QString shown = text;
    if (metrics.horizontalAdvance(text) > rect.width() + 0.5)
        shown = metrics.elidedText(text, Qt::ElideRight, rect.width());
    painter.drawText(rect, flags | Qt::TextSingleLine | Qt::TextDontClip, shown);
}

double textWidth(const QFont &font, const QString &text) { return QFontMetricsF(font).horizontalAdvance(text); }

void drawHatch(QPainter &painter, const QRectF &rect, double anchor, const QColor &line, const QColor &ground)
{
    if (rect.isEmpty())
        return;
    if (drawsVectors(painter)) {
        if (ground.isValid())
            painter.fillRect(rect, ground);
        painter.save();
        painter.setPen(QPen(line, 1));
        painter.drawLines(hatchLines(rect, anchor));
        painter.restore();
        return;
    }
    const double ratio = deviceRatio(painter);
    static QHash<QString, QImage> tiles;
    const QString key =
        line.name(QColor::HexArgb) + (ground.isValid() ? ground.name(QColor::HexArgb) : QString()) + QString::number(ratio);
    auto tile = tiles.constFind(key);
    if (tile == tiles.constEnd())
        tile = tiles.insert(key, hatchTile(line, ground, ratio));
    QBrush brush(*tile);
    brush.setTransform(QTransform::fromScale(1 / ratio, 1 / ratio));
    const QPointF origin = painter.brushOrigin();
    const double period = tile->width() / ratio;
    painter.setBrushOrigin(QPointF(crisp(std::fmod(anchor, period), ratio), 0));
    painter.fillRect(rect, brush);
    painter.setBrushOrigin(origin);
}

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto mix = [share](int x, int y) { return static_cast<int>(std::lround(share * x + (1 - share) * y)); };
    return { mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()) };
}

double deviceRatio(const QPainter &painter)
{
    const double ratio = painter.deviceTransform().m11();
    return ratio > 0 ? ratio : 1;
}

bool drawsVectors(const QPainter &painter)
{
    const QPaintEngine *engine = painter.paintEngine();
    return engine != nullptr
        && (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf
            || engine->type() == QPaintEngine::Picture);
}

double crisp(double value, double ratio) { return std::round(value * ratio) / ratio; }

QRectF crisp(const QRectF &rect, double ratio)
{
    return QRectF(QPointF(crisp(rect.left(), ratio), crisp(rect.top(), ratio)),
                  QPointF(crisp(rect.right(), ratio), crisp(rect.bottom(), ratio)));
}

void drawFrame(QPainter &painter, const QRectF &rect, double thickness, const QColor &colour)
{
    const double t = std::min({ thickness, rect.width() / 2, rect.height() / 2 });
    painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), t), colour);
    painter.fillRect(QRectF(rect.left(), rect.bottom() - t, rect.width(), t), colour);
    painter.fillRect(QRectF(rect.left(), rect.top() + t, t, rect.height() - 2 * t), colour);
    painter.fillRect(QRectF(rect.right() - t, rect.top() + t, t, rect.height() - 2 * t), colour);
}

} // namespace pipeloom
