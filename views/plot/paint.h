// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QPainter>
#include <QRectF>
#include <QString>

namespace pipeloom
{

/// Small drawing helpers that look the same on screen, in a pixmap and in a vector file.

/// How a plan's letter looks: A solid ink, B outlined, later letters grey.
void drawPlanBadge(QPainter &painter, const QRectF &rect, const QString &letter, const Theme &theme, bool grey = false);

/// Text in one line inside `rect`; `flags` as for QPainter::drawText. Elided at the right when it does not fit.
void drawLine(QPainter &painter, const QRectF &rect, int flags, const QFont &font, const QColor &colour, const QString &text);

[[nodiscard]] double textWidth(const QFont &font, const QString &text);

/// The bubble pattern: a ground and diagonal lines every 8 px, anchored at x = `anchor` so that it travels with the time axis.
/// Draws its own clipped lines, because SVG output clips nothing.
void drawHatch(QPainter &painter, const QRectF &rect, double anchor, const QColor &line, const QColor &ground = QColor());

/// `a` over `b`: share 1 = a.
[[nodiscard]] QColor mixed(const QColor &a, const QColor &b, double share);

/// Device pixels per logical pixel of what the painter draws on.
[[nodiscard]] double deviceRatio(const QPainter &painter);
/// True for SVG and PDF.
[[nodiscard]] bool drawsVectors(const QPainter &painter);

/// `value` rounded to a whole device pixel.
[[nodiscard]] double crisp(double value, double ratio);
[[nodiscard]] QRectF crisp(const QRectF &rect, double ratio);

/// A frame of `thickness` inside `rect`, four fills: no antialiasing, no pen.
void drawFrame(QPainter &painter, const QRectF &rect, double thickness, const QColor &colour);

} // namespace pipeloom
