// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/parameterrow.h"

#include "views/controls/diagnosticline.h"
#include "views/controls/format.h"
#include "views/controls/numberbox.h"
#include "views/controls/planbadge.h"
#include "views/controls/stepslider.h"
#include "views/stylesheet.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{
constexpr int leadWidth = 90; ///< badge and label; the rest belongs to the slider
}

ParameterRow::ParameterRow(const QString &label, QWidget *parent)
    : QWidget(parent)
    , m_label(new QLabel(label, this))
    , m_slider(new StepSlider(this))
    , m_box(new NumberBox(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 1, 0, 2);
    row->setSpacing(4);
    m_label->setFixedWidth(leadWidth);
    row->addWidget(m_label);
    row->addWidget(m_slider, 1);
    row->addWidget(m_box);
    column->addLayout(row);
    m_slider->setMinimumWidth(60);
    setLabel(label);

    connect(m_slider, &QSlider::valueChanged, this, &ParameterRow::sliderMoved);
    connect(m_slider, &QSlider::sliderReleased, this, &ParameterRow::dragEnded);
    connect(m_slider, &StepSlider::resetRequested, this, &ParameterRow::reset);
    connect(m_box, &NumberBox::stepped, this, &ParameterRow::step);
    connect(m_box, &NumberBox::entered, this, &ParameterRow::enter);
    connect(m_box, &NumberBox::rejected, this, &ParameterRow::refuse);
    connect(m_box, &NumberBox::givenUp, this, &ParameterRow::giveUpRejected);
}

DiagnosticLine *ParameterRow::problem()
{
    if (m_problem == nullptr) {
        m_problem = new DiagnosticLine(this);
        m_problem->setTheme(m_theme);
        m_problem->hide();
        layout()->addWidget(m_problem);
        connect(m_problem, &DiagnosticLine::fixRequested, this, [this](const Fix &fix) {
            m_box->revert();
            enter(QString::fromStdString(fix.set.front().json).toDouble());
        });
    }
    return m_problem;
}

void ParameterRow::hideProblem()
{
    if (m_problem != nullptr) {
        m_problem->hide();
    }
    setIssue(m_issue);
    emit rejectedChanged();
}

bool ParameterRow::holdsRejected() const { return m_box->holdsInvalidText(); }

void ParameterRow::giveUpRejected()
{
    m_box->revert();
    hideProblem();
}

bool ParameterRow::isDragging() const { return m_slider->isSliderDown(); }

void ParameterRow::setValues(const std::vector<double> &values, int decimals)
{
    if (isDragging() || (values == m_wanted && decimals == m_decimals)) {
        return;
    }
    m_wanted = values;
    m_decimals = decimals;
    m_box->setDecimals(decimals);
    rebuildPositions();
}

void ParameterRow::setInvalidValues(const std::vector<double> &values)
{
    m_invalid = values;
    std::vector<bool> flags;
    if (!m_invalid.empty()) {
        for (const double position : m_positions) {
            flags.push_back(std::ranges::find(m_invalid, position) != m_invalid.end());
        }
    }
    m_slider->setInvalidPositions(std::move(flags));
}

void ParameterRow::setValue(double value)
{
    if (isDragging()) {
        return;
    }
    const bool known = std::ranges::find(m_positions, value) != m_positions.end();
    m_value = value;
    m_inForce = value;
    m_box->setValue(value);
    if (!known || m_positions.size() != m_wanted.size()) {
        rebuildPositions();
    }
    m_updating = true;
    m_slider->setValue(nearestPosition(value));
    m_updating = false;
}

void ParameterRow::rebuildPositions()
{
    m_positions = m_wanted;
    const auto place = std::ranges::lower_bound(m_positions, m_value);
    if (m_value != 0 && std::isfinite(m_value) && (place == m_positions.end() || *place != m_value)) {
        m_positions.insert(place, m_value);
    }
    m_updating = true;
    m_slider->setRange(0, std::max(0, static_cast<int>(m_positions.size()) - 1));
    m_slider->setValue(nearestPosition(m_value));
    m_updating = false;
    setInvalidValues(m_invalid);
}

int ParameterRow::nearestPosition(double value) const
{
    const auto nearest = std::ranges::min_element(m_positions, {}, [value](double each) { return std::abs(each - value); });
    return nearest == m_positions.end() ? 0 : static_cast<int>(nearest - m_positions.begin());
}

/// The values that work nearest to `value`, and the one in force among them.
std::vector<double> ParameterRow::nearestValues(double value, std::size_t count) const
{
    std::vector<double> sorted;
    std::ranges::copy_if(m_wanted, std::back_inserter(sorted), [this](double each) {
        return each != m_inForce && std::ranges::find(m_invalid, each) == m_invalid.end();
    });
    std::ranges::stable_sort(sorted, {}, [value](double each) { return std::abs(each - value); });
    sorted.resize(std::min(sorted.size(), count - 1));
    sorted.push_back(m_inForce);
    std::ranges::sort(sorted);
    return sorted;
}

void ParameterRow::setPreset(double value)
{
    m_preset = value;
    setToolTip(tr("Double click: back to %1").arg(fixedText(value, m_decimals)));
}

