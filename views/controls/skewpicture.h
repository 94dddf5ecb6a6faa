// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QWidget>

#include <vector>

namespace pipeloom
{

/// A small picture of the loads of the expert-parallel ranks around their mean; the hottest rank in the accent colour.
class SkewPicture : public QWidget
{
public:
    explicit SkewPicture(QWidget *parent = nullptr);
    void setLoads(const std::vector<double> &loads); ///< mean 1
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    std::vector<double> m_loads;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
