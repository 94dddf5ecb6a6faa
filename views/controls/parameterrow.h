// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "views/theme.h"

#include <QWidget>

#include <vector>

class QLabel;

namespace pipeloom
{

class DiagnosticLine;
class NumberBox;
class PlanBadge;
class StepSlider;

/// One number of a plan: label, slider and number box that move together. The slider walks a list of sensible values; the box
/// takes any number. Arrows go one step, Page keys four, a double click returns to the preset value.
class ParameterRow : public QWidget
{
    Q_OBJECT
public:
    explicit ParameterRow(const QString &label, QWidget *parent = nullptr);

    /// The slider's values, ascending; the current value is added where it is missing. Ignored while the slider is dragged.
    void setValues(const std::vector<double> &values, int decimals = 0);
    /// Values of the list that the plan cannot use: marked on the groove.
    void setInvalidValues(const std::vector<double> &values);
    void setValue(double value); ///< ignored while the slider is dragged
    void setPreset(double value);
    void setLabel(const QString &label, const QString &letter = {}); ///< with a plan's badge when lines differ
    void setIssue(const QString &issue); ///< "", "warn" or "err"
    /// Disabled, with the reason in place of the slider; empty enables it again.
    void setFixed(const QString &reason);
    void setTheme(const Theme &theme);
    /// The document refused the value: the typed text stays, marked, with the reason below; slider and value() go back to what
    /// the document holds.
    void showProblem(const QString &message);
    [[nodiscard]] bool holdsRejected() const; ///< the box shows text that is not in force
    void giveUpRejected(); ///< back to the value in force

    [[nodiscard]] double value() const { return m_value; }
    [[nodiscard]] bool isDragging() const;
    [[nodiscard]] StepSlider *slider() const { return m_slider; }
    [[nodiscard]] NumberBox *box() const { return m_box; }
    /// Made when first needed.
    [[nodiscard]] DiagnosticLine *problem();

signals:
    void edited(double value, bool dragging);
    void committed(); ///< after a change is final: release, key step, typed number
    void rejectedChanged(); ///< holdsRejected() may have changed

protected:
    void mouseDoubleClickEvent(QMouseEvent *event) override;

private:
    void sliderMoved(int position);
    void dragEnded();
    void step(int steps);
    void enter(double value);
    void refuse(const QString &text);
    void reset();
    void finish(double value);
    void hideProblem();
    void rebuildPositions();
    [[nodiscard]] int nearestPosition(double value) const;
    [[nodiscard]] std::vector<double> nearestValues(double value, std::size_t count) const;

    // Most rows never need a badge, a reason or a problem, and there are many rows: these are made when they are.
    QLabel *m_label;
    PlanBadge *m_badge = nullptr;
    StepSlider *m_slider;
    QLabel *m_reason = nullptr;
    NumberBox *m_box;
    DiagnosticLine *m_problem = nullptr;
    Theme m_theme = lightTheme();
    std::vector<double> m_wanted; ///< as given
    std::vector<double> m_positions; ///< with the current value
    std::vector<double> m_invalid;
    QString m_issue;
    double m_value = 0;
    double m_inForce = 0; ///< what the document holds
    double m_preset = 0;
    int m_decimals = 0;
    bool m_moved = false; ///< the drag changed something
    bool m_updating = false;
};

} // namespace pipeloom
