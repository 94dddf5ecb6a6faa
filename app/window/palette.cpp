// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace pipeloom
{

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, QWidget *parent)
    : QDialog(parent, Qt::Popup)
    , m_entries(std::move(entries))
    , m_input(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 6, 6, 6);
    column->setSpacing(4);
    column->addWidget(m_input);
    column->addWidget(m_list);
    m_input->setPlaceholderText(tr("Find a setting or command"));
    m_input->setAccessibleName(tr("Find a setting or command"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setAccessibleName(tr("Found"));
    resize(440, 380);
    m_input->installEventFilter(this);
    connect(m_input, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_input, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    filter(QString());
    m_input->setFocus();
}

void CommandPalette::filter(const QString &words)
{
    const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_list->clear();
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const PaletteEntry &entry = m_entries[i];
        const bool found =
            std::ranges::all_of(parts, [&entry](const QString &part) { return entry.text.contains(part, Qt::CaseInsensitive); });
        if (!found || !entry.enabled) {
            continue;
        }
        auto *item = new QListWidgetItem(
            entry.hint.isEmpty() ? entry.text : QStringLiteral("%1   (%2)").arg(entry.text, entry.hint), m_list);
        item->setData(Qt::UserRole, static_cast<int>(i));
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (item == nullptr) {
        return;
    }
    const auto run = m_entries.at(static_cast<std::size_t>(item->data(Qt::UserRole).toInt())).run;
    close();
    run();
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_input && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        const int step = key == Qt::Key_Down ? 1
            : key == Qt::Key_Up              ? -1
            : key == Qt::Key_PageDown        ? 8
            : key == Qt::Key_PageUp          ? -8
                                             : 0;
        if (step != 0 && m_list->count() > 0) {
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace pipeloom
