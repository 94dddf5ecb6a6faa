// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QMenu;
class QMenuBar;
class QWidget;

namespace pipeloom
{

/// One thing the program can do: an action with a stable id, in a menu, found by the palette and listed in the key help.
struct Command
{
    QString id; ///< "file.open"
    QString menu; ///< "File"
    QAction *action = nullptr; ///< its text is the name
};

/// A gesture or single-letter key of a view: listed in the key help, handled by the view itself.
struct KeyNote
{
    QString group;
    QString keys;
    QString what;
};

/// The registry that menus, key help and palette are made from.
class Commands : public QObject
{
    Q_OBJECT
public:
    explicit Commands(QWidget *window);

    /// Adds a command; its action belongs to the window, so that the shortcut works everywhere in it.
    QAction *add(const QString &id, const QString &menu, const QString &name, const QList<QKeySequence> &keys,
                 std::function<void()> run);
    /// A line between the commands before and after it in their menu.
    void addSeparator(const QString &menu);
    void addNote(const QString &group, const QString &keys, const QString &what);
    /// A menu of its own inside a menu, filled by the owner.
    void addSubmenu(const QString &menu, QMenu *submenu);

    [[nodiscard]] QAction *action(const QString &id) const;
    [[nodiscard]] const std::vector<Command> &all() const { return m_commands; }
    [[nodiscard]] const std::vector<KeyNote> &notes() const { return m_notes; }
    /// Builds the menus in the order their first commands were added.
    void fill(QMenuBar *bar) const;

private:
    struct Entry
    {
        QString menu;
        QAction *action = nullptr; ///< nullptr = separator
        QMenu *submenu = nullptr;
    };
    QWidget *m_window;
    std::vector<Command> m_commands;
    std::vector<KeyNote> m_notes;
    std::vector<Entry> m_entries;
};

/// The action's keys as text: "Ctrl+S", "F4".
[[nodiscard]] QString keyText(const QAction *action);
/// Name and key for a tool tip: "Undo (Ctrl+Z)".
[[nodiscard]] QString tipOf(const QAction *action);

} // namespace pipeloom
