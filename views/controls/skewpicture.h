// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/routing.h"
#include "views/theme.h"

#include <QWidget>

namespace pipeloom
{

/// A small picture of the loads of the expert-parallel ranks around their mean, the hottest rank in the accent colour, and below
/// it the ratios of the hottest rank and expert to the mean.
class SkewPicture : public QWidget
{
public:
    explicit SkewPicture(QWidget *parent = nullptr);
    void setLoad(const RoutingLoad &load);
    void setStale(bool stale); ///< the load is of the last valid plan: drawn grey
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintBars(QPainter &painter) const;
    void paintRatios(QPainter &painter) const;

    RoutingLoad m_load;
    bool m_stale = false;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
