// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/systemtheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QPalette>

namespace pipeloom
{

namespace
{

const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString settingsInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearance = QStringLiteral("org.freedesktop.appearance");
const QString colorScheme = QStringLiteral("color-scheme");

/// Read() wraps its value in a variant inside a variant.
QVariant unwrapped(QVariant value)
{
    while (value.canConvert<QDBusVariant>()) {
        value = value.value<QDBusVariant>().variant();
    }
    return value;
}

} // namespace

SystemTheme::SystemTheme(bool startedDark, QObject *parent)
    : QObject(parent)
    , m_startedDark(startedDark)
    , m_dark(startedDark)
{
}

bool SystemTheme::paletteIsDark()
{
    const QPalette palette = QGuiApplication::palette();
    return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

void SystemTheme::watch()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) {
        return;
    }
    bus.connect(service, path, settingsInterface, QStringLiteral("SettingChanged"), this,
                SLOT(settingChanged(QString, QString, QDBusVariant)));
    QDBusMessage call = QDBusMessage::createMethodCall(service, path, settingsInterface, QStringLiteral("Read"));
    call.setArguments({ appearance, colorScheme });
    auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (!reply.isError()) {
            takeScheme(unwrapped(reply.value().variant()).toUInt());
        }
        watcher->deleteLater();
    });
}

void SystemTheme::settingChanged(const QString &group, const QString &key, const QDBusVariant &value)
{
    if (group == appearance && key == colorScheme) {
        takeScheme(unwrapped(value.variant()).toUInt());
    }
}

void SystemTheme::takeScheme(uint scheme)
{
    const bool dark = scheme == 1 || (scheme != 2 && m_startedDark);
    if (dark != m_dark) {
        m_dark = dark;
        emit changed();
    }
}

} // namespace pipeloom
