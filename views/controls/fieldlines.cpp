// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/fieldlines.h"

#include "views/controls/diagnosticline.h"
#include "views/controls/numberbox.h"
#include "views/controls/parameterrow.h"

#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr int mostLines = 2; // plans A and B

QString letterOf(std::size_t plan) { return QString(QChar(u'A' + static_cast<char16_t>(plan))); }

const char *issueOf(Severity severity)
{
    return severity == Severity::Error ? "err" : severity == Severity::Warning ? "warn" : "";
}

void raiseIssue(QString &issue, Severity severity)
{
    const QString other = QString::fromLatin1(issueOf(severity));
    if (issue != QLatin1String("err") && !other.isEmpty()) {
        issue = other;
    }
}

/// Two derived numbers that do not exist are the same.
bool differ(double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); }

QVBoxLayout *plainColumn(QWidget *widget)
{
    auto *column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace

DiagnosticList::DiagnosticList(QWidget *parent)
    : QWidget(parent)
    , m_column(plainColumn(this))
{
    m_column->setSpacing(2);
    hide();
}

void DiagnosticList::setDiagnostics(const std::vector<PlanDiagnostic> &diagnostics)
{
    if (diagnostics == m_diagnostics) {
        return;
    }
    m_diagnostics = diagnostics;
    while (m_lines.size() < diagnostics.size()) {
        auto *line = new DiagnosticLine(this);
        line->setTheme(m_theme);
        const std::size_t index = m_lines.size();
        connect(line, &DiagnosticLine::fixRequested, this,
                [this, index](const Fix &fix) { emit fixRequested(m_diagnostics.at(index).plan, fix); });
        m_lines.push_back(line);
        m_column->addWidget(line);
    }
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (i < diagnostics.size()) {
            m_lines[i]->setDiagnostic(diagnostics[i].diagnostic, diagnostics[i].letter);
        }
        m_lines[i]->setVisible(i < diagnostics.size());
    }
    setVisible(!diagnostics.empty());
}

void DiagnosticList::setTheme(const Theme &theme)
{
    m_theme = theme;
    for (DiagnosticLine *line : m_lines) {
        line->setTheme(theme);
    }
}

FieldLines::FieldLines(QWidget *parent)
    : QWidget(parent)
    , m_lines(new QVBoxLayout)
{
    QVBoxLayout *column = plainColumn(this);
    m_lines->setSpacing(0);
    column->addLayout(m_lines);
}

void FieldLines::setTheme(const Theme &theme)
{
    m_theme = theme;
    if (m_list != nullptr) {
        m_list->setTheme(theme);
    }
}

void FieldLines::setDiagnostics(const std::vector<PlanDiagnostic> &diagnostics)
{
    QString common;
    std::array<QString, mostLines> perPlan;
    for (const PlanDiagnostic &each : diagnostics) {
        raiseIssue(common, each.diagnostic.severity);
        for (int plan = 0; plan < mostLines; ++plan) {
            if (each.plan == EditTarget::everyPlan || each.plan == plan) {
                raiseIssue(perPlan.at(static_cast<std::size_t>(plan)), each.diagnostic.severity);
            }
        }
    }
    setIssues(common, perPlan);
    if (m_list == nullptr && !diagnostics.empty()) {
        m_list = new DiagnosticList(this);
        m_list->setTheme(m_theme);
        layout()->addWidget(m_list);
        connect(m_list, &DiagnosticList::fixRequested, this, &FieldLines::fixRequested);
    }
    if (m_list != nullptr) {
        m_list->setDiagnostics(diagnostics);
    }
}

NumberLines::NumberLines(const NumberField &field, QWidget *parent)
    : FieldLines(parent)
    , m_field(field)
{
    setObjectName(QString::fromLatin1(field.path));
    static_cast<void>(row(0));
}

ParameterRow *NumberLines::row(int line)
{
    while (m_rows.size() <= static_cast<std::size_t>(line)) {
        const int index = static_cast<int>(m_rows.size());
        auto *row = new ParameterRow(QString::fromUtf8(m_field.label), this);
        row->setTheme(theme());
        row->setPreset(m_preset);
        row->setVisible(index == 0);
        connect(row, &ParameterRow::edited, this, [this, index](double value, bool dragging) {
            m_lastEdited = index;
            emit edited(m_field.write(value), m_split ? index : EditTarget::everyPlan, dragging);
        });
        connect(row, &ParameterRow::rejectedChanged, this, &FieldLines::rejectedChanged);
        lines()->addWidget(row);
        m_rows.push_back(row);
    }
    return m_rows[static_cast<std::size_t>(line)];
}

void NumberLines::setPlans(std::span<const Scenario> plans)
{
    const bool dragging = std::ranges::any_of(m_rows, &ParameterRow::isDragging);
    const std::size_t count = std::min<std::size_t>(plans.size(), mostLines);
    if (!dragging) {
        m_split = count > 1 && differ(m_field.read(plans[0]), m_field.read(plans[1]));
        if (m_split || m_rows.size() > 1) {
            row(1)->setVisible(m_split);
        }
    }
    const QString reason = m_field.fixedReason(plans.first(count));
    for (std::size_t i = 0; i < (m_split ? count : 1); ++i) {
        ParameterRow *row = m_rows[i];
        row->setLabel(QString::fromUtf8(m_field.label), m_split ? letterOf(i) : QString());
        row->setValues(m_field.values(plans[i]), m_field.decimals);
        row->setValue(m_field.read(plans[i]));
        row->setFixed(reason);
    }
}

