// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/messagebar.h"

#include "views/icons.h"
#include "views/stylesheet.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace pipeloom
{

namespace
{
constexpr std::size_t mostLines = 12;
}

MessageBar::MessageBar(QWidget *parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_title(new QLabel(this))
    , m_detail(new QLabel(this))
    , m_buttons(new QHBoxLayout)
    , m_close(new QToolButton(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(11, 7, 8, 7);
    row->setSpacing(9);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_title);
    texts->addWidget(m_detail);
    row->addLayout(texts, 1);
    row->addLayout(m_buttons);
    row->addWidget(m_close, 0, Qt::AlignTop);
    m_title->setFont(uiFont(13, QFont::Bold));
    m_detail->setWordWrap(true);
    m_detail->setTextFormat(Qt::PlainText);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_close->setProperty("kind", QStringLiteral("icon"));
    m_close->setToolTip(tr("Close the message"));
    m_close->setAccessibleName(m_close->toolTip());
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    hide();
}

void MessageBar::showErrors(const QString &title, const Errors &errors, const QString &keeps)
{
    QStringList lines;
    for (std::size_t i = 0; i < errors.size() && i < mostLines; ++i) {
        lines += QString::fromStdString(errors[i].text());
    }
    if (errors.size() > mostLines) {
        lines += tr("and %1 more").arg(static_cast<qulonglong>(errors.size() - mostLines));
    }
    if (!keeps.isEmpty()) {
        lines += keeps;
    }
    m_copy = true;
    showMessage(Severity::Error, title, lines.join(QLatin1Char('\n')),
                { { tr("Copy text"), [this] { QApplication::clipboard()->setText(text()); } } });
}

void MessageBar::showMessage(Severity severity, const QString &title, const QString &detail, std::vector<Answer> answers)
{
    m_severity = severity;
    m_answers = std::move(answers);
    m_title->setText(title);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    while (QLayoutItem *item = m_buttons->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const Answer &answer : m_answers) {
        auto *button = new QPushButton(answer.text, this);
        const bool closes = !m_copy;
        connect(button, &QPushButton::clicked, this, [this, run = answer.run, closes] {
            if (closes) {
                dismiss();
            }
            run();
        });
        m_buttons->addWidget(button);
    }
    m_copy = false;
    setAccessibleName(title);
    setAccessibleDescription(detail);
    refresh();
    show();
}

void MessageBar::dismiss() { hide(); }

void MessageBar::setTheme(const Theme &theme)
{
    m_theme = theme;
    refresh();
}

QString MessageBar::text() const { return m_title->text() + QLatin1Char('\n') + m_detail->text(); }

void MessageBar::refresh()
{
    setLook(this, "diag",
            m_severity == Severity::Error         ? QStringLiteral("err")
                : m_severity == Severity::Warning ? QStringLiteral("warn")
                                                  : QStringLiteral("note"));
    const Icon icon = m_severity == Severity::Error ? Icon::Error : m_severity == Severity::Warning ? Icon::Warning : Icon::Ok;
    m_icon->setPixmap(statusPixmap(icon, m_theme, 16, devicePixelRatioF()));
    m_close->setIcon(themedIcon(Icon::Close, m_theme));
}

} // namespace pipeloom
