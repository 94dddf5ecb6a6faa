// SPDX-License-Identifier: GPL-3.0-or-later
// The GIF writer against a decoder written for the test, and against Qt's reader where it is installed.
#include "views/plot/gifwriter.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QFile>
#include <QImageReader>
#include <QPainter>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace pipeloom
{

namespace
{

struct DecodedFrame
{
    QImage image; ///< the whole picture after the frame
    QRect area;
    int delay = 0;
    bool ownPalette = false;
};

struct DecodedGif
{
    QSize size;
    bool loops = false;
    bool ended = false;
    std::vector<DecodedFrame> frames;
};

/// A plain reader of what GIF89a says; stops at the first thing it does not know.
class Decoder
{
public:
    explicit Decoder(const QByteArray &bytes)
        : m_bytes(bytes)
    {
    }

    DecodedGif decode()
    {
        DecodedGif gif;
        if (m_bytes.left(6) != "GIF89a")
            return gif;
        m_at = 6;
        gif.size = QSize(take16(), 0);
        gif.size.setHeight(take16());
        const int flags = take();
        m_at += 2;
        const std::vector<QRgb> common = (flags & 0x80) != 0 ? palette(flags) : std::vector<QRgb>();
        QImage canvas(gif.size, QImage::Format_RGB32);
        canvas.fill(Qt::magenta);
        int delay = 0;
        while (m_at < m_bytes.size()) {
            const int kind = take();
            if (kind == 0x3b) {
                gif.ended = m_at == m_bytes.size();
                return gif;
            }
            if (kind == 0x21) {
                const int label = take();
                const QByteArray data = blocks();
                if (label == 0xff)
                    gif.loops = data == QByteArray("NETSCAPE2.0\x01\x00\x00", 14);
                if (label == 0xf9)
                    delay = byte(data, 1) | (byte(data, 2) << 8);
                continue;
            }
            if (kind != 0x2c)
                return gif;
            const int left = take16(), top = take16(), width = take16(), height = take16();
            const int own = take();
            const std::vector<QRgb> colours = (own & 0x80) != 0 ? palette(own) : common;
            const int size = take();
            const std::vector<int> pixels = unpack(blocks(), size);
            if (static_cast<int>(pixels.size()) != width * height)
                return gif;
            for (int i = 0; i < width * height; ++i)
                canvas.setPixel(left + i % width, top + i / width,
                                colours.at(static_cast<std::size_t>(pixels[static_cast<std::size_t>(i)])));
            gif.frames.push_back({ canvas, QRect(left, top, width, height), delay, (own & 0x80) != 0 });
        }
        return gif;
    }

private:
    static int byte(const QByteArray &bytes, qsizetype i) { return static_cast<unsigned char>(bytes.at(i)); }
    int take() { return byte(m_bytes, m_at++); }
    int take16()
    {
        const int low = take();
        return low | (take() << 8);
    }
    std::vector<QRgb> palette(int flags)
    {
        std::vector<QRgb> colours(std::size_t{ 2 } << (flags & 7));
        for (QRgb &colour : colours) {
            const int red = take(), green = take(), blue = take();
            colour = qRgb(red, green, blue);
        }
        return colours;
    }
    QByteArray blocks()
    {
        QByteArray data;
        while (const int length = take()) {
            data += m_bytes.mid(m_at, length);
            m_at += length;
        }
        return data;
    }

    static std::vector<int> unpack(const QByteArray &data, int size)
    {
        const int clear = 1 << size;
        std::vector<std::vector<int>> table;
        const auto reset = [&] {
            table.assign(static_cast<std::size_t>(clear) + 2, {});
            for (int i = 0; i < clear; ++i)
                table[static_cast<std::size_t>(i)] = { i };
        };
        std::vector<int> pixels;
        int width = size + 1;
        std::vector<int> last;
        qsizetype bit = 0;
        while (bit + width <= data.size() * 8) {
            int code = 0;
            for (int i = 0; i < width; ++i, ++bit)
                code |= ((byte(data, bit / 8) >> (bit % 8)) & 1) << i;
            if (code == clear) {
                reset();
                width = size + 1;
                last.clear();
                continue;
            }
            if (code == clear + 1)
                return pixels;
            std::vector<int> string;
            if (code < static_cast<int>(table.size()))
                string = table[static_cast<std::size_t>(code)];
            else if (code == static_cast<int>(table.size()) && !last.empty()) {
                string = last;
                string.push_back(last.front());
            } else
                return {};
            pixels.insert(pixels.end(), string.begin(), string.end());
            if (!last.empty() && table.size() < 4096) {
                last.push_back(string.front());
                table.push_back(last);
            }
            if (static_cast<int>(table.size()) == 1 << width && width < 12)
                ++width;
            last = string;
        }
        return {}; // no end of information
    }

    const QByteArray &m_bytes;
    qsizetype m_at = 0;
};

QByteArray written(const std::vector<QImage> &frames, int delay = 10)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    GifWriter writer(&buffer, std::span(frames).first(1));
    for (const QImage &frame : frames)
        EXPECT_TRUE(writer.addFrame(frame, delay));
    EXPECT_TRUE(writer.finish());
    return bytes;
}

int farthest(const QImage &a, const QImage &b)
{
    int far = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            far = std::max({ far, std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)), std::abs(qBlue(p) - qBlue(q)) });
        }
    }
    return far;
}

