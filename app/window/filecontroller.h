// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/document.h"
#include "app/window/messagebar.h"
#include "app/window/session.h"

#include <QFileSystemWatcher>
#include <QMenu>
#include <QObject>

#include <functional>

namespace pipeloom
{

/// Files of the window: opening, saving, recent ones, changes by others. Whatever fails is told in the message bar and leaves the
/// open scenario as it is.
class FileController : public QObject
{
    Q_OBJECT
public:
    /// `session` is not owned; nullptr keeps no recent files.
    FileController(Document *document, MessageBar *messages, const Session *session, QWidget *window);

    bool openFile(const QString &path); ///< asks first when there is unsaved work
    /// The first file that can be read comes into this window, the others into windows of their own; those that cannot are told
    /// in one message, a line each. True when this window shows one of them.
    bool openFiles(const QStringList &paths);
    bool openSample(const QString &name); ///< empty: the default sample
    bool openNew(const QString &modelPreset);
    void chooseFile();
    bool save();
    bool saveAs();
    bool saveTo(QString path); ///< as saveAs() does once a path is chosen; adds the ending
    /// Sets the model of the scenario from a published config.json.
    void chooseConfig();
    bool useConfig(const QString &path);
    /// True when the current scenario may go: it is saved, or the user said so.
    [[nodiscard]] bool mayDiscard();
    [[nodiscard]] const QString &sample() const { return m_sample; } ///< name of the open sample; empty for files
    [[nodiscard]] QMenu *recentMenu() { return &m_recent; }

    /// Answers the question about unsaved work in tests; empty asks the user.
    void setAnswer(std::function<bool()> answer) { m_answer = std::move(answer); }

signals:
    void opened();
    void windowRequested(const QString &path); ///< a file that belongs into a window of its own

private:
    bool finish(const Expected<Opened> &result, const QString &title, const QString &path);
    void fillRecent();
    void watch();
    void saved(const QString &path);
    bool m_saveFailed = false; ///< the message bar says so
    void fileChanged(const QString &path);
    [[nodiscard]] QString startFolder() const;

    Document *m_document;
    MessageBar *m_messages;
    const Session *m_session;
    QWidget *m_window;
    QMenu m_recent;
    QFileSystemWatcher m_watcher;
    QString m_sample;
    std::string m_lastWritten; ///< the file's content as we know it
    std::function<bool()> m_answer;
};

} // namespace pipeloom
