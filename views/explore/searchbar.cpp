// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/searchbar.h"

#include "views/icons.h"
#include "views/stylesheet.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace pipeloom
{

SearchBar::SearchBar(QWidget *parent)
    : QWidget(parent)
    , m_field(new QLineEdit(this))
    , m_message(new QLabel(this))
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
    , m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("searchBar"));
    setFixedHeight(barHeight);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 8, 4);
    row->setSpacing(4);
    m_field->setFixedWidth(260);
    m_field->setPlaceholderText(tr("kind:B mb:3 rank:0-3"));
    m_field->setAccessibleName(tr("Search ops"));
    m_field->setToolTip(tr("Keys: kind, mb, rank, stage, chunk, step, phase, plan\nLists and ranges: mb:3,5 rank:0-3\n"
                           "Enter next, Shift+Enter previous, Esc closes"));
    m_field->installEventFilter(this);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setFont(uiFont(12));
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto button = [this](QToolButton *made, const QString &name, const QString &tip) {
        made->setProperty("kind", QStringLiteral("icon"));
        made->setAccessibleName(name);
        made->setToolTip(tip);
        made->setFocusPolicy(Qt::TabFocus);
        made->setFixedSize(24, 24);
        made->setIconSize(QSize(14, 14));
    };
    button(m_previous, tr("Previous match"), tr("Previous match (Shift+Enter, Shift+F3)"));
    button(m_next, tr("Next match"), tr("Next match (Enter, F3)"));
    button(m_close, tr("Close the search"), tr("Close the search (Esc)"));
    row->addWidget(m_field);
    row->addWidget(m_previous);
    row->addWidget(m_next);
    row->addSpacing(4);
    row->addWidget(m_message, 1);
    row->addWidget(m_close);
    connect(m_field, &QLineEdit::textChanged, this, &SearchBar::textChanged);
    connect(m_previous, &QToolButton::clicked, this, [this] { emit stepRequested(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { emit stepRequested(1); });
    connect(m_close, &QToolButton::clicked, this, &SearchBar::closeRequested);
    showHelp();
}

void SearchBar::setTheme(const Theme &theme)
{
    m_previous->setIcon(themedIcon(Icon::ChevronLeft, theme));
    m_next->setIcon(themedIcon(Icon::ChevronRight, theme));
    m_close->setIcon(themedIcon(Icon::Close, theme));
}

void SearchBar::open()
{
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

QString SearchBar::text() const { return m_field->text(); }

QString SearchBar::message() const { return m_message->text(); }

void SearchBar::say(const QString &text, const char *tone)
{
    m_message->setText(text);
    m_message->setAccessibleName(text);
    setLook(m_message, "tone", QLatin1String(tone));
}

void SearchBar::showCount(std::size_t place, std::size_t count)
{
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    if (count == 0)
        say(tr("No op matches"), "warn");
    else if (place > 0)
        say(tr("%1 of %2").arg(place).arg(count), "2");
    else
        say(count == 1 ? tr("1 match") : tr("%1 matches").arg(count), "2");
}

void SearchBar::showError(const QString &error)
{
    m_previous->setEnabled(false);
    m_next->setEnabled(false);
    say(error, "err");
}

void SearchBar::showHelp()
{
    m_previous->setEnabled(false);
    m_next->setEnabled(false);
    say(tr("kind, mb, rank, stage, chunk, step, phase or plan, as in kind:B,W mb:0-3"), "3");
}

bool SearchBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool back = (key->modifiers() & Qt::ShiftModifier) != 0;
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_F3) {
            emit stepRequested(back ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            emit closeRequested();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace pipeloom