/// Lanes with a line moving over them, as Explore draws them: few colours.
std::vector<QImage> movingLine(int frames)
{
    std::vector<QImage> images;
    for (int i = 0; i < frames; ++i) {
        QImage image(320, 180, QImage::Format_RGB32);
        image.fill(QColor(250, 250, 252));
        QPainter painter(&image);
        for (int lane = 0; lane < 8; ++lane)
            painter.fillRect(10 + 7 * lane, 10 + 20 * lane, 200, 16, QColor(40 + 20 * lane, 120, 200 - 10 * lane));
        painter.fillRect(20 + 9 * i, 5, 2, 170, QColor(200, 30, 30));
        images.push_back(image);
    }
    return images;
}

QImage noise(const QSize &size, unsigned seed)
{
    std::mt19937 random(seed);
    QImage image(size, QImage::Format_RGB32);
    for (int y = 0; y < size.height(); ++y) {
        for (int x = 0; x < size.width(); ++x)
            image.setPixel(x, y, 0xff000000U | static_cast<QRgb>(random()));
    }
    return image;
}

} // namespace

TEST(Gif, framesOfFewColoursComeBackExactlyWithTheirDelaysAndChangesOnly)
{
    const std::vector<QImage> frames = movingLine(6);
    const QByteArray bytes = written(frames, 7);
    const DecodedGif gif = Decoder(bytes).decode();
    EXPECT_EQ(gif.size, QSize(320, 180));
    EXPECT_TRUE(gif.loops);
    EXPECT_TRUE(gif.ended);
    ASSERT_EQ(gif.frames.size(), frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        EXPECT_EQ(gif.frames[i].image, frames[i]) << i;
        EXPECT_EQ(gif.frames[i].delay, 7);
        EXPECT_FALSE(gif.frames[i].ownPalette);
    }
    EXPECT_EQ(gif.frames[0].area, QRect(0, 0, 320, 180));
    // The line's old and new place, and nothing else.
    EXPECT_EQ(gif.frames[1].area, QRect(20, 5, 11, 170));
}

TEST(Gif, aFrameThatChangesNothingStillTakesItsTime)
{
    std::vector<QImage> frames = movingLine(1);
    frames.push_back(frames.front());
    const QByteArray bytes = written(frames, 300);
    const DecodedGif gif = Decoder(bytes).decode();
    ASSERT_EQ(gif.frames.size(), 2U);
    EXPECT_EQ(gif.frames[1].area.size(), QSize(1, 1));
    EXPECT_EQ(gif.frames[1].delay, 300);
    EXPECT_EQ(gif.frames[1].image, frames[1]);
}

