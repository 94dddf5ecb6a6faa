// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/autosave.h"
#include "app/window/commands.h"
#include "app/window/document.h"
#include "app/window/evaluator.h"
#include "app/window/planboard.h"
#include "app/window/session.h"
#include "app/window/themecontroller.h"
#include "views/viewstate.h"

#include <QMainWindow>

#include <memory>

class QButtonGroup;
class QLabel;
class QStackedWidget;
class QToolBar;
class QToolButton;
class QPushButton;

namespace pipeloom
{

class ExploreView;
class FileController;
class MemoryView;
class MessageBar;
class ScenarioPanel;
class SidePanels;
class StartPage;
class VerdictPanel;

/// What a window keeps between runs, and where. Tests and `render` switch it off.
struct WindowOptions
{
    bool keepsSession = true; ///< false with --clean: nothing is read or written
    bool autosaves = true;
    QString sessionFile = {}; ///< empty = the standard place
    QString autosaveFolder = {}; ///< empty = the standard place
};

/// The program's window. It only assembles: document, evaluator, views, docks and commands.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(const WindowOptions &options, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Opens the last session's file, else the default sample.
    void openLast();
    bool openFile(const QString &path);
    bool openFiles(const QStringList &paths);
    bool openSample(const QString &name);
    void showStart();
    void showExplore();
    void showMemory();
    /// Says what an ended program left unsaved.
    void offerRecovery();
    void restoreSession();
    /// Starts looking at the desktop's colour scheme.
    void followDesktop();

    [[nodiscard]] Document &document() { return m_document; }
    [[nodiscard]] Evaluator &evaluator() { return m_evaluator; }
    [[nodiscard]] PlanBoard &board() { return m_board; }
    [[nodiscard]] ViewState &state() { return m_state; }
    [[nodiscard]] Commands &commands() { return m_commands; }
    [[nodiscard]] ThemeController &themes() { return m_themes; }
    [[nodiscard]] FileController &files() { return *m_files; }
    [[nodiscard]] ExploreView &explore() { return *m_explore; }
    [[nodiscard]] MemoryView &memory() { return *m_memory; }
    [[nodiscard]] ScenarioPanel &scenarioPanel() { return *m_scenario; }
    [[nodiscard]] VerdictPanel &verdictPanel() { return *m_verdict; }
    [[nodiscard]] MessageBar &messages() { return *m_messages; }
    [[nodiscard]] SidePanels &sides() { return *m_sides; }

signals:
    /// A dropped or chosen file that belongs into a window of its own.
    void windowRequested(const QString &path);
    /// The first result reached the screen.
    void firstPainted();

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    // Assembly, in mainwindow.cpp.
    void buildCentre();
    void buildStatusBar();
    void connectParts();
    void applyTheme();
    // The workspaces and their tabs, in workspaces.cpp.
    void buildWorkspaces();
    void addWorkspaceTabs();
    void showWorkspace(QWidget *page);
    void saveText(const QString &text, const QString &name);
    // Menus and tool bar, in mainwindowcommands.cpp.
    void addFileCommands();
    void addEditCommands();
    void addViewCommands();
    void addPlanCommands();
    void addHelpCommands();
    void addPlotNotes();
    void buildMenuBar();
    void buildToolBar();
    void showPalette();
    void exportView();
    void copyImage();
    void showAbout();

    void edit(const std::vector<Setting> &settings, EditTarget target, bool dragging);
    void tell(const Expected<bool> &result, const QString &title);
    void showPlans();
    void showDocument();
    void showTitle();
    void centreTitle();
    void updateCommands();
    void saveSession();

    const WindowOptions m_options;
    Session m_session;
    SessionState m_restored;
    bool m_restorePending = false; ///< playhead and range follow with the first result
    Document m_document;
    Evaluator m_evaluator;
    PlanBoard m_board;
    ViewState m_state;
    ThemeController m_themes;
    Commands m_commands;
    std::unique_ptr<Autosave> m_autosave;
    FileController *m_files = nullptr;
    MessageBar *m_messages = nullptr;
    QStackedWidget *m_pages = nullptr;
    StartPage *m_start = nullptr;
    ExploreView *m_explore = nullptr;
    MemoryView *m_memory = nullptr;
    QButtonGroup *m_tabs = nullptr; ///< one for each workspace, in the order of the pages after the start page
    ScenarioPanel *m_scenario = nullptr;
    VerdictPanel *m_verdict = nullptr;
    SidePanels *m_sides = nullptr;
    QToolBar *m_toolBar = nullptr;
    QToolButton *m_exportButton = nullptr;
    QPushButton *m_search = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_hint = nullptr;
    QLabel *m_timing = nullptr;
    bool m_exploreVerdict = true; ///< the verdict dock in Explore, while Memory is in front
    bool m_complete = false; ///< every drawn plan has a result
    bool m_painted = false;
};

} // namespace pipeloom
