// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/plot/gifpalette.h"

#include <QByteArray>
#include <QImage>
#include <QSize>

#include <span>

class QIODevice;

namespace pipeloom
{

/// Writes an animated GIF89a that loops for ever, frame by frame: each holds only the rectangle that changed. Colours come from
/// one palette for all frames, so that what does not change does not flicker; a frame with colours far from it brings its own.
class GifWriter
{
public:
    /// `samples`: pictures whose colours are those of the animation, such as its first and last; not empty, all of the size of
    /// the frames (at most 65,535 each way). `device` is open for writing and outlives the writer.
    GifWriter(QIODevice *device, std::span<const QImage> samples);

    /// Shown for `centiseconds` (1/100 s, 1 to 65,535); transparent pixels are taken as opaque. False when the device refuses or
    /// the size is another.
    bool addFrame(const QImage &image, int centiseconds);
    /// Ends the file; no frames after it.
    bool finish();

    /// Of the frames so far, what the last one had to write.
    [[nodiscard]] QRect lastChange() const { return m_lastChange; }

    /// Colours farther from the palette than this are worth a palette of the frame's own.
    static constexpr int tolerance = 24;

private:
    void writeHeader();
    bool flush();

    QIODevice *m_device;
    QSize m_size;
    GifPalette m_palette;
    QImage m_shown; ///< the frame before
    QRect m_lastChange;
    QByteArray m_bytes; ///< not yet given to the device
};

/// The rectangle outside of which both pictures (Format_RGB32, of the same size) are equal; empty when they are equal.
[[nodiscard]] QRect changedRect(const QImage &before, const QImage &after);

/// How long frame `index` is shown at `perSecond` frames a second, 1/100 s: rounded so that the sum keeps in time.
[[nodiscard]] int frameDelay(int index, double perSecond);

} // namespace pipeloom
