// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/exportplot.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <qcustomplot.h>

#include <algorithm>

namespace pipeloom
{

namespace
{

constexpr int resolution = 96; ///< a logical pixel is 1/96 inch

QByteArray png(const ExportPicture &picture, double scale)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return paintImage(picture, scale).save(&buffer, "PNG") ? bytes : QByteArray();
}

QByteArray svg(const ExportPicture &picture)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(resolution);
    generator.setSize(picture.size);
    generator.setViewBox(QRect(QPoint(0, 0), picture.size));
    generator.setTitle(QStringLiteral("PipeLoom"));
    QCPPainter painter;
    if (!painter.begin(&generator))
        return {};
    painter.setMode(QCPPainter::pmVectorized);
    picture.draw(painter);
    painter.end();
    return bytes;
}

QByteArray pdf(const ExportPicture &picture)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(resolution);
    writer.setCreator(QStringLiteral("PipeLoom " PIPELOOM_VERSION));
    const QSizeF points(picture.size.width() * 72.0 / resolution, picture.size.height() * 72.0 / resolution);
    writer.setPageLayout(QPageLayout(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch), QPageLayout::Portrait,
                                     QMarginsF(), QPageLayout::Point));
    QCPPainter painter;
    if (!painter.begin(&writer))
        return {};
    painter.setMode(QCPPainter::pmVectorized);
    picture.draw(painter);
    painter.end();
    return bytes;
}

bool refuse(QString *errorOut, const QString &reason)
{
    if (errorOut != nullptr)
        *errorOut = reason;
    return false;
}

} // namespace

QImage paintImage(const ExportPicture &picture, double scale)
{
    scale = std::clamp(scale, 0.5, 8.0);
    QImage image((QSizeF(picture.size) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QCPPainter painter(&image);
    painter.scale(scale, scale);
    picture.draw(painter);
    painter.end();
    return image;
}

bool writePicture(const ExportPicture &picture, const QString &path, const QString &format, double scale, QString *errorOut)
{
    const QString kind = format.toLower();
    if (kind != QStringLiteral("png") && kind != QStringLiteral("svg") && kind != QStringLiteral("pdf"))
        return refuse(errorOut, QStringLiteral("pictures are written as png, svg or pdf, not \"%1\"").arg(format));
    if (picture.size.isEmpty())
        return refuse(errorOut, QStringLiteral("there is nothing to draw"));
    const QByteArray bytes = kind == QStringLiteral("png") ? png(picture, scale)
        : kind == QStringLiteral("svg")                    ? svg(picture)
                                                           : pdf(picture);
    if (bytes.isEmpty())
        return refuse(errorOut, QStringLiteral("the picture could not be made"));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return refuse(errorOut, file.errorString());
    return true;
}

} // namespace pipeloom
