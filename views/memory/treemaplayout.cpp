// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/treemaplayout.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// One row (or column) of rectangles along the shorter side of what is left of the area.
struct Row
{
    double side = 0; ///< the shorter side
    double sum = 0, least = 0, most = 0; ///< areas

    [[nodiscard]] Row with(double size) const
    {
        return sum > 0 ? Row{ side, sum + size, std::min(least, size), std::max(most, size) } : Row{ side, size, size, size };
    }
    /// The worst ratio of sides in the row; 1 is a square.
    [[nodiscard]] double worst() const
    {
        const double square = side * side;
        return std::max(square * most / (sum * sum), sum * sum / (square * least));
    }
};

/// Places the row's rectangles at the left or top edge of `rest` and takes them off it.
void place(std::span<const double> sizes, double sum, QRectF &rest, std::span<QRectF> out)
{
    const bool upright = rest.width() >= rest.height(); // a column at the left
    const double side = upright ? rest.height() : rest.width();
    const double depth = std::min(sum / side, upright ? rest.width() : rest.height());
    double before = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] <= 0)
            continue;
        const double from = side * before / sum;
        before += sizes[i];
        const double to = side * before / sum;
        out[i] = upright ? QRectF(rest.left(), rest.top() + from, depth, to - from)
                         : QRectF(rest.left() + from, rest.top(), to - from, depth);
    }
    rest = upright ? rest.adjusted(depth, 0, 0, 0) : rest.adjusted(0, depth, 0, 0);
}

} // namespace

std::vector<QRectF> squarified(std::span<const double> weights, const QRectF &area)
{
    std::vector<QRectF> out(weights.size());
    double total = 0;
    for (const double weight : weights)
        total += std::max(0.0, weight);
    if (total <= 0 || area.isEmpty())
        return out;
    std::vector<double> sizes(weights.size());
    std::ranges::transform(weights, sizes.begin(),
                           [&](double weight) { return std::max(0.0, weight) / total * area.width() * area.height(); });
    QRectF rest = area;
    for (std::size_t first = 0; first < sizes.size();) {
        if (sizes[first] <= 0) {
            ++first;
            continue;
        }
        Row row{ .side = std::min(rest.width(), rest.height()) };
        row = row.with(sizes[first]);
        std::size_t last = first + 1;
        for (; last < sizes.size() && sizes[last] > 0; ++last) {
            const Row longer = row.with(sizes[last]);
            if (longer.worst() > row.worst())
                break;
            row = longer;
        }
        place(std::span(sizes).subspan(first, last - first), row.sum, rest, std::span(out).subspan(first, last - first));
        first = last;
    }
    return out;
}

} // namespace pipeloom
