// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/skewpicture.h"

#include "views/controls/format.h"
#include "views/plot/counted.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{
constexpr int barsHeight = 34;
constexpr int ratiosHeight = 16;
} // namespace

SkewPicture::SkewPicture(QWidget *parent)
    : QWidget(parent)
{
    setFixedHeight(barsHeight + ratiosHeight);
    setAccessibleName(tr("Load of each expert-parallel rank"));
}

void SkewPicture::setLoad(const RoutingLoad &load)
{
    if (load == m_load) {
        return;
    }
    m_load = load;
    setAccessibleDescription(tr("%1, the hottest at %2 times the mean; the hottest expert at %3 times")
                                 .arg(countedText(static_cast<std::int64_t>(load.rankLoads.size()), "rank"),
                                      fixedText(load.rankMaxOverMean, 2), fixedText(load.expertMaxOverMean, 2)));
    setToolTip(accessibleDescription());
    update();
}

void SkewPicture::setStale(bool stale)
{
    m_stale = stale;
    update();
}

void SkewPicture::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void SkewPicture::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setOpacity(m_stale ? 0.45 : 1);
    if (!m_load.rankLoads.empty()) {
        paintBars(painter);
    }
    painter.fillRect(0, barsHeight / 2, width(), 1, m_theme.text2);
    painter.setOpacity(1);
    paintRatios(painter);
}

void SkewPicture::paintBars(QPainter &painter) const
{
    const std::vector<double> &loads = m_load.rankLoads;
    const int middle = barsHeight / 2;
    double furthest = 0;
    for (const double load : loads) {
        furthest = std::max(furthest, std::abs(load - 1));
    }
    // More ranks than pixels: each bar stands for the hottest rank of its pixels.
    const auto bars = std::min<std::size_t>(loads.size(), static_cast<std::size_t>(width()) / 2);
    const double pitch = double(width()) / static_cast<double>(bars);
    const double scale = furthest > 0 ? (middle - 2) / furthest : 0;
    const auto hottest = static_cast<std::size_t>(std::ranges::max_element(loads) - loads.begin());
    for (std::size_t bar = 0; bar < bars; ++bar) {
        const std::size_t first = bar * loads.size() / bars;
        const std::size_t last = std::max(first + 1, (bar + 1) * loads.size() / bars);
        const double load = *std::max_element(loads.begin() + static_cast<std::ptrdiff_t>(first),
                                              loads.begin() + static_cast<std::ptrdiff_t>(last));
        const bool isHottest = furthest > 0 && hottest >= first && hottest < last;
        const double size = (load - 1) * scale;
        const QColor fill = isHottest ? m_theme.accent : size >= 0 ? m_theme.memory[2] : m_theme.memory[3];
        const int left = static_cast<int>(std::lround(static_cast<double>(bar) * pitch));
        const int barWidth = std::max(1, static_cast<int>(std::lround(pitch)) - 1);
        const int length = std::max(furthest > 0 ? 1 : 0, static_cast<int>(std::lround(std::abs(size))));
        painter.fillRect(left, size >= 0 ? middle - length : middle + 1, barWidth, length, fill);
    }
}

/// "Max/mean: EP rank 1.11, expert 1.27", the numbers in bold.
void SkewPicture::paintRatios(QPainter &painter) const
{
    int x = 0;
    const auto write = [&](const QString &text, QFont::Weight weight) {
        painter.setFont(uiFont(11, weight));
        painter.drawText(QRect(x, barsHeight, width() - x, ratiosHeight), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         text);
        x += painter.fontMetrics().horizontalAdvance(text);
    };
    painter.setPen(m_stale ? m_theme.text3 : m_theme.text);
    write(tr("Max/mean: EP rank "), QFont::Normal);
    write(fixedText(m_load.rankMaxOverMean, 2), QFont::Bold);
    write(tr(", expert "), QFont::Normal);
    write(fixedText(m_load.expertMaxOverMean, 2), QFont::Bold);
}

} // namespace pipeloom
