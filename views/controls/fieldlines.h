// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/diagnostic.h"
#include "views/controls/edittarget.h"
#include "views/controls/planfields.h"
#include "views/theme.h"

#include <QWidget>

#include <span>
#include <vector>

class QVBoxLayout;

namespace pipeloom
{

class DiagnosticLine;
class ParameterRow;
class ComboRow;

/// A diagnostic with the plan it concerns; no letter when it concerns every shown plan.
struct PlanDiagnostic
{
    Diagnostic diagnostic;
    QString letter;
    int plan = EditTarget::everyPlan;
    bool operator==(const PlanDiagnostic &) const = default;
};

/// Shows a list of diagnostics with as many DiagnosticLines; keeps widgets while the list changes under a slider.
class DiagnosticList : public QWidget
{
    Q_OBJECT
public:
    explicit DiagnosticList(QWidget *parent = nullptr);
    void setDiagnostics(const std::vector<PlanDiagnostic> &diagnostics);
    void setTheme(const Theme &theme);
    [[nodiscard]] const std::vector<PlanDiagnostic> &diagnostics() const { return m_diagnostics; }

signals:
    void fixRequested(int plan, const Fix &fix);

private:
    std::vector<PlanDiagnostic> m_diagnostics;
    std::vector<DiagnosticLine *> m_lines;
    QVBoxLayout *m_column;
    Theme m_theme = lightTheme();
};

/// One field of the scenario in the panel: one line while the plans agree, else one line per plan with its badge; its diagnostics
/// below.
class FieldLines : public QWidget
{
    Q_OBJECT
public:
    explicit FieldLines(QWidget *parent = nullptr);

    virtual void setPlans(std::span<const Scenario> plans) = 0;
    virtual void setPreset(const Scenario &opened) = 0;
    virtual void setTheme(const Theme &theme);
    /// The document refused the last edit of this field.
    virtual void showProblem(const QString &message) = 0;
    /// True while a control shows what the document refused; giveUpRejected() brings back what it holds.
    [[nodiscard]] virtual bool holdsRejected() const = 0;
    virtual void giveUpRejected() = 0;
    void setDiagnostics(const std::vector<PlanDiagnostic> &diagnostics);
    [[nodiscard]] virtual const char *path() const = 0;
    [[nodiscard]] virtual QString name() const = 0; ///< the label
    virtual void takeFocus() = 0;

signals:
    /// The value as JSON text; plan is everyPlan on the common line.
    void edited(const std::string &json, int plan, bool dragging);
    void fixRequested(int plan, const Fix &fix);
    void rejectedChanged(); ///< holdsRejected() may have changed

protected:
    virtual void setIssues(const QString &common, std::span<const QString> perPlan) = 0;
    [[nodiscard]] QVBoxLayout *lines() const { return m_lines; }
    [[nodiscard]] const Theme &theme() const { return m_theme; }

private:
    QVBoxLayout *m_lines;
    DiagnosticList *m_list = nullptr; ///< made with the first finding
    Theme m_theme = lightTheme();
};

/// A numeric field.
class NumberLines : public FieldLines
{
    Q_OBJECT
public:
    explicit NumberLines(const NumberField &field, QWidget *parent = nullptr);
    void setPlans(std::span<const Scenario> plans) override;
    void setPreset(const Scenario &opened) override;
    void setTheme(const Theme &theme) override;
    void showProblem(const QString &message) override;
    [[nodiscard]] bool holdsRejected() const override;
    void giveUpRejected() override;
    /// Marks the values no plan can use; called when the user pauses.
    void markImpossible(std::span<const Scenario> plans);
    [[nodiscard]] const char *path() const override { return m_field.path; }
    [[nodiscard]] QString name() const override { return QString::fromUtf8(m_field.label); }
    void takeFocus() override;
    /// The line of a plan; 0 is also the common one. Made when first needed.
    [[nodiscard]] ParameterRow *row(int line);
    [[nodiscard]] bool split() const { return m_split; }

protected:
    void setIssues(const QString &common, std::span<const QString> perPlan) override;

private:
    const NumberField &m_field;
    std::vector<ParameterRow *> m_rows; ///< one, or two once the plans differed
    double m_preset = 0;
    bool m_split = false;
    int m_lastEdited = 0;
};

/// A field that is a choice.
class ChoiceLines : public FieldLines
{
    Q_OBJECT
public:
    explicit ChoiceLines(const ChoiceField &field, QWidget *parent = nullptr);
    void setPlans(std::span<const Scenario> plans) override;
    void setPreset(const Scenario &) override { }
    void setTheme(const Theme &theme) override;
    void showProblem(const QString &message) override;
    [[nodiscard]] bool holdsRejected() const override;
    void giveUpRejected() override;
    [[nodiscard]] const char *path() const override { return m_field.path; }
    [[nodiscard]] QString name() const override { return QString::fromUtf8(m_field.label); }
    void takeFocus() override;
    [[nodiscard]] ComboRow *row(int line); ///< as for numbers

protected:
    void setIssues(const QString &common, std::span<const QString> perPlan) override;

private:
    const ChoiceField &m_field;
    std::vector<ComboRow *> m_rows; ///< one, or two once the plans differed
    std::vector<ComboItem> m_shown; ///< what the document holds, per line
    bool m_split = false;
    DiagnosticLine *m_problem = nullptr;
};

} // namespace pipeloom
