// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusVariant>
#include <QObject>

namespace pipeloom
{

/// Whether the desktop prefers dark: asked from the desktop portal over D-Bus (org.freedesktop.appearance, color-scheme), else
/// taken from the lightness of the palette the program started with. Follows changes.
class SystemTheme : public QObject
{
    Q_OBJECT
public:
    /// `startedDark`: the palette's answer, before the program sets its own palette.
    explicit SystemTheme(bool startedDark, QObject *parent = nullptr);
    [[nodiscard]] bool isDark() const { return m_dark; }
    /// Asks the portal; the answer comes later and never delays the start.
    void watch();

    /// True when the application's present palette is dark.
    [[nodiscard]] static bool paletteIsDark();
    /// The portal's value: 1 dark, 2 light, else no preference.
    void takeScheme(uint scheme);

signals:
    void changed();

private slots:
    void settingChanged(const QString &group, const QString &key, const QDBusVariant &value);

private:
    const bool m_startedDark;
    bool m_dark;
};

} // namespace pipeloom
