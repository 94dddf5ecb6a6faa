// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/windowpicture.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QFileInfo>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QWidget>

namespace pipeloom
{

namespace
{

/// Draws the widgets without their plots, then each plot as vectors in its place.
void drawVectors(QWidget &window, QPaintDevice &device)
{
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmVectorized);
    QRegion widgets(window.rect());
    QList<QCustomPlot *> plots;
    for (QCustomPlot *plot : window.findChildren<QCustomPlot *>()) {
        if (plot->isVisible()) {
            plots += plot;
            widgets -= QRegion(QRect(plot->mapTo(&window, QPoint()), plot->size()));
        }
    }
    window.render(&painter, QPoint(), widgets);
    for (QCustomPlot *plot : plots) {
        painter.save();
        painter.translate(plot->mapTo(&window, QPoint()));
        plot->toPainter(&painter, plot->width(), plot->height());
        painter.restore();
    }
    painter.end();
    for (QCustomPlot *plot : plots) {
        plot->replot(); // an export leaves the layout of its own size behind
    }
}

QByteArray svgOf(QWidget &window)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(96);
    generator.setSize(window.size());
    generator.setViewBox(window.rect());
    generator.setTitle(window.windowTitle().remove(QStringLiteral("[*]")));
    drawVectors(window, generator);
    return bytes;
}

QByteArray pdfOf(QWidget &window)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(96);
    writer.setPageMargins(QMarginsF());
    writer.setPageSize(QPageSize(QSizeF(window.size()) / 96.0, QPageSize::Inch, QString(), QPageSize::ExactMatch));
    writer.setTitle(window.windowTitle().remove(QStringLiteral("[*]")));
    drawVectors(window, writer);
    return bytes;
}

QByteArray pngOf(QWidget &window, double scale)
{
    QPixmap picture;
    if (scale > 0) {
        picture = QPixmap(window.size() * scale);
        picture.setDevicePixelRatio(scale);
        window.render(&picture);
    } else {
        picture = window.grab();
    }
    picture.setDevicePixelRatio(1);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    picture.save(&buffer, "PNG");
    return bytes;
}

} // namespace

Expected<bool> writeWindowPicture(QWidget &window, const QString &path, double scale)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    const QByteArray bytes = suffix == QLatin1String("svg") ? svgOf(window)
        : suffix == QLatin1String("pdf")                    ? pdfOf(window)
                                                            : pngOf(window, scale);
    QSaveFile file(path);
    if (bytes.isEmpty() || !file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        const QString reason = bytes.isEmpty() ? QStringLiteral("nothing was drawn") : file.errorString();
        return Error{ ErrorCode::Unwritable, reason.toStdString(), path.toStdString(), {}, "choose another folder or name" };
    }
    return true;
}

} // namespace pipeloom
