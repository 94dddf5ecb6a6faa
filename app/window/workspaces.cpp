// SPDX-License-Identifier: GPL-3.0-or-later
// The workspaces of the window: their pages, their tabs, and changing from one to the other.
#include "app/window/mainwindow.h"

#include "app/window/filecontroller.h"
#include "app/window/messagebar.h"
#include "app/window/sidepanels.h"
#include "app/window/startpage.h"
#include "views/explore/exploreview.h"
#include "views/explore/timelineplot.h"
#include "views/memory/memoryview.h"
#include "views/memory/tensorpanel.h"

#include <QAction>
#include <QButtonGroup>
#include <QFileDialog>
#include <QLabel>
#include <QSaveFile>
#include <QStackedWidget>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>

namespace pipeloom
{

void MainWindow::buildWorkspaces()
{
    m_explore = new ExploreView(&m_state, m_pages);
    m_memory = new MemoryView(&m_state, m_pages);
    m_pages->addWidget(m_explore);
    m_pages->addWidget(m_memory);
    connect(m_memory, &MemoryView::fixRequested, this,
            [this](int plan, const Fix &fix) { edit(fix.set, EditTarget{ plan }, false); });
    connect(m_memory, &MemoryView::saveRequested, this, &MainWindow::saveText);
}

void MainWindow::addWorkspaceTabs()
{
    m_tabs = new QButtonGroup(this);
    for (const auto &[text, command] : { std::pair(tr("Explore"), "view.explore"), { tr("Memory"), "view.memory" } }) {
        auto *tab = new QToolButton(m_toolBar);
        tab->setText(text);
        tab->setCheckable(true);
        tab->setProperty("kind", QStringLiteral("tab"));
        tab->setFont(uiFont(13, QFont::Medium));
        tab->setFixedHeight(39);
        m_tabs->addButton(tab);
        m_toolBar->addWidget(tab);
        QAction *action = m_commands.action(QString::fromLatin1(command));
        tab->setToolTip(tipOf(action));
        connect(tab, &QToolButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::enabledChanged, tab, &QToolButton::setEnabled);
    }
    m_tabs->buttons().front()->setChecked(true);
}

void MainWindow::showWorkspace(QWidget *page)
{
    const QWidget *before = m_pages->currentWidget();
    if (before == m_start) {
        m_sides->setDocksVisible(true);
    }
    // Memory has a verdict of its own in its cards and levers: the dock makes room for the tensors, before they squeeze it, and
    // comes back with Explore.
    if (page == m_memory && before != m_memory) {
        m_exploreVerdict = m_sides->verdictShown();
        m_sides->setVerdictShown(false);
    }
    m_pages->setCurrentWidget(page);
    m_tabs->buttons().at(m_pages->indexOf(page) - 1)->setChecked(true);
    if (page == m_explore && before == m_memory) {
        m_sides->setVerdictShown(m_exploreVerdict);
    }
    showTitle();
    updateCommands();
}

void MainWindow::showExplore()
{
    showWorkspace(m_explore);
    m_explore->timelines().setFocus();
    m_hint->setText(tr("Wheel zooms at the cursor, drag pans, Shift+drag measures a range, Space plays"));
}

void MainWindow::showMemory()
{
    showWorkspace(m_memory);
    m_memory->tensors().view()->setFocus();
    m_hint->setText(tr("Click a tensor for its formula, Ctrl+C copies the row with units and source"));
}

void MainWindow::saveText(const QString &text, const QString &name)
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save table"), name, tr("Comma-separated values (*.csv)"));
    if (path.isEmpty()) {
        return;
    }
    QSaveFile file(path);
    const QByteArray bytes = text.toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        m_messages->showErrors(tr("Cannot save the table"),
                               { { ErrorCode::Unwritable,
                                   file.errorString().toStdString(),
                                   path.toStdString(),
                                   {},
                                   "choose another folder or name" } },
                               {});
    }
}

} // namespace pipeloom
