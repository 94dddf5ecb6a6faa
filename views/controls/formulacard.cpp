// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/formulacard.h"

#include "views/controls/format.h"

#include <QGuiApplication>
#include <QLabel>
#include <QScreen>
#include <QTextDocument>
#include <QVBoxLayout>

namespace pipeloom
{

namespace
{

QString escaped(const std::string &text) { return QString::fromStdString(text).toHtmlEscaped(); }

QString mono(const std::string &text, const Theme &theme)
{
    return QStringLiteral("<span style=\"font-family:'JetBrains Mono'; font-size:11px; color:%1\">%2</span>")
        .arg(theme.text2.name(), escaped(text));
}

QString block(const LetteredTerm &each, const Theme &theme)
{
    const Term &term = each.term;
    QString html =
        QStringLiteral("<b>%1 %2</b>&nbsp;&nbsp;%3").arg(each.letter, escaped(term.label), termValue(term).toHtmlEscaped());
    if (!term.formula.empty()) {
        html += QStringLiteral("<br>") + mono(term.formula, theme);
    }
    if (!term.inputs.empty()) {
        html += QStringLiteral("<br>") + mono("= " + term.inputs, theme);
    }
    QString origin = QString::fromLatin1(name(term.tag));
    if (!term.source.empty()) {
        origin += QStringLiteral(": ") + escaped(term.source);
    }
    return html + QStringLiteral("<br><span style=\"font-size:11px; color:%1\">%2</span>").arg(theme.text3.name(), origin);
}

} // namespace

FormulaCard::FormulaCard(QWidget *parent)
    : QFrame(parent, Qt::ToolTip)
    , m_text(new QLabel(this))
{
    setProperty("card", true);
    setAttribute(Qt::WA_ShowWithoutActivating);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 8);
    column->addWidget(m_text);
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_text->setFixedWidth(320);
    hide();
}

void FormulaCard::showTerms(const std::vector<LetteredTerm> &terms, const QRect &anchor)
{
    QStringList blocks;
    for (const LetteredTerm &each : terms) {
        blocks += block(each, m_theme);
    }
    if (blocks.isEmpty()) {
        hide();
        return;
    }
    m_text->setText(blocks.join(QStringLiteral("<br><br>")));
    adjustSize();
    const QScreen *screen = QGuiApplication::screenAt(anchor.center());
    const QRect area = screen != nullptr ? screen->availableGeometry() : QRect(0, 0, 4096, 4096);
    int x = anchor.left() - width() - 8;
    if (x < area.left()) {
        x = anchor.right() + 8;
    }
    const int y = std::clamp(anchor.center().y() - height() / 2, area.top(), std::max(area.top(), area.bottom() - height()));
    move(x, y);
    show();
    raise();
}

void FormulaCard::setTheme(const Theme &theme)
{
    m_theme = theme;
    hide();
}

QString FormulaCard::text() const
{
    QTextDocument document;
    document.setHtml(m_text->text());
    return document.toPlainText();
}

} // namespace pipeloom
