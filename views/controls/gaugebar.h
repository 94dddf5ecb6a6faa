// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/memory/memory.h"
#include "views/theme.h"

#include <QWidget>

#include <array>

namespace pipeloom
{

/// The stack of the heaviest rank at its peak as one horizontal bar, with the HBM limit as a line and the reserve as a band
/// before it.
class GaugeBar : public QWidget
{
public:
    explicit GaugeBar(QWidget *parent = nullptr);
    /// `scale` is the length of the whole bar in bytes, the same for every plan so that bars compare.
    void setMemory(const MemoryResult &memory, ByteCount scale);
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::array<ByteCount, memoryClassCount> m_stack{};
    ByteCount m_capacity = 0;
    ByteCount m_usable = 0;
    ByteCount m_scale = 1;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
