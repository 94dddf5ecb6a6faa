// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/skewpicture.h"

#include "views/controls/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

SkewPicture::SkewPicture(QWidget *parent)
    : QWidget(parent)
{
    setFixedHeight(34);
    setAccessibleName(tr("Load of each expert-parallel rank"));
}

void SkewPicture::setLoads(const std::vector<double> &loads)
{
    if (loads == m_loads) {
        return;
    }
    m_loads = loads;
    const auto hottest = std::ranges::max_element(m_loads);
    if (hottest != m_loads.end()) {
        setAccessibleDescription(tr("%1 ranks, the hottest at %2 times the mean")
                                     .arg(static_cast<qulonglong>(m_loads.size()))
                                     .arg(fixedText(*hottest, 2)));
        setToolTip(accessibleDescription());
    }
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
    const int middle = height() / 2;
    if (!m_loads.empty()) {
        double furthest = 0;
        for (const double load : m_loads) {
            furthest = std::max(furthest, std::abs(load - 1));
        }
        // More ranks than pixels: each bar stands for the hottest rank of its pixels.
        const auto bars = std::min<std::size_t>(m_loads.size(), static_cast<std::size_t>(width()) / 2);
        const double pitch = double(width()) / static_cast<double>(bars);
        const double scale = furthest > 0 ? (middle - 2) / furthest : 0;
        const auto hottest = static_cast<std::size_t>(std::ranges::max_element(m_loads) - m_loads.begin());
        for (std::size_t bar = 0; bar < bars; ++bar) {
            const std::size_t first = bar * m_loads.size() / bars;
            const std::size_t last = std::max(first + 1, (bar + 1) * m_loads.size() / bars);
            const double load = *std::max_element(m_loads.begin() + static_cast<std::ptrdiff_t>(first),
                                                  m_loads.begin() + static_cast<std::ptrdiff_t>(last));
            const bool isHottest = furthest > 0 && hottest >= first && hottest < last;
            const double size = (load - 1) * scale;
            const QColor fill = isHottest ? m_theme.accent : size >= 0 ? m_theme.memory[2] : m_theme.memory[3];
            const int left = static_cast<int>(std::lround(static_cast<double>(bar) * pitch));
            const int barWidth = std::max(1, static_cast<int>(std::lround(pitch)) - 1);
            const int length = std::max(furthest > 0 ? 1 : 0, static_cast<int>(std::lround(std::abs(size))));
            painter.fillRect(left, size >= 0 ? middle - length : middle + 1, barWidth, length, fill);
        }
    }
    painter.fillRect(0, middle, width(), 1, m_theme.text2);
}

} // namespace pipeloom
