// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/legendrow.h"

#include "views/icons.h"
#include "views/plot/paint.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <array>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr double swatchSize = 13;

bool isShown(const LegendState &state, int index)
{
    return index == LegendEntry::bubbleIndex ? state.bubbles : contains(state.classes, static_cast<OpClass>(index));
}

} // namespace

LegendEntry::LegendEntry(int index, QWidget *parent)
    : QAbstractButton(parent)
    , m_index(index)
    , m_theme(lightTheme())
{
    setCheckable(true);
    setChecked(true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setText(word(index, false));
    setAccessibleName(tr("Show %1").arg(text()));
    setToolTip(index == static_cast<int>(OpClass::WeightGradient) || index == static_cast<int>(OpClass::InputGradient)
                   ? tr("A full backward is drawn as its B and W halves\nClick hides or shows, Alt+click shows only these, "
                        "double click shows all")
                   : tr("Click hides or shows, Alt+click shows only these, double click shows all"));
}

QString LegendEntry::word(int index, bool compact)
{
    static const std::array<const char *, count> full{ QT_TR_NOOP("forward"),           QT_TR_NOOP("input gradient B"),
                                                       QT_TR_NOOP("weight gradient W"), QT_TR_NOOP("F&B pair"),
                                                       QT_TR_NOOP("optimizer"),         QT_TR_NOOP("bubble") };
    static const std::array<const char *, count> brief{ QT_TR_NOOP("F"),   QT_TR_NOOP("B"),    QT_TR_NOOP("W"),
                                                        QT_TR_NOOP("F&B"), QT_TR_NOOP("opt."), QT_TR_NOOP("bubble") };
    return tr((compact ? brief : full)[static_cast<std::size_t>(index)]);
}

void LegendEntry::setTheme(const Theme &theme)
{
    m_theme = theme;
    update();
}

void LegendEntry::setCompact(bool compact)
{
    m_compact = compact;
    updateGeometry();
    update();
}

QSize LegendEntry::sizeHint() const
{
    return { static_cast<int>(std::ceil(swatchSize + 6 + textWidth(uiFont(12), word(m_index, m_compact)))) + 8, 22 };
}

void LegendEntry::drawSwatch(QPainter &painter, const QRectF &rect, int index, const Theme &theme)
{
    if (index == bubbleIndex) {
        drawHatch(painter, rect, rect.left(), theme.hatch, theme.hatchBg);
        return;
    }
    const std::array<const OpColours *, opClassCount> colours{ &theme.forward, &theme.inputGradient, &theme.weightGradient,
                                                               &theme.pair, &theme.optimizer };
    painter.fillRect(rect, colours[static_cast<std::size_t>(index)]->fill);
    drawFrame(painter, rect, 1, colours[static_cast<std::size_t>(index)]->edge);
}

void LegendEntry::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QRectF swatch(4, (height() - swatchSize) / 2, swatchSize, swatchSize);
    if (isChecked())
        drawSwatch(painter, swatch, m_index, m_theme);
    else
        drawFrame(painter, swatch, 1, m_theme.inputLine);
    const QString label = word(m_index, m_compact);
    QFont font = uiFont(12);
    font.setStrikeOut(!isChecked());
    drawLine(painter, QRectF(swatch.right() + 6, 0, width() - swatch.right() - 4, height()), Qt::AlignLeft | Qt::AlignVCenter,
             font, isChecked() ? m_theme.text2 : m_theme.text3, label);
    if (hasFocus() && m_keyboardFocus)
        drawFrame(painter, QRectF(rect()), 1, m_theme.accent);
}

void LegendEntry::mousePressEvent(QMouseEvent *event)
{
    m_isolated = event->button() == Qt::LeftButton && (event->modifiers() & Qt::AltModifier) != 0;
    if (m_isolated) {
        emit onlyThis();
        event->accept();
        return;
    }
    QAbstractButton::mousePressEvent(event);
}

void LegendEntry::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_isolated)
        QAbstractButton::mouseReleaseEvent(event);
    m_isolated = false;
}

void LegendEntry::mouseDoubleClickEvent(QMouseEvent *event)
{
    emit all();
    // The release that follows must not toggle the entry again.
    m_isolated = true;
    event->accept();
}

void LegendEntry::focusInEvent(QFocusEvent *event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    QAbstractButton::focusInEvent(event);
}

