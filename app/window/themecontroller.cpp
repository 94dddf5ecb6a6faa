// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/themecontroller.h"

#include "views/stylesheet.h"

#include <QApplication>

namespace pipeloom
{

ThemeController::ThemeController(QObject *parent)
    : QObject(parent)
    , m_system(SystemTheme::paletteIsDark())
{
    connect(&m_system, &SystemTheme::changed, this, &ThemeController::apply);
}

bool ThemeController::isDark() const { return m_mode == ThemeMode::Dark || (m_mode == ThemeMode::System && m_system.isDark()); }

void ThemeController::setMode(ThemeMode mode)
{
    m_mode = mode;
    apply();
}

void ThemeController::toggle() { setMode(isDark() ? ThemeMode::Light : ThemeMode::Dark); }

void ThemeController::apply()
{
    if (m_applied && m_appliedDark == isDark()) {
        return;
    }
    m_applied = true;
    m_appliedDark = isDark();
    if (auto *app = qobject_cast<QApplication *>(QCoreApplication::instance())) {
        applyTheme(*app, theme());
    }
    emit themeChanged();
}

} // namespace pipeloom
