// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/sidepanels.h"

#include "views/icons.h"

#include "views/plot/counted.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

namespace pipeloom
{

namespace
{

constexpr int scenarioWidth = 290;
constexpr int scenarioLeast = 260;
constexpr int scenarioMost = 380;
constexpr int verdictWidth = 290;
constexpr int verdictLeast = 270;
constexpr int verdictMost = 360;
constexpr int verdictNarrow = 284;

QDockWidget *makeDock(const QString &title, const QString &name, QMainWindow *window)
{
    auto *dock = new QDockWidget(title, window);
    dock->setObjectName(name);
    dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
    auto *noTitle = new QWidget(dock);
    noTitle->setLayout(new QHBoxLayout);
    noTitle->layout()->setContentsMargins(0, 0, 0, 0); // an empty widget without layout asks for a height of -1
    dock->setTitleBarWidget(noTitle);
    return dock;
}

} // namespace

Rail::Rail(QWidget *parent)
    : QWidget(parent)
    , m_open(new QToolButton(this))
{
    setFixedWidth(railWidth);
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    setCursor(Qt::PointingHandCursor);
    m_open->setProperty("kind", QStringLiteral("icon"));
    m_open->setGeometry(5, 6, 26, 26);
    m_open->setToolTip(tr("Scenario (F4)"));
    m_open->setAccessibleName(tr("Open the scenario panel"));
    connect(m_open, &QToolButton::clicked, this, &Rail::opened);
}

void Rail::setCounts(const IssueCounts &counts)
{
    m_counts = counts;
    setAccessibleDescription(tr("%1, %2, %3 kept")
                                 .arg(countedText(counts.errors, "error"), countedText(counts.warnings, "warning"),
                                      countedText(counts.satisfied, "rule")));
    update();
}

void Rail::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_open->setIcon(themedIcon(Icon::ChevronRight, theme));
    update();
}

void Rail::mouseReleaseEvent(QMouseEvent *event)
{
    if (rect().contains(event->position().toPoint())) {
        emit opened();
    }
}

void Rail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.panel);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(m_theme.text);
    painter.save();
    painter.translate(width() / 2.0, 112);
    painter.rotate(-90);
    painter.drawText(QRectF(-70, -10, 140, 20), Qt::AlignCenter, tr("Scenario (F4)"));
    painter.restore();
    int top = 184;
    const auto mark = [&](Icon icon, int count, const QColor &colour) {
        if (count == 0) {
            return;
        }
        painter.drawPixmap(QRect(width() / 2 - 7, top, 14, 14), statusPixmap(icon, m_theme, 14, devicePixelRatioF()));
        painter.setPen(colour);
        painter.setFont(uiFont(11, QFont::Bold));
        painter.drawText(QRect(0, top + 15, width(), 16), Qt::AlignCenter, QString::number(count));
        top += 46;
    };
    mark(Icon::Error, m_counts.errors, m_theme.err);
    mark(Icon::Warning, m_counts.warnings, m_theme.warn);
    mark(Icon::Ok, m_counts.satisfied, m_theme.ok);
}

