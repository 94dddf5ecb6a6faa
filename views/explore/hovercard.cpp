// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/hovercard.h"

#include "views/plot/paint.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

constexpr int distance = 10; ///< between card and subject
constexpr int widestText = 330;

} // namespace

HoverCard::HoverCard(QWidget *parent)
    : QFrame(parent)
    , m_theme(lightTheme())
{
    setObjectName(QStringLiteral("hoverCard"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    hide();
}

void HoverCard::setTheme(const Theme &theme)
{
    m_theme = theme;
    rebuild();
}

void HoverCard::setContent(const CardContent &content)
{
    if (content == m_content && m_body != nullptr)
        return;
    m_content = content;
    rebuild();
}

void HoverCard::setPinned(bool pinned)
{
    if (pinned == m_pinned)
        return;
    m_pinned = pinned;
    setAttribute(Qt::WA_TransparentForMouseEvents, !pinned);
    rebuild();
}

void HoverCard::rebuild()
{
    delete m_body;
    m_body = new QWidget(this);
    auto *grid = new QGridLayout(m_body);
    grid->setContentsMargins(12, 9, 14, 10);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    const auto label = [&](const QString &text, const QFont &font, const QColor &colour) {
        auto *made = new QLabel(m_body);
        made->setTextFormat(Qt::PlainText);
        made->setText(text);
        made->setFont(font);
        QPalette palette = made->palette();
        palette.setColor(QPalette::WindowText, colour);
        made->setPalette(palette);
        // The application's style sheet sets colours of labels; the palette alone would lose.
        made->setStyleSheet(QStringLiteral("color: %1; background: transparent;").arg(colour.name()));
        if (m_pinned)
            made->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        return made;
    };
    auto *title = label(m_content.title, uiFont(13, QFont::Bold), m_theme.text);
    title->setContentsMargins(20, 0, 0, 0);
    grid->addWidget(title, 0, 0, 1, 2);
    int row = 1;
    for (const auto &[name, value] : m_content.rows) {
        grid->addWidget(label(name, uiFont(12), m_theme.text3), row, 0, Qt::AlignTop);
        grid->addWidget(label(value, uiFont(12), m_theme.text), row, 1);
        ++row;
    }
    grid->setColumnStretch(1, 1);
    const auto longText = [&](const QString &text, const QFont &font) {
        if (text.isEmpty())
            return;
        QLabel *made = label(text, font, m_theme.text3);
        made->setWordWrap(true);
        made->setMinimumWidth(std::min<int>(widestText, static_cast<int>(textWidth(font, text)) + 4));
        made->setMaximumWidth(widestText);
        grid->addWidget(made, row++, 0, 1, 2);
    };
    longText(m_content.formula, monoFont(11));
    longText(m_content.source, uiFont(11));
    layout()->addWidget(m_body);
    m_body->show();
    setAccessibleName(m_content.title);
    setAccessibleDescription(m_content.text());
    // Twice: wrapped labels know their height only once their width is set.
    adjustSize();
    adjustSize();
}

void HoverCard::showBeside(const QRect &subject)
{
    const QSize size = sizeHint().expandedTo(minimumSizeHint());
    resize(size);
    const QRect room = parentWidget()->rect().adjusted(2, 2, -2, -2);
    const int y = std::clamp(subject.bottom() + distance, room.top(), std::max(room.top(), room.bottom() - size.height()));
    const int x = std::clamp(subject.left() + distance, room.left(), std::max(room.left(), room.right() - size.width()));
    const int beside = std::clamp(subject.center().y() + 6, room.top(), std::max(room.top(), room.bottom() - size.height()));
    const std::array<QPoint, 5> places{ QPoint(subject.right() + distance, beside),
                                        QPoint(subject.left() - distance - size.width(), beside), QPoint(x, y),
                                        QPoint(x, subject.top() - distance - size.height()), QPoint(x, room.top()) };
    QPoint best = places.back();
    for (const QPoint &place : places) {
        const QRect card(place, size);
        if (room.contains(card) && !card.intersects(subject)) {
            best = place;
            break;
        }
    }
    move(best);
    show();
    raise();
}

void HoverCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_pinned ? m_theme.accent : m_theme.text3, 1));
    painter.setBrush(m_theme.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRect(12, 11, 12, 12), m_content.swatch);
}

} // namespace pipeloom
