// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/termsdialog.h"

#include "core/scenario/terms.h"
#include "views/controls/format.h"
#include "views/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace pipeloom
{

namespace
{

enum Column
{
    PlanColumn,
    QuantityColumn,
    ValueColumn,
    TagColumn,
    FormulaColumn,
    InputsColumn,
    SourceColumn,
};

QTreeWidgetItem *makeRow(const QString &letter, const Term &term)
{
    auto *row = new QTreeWidgetItem;
    row->setText(PlanColumn, letter);
    row->setText(QuantityColumn, QString::fromStdString(term.label));
    row->setText(ValueColumn, termValue(term));
    row->setText(TagColumn, QString::fromLatin1(name(term.tag)));
    row->setText(FormulaColumn, QString::fromStdString(term.formula));
    row->setText(InputsColumn, QString::fromStdString(term.inputs));
    row->setText(SourceColumn, QString::fromStdString(term.source));
    row->setToolTip(QuantityColumn, QString::fromStdString(term.id));
    for (const int column : { FormulaColumn, InputsColumn }) {
        row->setFont(column, monoFont(11));
        row->setToolTip(column, row->text(column));
    }
    row->setToolTip(SourceColumn, row->text(SourceColumn));
    row->setTextAlignment(ValueColumn, Qt::AlignRight | Qt::AlignVCenter);
    return row;
}

QString lineOf(const QTreeWidgetItem *row)
{
    QStringList cells;
    for (int column = 0; column < row->columnCount(); ++column) {
        cells += row->text(column);
    }
    return cells.join(QLatin1Char('\t'));
}

} // namespace

TermsDialog::TermsDialog(const std::vector<ShownPlan> &plans, QWidget *parent)
    : QDialog(parent)
    , m_search(new QLineEdit(this))
    , m_table(new QTreeWidget(this))
    , m_detail(new QTextBrowser(this))
{
    setWindowTitle(tr("Why these numbers"));
    resize(1100, 620);
    auto *column = new QVBoxLayout(this);
    m_search->setPlaceholderText(tr("Find a quantity, formula or source"));
    m_search->setClearButtonEnabled(true);
    column->addWidget(m_search);
    column->addWidget(m_table, 1);
    column->addWidget(m_detail);
    m_detail->setFixedHeight(104);
    m_detail->setAccessibleName(tr("The chosen quantity in full"));
    m_table->setRootIsDecorated(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setUniformRowHeights(true);
    m_table->setHeaderLabels(
        { tr("Plan"), tr("Quantity"), tr("Value"), tr("Kind"), tr("Formula"), tr("With numbers"), tr("Source") });
    for (const ShownPlan &plan : plans) {
        if (plan.shown) {
            for (const Term &term : plan.shown->terms) {
                m_table->addTopLevelItem(makeRow(plan.letter, term));
            }
        }
    }
    for (const auto &[index, width] : { std::pair(0, 40), { 1, 190 }, { 2, 150 }, { 3, 76 }, { 4, 280 }, { 5, 240 } }) {
        m_table->setColumnWidth(index, width);
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton *copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    const auto copyText = [this] { QApplication::clipboard()->setText(text()); };
    connect(copy, &QPushButton::clicked, this, copyText);
    connect(new QShortcut(QKeySequence::Copy, m_table), &QShortcut::activated, this, copyText);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_search, &QLineEdit::textChanged, this, &TermsDialog::filter);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &TermsDialog::showDetail);
    m_table->setCurrentItem(m_table->topLevelItem(0));
    m_table->clearSelection();
}

void TermsDialog::showDetail()
{
    const QTreeWidgetItem *row = m_table->currentItem();
    if (row == nullptr) {
        m_detail->clear();
        return;
    }
    const auto cell = [row](Column column) { return row->text(column).toHtmlEscaped(); };
    QString html = QStringLiteral("<b>%1 %2</b>&nbsp;&nbsp;%3").arg(cell(PlanColumn), cell(QuantityColumn), cell(ValueColumn));
    for (const Column column : { FormulaColumn, InputsColumn }) {
        if (!row->text(column).isEmpty()) {
            html +=
                QStringLiteral("<br><span style=\"font-family:'JetBrains Mono'; font-size:11px\">%1</span>").arg(cell(column));
        }
    }
    m_detail->setHtml(html + QStringLiteral("<br>%1: %2").arg(cell(TagColumn), cell(SourceColumn)));
}

void TermsDialog::filter(const QString &words)
{
    for (int i = 0; i < m_table->topLevelItemCount(); ++i) {
        QTreeWidgetItem *row = m_table->topLevelItem(i);
        row->setHidden(!lineOf(row).contains(words.trimmed(), Qt::CaseInsensitive));
    }
}

QString TermsDialog::text() const
{
    QStringList lines = { lineOf(m_table->headerItem()) };
    const bool all = m_table->selectedItems().isEmpty();
    for (int i = 0; i < m_table->topLevelItemCount(); ++i) {
        const QTreeWidgetItem *row = m_table->topLevelItem(i);
        if (!row->isHidden() && (all || row->isSelected())) {
            lines += lineOf(row);
        }
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

NotModelledDialog::NotModelledDialog(const Evaluation &evaluation, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("What is not modelled"));
    resize(560, 420);
    QString html = QStringLiteral("<p><b>%1</b></p><ul>").arg(tr("Left out"));
    for (const std::string &line : notModelled(evaluation)) {
        html += QStringLiteral("<li>%1</li>").arg(QString::fromStdString(line).toHtmlEscaped());
    }
    html += QStringLiteral("</ul><p><b>%1</b></p><ul>").arg(tr("Assumed"));
    for (const Term &term : evaluation.terms) {
        if (term.tag == Provenance::Assumed) {
            html += QStringLiteral("<li>%1: %2, %3</li>")
                        .arg(QString::fromStdString(term.label).toHtmlEscaped(), termValue(term).toHtmlEscaped(),
                             QString::fromStdString(term.source).toHtmlEscaped());
        }
    }
    auto *text = new QTextBrowser(this);
    text->setHtml(html + QStringLiteral("</ul>"));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *column = new QVBoxLayout(this);
    column->addWidget(text, 1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

} // namespace pipeloom
