// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/instantcards.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPainter>

namespace pipeloom
{

namespace
{
constexpr int cardHeight = 45;
constexpr int inset = 10;
} // namespace

InstantCard::InstantCard(QWidget *parent)
    : QAbstractButton(parent)
{
    setCheckable(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
}

void InstantCard::setValue(const InstantValue &value)
{
    if (m_value == value) {
        return;
    }
    m_value = value;
    setAccessibleName(QStringLiteral("%1, %2, %3 GiB").arg(value.title, value.note, value.value));
    setToolTip(
        QStringLiteral("%1: %2 GiB, allocated + buffers\n%3\n%4").arg(value.title, value.value, value.note, value.details));
    update();
}

void InstantCard::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void InstantCard::setStale(bool stale)
{
    m_stale = stale;
    update();
}

QSize InstantCard::sizeHint() const { return { 172, cardHeight }; }

QSize InstantCard::minimumSizeHint() const { return { 132, cardHeight }; }

void InstantCard::paintEvent(QPaintEvent * /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool marked = isChecked() || hasFocus();
    painter.setPen(QPen(marked ? m_theme.accent : m_theme.line, 1));
    painter.setBrush(isChecked() ? m_theme.accentBg : underMouse() ? m_theme.alt : m_theme.panel);
    painter.drawRoundedRect(frame, 3, 3);
    const QFont numberFont = uiFont(19, QFont::Bold);
    const QFontMetrics number(numberFont);
    const int numberWidth = number.horizontalAdvance(m_value.value);
    painter.setFont(numberFont);
    painter.setPen(m_stale ? m_theme.text3 : m_value.over ? m_theme.err : m_theme.text);
    painter.drawText(QRect(width() - inset - numberWidth - 2, 0, numberWidth + 2, height()), Qt::AlignVCenter | Qt::AlignRight,
                     m_value.value);
    const int room = width() - 3 * inset - numberWidth;
    const auto line = [&](const QString &text, const QFont &font, const QColor &colour, int top) {
        painter.setFont(font);
        painter.setPen(colour);
        const QFontMetrics metrics(font);
        painter.drawText(QRect(inset, top, room, metrics.height()), Qt::AlignLeft,
                         metrics.elidedText(text, Qt::ElideRight, room));
    };
    line(m_value.title, uiFont(12, QFont::Medium), m_theme.text, 6);
    line(m_value.note, uiFont(11), m_theme.text2, 24);
}

InstantCards::InstantCards(QWidget *parent)
    : QWidget(parent)
    , m_group(new QButtonGroup(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    for (std::size_t i = 0; i < instantCount; ++i) {
        m_cards[i] = new InstantCard(this);
        m_group->addButton(m_cards[i], static_cast<int>(i));
        row->addWidget(m_cards[i]);
    }
    m_cards[static_cast<std::size_t>(Instant::LaterPeak)]->setChecked(true);
    connect(m_group, &QButtonGroup::idClicked, this, [this](int id) { emit chosen(static_cast<Instant>(id)); });
}

void InstantCards::setValues(const std::array<InstantValue, instantCount> &values, bool stale)
{
    for (std::size_t i = 0; i < instantCount; ++i) {
        m_cards[i]->setValue(values[i]);
        m_cards[i]->setStale(stale);
    }
}

void InstantCards::setTheme(const Theme &theme)
{
    for (InstantCard *card : m_cards) {
        card->setTheme(theme);
    }
}

Instant InstantCards::current() const { return static_cast<Instant>(m_group->checkedId()); }

void InstantCards::setCurrent(Instant instant) { m_cards[static_cast<std::size_t>(instant)]->setChecked(true); }

} // namespace pipeloom
