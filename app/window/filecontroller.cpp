// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/filecontroller.h"

#include "core/scenario/scenariofile.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace pipeloom
{

namespace
{

constexpr qint64 mostWatched = qint64{ 64 } * 1024 * 1024;

std::string contentOf(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > mostWatched) {
        return {};
    }
    return file.readAll().toStdString();
}

QString scenarioFilter() { return FileController::tr("Scenarios (*.loom.json *.json);;All files (*)"); }

} // namespace

FileController::FileController(Document *document, MessageBar *messages, const Session *session, QWidget *window)
    : QObject(window)
    , m_document(document)
    , m_messages(messages)
    , m_session(session)
    , m_window(window)
    , m_recent(tr("Open &recent"))
{
    connect(&m_recent, &QMenu::aboutToShow, this, &FileController::fillRecent);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &FileController::fileChanged);
    fillRecent();
}

bool FileController::openFile(const QString &path)
{
    if (!mayDiscard()) {
        return false;
    }
    if (!finish(m_document->openFile(path), tr("Cannot open %1").arg(QFileInfo(path).fileName()), path)) {
        return false;
    }
    m_sample.clear();
    if (m_session != nullptr) {
        m_session->addRecentFile(path);
    }
    watch();
    emit opened();
    return true;
}

bool FileController::openFiles(const QStringList &paths)
{
    if (paths.size() == 1) {
        return openFile(paths.front());
    }
    QStringList readable;
    Errors errors;
    for (const QString &path : paths) {
        Document probe;
        if (const Expected<Opened> result = probe.openFile(path)) {
            readable += path;
        } else {
            Error first = result.errors().front();
            if (result.errors().size() > 1) {
                const QString more = tr("and %1 more in this file").arg(static_cast<qulonglong>(result.errors().size() - 1));
                first.hint += (first.hint.empty() ? "" : "; ") + more.toStdString();
            }
            errors.push_back(std::move(first));
        }
    }
    const bool shown = !readable.isEmpty() && openFile(readable.front());
    for (const QString &path : readable.mid(1)) {
        emit windowRequested(path);
    }
    if (!errors.empty()) {
        m_messages->showErrors(tr("Cannot open %1 of %2 files").arg(static_cast<qulonglong>(errors.size())).arg(paths.size()),
                               errors, !shown && m_document->isOpen() ? tr("The current scenario is unchanged.") : QString());
    }
    return shown;
}

bool FileController::openSample(const QString &name)
{
    if (!mayDiscard()) {
        return false;
    }
    const std::vector<Sample> &all = samples();
    const auto wanted = std::ranges::find(all, name.toStdString(), &Sample::name);
    if (all.empty() || (wanted == all.end() && !name.isEmpty())) {
        m_messages->showMessage(Severity::Error, tr("There is no sample %1").arg(name), {});
        return false;
    }
    const Sample &sample = wanted == all.end() ? all.front() : *wanted;
    if (!finish(m_document->openText(sample.text, QString::fromStdString(sample.title)),
                tr("Cannot open the sample %1").arg(name), {})) {
        return false;
    }
    m_sample = QString::fromStdString(sample.name);
    watch();
    emit opened();
    return true;
}

bool FileController::openNew(const QString &modelPreset)
{
    if (!mayDiscard()) {
        return false;
    }
    // One node, nothing parallel but the data: small models run as they are, large ones say by how much they do not fit.
    const std::string text = "{\"format\":\"pipeloom-scenario\",\"schema\":1,\"name\":\"Untitled\",\"model\":\""
        + modelPreset.toStdString() + "\",\"cluster\":\"h100\",\"plan\":{\"gpus\":8,\"global_batch\":64}}";
    if (!finish(m_document->openText(text, tr("New scenario")), tr("Cannot make a new scenario"), {})) {
        return false;
    }
    m_sample.clear();
    watch();
    emit opened();
    return true;
}

bool FileController::finish(const Expected<Opened> &result, const QString &title, const QString &path)
{
    if (!result) {
        m_messages->showErrors(title, result.errors(),
                               m_document->isOpen() ? tr("The current scenario is unchanged.") : QString());
        return false;
    }
    if (result->warnings.empty()) {
        m_messages->dismiss();
    } else {
        QStringList lines;
        for (const Error &warning : result->warnings) {
            lines += QString::fromStdString(warning.text());
        }
        m_messages->showMessage(Severity::Warning, tr("%1 was opened, not all of it as written").arg(QFileInfo(path).fileName()),
                                lines.join(QLatin1Char('\n')));
    }
    return true;
}

QString FileController::startFolder() const
{
    if (!m_document->path().isEmpty()) {
        return QFileInfo(m_document->path()).absolutePath();
    }
    const QStringList recent = m_session != nullptr ? m_session->recentFiles() : QStringList();
    return recent.isEmpty() ? QString() : QFileInfo(recent.front()).absolutePath();
}

