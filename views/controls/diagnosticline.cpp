// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/diagnosticline.h"

#include "views/controls/planbadge.h"
#include "views/icons.h"
#include "views/stylesheet.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace pipeloom
{

namespace
{

const char *lookOf(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "ok";
    case Severity::Warning:
        return "warn";
    case Severity::Error:
        break;
    }
    return "err";
}

} // namespace

DiagnosticLine::DiagnosticLine(QWidget *parent)
    : QWidget(parent)
    , m_box(new QFrame(this))
    , m_icon(new QLabel(m_box))
    , m_badge(new PlanBadge(QString(), true, m_box))
    , m_text(new QLabel(m_box))
    , m_links(new QLabel(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_box);
    column->addWidget(m_links);
    auto *row = new QHBoxLayout(m_box);
    row->setContentsMargins(0, 1, 4, 1);
    row->setSpacing(6);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_badge, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    m_icon->setFixedSize(13, 15); // the height of a line of text
    m_text->setFont(uiFont(11.5));
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_links->setObjectName(QStringLiteral("fixes"));
    m_links->setFont(uiFont(12, QFont::Medium));
    m_links->setWordWrap(true);
    m_links->setContentsMargins(22, 2, 0, 3);
    m_links->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    for (const QLabel *label : { m_links, m_text }) {
        connect(label, &QLabel::linkActivated, this, [this](const QString &index) {
            const auto i = static_cast<std::size_t>(index.toInt());
            if (i < m_diagnostic.fixes.size()) {
                const Fix fix = m_diagnostic.fixes[i]; // a copy: the answer may replace the diagnostic
                emit fixRequested(fix);
            }
        });
    }
    m_badge->hide();
    m_links->hide();
}

void DiagnosticLine::setDiagnostic(const Diagnostic &diagnostic, const QString &letter)
{
    if (diagnostic == m_diagnostic && letter == m_letter) {
        return;
    }
    const bool newLook = diagnostic.severity != m_diagnostic.severity || m_text->text().isEmpty();
    m_diagnostic = diagnostic;
    m_letter = letter;
    m_badge->setLetter(letter);
    m_badge->setVisible(!letter.isEmpty());
    if (newLook) {
        refresh();
    } else {
        refreshLinks();
    }
}

void DiagnosticLine::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_badge->setTheme(theme);
    refresh();
}

void DiagnosticLine::refresh()
{
    const bool quiet = m_diagnostic.severity == Severity::Info;
    setLook(m_box, "diag", QString::fromLatin1(lookOf(m_diagnostic.severity)));
    setLook(m_text, "tone", quiet ? QStringLiteral("2") : QString());
    m_box->layout()->setContentsMargins(quiet ? 0 : 6, quiet ? 1 : 3, 4, quiet ? 1 : 3);
    const Icon icon = quiet ? Icon::Check : m_diagnostic.severity == Severity::Warning ? Icon::Warning : Icon::Error;
    m_icon->setPixmap(quiet ? iconPixmap(Icon::Check, m_theme.ok, 12, devicePixelRatioF())
                            : statusPixmap(icon, m_theme, 12, devicePixelRatioF()));
    refreshLinks(); // their colour is part of the text
}

QString DiagnosticLine::links() const
{
    QStringList links;
    for (std::size_t i = 0; i < m_diagnostic.fixes.size(); ++i) {
        const QString label = QString::fromStdString(m_diagnostic.fixes[i].label)
                                  .toHtmlEscaped()
                                  .replace(QLatin1Char(' '), QStringLiteral("&nbsp;"));
        links += QStringLiteral("<a href=\"%1\" style=\"color:%2; text-decoration:none\">%3</a>")
                     .arg(i)
                     .arg(m_theme.accent.name(), label);
    }
    return links.join(QStringLiteral("&nbsp;&nbsp;&nbsp; "));
}

bool DiagnosticLine::linkFitsBeside() const
{
    constexpr int narrowest = 226; // of the text in the narrowest panel
    if (m_diagnostic.fixes.size() != 1) {
        return false;
    }
    const QString both = QString::fromStdString(m_diagnostic.message + ". " + m_diagnostic.fixes.front().label);
    return QFontMetrics(m_text->font()).horizontalAdvance(both) <= narrowest;
}

void DiagnosticLine::refreshLinks()
{
    const QString message = QString::fromStdString(m_diagnostic.message);
    const bool beside = linkFitsBeside();
    m_text->setTextFormat(beside ? Qt::RichText : Qt::PlainText);
    m_text->setText(beside ? message.toHtmlEscaped() + QStringLiteral(". ") + links() : message);
    m_links->setText(links());
    m_links->setVisible(!beside && !m_diagnostic.fixes.empty());
}

} // namespace pipeloom
