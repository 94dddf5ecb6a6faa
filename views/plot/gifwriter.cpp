// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/gifwriter.h"

#include <QIODevice>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pipeloom
{

namespace
{

void put16(QByteArray &bytes, int value)
{
    bytes.append(static_cast<char>(value & 0xff));
    bytes.append(static_cast<char>((value >> 8) & 0xff));
}

/// Bits of an index into the palette: a palette has 2, 4, .. 256 entries.
int bitsFor(std::size_t colours)
{
    int bits = 1;
    while ((std::size_t{ 1 } << bits) < colours)
        ++bits;
    return bits;
}

void putPalette(QByteArray &bytes, const std::vector<QRgb> &colours)
{
    const std::size_t entries = std::size_t{ 1 } << bitsFor(colours.size());
    for (std::size_t i = 0; i < entries; ++i) {
        const QRgb colour = i < colours.size() ? colours[i] : 0;
        bytes.append(static_cast<char>(qRed(colour)));
        bytes.append(static_cast<char>(qGreen(colour)));
        bytes.append(static_cast<char>(qBlue(colour)));
    }
}

/// Codes of growing width, least significant bit first, in blocks of up to 255 bytes.
class CodeStream
{
public:
    explicit CodeStream(QByteArray &bytes)
        : m_bytes(bytes)
    {
    }

    void put(int code, int width)
    {
        m_bits |= static_cast<std::uint32_t>(code) << m_count;
        m_count += width;
        while (m_count >= 8) {
            putByte();
            m_bits >>= 8U;
            m_count -= 8;
        }
    }

    void end()
    {
        if (m_count > 0)
            putByte();
        putBlock();
        m_bytes.append('\0');
    }

private:
    void putByte()
    {
        m_block.append(static_cast<char>(m_bits & 0xffU));
        if (m_block.size() == 255)
            putBlock();
    }
    void putBlock()
    {
        if (m_block.isEmpty())
            return;
        m_bytes.append(static_cast<char>(m_block.size()));
        m_bytes.append(m_block);
        m_block.clear();
    }

    QByteArray &m_bytes;
    QByteArray m_block;
    std::uint32_t m_bits = 0;
    int m_count = 0;
};

/// The strings that LZW has met: (code of the string before, next index) -> code. Open addressing, at most a quarter full.
class CodeTable
{
public:
    CodeTable() { clear(); }

    void clear() { m_slots.fill({ 0, -1 }); }

    /// The code, or -1 after having stored `code` for it.
    int findOrAdd(int prefix, int index, int code)
    {
        const std::uint32_t key = (static_cast<std::uint32_t>(prefix) << 8U) | static_cast<std::uint32_t>(index);
        std::size_t at = (key * 2654435761U) >> 18U;
        while (m_slots[at].code >= 0) {
            if (m_slots[at].key == key)
                return m_slots[at].code;
            at = (at + 1) % m_slots.size();
        }
        m_slots[at] = { key, code };
        return -1;
    }

private:
    struct Slot
    {
        std::uint32_t key = 0;
        int code = -1;
    };
    std::array<Slot, 1U << 14U> m_slots{};
};

constexpr int mostCodes = 4096;

/// The pixels of `area`, row by row, as LZW data with its leading code size.
void putPixels(QByteArray &bytes, const QImage &image, const QRect &area, const GifPalette &palette)
{
    const int size = std::max(2, bitsFor(palette.colours().size()));
    const int clear = 1 << size;
    bytes.append(static_cast<char>(size));
    CodeStream stream(bytes);
    CodeTable table;
    int width = size + 1;
    int next = clear + 2;
    stream.put(clear, width);
    int prefix = -1;
    QRgb lastColour = 0;
    int lastIndex = -1;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        for (int x = area.left(); x <= area.right(); ++x) {
            const QRgb colour = line[x] | 0xff000000U;
            if (lastIndex < 0 || colour != lastColour) {
                lastColour = colour;
                lastIndex = palette.indexOf(colour);
            }
            if (prefix < 0) {
                prefix = lastIndex;
                continue;
            }
            const int known = table.findOrAdd(prefix, lastIndex, next);
            if (known >= 0) {
                prefix = known;
                continue;
            }
            stream.put(prefix, width);
            prefix = lastIndex;
            // The reader learns a code one step later than the writer: it widens when the writer uses the first wide one.
            if (next == (1 << width) && width < 12)
                ++width;
            if (++next == mostCodes) {
                stream.put(clear, width);
                table.clear();
                width = size + 1;
                next = clear + 2;
            }
        }
    }
    if (prefix >= 0) {
        stream.put(prefix, width);
        if (next == (1 << width) && width < 12)
            ++width;
    }
    stream.put(clear + 1, width);
    stream.end();
}

/// True when the palette stands for every colour in the area.
bool covers(const GifPalette &palette, const QImage &image, const QRect &area)
{
    QRgb last = 0;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        for (int x = area.left(); x <= area.right(); ++x) {
            const QRgb colour = line[x] | 0xff000000U;
            if (colour != last && palette.distance(colour) > GifWriter::tolerance)
                return false;
            last = colour;
        }
    }
    return true;
}

