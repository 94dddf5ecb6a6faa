// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/document.h"

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace pipeloom
{

/// Unsaved work that an ended program left behind.
struct RecoveredWork
{
    QString file; ///< the copy
    QString path; ///< where the scenario belongs; empty when it was never saved
    QString name;
};

/// Keeps a copy of unsaved work two seconds after a change, and takes it away once the work is saved or given up. A copy that is
/// still there when its program is gone is found by the next start.
class Autosave : public QObject
{
    Q_OBJECT
public:
    /// `folder` empty = the standard place.
    explicit Autosave(Document *document, const QString &folder = {}, QObject *parent = nullptr);
    ~Autosave() override;

    /// Writes now what is unsaved, for tests and when the session ends.
    void flush();
    /// The work is saved or was given up.
    void discard();
    [[nodiscard]] QString file() const { return m_base + QStringLiteral(".loom.json"); }

    /// Copies whose program is gone.
    [[nodiscard]] static std::vector<RecoveredWork> find(const QString &folder = {});
    static void remove(const RecoveredWork &work);

    static constexpr int delayMilliseconds = 2000;

private:
    [[nodiscard]] static QString standardFolder();

    Document *m_document;
    QString m_base; ///< path without extension
    std::unique_ptr<QLockFile> m_lock; ///< tells other programs that this one lives; taken with the first copy
    QTimer m_timer;
};

} // namespace pipeloom