void LegendEntry::keyPressEvent(QKeyEvent *event)
{
    if ((event->key() == Qt::Key_Space || event->key() == Qt::Key_Return) && (event->modifiers() & Qt::AltModifier) != 0) {
        emit onlyThis();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

LegendRow::LegendRow(QWidget *parent)
    : QWidget(parent)
{
    setFixedHeight(rowHeight);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 0, 8, 0);
    layout->setSpacing(10);
    m_title = new QLabel(tr("Timeline"), this);
    m_title->setFont(uiFont(14, QFont::Bold));
    layout->addWidget(m_title);
    layout->addSpacing(2);
    for (int i = 0; i < LegendEntry::count; ++i) {
        auto *entry = new LegendEntry(i, this);
        m_entries.push_back(entry);
        layout->addWidget(entry);
        connect(entry, &QAbstractButton::toggled, this, [this, i](bool shown) { toggle(i, shown); });
        connect(entry, &LegendEntry::onlyThis, this, [this, i] {
            LegendState only{ .classes = 0, .bubbles = i == LegendEntry::bubbleIndex };
            if (i != LegendEntry::bubbleIndex)
                only.classes = static_cast<OpClassMask>(1U << static_cast<unsigned>(i));
            setState(only);
            emit changed(m_state);
        });
        connect(entry, &LegendEntry::all, this, [this] {
            setState({});
            emit changed(m_state);
        });
    }
    layout->addStretch(1);
    m_link = new QToolButton(this);
    m_link->setText(tr("Same time axis"));
    m_link->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_link->setCheckable(true);
    m_link->setChecked(true);
    m_link->setToolTip(tr("All plans on one time axis; off: each keeps its own range"));
    m_fit = new QToolButton(this);
    m_fit->setText(tr("Fit"));
    m_fit->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fit->setToolTip(tr("Show the whole step (Home)"));
    for (QToolButton *button : { m_link, m_fit }) {
        button->setFixedHeight(21);
        button->setStyleSheet(QStringLiteral("QToolButton { min-height: 19px; max-height: 19px; }"));
        button->setIconSize(QSize(14, 14));
        button->setFocusPolicy(Qt::TabFocus);
        layout->addWidget(button);
    }
    connect(m_link, &QToolButton::toggled, this, &LegendRow::linkToggled);
    connect(m_fit, &QToolButton::clicked, this, &LegendRow::fitRequested);
}

void LegendRow::toggle(int index, bool shown)
{
    if (index == LegendEntry::bubbleIndex) {
        m_state.bubbles = shown;
    } else {
        const auto bit = static_cast<OpClassMask>(1U << static_cast<unsigned>(index));
        m_state.classes = static_cast<OpClassMask>(shown ? m_state.classes | bit : m_state.classes & ~bit);
    }
    emit changed(m_state);
}

void LegendRow::setState(const LegendState &state)
{
    m_state = state;
    for (int i = 0; i < LegendEntry::count; ++i) {
        const QSignalBlocker blocker(m_entries[static_cast<std::size_t>(i)]);
        m_entries[static_cast<std::size_t>(i)]->setChecked(isShown(state, i));
    }
}

void LegendRow::setTheme(const Theme &theme)
{
    for (LegendEntry *entry : m_entries)
        entry->setTheme(theme);
    m_link->setIcon(themedIcon(Icon::Link, theme));
    m_fit->setIcon(themedIcon(Icon::Fit, theme));
}

void LegendRow::setCompact(bool compact)
{
    for (LegendEntry *entry : m_entries)
        entry->setCompact(compact);
}

void LegendRow::setPresent(OpClassMask present)
{
    m_present = present;
    for (int i = 0; i < LegendEntry::bubbleIndex; ++i)
        m_entries[static_cast<std::size_t>(i)]->setVisible(contains(present, static_cast<OpClass>(i)));
}

void LegendRow::setLinkVisible(bool visible) { m_link->setVisible(visible); }

void LegendRow::setLinked(bool linked)
{
    const QSignalBlocker blocker(m_link);
    m_link->setChecked(linked);
}

void LegendRow::drawLegend(QPainter &painter, const QRectF &rect, const LegendState &state, OpClassMask present, bool compact,
                           const Theme &theme)
{
    painter.fillRect(rect, theme.panel);
    const QFont title = uiFont(14, QFont::Bold);
    const QFont font = uiFont(12);
    double x = rect.left() + 12;
    drawLine(painter, QRectF(x, rect.top(), 100, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, title, theme.text,
             tr("Timeline"));
    x += textWidth(title, tr("Timeline")) + 16;
    for (int i = 0; i < LegendEntry::count; ++i) {
        if (!isShown(state, i) || (i != LegendEntry::bubbleIndex && !contains(present, static_cast<OpClass>(i))))
            continue;
        LegendEntry::drawSwatch(painter, QRectF(x, std::round(rect.center().y() - swatchSize / 2), swatchSize, swatchSize), i,
                                theme);
        const QString word = LegendEntry::word(i, compact);
        const double width = textWidth(font, word) + 2;
        drawLine(painter, QRectF(x + swatchSize + 6, rect.top(), width, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, font,
                 theme.text2, word);
        x += swatchSize + 6 + width + 16;
    }
}

} // namespace pipeloom
