// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/startpage.h"

#include "core/scenario/scenariofile.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace pipeloom
{

namespace
{

QLabel *makeTitle(const QString &text, QWidget *parent)
{
    auto *title = new QLabel(text, parent);
    title->setFont(uiFont(14, QFont::Bold));
    return title;
}

QPushButton *makeLink(const QString &text, QWidget *parent)
{
    auto *link = new QPushButton(text, parent);
    link->setProperty("kind", QStringLiteral("link"));
    link->setFont(uiFont(12, QFont::Medium));
    link->setCursor(Qt::PointingHandCursor);
    return link;
}

} // namespace

StartPage::StartPage(QWidget *parent)
    : QWidget(parent)
{
    auto *outer = new QVBoxLayout(this);
    outer->addStretch(2);
    auto *card = new QWidget(this);
    card->setProperty("panel", true);
    card->setAttribute(Qt::WA_StyledBackground);
    card->setFixedWidth(760);
    auto *column = new QVBoxLayout(card);
    column->setContentsMargins(28, 24, 28, 24);
    column->setSpacing(14);
    auto *name = new QLabel(QStringLiteral("PipeLoom"), card);
    name->setFont(uiFont(30, QFont::Bold));
    auto *what = new QLabel(
        tr("See where a mixture-of-experts training step goes: time, memory and money of a plan, beside another."), card);
    what->setProperty("tone", QStringLiteral("2"));
    column->addWidget(name);
    column->addWidget(what);
    auto *columns = new QHBoxLayout;
    columns->setSpacing(32);
    columns->addWidget(makeStart(), 1);
    columns->addWidget(makeSamples(), 1);
    column->addLayout(columns);
    auto *hint = new QLabel(tr("Scenario files can be dropped anywhere on the window."), card);
    hint->setFont(uiFont(11));
    hint->setProperty("tone", QStringLiteral("3"));
    column->addWidget(hint);
    outer->addWidget(card, 0, Qt::AlignHCenter);
    outer->addStretch(3);
}

QWidget *StartPage::makeStart()
{
    auto *part = new QWidget(this);
    auto *column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(makeTitle(tr("Start"), part));
    auto *row = new QHBoxLayout;
    auto *models = new QComboBox(part);
    models->setAccessibleName(tr("Model"));
    for (const std::string &preset : modelPresetNames()) {
        const auto model = modelPreset(preset);
        models->addItem(QString::fromStdString(model ? model->title : preset), QString::fromStdString(preset));
    }
    auto *create = new QPushButton(tr("New"), part);
    create->setProperty("kind", QStringLiteral("primary"));
    row->addWidget(models, 1);
    row->addWidget(create);
    column->addLayout(row);
    auto *open = new QPushButton(tr("Open a scenario file"), part);
    column->addWidget(open);
    column->addSpacing(8);
    column->addWidget(makeTitle(tr("Recent files"), part));
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(2);
    column->addLayout(m_recent);
    column->addStretch(1);
    connect(create, &QPushButton::clicked, this, [this, models] { emit newRequested(models->currentData().toString()); });
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    return part;
}

QWidget *StartPage::makeSamples()
{
    auto *part = new QWidget(this);
    auto *column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(makeTitle(tr("Samples"), part));
    for (const Sample &sample : samples()) {
        QPushButton *link = makeLink(QString::fromStdString(sample.title), part);
        link->setObjectName(QString::fromStdString(sample.name));
        column->addWidget(link, 0, Qt::AlignLeft);
        connect(link, &QPushButton::clicked, this,
                [this, name = QString::fromStdString(sample.name)] { emit sampleRequested(name); });
    }
    column->addStretch(1);
    return part;
}

void StartPage::setRecentFiles(const QStringList &files)
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    if (files.isEmpty()) {
        auto *none = new QLabel(tr("none yet"), this);
        none->setProperty("tone", QStringLiteral("3"));
        m_recent->addWidget(none);
    }
    for (const QString &path : files) {
        QPushButton *link = makeLink(QFileInfo(path).fileName(), this);
        link->setToolTip(path);
        link->setEnabled(QFileInfo::exists(path));
        m_recent->addWidget(link, 0, Qt::AlignLeft);
        connect(link, &QPushButton::clicked, this, [this, path] { emit fileRequested(path); });
    }
}

} // namespace pipeloom