void NumberLines::setPreset(const Scenario &opened)
{
    m_preset = m_field.read(opened);
    for (ParameterRow *row : m_rows) {
        row->setPreset(m_preset);
    }
}

void NumberLines::setTheme(const Theme &theme)
{
    FieldLines::setTheme(theme);
    for (ParameterRow *row : m_rows) {
        row->setTheme(theme);
    }
}

void NumberLines::showProblem(const QString &message) { m_rows[static_cast<std::size_t>(m_lastEdited)]->showProblem(message); }

bool NumberLines::holdsRejected() const { return std::ranges::any_of(m_rows, &ParameterRow::holdsRejected); }

void NumberLines::giveUpRejected()
{
    for (ParameterRow *row : m_rows) {
        if (row->holdsRejected()) {
            row->giveUpRejected();
        }
    }
}

void NumberLines::takeFocus() { m_rows.front()->box()->setFocus(Qt::ShortcutFocusReason); }

void NumberLines::markImpossible(std::span<const Scenario> plans)
{
    for (std::size_t i = 0; i < m_rows.size() && i < plans.size(); ++i) {
        if (m_rows[i]->isVisibleTo(this)) {
            m_rows[i]->setInvalidValues(impossibleValues(plans[i], m_field));
        }
    }
}

void NumberLines::setIssues(const QString &common, std::span<const QString> perPlan)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i]->setIssue(m_split ? perPlan[i] : common);
    }
}

ChoiceLines::ChoiceLines(const ChoiceField &field, QWidget *parent)
    : FieldLines(parent)
    , m_field(field)
{
    setObjectName(QString::fromLatin1(field.path));
    static_cast<void>(row(0));
}

ComboRow *ChoiceLines::row(int line)
{
    while (m_rows.size() <= static_cast<std::size_t>(line)) {
        const int index = static_cast<int>(m_rows.size());
        auto *row = new ComboRow(QString::fromUtf8(m_field.label), this);
        row->setTheme(theme());
        row->setVisible(index == 0);
        connect(row, &ComboRow::chosen, this, [this, index](const QString &json) {
            giveUpRejected();
            emit edited(json.toStdString(), m_split ? index : EditTarget::everyPlan, false);
        });
        lines()->insertWidget(index, row);
        m_rows.push_back(row);
    }
    return m_rows[static_cast<std::size_t>(line)];
}

void ChoiceLines::setPlans(std::span<const Scenario> plans)
{
    const std::size_t count = std::min<std::size_t>(plans.size(), mostLines);
    m_split = count > 1 && (m_field.perPlan || m_field.chosen(plans[0]).json != m_field.chosen(plans[1]).json);
    if (m_split || m_rows.size() > 1) {
        row(1)->setVisible(m_split);
    }
    m_shown.clear();
    for (std::size_t i = 0; i < (m_split ? count : 1); ++i) {
        const ComboItem chosen = m_field.chosen(plans[i]);
        m_shown.push_back(chosen);
        m_rows[i]->setLabel(QString::fromUtf8(m_field.label), m_split ? letterOf(i) : QString());
        m_rows[i]->setItems(m_field.items(plans[i]));
        m_rows[i]->setChosen(chosen.json, chosen.text);
    }
}

void ChoiceLines::setTheme(const Theme &theme)
{
    FieldLines::setTheme(theme);
    if (m_problem != nullptr) {
        m_problem->setTheme(theme);
    }
    for (ComboRow *row : m_rows) {
        row->setTheme(theme);
    }
}

void ChoiceLines::takeFocus() { m_rows.front()->combo()->setFocus(Qt::ShortcutFocusReason); }

void ChoiceLines::showProblem(const QString &message)
{
    Diagnostic diagnostic;
    diagnostic.severity = Severity::Error;
    diagnostic.message = message.toStdString();
    if (m_problem == nullptr) {
        m_problem = new DiagnosticLine(this);
        m_problem->setTheme(theme());
        lines()->addWidget(m_problem);
    }
    m_problem->setDiagnostic(diagnostic);
    m_problem->show();
    for (std::size_t i = 0; i < m_shown.size() && i < m_rows.size(); ++i) {
        m_rows[i]->setChosen(m_shown[i].json, m_shown[i].text);
    }
    emit rejectedChanged();
}

bool ChoiceLines::holdsRejected() const { return m_problem != nullptr && !m_problem->isHidden(); }

void ChoiceLines::giveUpRejected()
{
    if (holdsRejected()) {
        m_problem->hide();
        emit rejectedChanged();
    }
}

void ChoiceLines::setIssues(const QString &common, std::span<const QString> perPlan)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        m_rows[i]->setIssue(m_split ? perPlan[i] : common);
    }
}

} // namespace pipeloom
