// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QSize>
#include <QString>

#include <functional>

class QCPPainter;

namespace pipeloom
{

/// A picture that can be drawn on any device: its size in logical pixels and how it is drawn.
struct ExportPicture
{
    QSize size;
    std::function<void(QCPPainter &painter)> draw;
};

/// Draws it `scale` device pixels to the logical pixel (0.5 to 8).
[[nodiscard]] QImage paintImage(const ExportPicture &picture, double scale);

/// Writes "png" (at `scale`), "svg" or "pdf" (one page of the picture's size). Atomic: an existing file is replaced only by a
/// whole new one. False with the reason (without the path) in `errorOut` when the format is unknown or the file cannot be
/// written.
bool writePicture(const ExportPicture &picture, const QString &path, const QString &format, double scale, QString *errorOut);

} // namespace pipeloom
