// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/hovercard.h"

#include "views/icons.h"
#include "views/plot/paint.h"

#include <QFontInfo>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pipeloom
{

namespace
{

constexpr int distance = 10; ///< between card and subject
constexpr double widestText = 330;
constexpr int closeSize = 22;
constexpr int searchStep = 12; ///< px between the places that are tried
constexpr double farCost = 20; ///< a pixel further from the subject weighs as much as this many hidden ones
constexpr double stays = 1.25; ///< how much worse than the best place the present one may be
constexpr QChar noBreakSpace(0x00a0);

QString styled(const QString &text, const QFont &font, const QColor &colour)
{
    return QStringLiteral("<span style=\"font-family:'%1'; font-size:%2px; font-weight:%3; color:%4;\">%5</span>")
        .arg(font.families().value(0))
        .arg(QFontInfo(font).pixelSize())
        .arg(static_cast<int>(font.weight()))
        .arg(colour.name(), text.toHtmlEscaped().replace(QStringLiteral("  "), QString(2, noBreakSpace)));
}

/// The text in lines of at most `widestText`: the label itself does not wrap, so that its size is exact.
QString wrapped(const QString &text, const QFont &font, const QColor &colour)
{
    QStringList lines;
    QString line;
    for (const QString &word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        if (!line.isEmpty() && textWidth(font, longer) > widestText) {
            lines.append(styled(line, font, colour));
            line = word;
        } else {
            line = longer;
        }
    }
    lines.append(styled(line, font, colour));
    return lines.join(QStringLiteral("<br>"));
}

} // namespace

HoverCard::HoverCard(QWidget *parent)
    : QFrame(parent)
    , m_theme(lightTheme())
{
    setObjectName(QStringLiteral("hoverCard"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 9);
    m_body = new QLabel(this);
    m_body->setTextFormat(Qt::RichText);
    m_body->setFocusPolicy(Qt::NoFocus);
    layout->addWidget(m_body);
    hide();
}

void HoverCard::setTheme(const Theme &theme)
{
    m_theme = theme;
    if (m_close != nullptr)
        m_close->setIcon(themedIcon(Icon::Close, theme));
    refresh();
}

void HoverCard::setContent(const CardContent &content)
{
    if (content == m_content)
        return;
    m_content = content;
    refresh();
}

void HoverCard::setPinned(bool pinned)
{
    m_pinned = pinned;
    setAttribute(Qt::WA_TransparentForMouseEvents, !pinned);
    m_body->setTextInteractionFlags(pinned ? Qt::TextSelectableByMouse : Qt::NoTextInteraction);
    if (pinned && m_close == nullptr) {
        m_close = new QToolButton(this);
        m_close->setProperty("kind", QStringLiteral("icon"));
        m_close->setFixedSize(closeSize, closeSize);
        m_close->setIconSize({ 12, 12 });
        m_close->setFocusPolicy(Qt::NoFocus);
        m_close->setToolTip(tr("Close (Esc)"));
        m_close->setAccessibleName(m_close->toolTip());
        m_close->setIcon(themedIcon(Icon::Close, m_theme));
        connect(m_close, &QToolButton::clicked, this, &HoverCard::closeRequested);
    }
    if (m_close != nullptr)
        m_close->setVisible(pinned);
    refresh();
}

void HoverCard::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    if (m_close != nullptr)
        m_close->move(width() - closeSize - 4, 5);
}

QString HoverCard::selectedText() const { return m_body->selectedText(); }

void HoverCard::refresh()
{
    const auto paragraph = [](const QString &text, int left, int top, int right = 0) {
        return QStringLiteral("<p style=\"margin:%1px %3px 0 %2px; white-space:nowrap;\">").arg(top).arg(left).arg(right) + text
            + QStringLiteral("</p>");
    };
    QString html = paragraph(styled(m_content.title, uiFont(13, QFont::Bold), m_theme.text), 20, 0, m_pinned ? closeSize : 0);
    QString rows;
    for (const auto &[label, value] : m_content.rows)
        rows += QStringLiteral("<tr><td style=\"padding:2px 16px 2px 0;\">") + styled(label, uiFont(12), m_theme.text3)
            + QStringLiteral("</td><td style=\"padding:2px 0;\">") + styled(value, uiFont(12), m_theme.text)
            + QStringLiteral("</td></tr>");
    html += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"0\" style=\"margin-top:4px; white-space:nowrap;\">") + rows
        + QStringLiteral("</table>");
    if (!m_content.formula.isEmpty())
        html += paragraph(wrapped(m_content.formula, monoFont(11), m_theme.text3), 0, 5);
    if (!m_content.source.isEmpty())
        html += paragraph(wrapped(m_content.source, uiFont(11), m_theme.text3), 0, 4);
    m_body->setText(html);
    setAccessibleName(m_content.title);
    setAccessibleDescription(m_content.text());
    update();
}

void HoverCard::showBeside(const QRect &subject)
{
    const QSize size = m_body->sizeHint().grownBy(layout()->contentsMargins());
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

void HoverCard::showWhereItHidesLeast(const QRect &subject, std::span<const Covered> covered)
{
    const QSize size = m_body->sizeHint().grownBy(layout()->contentsMargins());
    const QRect room = parentWidget()->rect().adjusted(2, 2, -2, -2);
    const QRect keepClear = subject.intersected(room).adjusted(-distance, -distance, distance, distance);
    const auto cost = [&](const QPoint &place) {
        const QRect card(place, size);
        if (!room.contains(card) || card.intersects(keepClear))
            return std::numeric_limits<double>::infinity();
        double sum = 0;
        for (const Covered &each : covered) {
            const QRect hidden = each.area.intersected(card);
            sum += each.weight * hidden.width() * hidden.height();
        }
        const QPoint away(std::max({ 0, keepClear.left() - card.right(), card.left() - keepClear.right() }),
                          std::max({ 0, keepClear.top() - card.bottom(), card.top() - keepClear.bottom() }));
        return sum + farCost * away.manhattanLength();
    };
    QPoint best(room.topLeft());
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](const QPoint &place) {
        if (const double here = cost(place); here < least) {
            least = here;
            best = place;
        }
    };
    // In steps from the top left, and flush with the far edges.
    const QPoint last(room.right() + 1 - size.width(), room.bottom() + 1 - size.height());
    for (int y = room.top(); y < last.y() + searchStep; y += searchStep) {
        for (int x = room.left(); x < last.x() + searchStep; x += searchStep)
            consider({ std::min(x, last.x()), std::min(y, last.y()) });
    }
    const bool standsWell = isVisible() && size == this->size() && cost(pos()) <= stays * least;
    resize(size);
    if (!standsWell)
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
