// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/segments.h"

#include "views/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace pipeloom
{

Segments::Segments(const QStringList &labels, QWidget *parent)
    : QWidget(parent)
    , m_group(new QButtonGroup(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (qsizetype i = 0; i < labels.size(); ++i) {
        auto *button = new QToolButton(this);
        button->setText(labels.at(i));
        button->setCheckable(true);
        button->setFont(uiFont(11.5, QFont::Medium));
        button->setProperty("kind", QStringLiteral("segment"));
        button->setProperty("place",
                            i == 0                       ? QStringLiteral("first")
                                : i + 1 == labels.size() ? QStringLiteral("last")
                                                         : QStringLiteral("middle"));
        m_group->addButton(button, static_cast<int>(i));
        row->addWidget(button);
    }
    m_group->setExclusive(true);
    setCurrent(0);
    connect(m_group, &QButtonGroup::idClicked, this, &Segments::chosen);
}

int Segments::current() const { return m_group->checkedId(); }

void Segments::setCurrent(int index)
{
    if (QAbstractButton *button = m_group->button(index)) {
        button->setChecked(true);
    }
}

} // namespace pipeloom
