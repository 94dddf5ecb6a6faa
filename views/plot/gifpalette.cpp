// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/gifpalette.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace pipeloom
{

namespace
{

constexpr std::size_t most = 256;
constexpr std::size_t kept = 128; ///< of the commonest colours, when there are more than fit

struct Counted
{
    QRgb colour = 0;
    std::uint64_t pixels = 0;
};

int channel(QRgb colour, int index) { return static_cast<int>((colour >> (8 * index)) & 0xffU); }

std::vector<Counted> histogram(std::span<const QImage> images, const QRect &area)
{
    QHash<QRgb, std::uint64_t> counts;
    for (const QImage &image : images) {
        for (int y = area.top(); y <= area.bottom(); ++y) {
            const auto *line = reinterpret_cast<const QRgb *>(image.constScanLine(y));
            // Runs of one colour are what these pictures are made of.
            for (int x = area.left(); x <= area.right();) {
                const int begin = x;
                const QRgb colour = line[x] | 0xff000000U;
                while (x <= area.right() && (line[x] | 0xff000000U) == colour)
                    ++x;
                counts[colour] += static_cast<std::uint64_t>(x - begin);
            }
        }
    }
    std::vector<Counted> all;
    all.reserve(static_cast<std::size_t>(counts.size()));
    for (auto it = counts.cbegin(); it != counts.cend(); ++it)
        all.push_back({ it.key(), it.value() });
    // The hash has no order of its own: the same pictures make the same palette.
    std::ranges::sort(
        all, [](const Counted &a, const Counted &b) { return a.pixels != b.pixels ? a.pixels > b.pixels : a.colour < b.colour; });
    return all;
}

/// Colours that one entry stands for.
class Box
{
public:
    explicit Box(std::span<Counted> colours)
        : m_colours(colours)
    {
        for (int c = 0; c < 3; ++c) {
            const auto [low, high] =
                std::ranges::minmax_element(colours, {}, [c](const Counted &counted) { return channel(counted.colour, c); });
            const int range = channel(high->colour, c) - channel(low->colour, c);
            if (range > m_range) {
                m_range = range;
                m_widest = c;
            }
        }
    }

    [[nodiscard]] int range() const { return m_range; }

    /// In two halves of as many colours each along the widest channel. Precondition: range() > 0.
    [[nodiscard]] std::array<Box, 2> halves() const
    {
        std::ranges::sort(m_colours, [c = m_widest](const Counted &a, const Counted &b) {
            return channel(a.colour, c) != channel(b.colour, c) ? channel(a.colour, c) < channel(b.colour, c)
                                                                : a.colour < b.colour;
        });
        const std::size_t middle = m_colours.size() / 2;
        return { Box(m_colours.first(middle)), Box(m_colours.subspan(middle)) };
    }

    [[nodiscard]] QRgb mean() const
    {
        std::array<std::uint64_t, 3> sums{};
        std::uint64_t pixels = 0;
        for (const Counted &counted : m_colours) {
            pixels += counted.pixels;
            for (int c = 0; c < 3; ++c)
                sums[static_cast<std::size_t>(c)] += counted.pixels * static_cast<std::uint64_t>(channel(counted.colour, c));
        }
        const auto at = [&](std::size_t c) { return static_cast<int>((sums[c] + pixels / 2) / pixels); };
        return qRgb(at(2), at(1), at(0));
    }

private:
    std::span<Counted> m_colours;
    int m_range = -1;
    int m_widest = 0;
};

int distanceOf(QRgb a, QRgb b)
{
    int far = 0;
    for (int c = 0; c < 3; ++c)
        far = std::max(far, std::abs(channel(a, c) - channel(b, c)));
    return far;
}

} // namespace

GifPalette::GifPalette(std::span<const QImage> images, const QRect &area)
{
    std::vector<Counted> all = histogram(images, area);
    const std::size_t exact = all.size() <= most ? all.size() : kept;
    for (std::size_t i = 0; i < exact; ++i)
        m_colours.push_back(all[i].colour);
    if (exact == all.size())
        return;
    std::vector<Box> boxes{ Box(std::span(all).subspan(exact)) };
    while (boxes.size() < most - exact) {
        const auto widest = std::ranges::max_element(boxes, {}, &Box::range);
        if (widest->range() <= 0)
            break;
        const std::array<Box, 2> halves = widest->halves();
        *widest = halves[0];
        boxes.push_back(halves[1]);
    }
    for (const Box &box : boxes)
        m_colours.push_back(box.mean());
}

int GifPalette::indexOf(QRgb colour) const
{
    const auto known = m_nearest.constFind(colour);
    if (known != m_nearest.constEnd())
        return *known;
    int best = 0;
    int least = 1 << 30;
    for (std::size_t i = 0; i < m_colours.size() && least > 0; ++i) {
        int sum = 0;
        for (int c = 0; c < 3; ++c) {
            const int difference = channel(colour, c) - channel(m_colours[i], c);
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            best = static_cast<int>(i);
        }
    }
    m_nearest.insert(colour, best);
    return best;
}

int GifPalette::distance(QRgb colour) const
{
    return m_colours.empty() ? 255 : distanceOf(colour, m_colours[static_cast<std::size_t>(indexOf(colour))]);
}

} // namespace pipeloom
