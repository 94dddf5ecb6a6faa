// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/comborow.h"

#include "views/controls/planbadge.h"
#include "views/stylesheet.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStylePainter>
#include <QWheelEvent>

#include <algorithm>

namespace pipeloom
{

namespace
{
constexpr int leadWidth = 82; ///< badge and label
}

void QuietCombo::wheelEvent(QWheelEvent *event) { event->ignore(); }

void QuietCombo::paintEvent(QPaintEvent *)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const int room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() - 2;
    option.currentText = option.fontMetrics.elidedText(option.currentText, Qt::ElideRight, room);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

ComboRow::ComboRow(const QString &label, QWidget *parent)
    : QWidget(parent)
    , m_label(new QLabel(label, this))
    , m_combo(new QuietCombo(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 2, 0, 2);
    row->setSpacing(4);
    m_label->setFixedWidth(leadWidth);
    row->addWidget(m_label);
    row->addWidget(m_combo, 1);
    m_combo->setFixedHeight(21);
    m_combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_combo->setMinimumContentsLength(4);
    m_combo->setFont(uiFont(12));
    m_combo->setMaxVisibleItems(16);
    setLabel(label);
    connect(m_combo, &QComboBox::activated, this, [this](int index) { emit chosen(m_combo->itemData(index).toString()); });
}

void ComboRow::setItems(const std::vector<ComboItem> &items)
{
    if (items != m_items) {
        m_items = items;
        fill();
    }
}

void ComboRow::setChosen(const QString &json, const QString &text)
{
    if (m_combo->currentData().toString() == json && m_combo->currentText() == text) {
        return;
    }
    const auto known = std::ranges::find(m_items, json, &ComboItem::json);
    const ComboItem extra = known == m_items.end() ? ComboItem{ text, json } : ComboItem{};
    if (extra != m_extra || m_combo->count() == 0) {
        m_extra = extra;
        fill();
    }
    m_combo->setCurrentIndex(m_combo->findData(json));
    m_combo->setToolTip(m_combo->currentText());
}

void ComboRow::fill()
{
    const QString json = m_combo->currentData().toString();
    m_combo->clear();
    for (const ComboItem &item : m_items) {
        m_combo->addItem(item.text, item.json);
    }
    if (!m_extra.json.isEmpty()) {
        m_combo->addItem(m_extra.text, m_extra.json);
    }
    m_combo->setCurrentIndex(m_combo->findData(json));
}

void ComboRow::setLabel(const QString &label, const QString &letter)
{
    m_label->setText(label);
    if (m_badge == nullptr && !letter.isEmpty()) {
        m_badge = new PlanBadge(letter, false, this);
        m_badge->setTheme(m_theme);
        static_cast<QBoxLayout *>(layout())->insertWidget(0, m_badge);
    }
    if (m_badge != nullptr) {
        m_badge->setLetter(letter);
        m_badge->setVisible(!letter.isEmpty());
    }
    m_label->setFixedWidth(leadWidth - (letter.isEmpty() ? 0 : m_badge->width() + 4));
    m_combo->setAccessibleName(letter.isEmpty() ? label : tr("%1, plan %2").arg(label, letter));
}

void ComboRow::setIssue(const QString &issue) { setLook(m_combo, "issue", issue); }

void ComboRow::setFixed(const QString &reason)
{
    m_combo->setEnabled(reason.isEmpty());
    m_label->setEnabled(reason.isEmpty());
    m_combo->setToolTip(reason.isEmpty() ? m_combo->currentText() : reason);
}

void ComboRow::setTheme(const Theme &theme)
{
    m_theme = theme;
    if (m_badge != nullptr) {
        m_badge->setTheme(theme);
    }
}

} // namespace pipeloom
