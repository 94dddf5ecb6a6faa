// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/stylesheet.h"

#include "views/icons.h"

#include <QApplication>
#include <QPair>
#include <QProxyStyle>
#include <QStyle>
#include <QVariant>
#include <QVector>
#include <QWidget>

namespace pipeloom
{

namespace
{

// A rule for "every widget inside a panel" would outrank the rules for buttons and boxes, so the ground is set on the panel
// alone. A round handle of 13 px is 9 + 2 x 2 of border.
const char *const sheetTemplate = R"QSS(
QMainWindow, QMainWindow > QWidget#central { background: @bg@; }
QMainWindow::separator { background: @line@; width: 1px; height: 1px; }
*[panel="true"] { background: @panel@; }
*[band="true"] { background: @alt@; }
QScrollArea, QScrollArea > QWidget > QWidget[scrolled="true"] { background: @panel@; border: none; }
QFrame#scenarioFloat { background: @panel@; border: none; border-right: 1px solid @line@; }
QSplitter::handle { background: @bg@; }
QFrame[line="true"] { background: @line@; border: none; }
QFrame[line="grid"] { background: @grid@; border: none; }
QFrame[card="true"] { background: @alt@; border: 1px solid @line@; border-radius: 3px; }

QMenuBar { background: @panel@; color: @text@; border-bottom: 1px solid @grid@; padding: 0 2px; }
QMenuBar::item { background: transparent; padding: 5px 8px; }
QMenuBar::item:selected { background: @accentbg@; }
QMenu { background: @panel@; color: @text@; border: 1px solid @line@; padding: 4px 0; }
QMenu::item { padding: 4px 28px 4px 26px; }
QMenu::item:selected { background: @accentbg@; color: @text@; }
QMenu::item:disabled { color: @text3@; }
QMenu::separator { height: 1px; background: @grid@; margin: 4px 0; }
QMenu::icon { padding-left: 6px; }
QMenu::indicator { width: 13px; height: 13px; left: 6px; }
QMenu::indicator:checked { image: url(:/pipeloom/qss/check-accent-@name@.svg); }
QToolBar { background: @panel@; border: none; border-bottom: 1px solid @line@; spacing: 0; padding: 0; }
QToolBar::separator { background: @line@; width: 1px; margin: 9px 7px; }
QStatusBar { background: @panel@; color: @text2@; border-top: 1px solid @line@; min-height: 23px; max-height: 23px; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @text2@; }
QDockWidget { background: @panel@; color: @text@; }

QPushButton, QToolButton { background: @panel@; color: @text@; border: 1px solid @inputline@; border-radius: 3px; padding: 0 9px; min-height: 22px; }
QToolButton { padding: 0 5px; }
QPushButton:hover, QToolButton:hover { background: @alt@; }
QPushButton:pressed, QToolButton:pressed { background: @accentbg@; }
QPushButton:focus, QToolButton:focus { border-color: @accent@; }
QPushButton:checked, QToolButton:checked { background: @accentbg@; color: @accent@; border-color: @accent@; }
QPushButton:disabled, QToolButton:disabled { color: @text3@; background: @alt@; }
*[kind="primary"] { background: @accent@; color: @onaccent@; border-color: @accent@; }
*[kind="primary"]:hover, *[kind="primary"]:pressed { background: @accenthover@; }
*[kind="primary"]:focus { border-color: @text@; }
*[kind="primary"]:disabled { background: @groove@; color: @text3@; border-color: @groove@; }
*[kind="link"] { background: transparent; color: @accent@; border: 1px solid transparent; padding: 0 2px; min-height: 18px; }
*[kind="link"]:hover { color: @text@; background: transparent; }
*[kind="link"]:focus { border-color: @accent@; }
*[kind="link"]:disabled { color: @text3@; background: transparent; }
*[kind="icon"] { background: transparent; border: 1px solid transparent; padding: 0 4px; }
*[kind="icon"]:hover { background: @alt@; }
*[kind="icon"]:pressed { background: @accentbg@; }
*[kind="icon"]:focus { border-color: @accent@; }
*[kind="icon"]:disabled { background: transparent; color: @text3@; }
*[kind="icon"]:checked { background: @accentbg@; border-color: @accent@; color: @accent@; }
*[kind="segment"] { background: @alt@; color: @text2@; border: 1px solid @inputline@; border-radius: 0; padding: 0 3px; min-height: 19px; max-height: 19px; margin-left: -1px; }
*[kind="segment"][place="first"] { border-top-left-radius: 3px; border-bottom-left-radius: 3px; margin-left: 0; }
*[kind="segment"][place="last"] { border-top-right-radius: 3px; border-bottom-right-radius: 3px; }
*[kind="segment"]:hover { color: @text@; }
*[kind="segment"]:focus { color: @text@; border-color: @accent@; }
*[kind="segment"]:checked { background: @accentbg@; color: @accent@; border-color: @accent@; }
*[kind="segment"]:disabled { background: @alt@; color: @text3@; border-color: @inputline@; }
*[kind="segment"]:checked:disabled { background: @groove@; }
*[kind="tab"] { background: transparent; color: @text2@; border: none; border-bottom: 3px solid transparent; border-radius: 0; padding: 3px 16px 0 16px; min-height: 34px; }
*[kind="tab"]:hover { color: @text@; background: transparent; }
*[kind="tab"]:focus { background: @alt@; }
*[kind="tab"]:checked { color: @text@; border-bottom-color: @accent@; background: transparent; }
*[kind="search"] { background: @alt@; color: @text3@; border: 1px solid @line@; border-radius: 3px; padding: 0 8px; min-height: 17px; max-height: 17px; text-align: left; }
*[kind="search"]:hover { border-color: @inputline@; }
*[kind="search"]:focus { border-color: @accent@; }

QLabel[tone="2"] { color: @text2@; }
QLabel[tone="3"] { color: @text3@; }
QLabel[tone="ok"] { color: @ok@; }
QLabel[tone="warn"] { color: @warn@; }
QLabel[tone="err"] { color: @err@; }
QLabel[tone="accent"] { color: @accent@; }
QLabel:disabled { color: @text3@; }

QFrame[diag="ok"] { background: transparent; border: none; }
QFrame[diag="note"] { background: @alt@; border: none; border-left: 3px solid @accent@; }
QFrame[diag="warn"] { background: @warnbg@; border: none; border-left: 3px solid @warn@; }
QFrame[diag="err"] { background: @errbg@; border: none; border-left: 3px solid @err@; }

QSpinBox, QDoubleSpinBox, QLineEdit, QAbstractSpinBox { background: @input@; color: @text@; border: 1px solid @inputline@; border-radius: 2px; padding: 0 4px; min-height: 19px; selection-background-color: @accent@; selection-color: @onaccent@; }
QLineEdit:focus, QAbstractSpinBox:focus { border-color: @accent@; }
QLineEdit:disabled, QAbstractSpinBox:disabled { background: @alt@; color: @text3@; border-color: @line@; }
QLineEdit[issue="warn"], QAbstractSpinBox[issue="warn"] { border-color: @warn@; }
QLineEdit[issue="err"], QAbstractSpinBox[issue="err"] { border-color: @err@; }

QComboBox { background: @input@; color: @text@; border: 1px solid @inputline@; border-radius: 2px; padding: 0 2px 0 7px; min-height: 19px; combobox-popup: 0; }
QComboBox:focus, QComboBox:on { border-color: @accent@; }
QComboBox:disabled { background: @alt@; color: @text3@; border-color: @line@; }
QComboBox[issue="warn"] { border-color: @warn@; }
QComboBox[issue="err"] { border-color: @err@; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url(:/pipeloom/qss/chevron-@name@.svg); width: 9px; height: 9px; }
QComboBox QAbstractItemView { background: @panel@; color: @text@; border: 1px solid @line@; selection-background-color: @accentbg@; selection-color: @text@; outline: none; }
QComboBox QAbstractItemView::item { min-height: 22px; padding: 0 6px; }

QSlider { min-height: 17px; max-height: 17px; background: transparent; }
QSlider::groove:horizontal { height: 3px; background: @groove@; border-radius: 1px; }
QSlider::sub-page:horizontal { height: 3px; background: @accent@; border-radius: 1px; }
QSlider::handle:horizontal { width: 9px; height: 9px; margin: -5px 0; border: 2px solid @accent@; border-radius: 6px; background: @panel@; }
QSlider::handle:horizontal:focus { background: @accentbg@; }
QSlider::handle:horizontal:pressed { background: @accent@; }
QSlider::sub-page:horizontal:disabled { background: @groove@; }
QSlider::handle:horizontal:disabled { border-color: @groove@; background: @alt@; }

QCheckBox { color: @text@; spacing: 7px; background: transparent; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @inputline@; border-radius: 2px; background: @input@; }
QCheckBox:disabled { color: @text3@; }
QCheckBox::indicator:focus, QCheckBox::indicator:hover { border-color: @accent@; }
QCheckBox::indicator:checked { background: @accent@; border-color: @accent@; image: url(:/pipeloom/qss/check-@name@.svg); }

QScrollBar:vertical { background: transparent; width: 8px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0; }
QScrollBar::handle { background: @groove@; border-radius: 2px; margin: 1px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @ghost@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QAbstractItemView { background: @panel@; color: @text@; border: 1px solid @line@; alternate-background-color: @lane@; selection-background-color: @accentbg@; selection-color: @text@; gridline-color: @grid@; outline: none; }
QHeaderView { background: @alt@; border: none; }
QHeaderView::section { background: @alt@; color: @text2@; border: none; border-bottom: 1px solid @line@; border-right: 1px solid @grid@; padding: 3px 6px; }
QTextBrowser, QPlainTextEdit, QTextEdit { background: @panel@; color: @text@; border: 1px solid @line@; selection-background-color: @accent@; selection-color: @onaccent@; }
QToolTip { background: @panel@; color: @text@; border: 1px solid @line@; padding: 4px 6px; }
QDialog { background: @panel@; }
QProgressBar { background: @groove@; border: none; border-radius: 2px; max-height: 5px; }
QProgressBar::chunk { background: @accent@; border-radius: 2px; }
)QSS";

constexpr const char *styledProperty = "pipeloomStyled";

/// Fusion without underlined menu letters (Alt opens the menus all the same) and without pictures on dialog buttons.
class CalmFusion : public QProxyStyle
{
public:
    CalmFusion()
        : QProxyStyle(QStringLiteral("fusion"))
    {
    }

    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *answer) const override
    {
        const bool off = hint == SH_UnderlineShortcut || hint == SH_DialogButtonBox_ButtonsHaveIcons;
        return off ? 0 : QProxyStyle::styleHint(hint, option, widget, answer);
    }
};

/// Name of each token in the template with its colour.
QVector<QPair<QString, QColor>> tokens(const Theme &t)
{
    return {
        { "bg", t.bg },
        { "panel", t.panel },
        { "alt", t.alt },
        { "lane", t.lane },
        { "line", t.line },
        { "grid", t.grid },
        { "text", t.text },
        { "text2", t.text2 },
        { "text3", t.text3 },
        { "accent", t.accent },
        { "accentbg", t.accentBg },
        { "onaccent", t.onAccent },
        { "accenthover", t.dark ? t.accent.lighter(112) : t.accent.darker(118) },
        { "ok", t.ok },
        { "warn", t.warn },
        { "warnbg", t.warnBg },
        { "err", t.err },
        { "errbg", t.errBg },
        { "input", t.input },
        { "inputline", t.inputLine },
        { "groove", t.groove },
        { "ghost", t.ghost },
    };
}

} // namespace