void FileController::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a scenario"), startFolder(), scenarioFilter());
    if (!path.isEmpty()) {
        openFile(path);
    }
}

bool FileController::save()
{
    if (m_document->path().isEmpty()) {
        return saveAs();
    }
    const Expected<bool> written = m_document->save(m_document->path());
    if (!written) {
        m_saveFailed = true;
        m_messages->showErrors(tr("Cannot save %1").arg(m_document->displayName()), written.errors(),
                               tr("The scenario is still unsaved; the old file is unchanged."));
        return false;
    }
    saved(m_document->path());
    return true;
}

bool FileController::saveAs()
{
    QString proposal = m_document->path();
    if (proposal.isEmpty()) {
        const QString name = m_sample.isEmpty() ? QStringLiteral("scenario") : m_sample;
        proposal = QFileInfo(startFolder(), name + QStringLiteral(".loom.json")).filePath();
    }
    const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the scenario"), proposal, scenarioFilter());
    return !path.isEmpty() && saveTo(path);
}

bool FileController::saveTo(QString path)
{
    if (!path.endsWith(QStringLiteral(".json"))) {
        path += QStringLiteral(".loom.json");
    }
    const Expected<bool> written = m_document->save(path);
    if (!written) {
        m_saveFailed = true;
        m_messages->showErrors(tr("Cannot save %1").arg(QFileInfo(path).fileName()), written.errors(),
                               tr("The scenario is still unsaved."));
        return false;
    }
    saved(path);
    return true;
}

/// What follows a save: a message that one failed is no longer true.
void FileController::saved(const QString &path)
{
    if (m_saveFailed) {
        m_messages->dismiss();
        m_saveFailed = false;
    }
    m_sample.clear();
    if (m_session != nullptr) {
        m_session->addRecentFile(path);
    }
    watch();
}

void FileController::chooseConfig()
{
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Model from a config.json"), startFolder(),
                                                      tr("Model configs (*.json);;All files (*)"));
    if (!path.isEmpty()) {
        useConfig(path);
    }
}

bool FileController::useConfig(const QString &path)
{
    QString quoted = QFileInfo(path).absoluteFilePath();
    quoted.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
    const Setting setting{ "model", QStringLiteral("{\"config\":\"%1\"}").arg(quoted).toStdString() };
    const Expected<bool> changed = m_document->edit({ setting }, EditTarget{}, false);
    if (!changed) {
        m_messages->showErrors(tr("Cannot use %1 as model").arg(QFileInfo(path).fileName()), changed.errors(),
                               tr("The current scenario is unchanged."));
        return false;
    }
    m_messages->dismiss();
    return true;
}

bool FileController::mayDiscard()
{
    if (!m_document->isModified()) {
        return true;
    }
    if (m_answer) {
        return m_answer();
    }
    QMessageBox box(QMessageBox::Question, tr("Unsaved changes"), tr("%1 has unsaved changes.").arg(m_document->displayName()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
    box.setDefaultButton(QMessageBox::Save);
    const int answer = box.exec();
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

void FileController::fillRecent()
{
    m_recent.clear();
    const QStringList files = m_session != nullptr ? m_session->recentFiles() : QStringList();
    for (const QString &path : files) {
        QAction *action = m_recent.addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { openFile(path); });
    }
    m_recent.setToolTipsVisible(true);
    if (files.isEmpty()) {
        m_recent.addAction(tr("None yet"))->setEnabled(false);
        return;
    }
    m_recent.addSeparator();
    connect(m_recent.addAction(tr("Clear the list")), &QAction::triggered, this, [this] { m_session->clearRecentFiles(); });
}

void FileController::watch()
{
    if (!m_watcher.files().isEmpty()) {
        m_watcher.removePaths(m_watcher.files());
    }
    m_lastWritten.clear();
    if (!m_document->path().isEmpty()) {
        m_watcher.addPath(m_document->path());
        m_lastWritten = contentOf(m_document->path());
    }
}

void FileController::fileChanged(const QString &path)
{
    m_watcher.addPath(path); // a file replaced by renaming is a new one
    const std::string content = contentOf(path);
    if (path != m_document->path() || content.empty() || content == m_lastWritten) {
        return;
    }
    m_lastWritten = content;
    if (!m_document->isModified()) {
        finish(m_document->openFile(path), tr("%1 was changed by another program").arg(QFileInfo(path).fileName()), path);
        return;
    }
    m_messages->showMessage(
        Severity::Warning, tr("%1 was changed by another program").arg(QFileInfo(path).fileName()),
        tr("The window holds unsaved changes; reloading gives them up."),
        { { tr("Reload"), [this, path] { finish(m_document->openFile(path), tr("Cannot open %1").arg(path), path); } } });
}

} // namespace pipeloom
