// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>

namespace pipeloom
{

namespace
{

constexpr qsizetype mostRecent = 10;

QString modeName(ThemeMode mode)
{
    return mode == ThemeMode::Light ? QStringLiteral("light")
        : mode == ThemeMode::Dark   ? QStringLiteral("dark")
                                    : QStringLiteral("system");
}

ThemeMode modeOf(const QString &name)
{
    return name == QLatin1String("light") ? ThemeMode::Light
        : name == QLatin1String("dark")   ? ThemeMode::Dark
                                          : ThemeMode::System;
}

Nanoseconds time(const QSettings &settings, const QString &key)
{
    bool ok = false;
    const Nanoseconds value = settings.value(key).toLongLong(&ok);
    return ok ? std::max<Nanoseconds>(0, value) : 0;
}

} // namespace

Session::Session(QString file)
    : m_file(std::move(file))
{
    if (m_file.isEmpty()) {
        m_file = QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + QStringLiteral("/session.ini");
    }
}

SessionState Session::load() const
{
    const QSettings settings(m_file, QSettings::IniFormat);
    SessionState state;
    state.geometry = settings.value(QStringLiteral("window/geometry")).toByteArray();
    state.layout = settings.value(QStringLiteral("window/layout")).toByteArray();
    state.scenarioShown = settings.value(QStringLiteral("window/scenario"), true).toBool();
    state.verdictShown = settings.value(QStringLiteral("window/verdict"), true).toBool();
    state.theme = modeOf(settings.value(QStringLiteral("window/theme")).toString());
    state.file = settings.value(QStringLiteral("document/file")).toString();
    state.sample = settings.value(QStringLiteral("document/sample")).toString();
    state.playhead = time(settings, QStringLiteral("view/playhead"));
    state.rank = std::max(0, settings.value(QStringLiteral("view/rank")).toInt());
    const TimeRange range{ time(settings, QStringLiteral("view/begin")), time(settings, QStringLiteral("view/end")) };
    if (range.end > range.begin) {
        state.range = range;
    }
    state.explore = settings.value(QStringLiteral("view/explore")).toByteArray();
    state.memory = settings.value(QStringLiteral("view/memory")).toByteArray();
    state.workspace = settings.value(QStringLiteral("view/workspace")).toString();
    return state;
}

void Session::save(const SessionState &state) const
{
    QDir().mkpath(QFileInfo(m_file).absolutePath());
    QSettings settings(m_file, QSettings::IniFormat);
    settings.setValue(QStringLiteral("window/geometry"), state.geometry);
    settings.setValue(QStringLiteral("window/layout"), state.layout);
    settings.setValue(QStringLiteral("window/scenario"), state.scenarioShown);
    settings.setValue(QStringLiteral("window/verdict"), state.verdictShown);
    settings.setValue(QStringLiteral("window/theme"), modeName(state.theme));
    settings.setValue(QStringLiteral("document/file"), state.file);
    settings.setValue(QStringLiteral("document/sample"), state.sample);
    settings.setValue(QStringLiteral("view/playhead"), QString::number(state.playhead));
    settings.setValue(QStringLiteral("view/begin"), QString::number(state.range ? state.range->begin : 0));
    settings.setValue(QStringLiteral("view/end"), QString::number(state.range ? state.range->end : 0));
    settings.setValue(QStringLiteral("view/explore"), state.explore);
    settings.setValue(QStringLiteral("view/memory"), state.memory);
    settings.setValue(QStringLiteral("view/workspace"), state.workspace);
    settings.setValue(QStringLiteral("view/rank"), state.rank);
}

QStringList Session::recentFiles() const
{
    const QSettings settings(m_file, QSettings::IniFormat);
    return settings.value(QStringLiteral("recent/files")).toStringList().mid(0, mostRecent);
}

void Session::addRecentFile(const QString &path) const
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(absolute);
    files.prepend(absolute);
    QDir().mkpath(QFileInfo(m_file).absolutePath());
    QSettings settings(m_file, QSettings::IniFormat);
    settings.setValue(QStringLiteral("recent/files"), QStringList(files.mid(0, mostRecent)));
}

void Session::clearRecentFiles() const
{
    QSettings settings(m_file, QSettings::IniFormat);
    settings.remove(QStringLiteral("recent/files"));
}

} // namespace pipeloom
