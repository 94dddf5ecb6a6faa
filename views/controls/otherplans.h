// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace pipeloom
{

/// Plans C and later: one line each with its verdict, shown in place of B with a click, or removed.
class OtherPlans : public QWidget
{
    Q_OBJECT
public:
    explicit OtherPlans(QWidget *parent = nullptr);
    void setPlans(const std::vector<ShownPlan> &plans);
    void setTheme(const Theme &theme);

signals:
    void compareRequested(int plan); ///< show it as B
    void removeRequested(int plan);

private:
    void rebuild();

    std::vector<ShownPlan> m_plans;
    QVBoxLayout *m_rows;
    QWidget *m_body;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
