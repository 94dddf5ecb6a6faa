// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/keyhelp.h"

#include "app/window/commands.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace pipeloom
{

namespace
{

QTreeWidgetItem *groupItem(QTreeWidget *tree, QString name)
{
    name.remove(QLatin1Char('&'));
    for (int i = 0; i < tree->topLevelItemCount(); ++i) {
        if (tree->topLevelItem(i)->text(0) == name) {
            return tree->topLevelItem(i);
        }
    }
    auto *item = new QTreeWidgetItem(tree, { name });
    QFont bold = tree->font();
    bold.setBold(true);
    item->setFont(0, bold);
    item->setFirstColumnSpanned(true);
    item->setExpanded(true);
    return item;
}

} // namespace

KeyHelp::KeyHelp(const Commands &commands, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    auto *tree = new QTreeWidget(this);
    tree->setHeaderLabels({ tr("Action"), tr("Keys") });
    tree->setRootIsDecorated(false);
    tree->setSelectionMode(QAbstractItemView::NoSelection);
    tree->setIndentation(12);
    for (const Command &command : commands.all()) {
        const QString keys = keyText(command.action);
        if (!keys.isEmpty()) {
            QString name = command.action->text();
            new QTreeWidgetItem(groupItem(tree, command.menu), { name.remove(QLatin1Char('&')), keys });
        }
    }
    for (const KeyNote &note : commands.notes()) {
        new QTreeWidgetItem(groupItem(tree, note.group), { note.what, note.keys });
    }
    for (int i = 0; i < tree->topLevelItemCount(); ++i) {
        tree->topLevelItem(i)->setExpanded(true);
    }
    tree->resizeColumnToContents(0);
    tree->resizeColumnToContents(1);
    constexpr int frame = 60; // margins, scroll bar, and air between the columns
    tree->setColumnWidth(0, tree->columnWidth(0) + 12);
    resize(std::max(520, tree->columnWidth(0) + tree->columnWidth(1) + frame), 600);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *column = new QVBoxLayout(this);
    column->addWidget(tree, 1);
    column->addWidget(buttons);
}

} // namespace pipeloom
