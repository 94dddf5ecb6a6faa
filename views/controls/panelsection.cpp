// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/panelsection.h"

#include "views/controls/fieldlines.h"
#include "views/controls/textlabel.h"
#include "views/icons.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace pipeloom
{

PanelSectionBox::PanelSectionBox(const QString &title, bool foldable, QWidget *parent)
    : QWidget(parent)
    , m_title(new QLabel(title, this))
    , m_caption(new TextLabel(this))
    , m_body(new QWidget(this))
    , m_rows(new QVBoxLayout)
    , m_list(new DiagnosticList(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 3, 12, 4);
    column->setSpacing(0);
    auto *header = new QHBoxLayout;
    header->setContentsMargins(0, 0, 0, 0);
    header->setSpacing(4);
    m_title->setFont(uiFont(12, QFont::Bold));
    m_title->setProperty("tone", QStringLiteral("2"));
    m_title->setFixedHeight(19);
    m_caption->setTextFont(uiFont(11));
    m_caption->setToken(&Theme::text3);
    m_caption->setElided(true);
    m_caption->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    if (foldable) {
        m_fold = new QToolButton(this);
        m_fold->setProperty("kind", QStringLiteral("icon"));
        m_fold->setStyleSheet(QStringLiteral("min-height: 16px; max-height: 16px; padding: 0"));
        m_fold->setIconSize({ 12, 12 });
        m_fold->setAccessibleName(title);
        connect(m_fold, &QToolButton::clicked, this, [this] { setOpen(!m_open); });
        header->addWidget(m_fold);
    }
    header->addWidget(m_title);
    header->addWidget(m_caption, 1);
    column->addLayout(header);
    auto *body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(2);
    m_rows->setSpacing(0);
    body->addLayout(m_rows);
    body->addWidget(m_list);
    column->addWidget(m_body);
}

void PanelSectionBox::setCaption(const QString &caption) { m_caption->setText(caption); }

void PanelSectionBox::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_list->setTheme(theme);
    m_caption->setTheme(theme);
    if (m_fold != nullptr) {
        m_fold->setIcon(themedIcon(m_open ? Icon::Chevron : Icon::ChevronRight, theme));
    }
}

void PanelSectionBox::setOpen(bool open)
{
    m_open = open;
    m_body->setVisible(open);
    setTheme(m_theme);
}

QWidget *makeHairline(QWidget *parent)
{
    auto *line = new QFrame(parent);
    line->setProperty("line", QStringLiteral("grid"));
    line->setFixedHeight(1);
    return line;
}

TextLabel *makeCaption(QWidget *parent)
{
    auto *label = new TextLabel(parent);
    label->setTextFont(uiFont(11));
    label->setToken(&Theme::text3);
    label->setWordWrap(true);
    return label;
}

} // namespace pipeloom