QPalette themePalette(const Theme &t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.panel);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.input);
    p.setColor(QPalette::AlternateBase, t.lane);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::Button, t.panel);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.err);
    p.setColor(QPalette::ToolTipBase, t.panel);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::PlaceholderText, t.text3);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.onAccent);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.panel);
    p.setColor(QPalette::Midlight, t.alt);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.inputLine);
    p.setColor(QPalette::Shadow, t.text3);
    for (const auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText }) {
        p.setColor(QPalette::Disabled, role, t.text3);
    }
    p.setColor(QPalette::Disabled, QPalette::Base, t.alt);
    return p;
}

QString styleSheet(const Theme &theme)
{
    QString sheet = QString::fromLatin1(sheetTemplate);
    for (const auto &[name, colour] : tokens(theme)) {
        sheet.replace(QStringLiteral("@%1@").arg(name), colour.name());
    }
    return sheet.replace(QStringLiteral("@name@"), theme.dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

void applyTheme(QApplication &app, const Theme &theme)
{
    loadIconResources();
    if (!app.property(styledProperty).toBool()) {
        app.setProperty(styledProperty, true);
        QApplication::setStyle(new CalmFusion);
    }
    QApplication::setFont(uiFont(12));
    QApplication::setPalette(themePalette(theme));
    app.setStyleSheet(styleSheet(theme));
}

void setLook(QWidget *widget, const char *property, const QString &value)
{
    if (widget->property(property).toString() == value) {
        return;
    }
    widget->setProperty(property, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

} // namespace pipeloom
