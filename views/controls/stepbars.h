// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <vector>

namespace pipeloom
{

/// Where the step goes: compute, exposed communication, bubble and optimizer of each plan on one scale, mean over ranks.
class StepBars : public QWidget
{
public:
    explicit StepBars(QWidget *parent = nullptr);
    void setPlans(const std::vector<ShownPlan> &plans);
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;
    [[nodiscard]] QSize sizeHint() const override;

private:
    void paintBar(QPainter &painter, const ShownPlan &plan, int top, double pixelsPerSecond) const;
    void paintLegend(QPainter &painter, int top) const;

    std::vector<ShownPlan> m_plans;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
