// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/textlabel.h"

#include <QPainter>

namespace pipeloom
{

TextLabel::TextLabel(QWidget *parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    setFont(uiFont(12));
}

void TextLabel::setText(const QString &text)
{
    if (text == m_text) {
        return;
    }
    const QSize before = needed();
    m_text = text;
    setAccessibleName(text);
    if (m_elided) {
        setToolTip(text);
    }
    if (needed() != before) {
        updateGeometry();
    }
    update();
}

void TextLabel::setTextFont(const QFont &font)
{
    setFont(font);
    updateGeometry();
}

void TextLabel::setToken(Token token)
{
    if (token != m_token) {
        m_token = token;
        update();
    }
}

void TextLabel::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void TextLabel::setWordWrap(bool wrap)
{
    m_wrap = wrap;
    m_alignment = Qt::AlignLeft | Qt::AlignTop;
    QSizePolicy policy(wrap ? QSizePolicy::Ignored : QSizePolicy::Preferred,
                       wrap ? QSizePolicy::Minimum : QSizePolicy::Preferred);
    policy.setHeightForWidth(wrap);
    setSizePolicy(policy);
}

void TextLabel::setAlignment(Qt::Alignment alignment)
{
    m_alignment = alignment;
    update();
}

void TextLabel::setElided(bool elided)
{
    m_elided = elided;
    setSizePolicy(elided ? QSizePolicy::Ignored : QSizePolicy::Preferred, QSizePolicy::Preferred);
    updateGeometry();
}

int TextLabel::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    if (m_text.isEmpty()) {
        return 0;
    }
    const QRect room(0, 0, std::max(1, width - margins.left() - margins.right()), 10000);
    return fontMetrics().boundingRect(room, Qt::TextWordWrap, m_text).height() + margins.top() + margins.bottom();
}

/// What changes when a new layout is due: the height at the present width, or the width of the single line.
QSize TextLabel::needed() const
{
    return m_wrap ? QSize(0, heightForWidth(width())) : m_elided ? QSize(0, fontMetrics().height()) : sizeHint();
}

QSize TextLabel::sizeHint() const
{
    const QMargins margins = contentsMargins();
    const QSize extra(margins.left() + margins.right(), margins.top() + margins.bottom());
    if (m_wrap) {
        return QSize(100, heightForWidth(std::max(100, width())));
    }
    return QSize(fontMetrics().horizontalAdvance(m_text) + 1, fontMetrics().height()) + extra;
}

QSize TextLabel::minimumSizeHint() const
{
    return m_wrap ? QSize(40, 0) : m_elided ? QSize(0, fontMetrics().height()) : sizeHint();
}

void TextLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setFont(font());
    painter.setPen(isEnabled() ? m_theme.*m_token : m_theme.text3);
    const QRect room = contentsRect();
    const QString shown = m_elided ? fontMetrics().elidedText(m_text, Qt::ElideRight, room.width()) : m_text;
    painter.drawText(room, static_cast<int>(m_alignment) | (m_wrap ? Qt::TextWordWrap : Qt::TextSingleLine), shown);
}

} // namespace pipeloom
