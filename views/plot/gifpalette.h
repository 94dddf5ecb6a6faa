// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QImage>
#include <QRect>
#include <QRgb>

#include <span>
#include <vector>

namespace pipeloom
{

/// At most 256 colours that stand for the colours of pictures. Pictures of up to 256 colours keep each of them; of more, the
/// commonest keep theirs (flat areas must not change), the rest is divided by median cut.
class GifPalette
{
public:
    GifPalette() = default;
    /// Of the pixels of `images` (Format_RGB32) within `area`, which must lie within each of them.
    GifPalette(std::span<const QImage> images, const QRect &area);

    [[nodiscard]] const std::vector<QRgb> &colours() const { return m_colours; }
    /// The nearest colour's index. Remembers its answers.
    [[nodiscard]] int indexOf(QRgb colour) const;
    /// How far the nearest colour is, in the channel that differs most: 0 to 255.
    [[nodiscard]] int distance(QRgb colour) const;

private:
    std::vector<QRgb> m_colours;
    mutable QHash<QRgb, int> m_nearest;
};

} // namespace pipeloom
