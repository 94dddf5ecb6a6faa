// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/autosave.h"

#include "core/scenario/scenariofile.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>
#include <QUuid>

namespace pipeloom
{

namespace
{

const QString copyEnding = QStringLiteral(".loom.json");
const QString noteEnding = QStringLiteral(".ini");
const QString lockEnding = QStringLiteral(".lock");

} // namespace

Autosave::Autosave(Document *document, const QString &folder, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_base((folder.isEmpty() ? standardFolder() : folder) + QLatin1Char('/')
             + QUuid::createUuid().toString(QUuid::WithoutBraces))
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(delayMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &Autosave::flush);
    connect(document, &Document::changed, &m_timer, qOverload<>(&QTimer::start));
    connect(document, &Document::replaced, this, &Autosave::discard);
    connect(document, &Document::stateChanged, this, [this] {
        if (!m_document->isModified()) {
            discard();
        }
    });
}

Autosave::~Autosave() { discard(); }

QString Autosave::standardFolder()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/unsaved");
}

void Autosave::flush()
{
    m_timer.stop();
    if (!m_document->isModified()) {
        return;
    }
    QDir().mkpath(QFileInfo(m_base).absolutePath());
    if (!m_lock) {
        m_lock = std::make_unique<QLockFile>(m_base + lockEnding);
        m_lock->setStaleLockTime(0);
        m_lock->tryLock(0);
    }
    if (!writeScenario(m_document->scenario(), file().toStdString())) {
        return; // a full disk must not disturb the work; saving will say so
    }
    QSettings note(m_base + noteEnding, QSettings::IniFormat);
    note.setValue(QStringLiteral("path"), m_document->path());
    note.setValue(QStringLiteral("name"), m_document->displayName());
}

void Autosave::discard()
{
    m_timer.stop();
    QFile::remove(file());
    QFile::remove(m_base + noteEnding);
    m_lock.reset();
}

std::vector<RecoveredWork> Autosave::find(const QString &folder)
{
    std::vector<RecoveredWork> found;
    const QDir dir(folder.isEmpty() ? standardFolder() : folder);
    for (const QFileInfo &copy : dir.entryInfoList({ QStringLiteral("*") + copyEnding }, QDir::Files, QDir::Time)) {
        QString base = copy.absoluteFilePath();
        base.chop(copyEnding.size());
        QLockFile lock(base + lockEnding);
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) {
            continue; // its program still runs
        }
        const QSettings note(base + noteEnding, QSettings::IniFormat);
        found.push_back({ copy.absoluteFilePath(), note.value(QStringLiteral("path")).toString(),
                          note.value(QStringLiteral("name")).toString() });
    }
    return found;
}

void Autosave::remove(const RecoveredWork &work)
{
    QString base = work.file;
    base.chop(copyEnding.size());
    QFile::remove(work.file);
    QFile::remove(base + noteEnding);
    QFile::remove(base + lockEnding);
}

} // namespace pipeloom
