// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/session.h"
#include "app/window/systemtheme.h"
#include "views/theme.h"

#include <QObject>

namespace pipeloom
{

/// Light, dark or as the desktop: applies the theme to the application and says when it changes.
class ThemeController : public QObject
{
    Q_OBJECT
public:
    explicit ThemeController(QObject *parent = nullptr);

    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    [[nodiscard]] const Theme &theme() const { return isDark() ? darkTheme() : lightTheme(); }
    void setMode(ThemeMode mode);
    /// The opposite of what is shown, by hand.
    void toggle();
    [[nodiscard]] SystemTheme &system() { return m_system; }

signals:
    void themeChanged();

private:
    [[nodiscard]] bool isDark() const;
    void apply();

    SystemTheme m_system;
    ThemeMode m_mode = ThemeMode::System;
    bool m_applied = false;
    bool m_appliedDark = false;
};

} // namespace pipeloom
