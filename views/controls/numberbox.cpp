// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/numberbox.h"

#include "views/controls/format.h"
#include "views/theme.h"

#include <QKeyEvent>

#include <cmath>

namespace pipeloom
{

NumberBox::NumberBox(QWidget *parent)
    : QLineEdit(parent)
{
    setFont(uiFont(12));
    setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setFixedSize(60, 21);
    connect(this, &QLineEdit::textEdited, this, [this] { m_typing = true; });
    connect(this, &QLineEdit::returnPressed, this, &NumberBox::commit);
}

void NumberBox::setDecimals(int decimals) { m_decimals = decimals; }

void NumberBox::setValue(double value)
{
    m_value = value;
    if (!m_typing) {
        m_invalid = false;
        const QString shown = std::isfinite(value) ? fixedText(value, m_decimals) : QStringLiteral("–");
        if (shown != text()) {
            setText(shown);
        }
    }
}

void NumberBox::revert()
{
    m_typing = false;
    m_invalid = false;
    setValue(m_value);
}

void NumberBox::keepText()
{
    m_typing = true;
    m_invalid = true;
}

std::optional<double> NumberBox::parse(const QString &text, int decimals)
{
    QString digits = text.trimmed();
    digits.remove(QLatin1Char(',')).remove(QLatin1Char(' ')).remove(QLatin1Char('_'));
    digits.replace(QChar(0x2212), QLatin1Char('-')); // the minus that numbers are shown with
    double scale = 1;
    if (digits.endsWith(QLatin1Char('k'), Qt::CaseInsensitive)) {
        scale = 1024;
        digits.chop(1);
    }
    bool ok = false;
    const double value = digits.toDouble(&ok) * scale;
    if (!ok || !std::isfinite(value) || std::abs(value) > largest || (decimals == 0 && value != std::floor(value))) {
        return std::nullopt;
    }
    return value;
}

void NumberBox::commit()
{
    if (!m_typing) {
        return;
    }
    const std::optional<double> value = parse(text(), m_decimals);
    if (!value) {
        m_invalid = true;
        emit rejected(text());
        return;
    }
    m_typing = false;
    m_invalid = false;
    if (*value == m_value) {
        setValue(m_value);
    }
    emit entered(*value);
}

void NumberBox::giveUp()
{
    revert();
    emit givenUp();
}

/// The line's own history would bring back digits without their effect: Undo gives up what is being typed, and once that is
/// applied it belongs to the window.
bool NumberBox::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            key->setAccepted(m_typing);
            return true;
        }
    }
    return QLineEdit::event(event);
}

void NumberBox::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        emit stepped(1);
        return;
    case Qt::Key_Down:
        emit stepped(-1);
        return;
    case Qt::Key_PageUp:
        emit stepped(4);
        return;
    case Qt::Key_PageDown:
        emit stepped(-4);
        return;
    case Qt::Key_Escape:
        if (m_typing) {
            giveUp();
            return;
        }
        break;
    default:
        break;
    }
    if (event->matches(QKeySequence::Undo) && m_typing) {
        giveUp();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void NumberBox::focusOutEvent(QFocusEvent *event)
{
    if (event->reason() != Qt::PopupFocusReason) {
        commit();
    }
    QLineEdit::focusOutEvent(event);
}

void NumberBox::focusInEvent(QFocusEvent *event)
{
    QLineEdit::focusInEvent(event);
    if (event->reason() != Qt::MouseFocusReason && !m_invalid) {
        selectAll();
    }
}

} // namespace pipeloom
