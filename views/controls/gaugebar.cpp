// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/gaugebar.h"

#include "views/controls/format.h"

#include <QPainter>

namespace pipeloom
{

namespace
{
constexpr int barTop = 2;
constexpr int barHeight = 10;
} // namespace

GaugeBar::GaugeBar(QWidget *parent)
    : QWidget(parent)
{
    setFixedHeight(16);
}

void GaugeBar::setMemory(const MemoryResult &memory, ByteCount scale)
{
    m_capacity = memory.capacity;
    m_usable = memory.usable;
    m_scale = std::max<ByteCount>(1, scale);
    m_stack = {};
    if (!memory.ranks.empty()) {
        const RankMemory &rank = memory.ranks.at(static_cast<std::size_t>(memory.peakRank));
        m_stack = rank.stackAtPeak();
        QString text;
        for (std::size_t i = memoryClassCount; i-- > 0;) {
            text += tr("%1: %2 GiB\n").arg(QString::fromUtf8(name(static_cast<MemoryClass>(i))), gibText(m_stack.at(i)));
        }
        text += tr("Rank %1 at its peak; HBM %2 GiB, usable %3 GiB").arg(rank.rank).arg(gibText(m_capacity), gibText(m_usable));
        setToolTip(text);
        setAccessibleName(tr("Memory of the heaviest rank"));
        setAccessibleDescription(text);
    }
    update();
}

void GaugeBar::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void GaugeBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (!isEnabled()) {
        painter.setOpacity(0.45); // the last valid result of a plan that is not valid now
    }
    const auto xOf = [this](ByteCount bytes) { return static_cast<int>(double(bytes) / double(m_scale) * width()); };
    painter.fillRect(0, barTop, width(), barHeight, m_theme.alt);
    ByteCount sum = 0;
    int left = 0;
    for (std::size_t i = 0; i < memoryClassCount; ++i) {
        sum += m_stack.at(i);
        const int right = xOf(sum);
        if (right > left) {
            // 1 px of panel colour between segments, unless the segment is no wider.
            painter.fillRect(left, barTop, std::max(1, right - left - 1), barHeight, m_theme.memory.at(i));
            left = right;
        }
    }
    if (m_capacity > 0) {
        const int limit = xOf(m_capacity);
        painter.fillRect(xOf(m_usable), barTop + barHeight, limit - xOf(m_usable), 2, m_theme.reserve);
        painter.fillRect(limit - 1, 0, 2, height() - 1, m_theme.err);
    }
}

} // namespace pipeloom