SidePanels::SidePanels(QMainWindow *window, ScenarioPanel *scenario, QWidget *verdict)
    : QObject(window)
    , m_window(window)
    , m_scenario(scenario)
    , m_left(makeDock(tr("Scenario"), QStringLiteral("scenarioDock"), window))
    , m_right(makeDock(tr("Verdict"), QStringLiteral("verdictDock"), window))
    , m_leftBody(new QWidget(m_left))
    , m_leftRow(new QHBoxLayout(m_leftBody))
    , m_rail(new Rail(m_leftBody))
    , m_float(new QFrame(window))
{
    m_leftRow->setContentsMargins(0, 0, 0, 0);
    m_leftRow->setSpacing(0);
    m_leftRow->addWidget(m_rail);
    m_leftRow->addWidget(m_scenario);
    m_left->setWidget(m_leftBody);
    m_right->setWidget(verdict);
    window->addDockWidget(Qt::LeftDockWidgetArea, m_left);
    window->addDockWidget(Qt::RightDockWidgetArea, m_right);
    window->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    verdict->setMinimumWidth(verdictLeast);
    verdict->setMaximumWidth(verdictMost);
    m_float->setProperty("panel", true);
    m_float->setFrameShape(QFrame::NoFrame);
    auto *inner = new QHBoxLayout(m_float);
    inner->setContentsMargins(0, 0, 1, 0);
    m_float->setObjectName(QStringLiteral("scenarioFloat"));
    m_float->hide();
    connect(m_rail, &Rail::opened, this, &SidePanels::toggleScenario);
    connect(scenario, &ScenarioPanel::issuesChanged, this, [this] { m_rail->setCounts(m_scenario->issues()); });
    window->installEventFilter(this);
    m_leftBody->installEventFilter(this);
    arrange();
}

void SidePanels::toggleScenario()
{
    if (m_narrow) {
        m_floating = !m_floating;
    } else {
        m_scenarioShown = !m_scenarioShown;
    }
    arrange();
}

void SidePanels::revealScenario()
{
    if ((m_narrow && !m_floating) || (!m_narrow && !m_scenarioShown)) {
        toggleScenario();
    }
}

void SidePanels::toggleVerdict() { setVerdictShown(!verdictShown()); }

void SidePanels::setScenarioShown(bool shown)
{
    m_scenarioShown = shown;
    arrange();
}

void SidePanels::setVerdictShown(bool shown)
{
    m_verdictShown = shown;
    m_right->setVisible(m_docksVisible && m_verdictShown);
}

void SidePanels::setDocksVisible(bool visible)
{
    m_docksVisible = visible;
    m_left->setVisible(visible);
    m_right->setVisible(visible && m_verdictShown);
    if (!visible) {
        m_floating = false;
        m_float->hide();
    }
}

void SidePanels::resetWidths()
{
    m_scenarioShown = true;
    setVerdictShown(true);
    arrange();
    m_window->resizeDocks({ m_left, m_right },
                          { m_narrow ? Rail::railWidth : scenarioWidth, m_narrow ? verdictNarrow : verdictWidth },
                          Qt::Horizontal);
}

void SidePanels::setTheme(const Theme &theme) { m_rail->setTheme(theme); }

void SidePanels::arrange()
{
    const bool docked = !m_narrow && m_scenarioShown;
    const bool floating = m_narrow && m_floating;
    m_rail->setVisible(!docked);
    if (floating) {
        m_float->layout()->addWidget(m_scenario);
    } else {
        m_leftRow->addWidget(m_scenario);
    }
    m_scenario->setVisible(docked || floating);
    m_leftBody->setMinimumWidth(docked ? scenarioLeast : Rail::railWidth);
    m_leftBody->setMaximumWidth(docked ? scenarioMost : Rail::railWidth);
    if (docked) {
        m_window->resizeDocks({ m_left }, { scenarioWidth }, Qt::Horizontal);
    }
    m_float->setVisible(floating);
    if (floating) {
        placeFloating();
        m_float->raise();
    }
}

void SidePanels::placeFloating()
{
    const QPoint corner = m_leftBody->mapTo(m_window, QPoint(m_leftBody->width(), 0));
    m_float->setGeometry(corner.x(), corner.y(), scenarioWidth, m_leftBody->height());
}

bool SidePanels::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize) {
        if (watched == m_window) {
            const bool narrow = m_window->width() < narrowWidth;
            if (narrow != m_narrow) {
                m_narrow = narrow;
                m_floating = false;
                arrange();
                m_window->resizeDocks({ m_right }, { narrow ? verdictNarrow : verdictWidth }, Qt::Horizontal);
                emit narrowChanged(narrow);
            }
        }
        if (m_floating) {
            placeFloating();
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace pipeloom