TEST(Gif, theDictionaryOverflowsAndEveryCodeWidthComesBack)
{
    // 256 colours of noise need many more codes than the dictionary holds; sizes around its limits end at every width.
    std::mt19937 random(7);
    for (const int pixels : { 1, 2, 3, 255, 256, 257, 511, 767, 1023, 3838, 3839, 3840, 3841, 4096, 60000 }) {
        QImage image(pixels, 1, QImage::Format_RGB32);
        for (int x = 0; x < pixels; ++x) {
            const int grey = static_cast<int>(random() % 256);
            image.setPixel(x, 0, qRgb(grey, grey, 255 - grey));
        }
        const QByteArray bytes = written({ image });
        const DecodedGif gif = Decoder(bytes).decode();
        ASSERT_EQ(gif.frames.size(), 1U) << pixels;
        EXPECT_EQ(gif.frames[0].image, image) << pixels;
    }
}

TEST(Gif, manyColoursStayNearAndTheCommonestExact)
{
    QImage image(256, 200, QImage::Format_RGB32);
    image.fill(QColor(17, 34, 51));
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 256; ++x)
            image.setPixel(x, y, qRgb(x, 4 * y, 128));
    }
    const QByteArray bytes = written({ image });
    const DecodedGif gif = Decoder(bytes).decode();
    ASSERT_EQ(gif.frames.size(), 1U);
    EXPECT_EQ(gif.frames[0].image.pixel(5, 150), qRgb(17, 34, 51));
    EXPECT_LE(farthest(gif.frames[0].image, image), 24);
}

TEST(Gif, aFrameOfOtherColoursBringsItsOwnPalette)
{
    std::vector<QImage> frames = movingLine(1);
    frames.push_back(frames.front());
    frames[1].setPixel(50, 60, qRgb(0, 255, 0));
    frames[1].setPixel(52, 61, qRgb(255, 0, 255));
    const QByteArray bytes = written(frames);
    const DecodedGif gif = Decoder(bytes).decode();
    ASSERT_EQ(gif.frames.size(), 2U);
    EXPECT_TRUE(gif.frames[1].ownPalette);
    EXPECT_EQ(gif.frames[1].area, QRect(50, 60, 3, 2));
    EXPECT_EQ(gif.frames[1].image, frames[1]);
}

TEST(Gif, qtReadsIt)
{
    if (!QImageReader::supportedImageFormats().contains("gif"))
        GTEST_SKIP() << "no GIF plugin";
    const std::vector<QImage> frames = movingLine(5);
    QByteArray bytes = written(frames, 12);
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer, "gif");
    EXPECT_EQ(reader.imageCount(), 5);
    EXPECT_EQ(reader.loopCount(), -1);
    for (const QImage &frame : frames) {
        const QImage image = reader.read();
        ASSERT_FALSE(image.isNull()) << reader.errorString().toStdString();
        EXPECT_EQ(image.convertToFormat(QImage::Format_RGB32), frame);
        EXPECT_EQ(reader.nextImageDelay(), 120);
    }
}

TEST(Gif, delaysKeepInTimeAtRatesThatHundredthsCannotSay)
{
    int sum = 0;
    for (int i = 0; i < 300; ++i) {
        const int delay = frameDelay(i, 30);
        EXPECT_TRUE(delay == 3 || delay == 4);
        sum += delay;
    }
    EXPECT_EQ(sum, 1000);
}

TEST(Gif, refusesAnotherSizeAndADeviceThatIsFull)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const std::vector<QImage> samples = movingLine(1);
    GifWriter writer(&buffer, samples);
    EXPECT_FALSE(writer.addFrame(noise(QSize(10, 10), 1), 5));
    if (QFile full(QStringLiteral("/dev/full")); full.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) {
        GifWriter stopped(&full, samples);
        EXPECT_FALSE(stopped.addFrame(samples.front(), 5));
    }
}

} // namespace pipeloom