void ParameterRow::setLabel(const QString &label, const QString &letter)
{
    m_label->setText(label);
    if (m_badge == nullptr && !letter.isEmpty()) {
        m_badge = new PlanBadge(letter, false, this);
        m_badge->setTheme(m_theme);
        static_cast<QBoxLayout *>(layout()->itemAt(0)->layout())->insertWidget(0, m_badge);
    }
    if (m_badge != nullptr) {
        m_badge->setLetter(letter);
        m_badge->setVisible(!letter.isEmpty());
    }
    const int badge = letter.isEmpty() ? 0 : m_badge->width() + 4;
    m_label->setFixedWidth(leadWidth - badge);
    const QString spoken = letter.isEmpty() ? label : tr("%1, plan %2").arg(label, letter);
    m_slider->setAccessibleName(spoken);
    m_box->setAccessibleName(spoken);
}

void ParameterRow::setIssue(const QString &issue)
{
    m_issue = issue;
    setLook(m_box, "issue", m_box->holdsInvalidText() ? QStringLiteral("err") : issue);
}

void ParameterRow::setFixed(const QString &reason)
{
    const bool enabled = reason.isEmpty();
    if (m_reason == nullptr && !enabled) {
        m_reason = new QLabel(this);
        m_reason->setProperty("tone", QStringLiteral("2"));
        m_reason->setFont(uiFont(11));
        static_cast<QBoxLayout *>(layout()->itemAt(0)->layout())
            ->insertWidget(layout()->itemAt(0)->layout()->indexOf(m_box), m_reason, 1);
    }
    m_slider->setVisible(enabled);
    if (m_reason != nullptr) {
        m_reason->setVisible(!enabled);
        m_reason->setText(reason);
    }
    m_box->setEnabled(enabled);
    m_slider->setEnabled(enabled);
    m_label->setEnabled(enabled);
    m_box->setAccessibleDescription(reason);
}

void ParameterRow::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_slider->setTheme(theme);
    if (m_badge != nullptr) {
        m_badge->setTheme(theme);
    }
    if (m_problem != nullptr) {
        m_problem->setTheme(theme);
    }
}

void ParameterRow::sliderMoved(int position)
{
    if (m_updating || position < 0 || static_cast<std::size_t>(position) >= m_positions.size()) {
        return;
    }
    m_value = m_positions[static_cast<std::size_t>(position)];
    m_box->revert();
    m_box->setValue(m_value);
    if (isDragging()) {
        m_moved = true;
        hideProblem();
        emit edited(m_value, true);
    } else {
        finish(m_value);
    }
}

void ParameterRow::dragEnded()
{
    if (m_moved) {
        m_moved = false;
        finish(m_value);
    }
}

void ParameterRow::finish(double value)
{
    hideProblem();
    emit edited(value, false);
    emit committed();
}

void ParameterRow::step(int steps)
{
    m_box->revert();
    const int position = std::clamp(nearestPosition(m_value) + steps, 0, std::max(0, static_cast<int>(m_positions.size()) - 1));
    m_slider->setValue(position); // goes through sliderMoved
}

void ParameterRow::enter(double value)
{
    hideProblem();
    if (value == m_value) {
        return;
    }
    m_value = value;
    finish(value);
    if (!holdsRejected()) {
        setValue(m_value);
    }
}

void ParameterRow::refuse(const QString &text)
{
    const QString typed = text.trimmed();
    bool number = false;
    const bool huge = std::abs(QString(typed).remove(QLatin1Char(',')).toDouble(&number)) > NumberBox::largest && number;
    showProblem(typed.isEmpty()       ? tr("The box is empty")
                    : huge            ? tr("“%1” is too large").arg(typed)
                    : m_decimals == 0 ? tr("“%1” is not a whole number").arg(typed)
                                      : tr("“%1” is not a number").arg(typed));
}

void ParameterRow::showProblem(const QString &message)
{
    const double typed = NumberBox::parse(m_box->text(), m_decimals).value_or(m_value);
    Diagnostic diagnostic;
    diagnostic.severity = Severity::Error;
    diagnostic.message = tr("%1; the value stays %2").arg(message, fixedText(m_inForce, m_decimals)).toStdString();
    for (const double value : nearestValues(typed, 3)) {
        diagnostic.fixes.push_back({ tr("Use %1").arg(fixedText(value, m_decimals)).toStdString(),
                                     { { std::string(), QString::number(value, 'g', 15).toStdString() } } });
    }
    problem()->setDiagnostic(diagnostic);
    m_box->keepText();
    problem()->show();
    setLook(m_box, "issue", QStringLiteral("err"));
    m_value = m_inForce;
    rebuildPositions();
    emit rejectedChanged();
}

void ParameterRow::reset()
{
    m_box->revert();
    if (m_preset != m_value) {
        m_value = m_preset;
        rebuildPositions();
        m_box->setValue(m_value);
        finish(m_value);
    }
}

void ParameterRow::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept();
    if (m_slider->isEnabled()) {
        reset();
    }
}

} // namespace pipeloom
