// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mainwindow.h"

#include "app/window/filecontroller.h"
#include "app/window/messagebar.h"
#include "app/window/pagestack.h"
#include "app/window/sidepanels.h"
#include "app/window/startpage.h"
#include "views/controls/format.h"
#include "views/controls/scenariopanel.h"
#include "views/controls/verdictpanel.h"
#include "views/explore/exploreview.h"
#include "views/explore/timelineplot.h"
#include "views/memory/memoryview.h"

#include <QAction>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace pipeloom
{

namespace
{
constexpr std::size_t memoryPlans = 2;

QString restingHint() { return MainWindow::tr("Wheel zooms at the cursor, drag pans, Shift+drag measures a range, Space plays"); }

/// The first plans, as many as a view draws; the others are listed beside it.
std::vector<ShownPlan> drawn(const std::vector<ShownPlan> &plans, std::size_t most = mostPlans)
{
    return { plans.begin(), plans.begin() + static_cast<std::ptrdiff_t>(std::min(plans.size(), most)) };
}

} // namespace

MainWindow::MainWindow(const WindowOptions &options, QWidget *parent)
    : QMainWindow(parent)
    , m_options(options)
    , m_session(options.sessionFile)
    , m_board(&m_document, &m_evaluator)
    , m_commands(this)
{
    setAcceptDrops(true);
    setMinimumSize(1024, 640);
    resize(1600, 1000);
    if (m_options.keepsSession) {
        m_restored = m_session.load();
    }
    m_themes.setMode(m_restored.theme); // before any widget, so that each is polished once
    if (m_options.autosaves) {
        m_autosave = std::make_unique<Autosave>(&m_document, m_options.autosaveFolder);
    }
    m_scenario = new ScenarioPanel(this);
    m_verdict = new VerdictPanel(this);
    buildCentre();
    m_sides = new SidePanels(this, m_scenario, m_verdict);
    addFileCommands();
    addEditCommands();
    addViewCommands();
    addPlanCommands();
    addHelpCommands();
    addPlotNotes();
    buildMenuBar();
    buildToolBar();
    buildStatusBar();
    connectParts();
    applyTheme();
    m_sides->resetWidths();
    showStart();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre()
{
    auto *centre = new QWidget(this);
    centre->setObjectName(QStringLiteral("central"));
    auto *column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_messages = new MessageBar(centre);
    m_files = new FileController(&m_document, m_messages, m_options.keepsSession ? &m_session : nullptr, this);
    m_pages = new PageStack(centre);
    m_start = new StartPage(m_pages);
    m_pages->addWidget(m_start);
    buildWorkspaces();
    column->addWidget(m_messages);
    column->addWidget(m_pages, 1);
    setCentralWidget(centre);
}

void MainWindow::buildStatusBar()
{
    m_hint = new QLabel(this);
    m_hint->setFont(uiFont(11.5));
    m_timing = new QLabel(this);
    m_timing->setFont(uiFont(11.5));
    auto *scope = new QLabel(tr("Scope: whole step"), this);
    scope->setFont(uiFont(11.5));
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(7, 0, 8, 0);
    statusBar()->addWidget(m_hint, 1);
    m_hint->setText(restingHint());
    for (QLabel *label : { scope, m_timing }) {
        auto *line = new QFrame(this);
        line->setProperty("line", true);
        line->setFixedSize(1, 14);
        label->setContentsMargins(8, 0, 8, 0);
        statusBar()->addPermanentWidget(line);
        statusBar()->addPermanentWidget(label);
    }
}

void MainWindow::connectParts()
{
    connect(&m_document, &Document::changed, this, &MainWindow::showDocument);
    connect(&m_document, &Document::replaced, this, [this] {
        m_scenario->giveUpRejected();
        m_scenario->setPresets(m_document.opened());
    });
    connect(&m_document, &Document::stateChanged, this, &MainWindow::showTitle);
    connect(&m_document, &Document::changed, this, &MainWindow::updateCommands);
    connect(&m_board, &PlanBoard::plansChanged, this, &MainWindow::showPlans);
    connect(&m_board, &PlanBoard::nearestChanged, this, [this](int plan) {
        const NearestState &nearest = m_board.nearest(static_cast<std::size_t>(plan));
        m_verdict->setNearest(plan, nearest);
        const bool known = nearest.plans && !nearest.plans->empty() && !nearest.searching;
        Fix fix = known ? fixOf(nearest.plans->front()) : Fix{};
        if (known) {
            fix.label = tr("It fits with %1").arg(QString::fromStdString(fix.label)).toStdString();
        }
        m_scenario->setNearest(plan, fix);
    });
    connect(&m_board, &PlanBoard::waitingChanged, this, [this](qint64 milliseconds) {
        for (int plan = 0; plan < static_cast<int>(std::min(m_board.plans().size(), mostPlans)); ++plan) {
            m_explore->setUpdating(plan, milliseconds);
        }
    });
    connect(m_scenario, &ScenarioPanel::edited, this, &MainWindow::edit);
    connect(m_verdict, &VerdictPanel::fixRequested, this,
            [this](int plan, const Fix &fix) { edit(fix.set, EditTarget{ plan }, false); });
    connect(m_explore, &ExploreView::fixRequested, this,
            [this](int plan, const Fix &fix) { edit(fix.set, EditTarget{ plan }, false); });
    connect(m_verdict, &VerdictPanel::compareRequested, this,
            [this](int plan) { tell(m_document.compareWith(static_cast<std::size_t>(plan)), tr("Cannot show the plan")); });
    connect(m_verdict, &VerdictPanel::removeRequested, this,
            [this](int plan) { tell(m_document.remove(static_cast<std::size_t>(plan)), tr("Cannot remove the plan")); });
    connect(m_explore, &ExploreView::playableChanged, this, &MainWindow::updateCommands);
    connect(&m_board, &PlanBoard::plansChanged, this, &MainWindow::updateCommands);
    connect(m_explore, &ExploreView::hint, this,
            [this](const QString &hint) { m_hint->setText(hint.isEmpty() ? restingHint() : hint); });
    connect(m_explore, &ExploreView::painted, this, [this] {
        if (!m_painted && m_complete) {
            m_painted = true;
            emit firstPainted();
        }
    });
    connect(m_start, &StartPage::openRequested, m_files, &FileController::chooseFile);
    connect(m_start, &StartPage::fileRequested, m_files, &FileController::openFile);
    connect(m_start, &StartPage::sampleRequested, m_files, &FileController::openSample);
    connect(m_start, &StartPage::newRequested, m_files, &FileController::openNew);
    connect(m_files, &FileController::windowRequested, this, &MainWindow::windowRequested);
    connect(m_files, &FileController::opened, this, [this] { showExplore(); });
    connect(&m_themes, &ThemeController::themeChanged, this, &MainWindow::applyTheme);
    connect(m_sides, &SidePanels::narrowChanged, this, [this](bool narrow) {
        m_exportButton->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    });
    menuBar()->installEventFilter(this);
}

void MainWindow::openLast()
{
    if (!m_restored.file.isEmpty() && QFileInfo::exists(m_restored.file) && openFile(m_restored.file)) {
        m_restorePending = true;
        return;
    }
    const bool sameSample = !m_restored.sample.isEmpty();
    m_restorePending = openSample(m_restored.sample) && sameSample;
    if (!m_document.isOpen()) {
        openSample(QString());
    }
}

bool MainWindow::openFile(const QString &path) { return m_files->openFile(path); }

bool MainWindow::openFiles(const QStringList &paths) { return m_files->openFiles(paths); }

bool MainWindow::openSample(const QString &name) { return m_files->openSample(name); }

void MainWindow::showStart()
{
    m_start->setRecentFiles(m_options.keepsSession ? m_session.recentFiles() : QStringList());
    m_pages->setCurrentWidget(m_start);
    m_sides->setDocksVisible(false);
    m_hint->clear();
    showTitle();
    updateCommands();
}

void MainWindow::offerRecovery()
{
    if (!m_autosave) {
        return;
    }
    const std::vector<RecoveredWork> found = Autosave::find(m_options.autosaveFolder);
    if (found.empty()) {
        return;
    }
    const RecoveredWork work = found.front();
    m_messages->showMessage(Severity::Warning, tr("Unsaved changes of %1 were kept when the program ended").arg(work.name), {},
                            { { tr("Restore"),
                                [this, work] {
                                    if (!m_files->mayDiscard()) {
                                        return;
                                    }
                                    const auto result = m_document.openRecovered(work.file, work.path);
                                    if (!result) {
                                        m_messages->showErrors(tr("Cannot restore %1").arg(work.name), result.errors(), {});
                                        return;
                                    }
                                    m_autosave->flush(); // the new copy first, then the old one goes
                                    Autosave::remove(work);
                                    emit m_files->opened();
                                    offerRecovery();
                                } },
                              { tr("Discard"), [this, work] {
                                   Autosave::remove(work);
                                   offerRecovery();
                               } } });
}

void MainWindow::edit(const std::vector<Setting> &settings, EditTarget target, bool dragging)
{
    const Expected<bool> result = m_document.edit(settings, target, dragging);
    if (result) {
        return;
    }
    const bool hasControl =
        std::ranges::any_of(settings, [this](const Setting &each) { return m_scenario->field(each.path) != nullptr; });
    if (hasControl) {
        m_scenario->showRejected(settings, result.errors());
    } else {
        tell(result, tr("The change cannot be applied"));
    }
}

void MainWindow::tell(const Expected<bool> &result, const QString &title)
{
    if (!result) {
        m_messages->showErrors(title, result.errors(), tr("The scenario is unchanged."));
    }
}

void MainWindow::showDocument() { m_scenario->setPlans(m_document.plans(), m_board.plans()); }

void MainWindow::showPlans()
{
    const std::vector<ShownPlan> &plans = m_board.plans();
    if (m_document.isOpen() && plans.size() == m_document.plans().size()) {
        m_scenario->setPlans(m_document.plans(), plans);
    }
    m_verdict->setPlans(plans);
    m_explore->setPlans(drawn(plans));
    m_memory->setPlans(drawn(plans, memoryPlans));
    if (m_board.milliseconds() > 0) {
        m_timing->setText(tr("Evaluated in %1 ms").arg(fixedText(m_board.milliseconds(), m_board.milliseconds() < 9.95 ? 1 : 0)));
    }
    const std::vector<ShownPlan> pair = drawn(plans);
    const bool wasComplete = m_complete;
    m_complete = !pair.empty() && std::ranges::all_of(pair, [](const ShownPlan &plan) { return plan.latest != nullptr; });
    if (m_complete && !wasComplete) {
        // The first result fills empty panels: lay them out before they are painted, over the rounds that wrapped texts take.
        for (int round = 0; round < 3; ++round) {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        }
    }
    if (m_restorePending && m_complete) {
        m_restorePending = false;
        m_state.setRank(m_restored.rank);
        if (m_restored.range) {
            m_state.setRange(*m_restored.range);
        }
        m_state.setPlayhead(m_restored.playhead);
    }
}

void MainWindow::showTitle()
{
    const bool open = m_document.isOpen() && m_pages->currentWidget() != m_start;
    setWindowTitle(open ? tr("%1[*] - PipeLoom").arg(m_document.displayName()) : QStringLiteral("PipeLoom"));
    setWindowModified(open && m_document.isModified());
    setWindowFilePath(m_document.path());
    m_title->setText(open ? m_document.displayName() + (m_document.isModified() ? QStringLiteral("  ●") : QString()) : QString());
    m_title->setToolTip(m_document.path());
    centreTitle();
}

bool MainWindow::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == menuBar() && event->type() == QEvent::Resize) {
        centreTitle();
    }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::centreTitle()
{
    const int width = m_title->sizeHint().width();
    m_title->setGeometry((menuBar()->width() - width) / 2, 0, width, 25);
}

void MainWindow::followDesktop() { m_themes.system().watch(); }

void MainWindow::restoreSession()
{
    if (!m_options.keepsSession) {
        return;
    }
    if (!m_restored.geometry.isEmpty()) {
        restoreGeometry(m_restored.geometry); // clamps to the screens that are there
    }
    m_sides->setScenarioShown(m_restored.scenarioShown);
    m_sides->setVerdictShown(m_restored.verdictShown);
    if (!m_restored.layout.isEmpty()) {
        // The layout may come from a start page, which hides both docks.
        restoreState(m_restored.layout);
        m_sides->setDocksVisible(m_document.isOpen());
    }
    m_explore->restoreState(m_restored.explore);
    m_memory->restoreState(m_restored.memory);
    if (m_restored.workspace == QLatin1String("memory") && m_document.isOpen()) {
        showMemory();
        m_exploreVerdict = m_restored.verdictShown;
    }
}

void MainWindow::saveSession()
{
    if (!m_options.keepsSession) {
        return;
    }
    SessionState state;
    state.geometry = saveGeometry();
    state.layout = saveState();
    state.file = m_document.path().isEmpty() ? QString() : QFileInfo(m_document.path()).absoluteFilePath();
    state.sample = m_files->sample();
    state.theme = m_themes.mode();
    state.scenarioShown = m_sides->scenarioShown();
    state.verdictShown = m_pages->currentWidget() == m_memory ? m_exploreVerdict : m_sides->verdictShown();
    state.playhead = m_state.playhead();
    if (m_state.range().begin > 0 || m_state.range().end < m_state.extent()) {
        state.range = m_state.range();
    }
    state.explore = m_explore->saveState();
    state.memory = m_memory->saveState();
    state.workspace = m_pages->currentWidget() == m_memory ? QStringLiteral("memory") : QStringLiteral("explore");
    state.rank = m_state.rank();
    m_session.save(state);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!m_files->mayDiscard()) {
        event->ignore();
        return;
    }
    saveSession();
    if (m_autosave) {
        m_autosave->discard();
    }
    event->accept();
}

/// Single characters reach the window only when no plot or box took them.
void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->text() == QLatin1String("?")) {
        m_commands.action(QStringLiteral("help.keys"))->trigger();
    } else if (event->text() == QLatin1String("/")) {
        m_commands.action(QStringLiteral("edit.palette"))->trigger();
    } else if (event->key() == Qt::Key_Escape) {
        m_explore->clearSelection(); // what is pinned goes, wherever the focus is
    } else {
        QMainWindow::keyPressEvent(event);
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::ranges::any_of(urls, &QUrl::isLocalFile)) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent *event)
{
    event->acceptProposedAction();
    QStringList paths;
    for (const QUrl &url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths += url.toLocalFile();
        }
    }
    if (paths.isEmpty()) {
        return;
    }
    // The question about unsaved work must not hold up the program the file comes from.
    QTimer::singleShot(0, this, [this, paths] { openFiles(paths); });
}

} // namespace pipeloom
