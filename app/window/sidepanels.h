// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/controls/scenariopanel.h"
#include "views/theme.h"

#include <QDockWidget>
#include <QObject>
#include <QWidget>

class QBoxLayout;
class QLabel;
class QMainWindow;
class QToolButton;

namespace pipeloom
{

/// The folded scenario panel: 36 px with its name turned upright and the number of findings.
class Rail : public QWidget
{
    Q_OBJECT
public:
    explicit Rail(QWidget *parent = nullptr);
    void setCounts(const IssueCounts &counts);
    void setTheme(const Theme &theme);
    static constexpr int railWidth = 36;

signals:
    void opened();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    IssueCounts m_counts;
    Theme m_theme = lightTheme();
    QToolButton *m_open;
};

/// The docks at both sides. The scenario folds into a rail when the window is narrow (then it opens over the plots) or when it is
/// closed.
class SidePanels : public QObject
{
    Q_OBJECT
public:
    SidePanels(QMainWindow *window, ScenarioPanel *scenario, QWidget *verdict);

    void toggleScenario(); ///< F4
    void toggleVerdict(); ///< Ctrl+B
    void setScenarioShown(bool shown);
    void setVerdictShown(bool shown);
    [[nodiscard]] bool scenarioShown() const { return m_scenarioShown; }
    [[nodiscard]] bool verdictShown() const { return m_verdictShown; } ///< where the docks are visible
    void setDocksVisible(bool visible); ///< hidden on the start page, which changes nothing of what is shown elsewhere
    void resetWidths();
    void setTheme(const Theme &theme);
    [[nodiscard]] bool isNarrow() const { return m_narrow; }
    [[nodiscard]] bool isFloatingOpen() const { return m_floating; }
    /// Makes the scenario visible in whatever form the window has room for.
    void revealScenario();

    static constexpr int narrowWidth = 1400;

signals:
    void narrowChanged(bool narrow);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void arrange();
    void placeFloating();

    QMainWindow *m_window;
    ScenarioPanel *m_scenario;
    QDockWidget *m_left;
    QDockWidget *m_right;
    QWidget *m_leftBody;
    QBoxLayout *m_leftRow;
    Rail *m_rail;
    QFrame *m_float; ///< carries the panel over the plots
    bool m_scenarioShown = true; ///< in a wide window
    bool m_verdictShown = true; ///< where the docks are visible
    bool m_docksVisible = true;
    bool m_floating = false; ///< in a narrow one
    bool m_narrow = false;
};

} // namespace pipeloom
