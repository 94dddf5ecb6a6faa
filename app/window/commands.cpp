// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands.h"

#include <QAction>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QWidget>

#include <algorithm>

namespace pipeloom
{

Commands::Commands(QWidget *window)
    : QObject(window)
    , m_window(window)
{
}

QAction *Commands::add(const QString &id, const QString &menu, const QString &name, const QList<QKeySequence> &keys,
                       std::function<void()> run)
{
    auto *action = new QAction(name, m_window);
    action->setObjectName(id);
    action->setShortcuts(keys);
    m_window->addAction(action);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_commands.push_back({ id, menu, action });
    m_entries.push_back({ menu, action, nullptr });
    return action;
}

void Commands::addSeparator(const QString &menu) { m_entries.push_back({ menu, nullptr, nullptr }); }

void Commands::addSubmenu(const QString &menu, QMenu *submenu) { m_entries.push_back({ menu, nullptr, submenu }); }

void Commands::addNote(const QString &group, const QString &keys, const QString &what)
{
    m_notes.push_back({ group, keys, what });
}

QAction *Commands::action(const QString &id) const
{
    const auto found = std::ranges::find(m_commands, id, &Command::id);
    return found == m_commands.end() ? nullptr : found->action;
}

void Commands::fill(QMenuBar *bar) const
{
    QMap<QString, QMenu *> menus;
    for (const Entry &entry : m_entries) {
        QMenu *&menu = menus[entry.menu];
        if (menu == nullptr) {
            menu = bar->addMenu(entry.menu);
            menu->setToolTipsVisible(true);
        }
        if (entry.submenu != nullptr) {
            menu->addMenu(entry.submenu);
        } else if (entry.action != nullptr) {
            menu->addAction(entry.action);
        } else {
            menu->addSeparator();
        }
    }
}

QString keyText(const QAction *action)
{
    QStringList texts;
    for (const QKeySequence &keys : action->shortcuts()) {
        texts += keys.toString(QKeySequence::NativeText);
    }
    return texts.join(QStringLiteral(", "));
}

QString tipOf(const QAction *action)
{
    QString name = action->text();
    name.remove(QLatin1Char('&')).remove(QStringLiteral("..."));
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    return keys.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, keys);
}

} // namespace pipeloom
