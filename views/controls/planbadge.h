// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QWidget>

namespace pipeloom
{

/// A plan's letter as a widget, 18 px square (14 when small).
class PlanBadge : public QWidget
{
public:
    explicit PlanBadge(const QString &letter, bool small = false, QWidget *parent = nullptr);
    void setLetter(const QString &letter);
    void setTheme(const Theme &theme);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_letter;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
