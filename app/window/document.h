// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "core/scenario/scenario.h"
#include "views/controls/edittarget.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <vector>

namespace pipeloom
{

/// A scenario that was opened, with what the reader noticed.
struct Opened
{
    Errors warnings;
};

/// The scenario that is open, with its history. An edit that cannot be applied changes nothing and comes back as errors.
class Document : public QObject
{
    Q_OBJECT
public:
    explicit Document(QObject *parent = nullptr);

    [[nodiscard]] bool isOpen() const { return m_open; }
    [[nodiscard]] const Scenario &scenario() const { return m_scenario; }
    /// Every plan, A first; never empty while a scenario is open.
    [[nodiscard]] const std::vector<Scenario> &plans() const { return m_plans; }
    /// The scenario as it was opened: the values a double click returns to.
    [[nodiscard]] const Scenario &opened() const { return m_opened; }
    [[nodiscard]] const QString &path() const { return m_path; } ///< empty: never saved
    [[nodiscard]] QString displayName() const;
    [[nodiscard]] bool isModified() const;
    [[nodiscard]] QUndoStack *undoStack() { return &m_undo; }

    /// One drag is one undo step: all edits with `dragging` and the first without are merged.
    Expected<bool> edit(const std::vector<Setting> &settings, EditTarget target, bool dragging);
    Expected<bool> pin(std::size_t plan);
    Expected<bool> swap();
    Expected<bool> compareWith(std::size_t plan); ///< shows a later plan as B
    Expected<bool> remove(std::size_t plan);

    /// Replaces the document; on errors the current one stays. Warnings of the reader come back.
    Expected<Opened> openFile(const QString &path);
    Expected<Opened> openText(const std::string &text, const QString &name);
    /// Work found after a crash: shown as unsaved, to be saved under its old path.
    Expected<Opened> openRecovered(const QString &file, const QString &path);
    Expected<bool> save(const QString &path);

signals:
    void replaced(); ///< another scenario; changed() follows
    void changed(); ///< the scenario differs from before
    void stateChanged(); ///< path, name or modified flag

private:
    friend class SnapshotCommand;
    Expected<Opened> replace(Scenario scenario, Errors warnings, const QString &path, bool modified);
    Expected<bool> push(Expected<Scenario> next, const QString &text);
    void show(const Scenario &scenario);

    Scenario m_scenario;
    Scenario m_opened;
    std::vector<Scenario> m_plans;
    QString m_path;
    QUndoStack m_undo;
    bool m_open = false;
    bool m_recovered = false; ///< unsaved since before it was opened
    int m_gesture = 0; ///< edits of one drag share a number
    bool m_dragging = false;
};

} // namespace pipeloom
