// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/controls/termsdialog.h"

#include "core/scenario/terms.h"
#include "views/controls/format.h"
#include "views/planshape.h"
#include "views/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

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
    row->setFont(FormulaColumn, monoFont(11));
    row->setFont(InputsColumn, monoFont(11));
    for (int column = 0; column < row->columnCount(); ++column) {
        row->setTextAlignment(column, (column == ValueColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop);
    }
    return row;
}

/// Gives a row the height that its wrapped texts need: a tree by itself cuts them with dots.
class WrappingDelegate : public QStyledItemDelegate
{
public:
    explicit WrappingDelegate(QTreeWidget *table)
        : QStyledItemDelegate(table)
        , m_table(table)
    {
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        constexpr int margin = 4; // the style's, on either side
        const QRect room(0, 0, std::max(20, m_table->columnWidth(index.column()) - 2 * margin), 10000);
        const QRect needed = item.fontMetrics.boundingRect(room, Qt::TextWordWrap, item.text);
        return { needed.width() + 2 * margin, std::max(item.fontMetrics.height(), needed.height()) + 4 };
    }

private:
    QTreeWidget *m_table;
};

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
{
    setWindowTitle(tr("Why these numbers"));
    resize(1240, 660);
    auto *column = new QVBoxLayout(this);
    QStringList stale;
    for (const ShownPlan &plan : plans) {
        if (const QString valid = lastValidText(plan); !valid.isEmpty()) {
            stale += tr("%1 is not valid now, its rows are of the %2.").arg(plan.letter, valid);
        }
    }
    if (!stale.isEmpty()) {
        auto *note = new QLabel(stale.join(QLatin1Char(' ')), this);
        note->setProperty("tone", QStringLiteral("2"));
        note->setWordWrap(true);
        column->addWidget(note);
    }
    m_search->setPlaceholderText(tr("Find a quantity, formula or source"));
    m_search->setClearButtonEnabled(true);
    column->addWidget(m_search);
    column->addWidget(m_table, 1);
    m_table->setRootIsDecorated(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setWordWrap(true);
    m_table->setItemDelegate(new WrappingDelegate(m_table));
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel); // rows are of different height
    m_table->setHeaderLabels(
        { tr("Plan"), tr("Quantity"), tr("Value"), tr("Kind"), tr("Formula"), tr("With numbers"), tr("Source") });
    for (const ShownPlan &plan : plans) {
        if (plan.shown) {
            for (const Term &term : plan.shown->terms) {
                m_table->addTopLevelItem(makeRow(plan.letter, term));
            }
        }
    }
    for (const auto &[index, width] : { std::pair(0, 40), { 1, 190 }, { 2, 145 }, { 3, 72 }, { 4, 270 }, { 5, 250 } }) {
        m_table->setColumnWidth(index, width);
    }
    m_table->header()->setStretchLastSection(true);
    connect(m_table->header(), &QHeaderView::sectionResized, m_table, [this] { m_table->doItemsLayout(); });
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton *copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    const auto copyText = [this] { QApplication::clipboard()->setText(text()); };
    connect(copy, &QPushButton::clicked, this, copyText);
    connect(new QShortcut(QKeySequence::Copy, m_table), &QShortcut::activated, this, copyText);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_search, &QLineEdit::textChanged, this, &TermsDialog::filter);
    m_table->setCurrentItem(m_table->topLevelItem(0));
    m_table->clearSelection();
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
