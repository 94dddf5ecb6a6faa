// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/viewstate.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>

namespace pipeloom
{

/// How the colours are chosen.
enum class ThemeMode
{
    System,
    Light,
    Dark,
};

/// What closing and reopening keeps.
struct SessionState
{
    QByteArray geometry;
    QByteArray layout; ///< docks and tool bars
    QString file; ///< open when the window closed; empty for an unsaved sample
    QString sample; ///< name of the bundled sample that was open
    ThemeMode theme = ThemeMode::System;
    bool scenarioShown = true;
    bool verdictShown = true;
    Nanoseconds playhead = 0;
    std::optional<TimeRange> range; ///< nothing: everything was shown
    QByteArray explore; ///< splitter, legend, speed and the other switches of the view
    int rank = 0;
    QString workspace; ///< "explore" or "memory"
    QByteArray memory; ///< what was chosen in the Memory workspace
};

/// The session file (INI) in the configuration folder. A damaged file reads as defaults and never blocks the start.
class Session
{
public:
    /// `file`: the session file; empty = the standard place.
    explicit Session(QString file = {});

    [[nodiscard]] SessionState load() const;
    void save(const SessionState &state) const;

    /// Most recent first, at most 10; missing files stay in the list.
    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const QString &path) const;
    void clearRecentFiles() const;

    [[nodiscard]] const QString &file() const { return m_file; }

private:
    QString m_file;
};

} // namespace pipeloom
