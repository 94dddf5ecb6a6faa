// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, tool bar and palette of the window.
#include "app/window/mainwindow.h"

#include "app/window/exporter.h"
#include "app/window/filecontroller.h"
#include "app/window/keyhelp.h"
#include "app/window/messagebar.h"
#include "app/window/palette.h"
#include "app/window/sidepanels.h"
#include "app/window/startpage.h"
#include "app/window/windowpicture.h"
#include "core/scenario/scenariofile.h"
#include "views/controls/scenariopanel.h"
#include "views/controls/verdictpanel.h"
#include "views/explore/exploreview.h"
#include "views/icons.h"
#include "views/memory/memoryview.h"
#include "views/planshape.h"
#include "views/stylesheet.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

namespace pipeloom
{

namespace
{

QToolButton *makeIconButton(QAction *action, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setProperty("kind", QStringLiteral("icon"));
    button->setDefaultAction(action);
    button->setIconSize({ 16, 16 });
    button->setFixedSize(30, 28);
    button->setToolTip(tipOf(action));
    button->setAccessibleName(tipOf(action));
    return button;
}

} // namespace

void MainWindow::addFileCommands()
{
    const QString menu = tr("&File");
    m_commands.add(QStringLiteral("file.open"), menu, tr("&Open..."), { QKeySequence::Open }, [this] { m_files->chooseFile(); });
    m_commands.addSubmenu(menu, m_files->recentMenu());
    auto *sampleMenu = new QMenu(tr("Open &sample"), this);
    for (const Sample &sample : samples()) {
        const QString name = QString::fromStdString(sample.name);
        connect(sampleMenu->addAction(QString::fromStdString(sample.title)), &QAction::triggered, this,
                [this, name] { openSample(name); });
    }
    m_commands.addSubmenu(menu, sampleMenu);
    m_commands.add(QStringLiteral("file.start"), menu, tr("S&tart page"), {}, [this] {
        if (m_pages->currentWidget() == m_start) {
            showExplore();
        } else {
            showStart();
        }
    });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("file.save"), menu, tr("&Save"), { QKeySequence::Save }, [this] { m_files->save(); });
    m_commands.add(QStringLiteral("file.saveAs"), menu, tr("Save &as..."), { QKeySequence(QStringLiteral("Ctrl+Shift+S")) },
                   [this] { m_files->saveAs(); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("file.config"), menu, tr("&Model from config.json..."), {},
                   [this] { m_files->chooseConfig(); });
    m_commands.add(QStringLiteral("file.export"), menu, tr("&Export..."), { QKeySequence(QStringLiteral("Ctrl+E")) },
                   [this] { exportView(); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("file.quit"), menu, tr("&Quit"), { QKeySequence(QStringLiteral("Ctrl+Q")) },
                   [] { QApplication::closeAllWindows(); });
}

void MainWindow::addEditCommands()
{
    const QString menu = tr("&Edit");
    QUndoStack *undo = m_document.undoStack();
    // An entry that was refused is the last thing the user did: Undo takes it back first.
    QAction *back = m_commands.add(QStringLiteral("edit.undo"), menu, tr("&Undo"), { QKeySequence::Undo }, [this, undo] {
        if (m_scenario->holdsRejected()) {
            m_scenario->giveUpRejected();
        } else {
            undo->undo();
        }
    });
    QAction *again = m_commands.add(QStringLiteral("edit.redo"), menu, tr("&Redo"),
                                    { QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y")) },
                                    [undo] { undo->redo(); });
    back->setEnabled(false);
    again->setEnabled(false);
    const auto enable = [this, undo, back] { back->setEnabled(undo->canUndo() || m_scenario->holdsRejected()); };
    connect(undo, &QUndoStack::canUndoChanged, back, enable);
    connect(m_scenario, &ScenarioPanel::rejectedChanged, back, enable);
    connect(undo, &QUndoStack::canRedoChanged, again, &QAction::setEnabled);
    connect(undo, &QUndoStack::undoTextChanged, back,
            [back](const QString &text) { back->setText(tr("&Undo %1").arg(text).trimmed()); });
    connect(undo, &QUndoStack::redoTextChanged, again,
            [again](const QString &text) { again->setText(tr("&Redo %1").arg(text).trimmed()); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("edit.copyImage"), menu, tr("Copy &image of the view"),
                   { QKeySequence(QStringLiteral("Ctrl+Shift+C")) }, [this] { copyImage(); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("edit.search"), menu, tr("&Search ops..."), { QKeySequence(QStringLiteral("Ctrl+F")) }, [this] {
        showExplore();
        m_explore->openSearch();
    });
    m_commands.add(QStringLiteral("edit.nextMatch"), menu, tr("&Next match"), { QKeySequence(QStringLiteral("F3")) },
                   [this] { m_explore->findNext(1); });
    m_commands.add(QStringLiteral("edit.previousMatch"), menu, tr("Pre&vious match"),
                   { QKeySequence(QStringLiteral("Shift+F3")) }, [this] { m_explore->findNext(-1); });
    m_commands.add(QStringLiteral("edit.palette"), menu, tr("&Find a setting or command..."),
                   { QKeySequence(QStringLiteral("Ctrl+Shift+P")) }, [this] { showPalette(); });
}

void MainWindow::addViewCommands()
{
    const QString menu = tr("&View");
    m_commands.add(QStringLiteral("view.explore"), menu, tr("&Explore"), { QKeySequence(QStringLiteral("Ctrl+1")) },
                   [this] { showExplore(); });
    m_commands.add(QStringLiteral("view.memory"), menu, tr("&Memory"), { QKeySequence(QStringLiteral("Ctrl+2")) },
                   [this] { showMemory(); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("view.scenario"), menu, tr("&Scenario panel"), { QKeySequence(Qt::Key_F4) },
                   [this] { m_sides->toggleScenario(); });
    m_commands.add(QStringLiteral("view.verdict"), menu, tr("&Verdict panel"), { QKeySequence(QStringLiteral("Ctrl+B")) },
                   [this] { m_sides->toggleVerdict(); });
    m_commands.add(QStringLiteral("view.reset"), menu, tr("&Reset layout"), {}, [this] { m_sides->resetWidths(); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("view.play"), menu, tr("&Play or pause"), {}, [this] { m_explore->togglePlay(); });
    m_commands.add(QStringLiteral("view.fit"), menu, tr("Show &all"), {}, [this] { m_explore->fitAll(); });
    m_commands.add(QStringLiteral("view.zoomIn"), menu, tr("Zoom &in"), { QKeySequence::ZoomIn },
                   [this] { m_explore->zoomIn(); });
    m_commands.add(QStringLiteral("view.zoomOut"), menu, tr("Zoom &out"), { QKeySequence::ZoomOut },
                   [this] { m_explore->zoomOut(); });
    m_commands.addSeparator(menu);
    auto *themeMenu = new QMenu(tr("&Theme"), this);
    auto *group = new QActionGroup(this);
    for (const auto &[name, mode] : { std::pair(tr("As the &desktop"), ThemeMode::System),
                                      { tr("&Light"), ThemeMode::Light },
                                      { tr("&Dark"), ThemeMode::Dark } }) {
        QAction *action = themeMenu->addAction(name);
        action->setCheckable(true);
        action->setChecked(m_themes.mode() == mode);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, mode = mode] { m_themes.setMode(mode); });
        connect(&m_themes, &ThemeController::themeChanged, action,
                [this, action, mode = mode] { action->setChecked(m_themes.mode() == mode); });
    }
    m_commands.addSubmenu(menu, themeMenu);
    m_commands.add(QStringLiteral("view.theme"), menu, tr("&Switch light and dark"), {}, [this] { m_themes.toggle(); });
}

void MainWindow::addPlanCommands()
{
    const QString menu = tr("&Plan");
    m_commands.add(QStringLiteral("plan.pin"), menu, tr("&Pin the edited plan"), { QKeySequence(QStringLiteral("Ctrl+P")) },
                   [this] {
                       const int plan = std::max(0, m_scenario->target().plan);
                       tell(m_document.pin(static_cast<std::size_t>(plan)), tr("Cannot pin the plan"));
                   });
    m_commands.add(QStringLiteral("plan.swap"), menu, tr("&Swap A and B"), { QKeySequence(QStringLiteral("Ctrl+T")) },
                   [this] { tell(m_document.swap(), tr("Cannot swap the plans")); });
    m_commands.add(QStringLiteral("plan.removeB"), menu, tr("&Remove plan B"), {},
                   [this] { tell(m_document.remove(1), tr("Cannot remove the plan")); });
    m_commands.addSeparator(menu);
    m_commands.add(QStringLiteral("plan.why"), menu, tr("&Why these numbers..."), {}, [this] { m_verdict->showTerms(); });
    m_commands.add(QStringLiteral("plan.missing"), menu, tr("What is &not modelled..."), {},
                   [this] { m_verdict->showNotModelled(); });
}

void MainWindow::addHelpCommands()
{
    const QString menu = tr("&Help");
    m_commands.add(QStringLiteral("help.keys"), menu, tr("&Keys"),
                   { QKeySequence(QStringLiteral("?")), QKeySequence(Qt::Key_F1) }, [this] {
                       auto *help = new KeyHelp(m_commands, this);
                       help->setAttribute(Qt::WA_DeleteOnClose);
                       help->open();
                   });
    m_commands.add(QStringLiteral("help.about"), menu, tr("&About PipeLoom"), {}, [this] { showAbout(); });
}

void MainWindow::addPlotNotes()
{
    const QString plots = tr("Timelines, while they have the focus");
    for (const auto &[keys, what] : {
             std::pair(tr("Space"), tr("Play or pause")),
             { tr("L"), tr("Loop") },
             { tr("Left, Right"), tr("Step by op; with Shift by microbatch, with Ctrl by phase") },
             { tr("- and +"), tr("Slower, faster") },
             { tr("Up, Down"), tr("Previous, next rank") },
             { tr(", and ."), tr("Previous, next op in the lane") },
             { tr("[ and ]"), tr("Along dependencies") },
             { tr("/"), tr("Search ops; Enter and Shift+Enter go to the next, the previous match") },
             { tr("W S A D"), tr("Zoom and pan") },
             { tr("F, Home"), tr("Fit the selection, fit all") },
             { tr("Wheel"), tr("Zoom at the cursor; with Shift pan") },
             { tr("Drag"), tr("Pan; with Shift measure, with Alt zoom to a range") },
             { tr("Click, double click"), tr("Select an op, zoom to it") },
             { tr("Esc"), tr("Clear the selection") },
             { tr("Ctrl+C"), tr("Copy the selected op") },
         }) {
        m_commands.addNote(plots, keys, what);
    }
    const QString controls = tr("Sliders and number boxes");
    m_commands.addNote(controls, tr("Arrows"), tr("One step"));
    m_commands.addNote(controls, tr("Page Up, Page Down"), tr("Four steps"));
    m_commands.addNote(controls, tr("Double click"), tr("Back to the value of the file"));
    m_commands.addNote(controls, tr("Esc"), tr("Give up what was typed"));
}

void MainWindow::buildMenuBar()
{
    menuBar()->setNativeMenuBar(false);
    menuBar()->setFixedHeight(26);
    m_commands.fill(menuBar());
    m_title = new QLabel(menuBar());
    m_title->setFont(uiFont(12, QFont::Medium));
    m_title->setProperty("tone", QStringLiteral("2"));
    m_title->setAttribute(Qt::WA_TransparentForMouseEvents, false);
    auto *corner = new QWidget(menuBar());
    auto *row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 2, 10, 4);
    m_search = new QPushButton(corner);
    m_search->setProperty("kind", QStringLiteral("search"));
    m_search->setFixedWidth(288);
    m_search->setFont(uiFont(11.5));
    m_search->setText(tr("Find a setting or command"));
    m_search->setIconSize({ 12, 12 });
    auto *inner = new QHBoxLayout(m_search);
    inner->setContentsMargins(0, 0, 8, 0);
    auto *key = new QLabel(tr("Ctrl+Shift+P"), m_search);
    key->setFont(uiFont(10.5));
    key->setProperty("tone", QStringLiteral("3"));
    key->setAttribute(Qt::WA_TransparentForMouseEvents);
    inner->addStretch(1);
    inner->addWidget(key);
    m_search->setAccessibleName(tr("Find a setting or command"));
    row->addWidget(m_search);
    menuBar()->setCornerWidget(corner, Qt::TopRightCorner);
    connect(m_search, &QPushButton::clicked, this, &MainWindow::showPalette);
}

void MainWindow::buildToolBar()
{
    m_toolBar = new QToolBar(tr("Tools"), this);
    m_toolBar->setObjectName(QStringLiteral("tools"));
    m_toolBar->setMovable(false);
    m_toolBar->setFloatable(false);
    m_toolBar->setContextMenuPolicy(Qt::PreventContextMenu);
    m_toolBar->setFixedHeight(40);
    m_toolBar->setIconSize({ 16, 16 }); // else the style's size replaces that of the buttons, which shows at twice the scale
    setContextMenuPolicy(Qt::PreventContextMenu);
    auto *lead = new QWidget(m_toolBar);
    lead->setFixedWidth(5);
    m_toolBar->addWidget(lead);
    addWorkspaceTabs();
    auto *stretch = new QWidget(m_toolBar);
    stretch->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_toolBar->addWidget(stretch);
    const auto addButton = [this](const char *id) {
        m_toolBar->addWidget(makeIconButton(m_commands.action(QString::fromLatin1(id)), m_toolBar));
    };
    addButton("edit.undo");
    addButton("edit.redo");
    m_toolBar->addSeparator();
    addButton("plan.pin");
    addButton("plan.swap");
    m_toolBar->addSeparator();
    m_exportButton = makeIconButton(m_commands.action(QStringLiteral("file.export")), m_toolBar);
    m_exportButton->setText(tr("Export"));
    m_exportButton->setFont(uiFont(12, QFont::Medium));
    m_exportButton->setMinimumWidth(0);
    m_exportButton->setMaximumWidth(QWIDGETSIZE_MAX);
    m_exportButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toolBar->addWidget(m_exportButton);
    m_toolBar->addSeparator();
    addButton("view.theme");
    auto *tail = new QWidget(m_toolBar);
    tail->setFixedWidth(8);
    m_toolBar->addWidget(tail);
    addToolBar(m_toolBar);
}

void MainWindow::applyTheme()
{
    const Theme &theme = m_themes.theme();
    const auto icon = [&](const char *id, Icon which) {
        m_commands.action(QString::fromLatin1(id))->setIcon(themedIcon(which, theme));
    };
    icon("edit.undo", Icon::Undo);
    icon("edit.redo", Icon::Redo);
    icon("plan.pin", Icon::Pin);
    icon("plan.swap", Icon::Swap);
    icon("file.export", Icon::Export);
    icon("view.theme", theme.dark ? Icon::Sun : Icon::Moon);
    m_search->setIcon(themedIcon(Icon::Search, theme));
    m_scenario->setTheme(theme);
    m_verdict->setTheme(theme);
    m_explore->setTheme(theme);
    m_memory->setTheme(theme);
    m_messages->setTheme(theme);
    m_sides->setTheme(theme);
}

void MainWindow::updateCommands()
{
    const bool open = m_document.isOpen();
    const bool shown = open && m_pages->currentWidget() != m_start;
    const bool two = open && m_document.plans().size() > 1;
    for (const char *id : { "file.save", "file.saveAs", "file.config", "file.start" }) {
        m_commands.action(QString::fromLatin1(id))->setEnabled(open);
    }
    for (const char *id :
         { "file.export", "edit.copyImage", "view.explore", "view.memory", "view.scenario", "view.verdict", "view.reset",
           "view.fit", "edit.search", "edit.nextMatch", "edit.previousMatch", "view.zoomIn", "view.zoomOut", "plan.pin" }) {
        m_commands.action(QString::fromLatin1(id))->setEnabled(shown);
    }
    m_commands.action(QStringLiteral("view.play"))->setEnabled(shown && m_explore->isPlayable());
    const bool figures = shown && haveFigures(m_board.plans());
    m_commands.action(QStringLiteral("plan.why"))->setEnabled(figures);
    m_commands.action(QStringLiteral("plan.missing"))->setEnabled(figures);
    m_commands.action(QStringLiteral("plan.swap"))->setEnabled(shown && two);
    m_commands.action(QStringLiteral("plan.removeB"))->setEnabled(shown && two);
}

void MainWindow::showPalette()
{
    std::vector<PaletteEntry> entries;
    if (m_pages->currentWidget() != m_start) {
        for (const ScenarioPanel::FoundField &found : m_scenario->fieldNames()) {
            entries.push_back({ found.name, tr("scenario"), true, [this, found] {
                                   m_sides->revealScenario();
                                   m_scenario->focusField(found.path);
                               } });
        }
    }
    for (const Command &command : m_commands.all()) {
        if (command.id == QLatin1String("edit.palette")) {
            continue;
        }
        QString name = command.action->text();
        name.remove(QLatin1Char('&')).remove(QStringLiteral("..."));
        entries.push_back(
            { name, keyText(command.action), command.action->isEnabled(), [action = command.action] { action->trigger(); } });
    }
    auto *palette = new CommandPalette(std::move(entries), this);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->move(mapToGlobal(QPoint(std::max(0, width() - palette->width() - 12), 24)));
    palette->show();
    palette->input()->setFocus();
}

void MainWindow::exportView()
{
    const bool memory = m_pages->currentWidget() == m_memory;
    const int plan = m_state.selection() ? m_state.selection()->plan : 0;
    ExportDialog dialog(m_board.plans(), plan, m_themes.theme().dark, !memory, this);
    const std::optional<TimeRange> animated = animatedRange(m_state);
    if (!memory && m_explore->isPlayable() && animated) {
        dialog.offerAnimation(*animated, m_state.measured().has_value());
    }
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    const ExportRequest request = dialog.request();
    const QString suffix = suffixOf(request.format);
    QString name = QFileInfo(m_document.path().isEmpty() ? m_document.displayName() : m_document.path()).fileName();
    name.remove(QStringLiteral(".loom.json"));
    name.replace(QLatin1Char('/'), QLatin1Char('-'));
    name = proposedName(name, request, m_board.plans());
    QString path =
        QFileDialog::getSaveFileName(this, tr("Export"), QFileInfo(QFileInfo(m_document.path()).absolutePath(), name).filePath(),
                                     QStringLiteral("*.%1").arg(suffix));
    if (path.isEmpty()) {
        return;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += QLatin1Char('.') + suffix;
    }
    const auto animate = [&] {
        return writeAnimation(
            this, path,
            { *animated, request.perSecond, request.seconds, request.scale, request.dark, request.format == ExportFormat::Gif },
            *m_explore);
    };
    const Expected<bool> written = isAnimation(request.format) ? animate()
        : !isPicture(request.format)                           ? writeInBackground(this, path, textOf(request, m_board.plans()))
        : memory                                               ? writeWindowPicture(*m_memory, path, request.scale)
                                                               : exportTo(path, request, *m_explore, m_board.plans());
    if (written && !*written) {
        statusBar()->showMessage(tr("Export cancelled, nothing was written"), 6000);
    } else if (written) {
        statusBar()->showMessage(tr("Exported to %1").arg(path), 6000);
    } else {
        m_messages->showErrors(tr("Cannot export to %1").arg(QFileInfo(path).fileName()), written.errors(), {});
    }
}

void MainWindow::copyImage()
{
    if (m_pages->currentWidget() == m_memory) {
        QApplication::clipboard()->setPixmap(m_memory->grab());
    } else {
        QApplication::clipboard()->setImage(m_explore->image(2, m_themes.theme()));
    }
    statusBar()->showMessage(tr("Image copied"), 3000);
}

void MainWindow::showAbout()
{
    QMessageBox box(this);
    box.setWindowTitle(tr("About PipeLoom"));
    box.setTextFormat(Qt::RichText);
    box.setText(
        tr("<b>PipeLoom %1</b><br>Explorer for mixture-of-experts training plans.<br><br>"
           "GPL-3.0-or-later. Made with Qt %2, QCustomPlot, nlohmann_json, fmt and CLI11; set in Roboto and JetBrains Mono.")
            .arg(QStringLiteral(PIPELOOM_VERSION), QString::fromLatin1(qVersion())));
    box.exec();
}

} // namespace pipeloom