std::vector<QImage> opaque(std::span<const QImage> images)
{
    std::vector<QImage> result;
    for (const QImage &image : images)
        result.push_back(image.convertToFormat(QImage::Format_RGB32));
    return result;
}

} // namespace

QRect changedRect(const QImage &before, const QImage &after)
{
    const auto same = [](QRgb a, QRgb b) { return ((a ^ b) & 0xffffffU) == 0; };
    int left = after.width(), right = -1, top = -1, bottom = -1;
    for (int y = 0; y < after.height(); ++y) {
        const auto *a = reinterpret_cast<const QRgb *>(before.constScanLine(y));
        const auto *b = reinterpret_cast<const QRgb *>(after.constScanLine(y));
        const auto first = std::mismatch(a, a + after.width(), b, same).first - a;
        if (first == after.width())
            continue;
        int last = after.width() - 1;
        while (same(a[last], b[last]))
            --last;
        left = std::min(left, static_cast<int>(first));
        right = std::max(right, last);
        top = top < 0 ? y : top;
        bottom = y;
    }
    return right < 0 ? QRect() : QRect(QPoint(left, top), QPoint(right, bottom));
}

int frameDelay(int index, double perSecond)
{
    const double each = 100 / perSecond;
    return std::max(1, static_cast<int>(std::lround((index + 1) * each) - std::lround(index * each)));
}

GifWriter::GifWriter(QIODevice *device, std::span<const QImage> samples)
    : m_device(device)
    , m_size(samples.front().size())
    , m_palette(opaque(samples), QRect(QPoint(), samples.front().size()))
{
    writeHeader();
}

void GifWriter::writeHeader()
{
    m_bytes.append("GIF89a", 6);
    put16(m_bytes, m_size.width());
    put16(m_bytes, m_size.height());
    const int bits = bitsFor(m_palette.colours().size());
    m_bytes.append(static_cast<char>(0x80 | 0x70 | (bits - 1))); // a palette for all frames, from 8 bits a channel
    m_bytes.append('\0');
    m_bytes.append('\0');
    putPalette(m_bytes, m_palette.colours());
    m_bytes.append("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19); // loops for ever
}

bool GifWriter::flush()
{
    const bool written = m_device->write(m_bytes) == m_bytes.size();
    m_bytes.clear();
    return written;
}

bool GifWriter::addFrame(const QImage &image, int centiseconds)
{
    if (image.size() != m_size)
        return false;
    const QImage frame = image.convertToFormat(QImage::Format_RGB32);
    QRect area = m_shown.isNull() ? QRect(QPoint(), m_size) : changedRect(m_shown, frame);
    m_lastChange = area;
    // A frame without a change still takes its time: a pixel stands for it.
    if (area.isEmpty())
        area = QRect(0, 0, 1, 1);
    m_bytes.append("\x21\xf9\x04\x04", 4); // stays until the next frame covers it
    put16(m_bytes, std::clamp(centiseconds, 1, 65535));
    m_bytes.append('\0');
    m_bytes.append('\0');
    m_bytes.append('\x2c');
    for (const int value : { area.left(), area.top(), area.width(), area.height() })
        put16(m_bytes, value);
    if (covers(m_palette, frame, area)) {
        m_bytes.append('\0');
        putPixels(m_bytes, frame, area, m_palette);
    } else {
        const GifPalette own(std::span(&frame, 1), area);
        m_bytes.append(static_cast<char>(0x80 | (bitsFor(own.colours().size()) - 1)));
        putPalette(m_bytes, own.colours());
        putPixels(m_bytes, frame, area, own);
    }
    m_shown = frame;
    return flush();
}

bool GifWriter::finish()
{
    m_bytes.append('\x3b');
    return flush();
}

} // namespace pipeloom
