// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/tensorpanel.h"

#include "views/controls/format.h"
#include "views/controls/formulacard.h"
#include "views/controls/segments.h"
#include "views/controls/textlabel.h"
#include "views/plot/numbers.h"
#include "views/stylesheet.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSet>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

#include <cmath>

namespace pipeloom
{

namespace
{

constexpr int rowHeight = 21;
// Below these widths a name would get less than some hundred pixels.
constexpr int compactWidth = 640;
constexpr int narrowWidth = 520;

/// The swatch before a group's name, and the bar of a tensor's share.
class TensorDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return { QStyledItemDelegate::sizeHint(option, index).width(), rowHeight };
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const auto colour = index.data(TensorModel::ColourRole).value<QColor>();
        const bool group = index.data(TensorModel::IdRole).toInt() < 0;
        if (group) {
            paintGroup(painter, option, index, colour);
            return;
        }
        QStyledItemDelegate::paint(painter, option, index);
        if (index.column() == TensorModel::Share) {
            const double share = index.data(TensorModel::ShareRole).toDouble();
            const QRect room = option.rect.adjusted(4, 5, -8, -5);
            // A fifth of the total fills the column: few tensors hold more, and small ones stay visible.
            const int length = std::min(room.width(), static_cast<int>(std::lround(std::abs(share) * 5 * room.width())));
            painter->fillRect(QRect(room.left(), room.top(), std::max(length, share == 0 ? 0 : 1), room.height()), colour);
        }
    }

private:
    /// A group's row is one cell over all columns: swatch, title, and its sums under their headings.
    static void paintGroup(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index, const QColor &colour)
    {
        painter->fillRect(option.rect, index.data(Qt::BackgroundRole).value<QColor>());
        painter->fillRect(QRect(option.rect.left() + 2, option.rect.center().y() - 5, 11, 11), colour);
        painter->setFont(index.data(Qt::FontRole).value<QFont>());
        painter->setPen(option.palette.color(QPalette::Text));
        painter->drawText(option.rect.adjusted(20, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
        const auto *view = qobject_cast<const QTreeView *>(option.widget);
        if (view == nullptr) {
            return;
        }
        for (const int column : { TensorModel::Gib, TensorModel::Share }) {
            const QRect cell(view->header()->sectionViewportPosition(column), option.rect.top(),
                             view->header()->sectionSize(column), option.rect.height());
            painter->drawText(cell.adjusted(0, 0, column == TensorModel::Share ? -8 : -4, 0), Qt::AlignVCenter | Qt::AlignRight,
                              index.siblingAtColumn(column).data().toString());
        }
    }
};

QStringList groupingTitles() { return { TensorPanel::tr("class"), TensorPanel::tr("stage"), TensorPanel::tr("layer kind") }; }

} // namespace

TensorPanel::TensorPanel(QWidget *parent)
    : QWidget(parent)
    , m_model(new TensorModel(this))
    , m_view(new QTreeView(this))
    , m_filter(new QLineEdit(this))
    , m_grouping(new Segments(groupingTitles(), this))
    , m_title(new QLabel(this))
    , m_note(new TextLabel(this))
    , m_total(new QLabel(this))
    , m_card(new FormulaCard(this))
{
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    m_title->setFont(uiFont(13, QFont::Bold));
    m_note->setTextFont(uiFont(11.5));
    m_note->setToken(&Theme::text2);
    m_note->setElided(true);
    m_filter->setPlaceholderText(tr("Filter tensors"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter tensors"));
    m_filter->setFixedWidth(150);
    m_grouping->setToolTip(tr("Gather tensors by"));
    m_total->setFont(uiFont(12, QFont::Medium));
    m_total->setTextFormat(Qt::RichText);

    auto *head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 12, 6);
    head->setSpacing(10);
    head->addWidget(m_title);
    head->addWidget(m_note, 1);
    head->addWidget(m_grouping);
    head->addWidget(m_filter);

    m_view->setModel(m_model);
    m_view->setItemDelegate(new TensorDelegate(m_view));
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setIndentation(14);
    m_view->setFont(uiFont(12));
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setAccessibleName(tr("Tensors"));
    m_view->installEventFilter(this);
    QHeaderView *header = m_view->header();
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setMinimumSectionSize(30);
    header->setStretchLastSection(false);
    header->setSectionResizeMode(TensorModel::Name, QHeaderView::Stretch);
    header->setFont(uiFont(11.5));
    for (const auto &[column, width] : { std::pair(TensorModel::Place, 84),
                                         { TensorModel::Shape, 104 },
                                         { TensorModel::Type, 52 },
                                         { TensorModel::Split, 84 },
                                         { TensorModel::Kept, 60 },
                                         { TensorModel::Gib, 52 },
                                         { TensorModel::Share, 62 } }) {
        header->resizeSection(column, width);
    }
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(14, 5, 12, 7);
    foot->addWidget(m_total, 1);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_view, 1);
    column->addLayout(foot);

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_model->setFilter(text);
        m_view->expandAll();
        for (int row = 0; row < m_model->rowCount(); ++row) {
            m_view->setFirstColumnSpanned(row, {}, true);
        }
    });
    connect(m_grouping, &Segments::chosen, this, [this](int index) { emit groupingChosen(static_cast<TensorGrouping>(index)); });
    connect(m_view, &QTreeView::customContextMenuRequested, this, &TensorPanel::showMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        if (!m_refilling) {
            showCard();
            emit chosen(current());
        }
    });
}

void TensorPanel::setTable(TensorTable table, const QString &title, const QString &note, bool stale)
{
    m_refilling = true;
    // What was unfolded and chosen stays so, by name: a slider tick must not fold the table.
    QSet<QString> folded;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex group = m_model->index(row, 0);
        if (!m_view->isExpanded(group)) {
            folded.insert(group.data().toString());
        }
    }
    const bool first = m_model->rowCount() == 0;
    const std::optional<int> chosenId = current();
    std::optional<LedgerRow> chosenRow;
    if (chosenId) {
        chosenRow = m_model->table().lines[static_cast<std::size_t>(*chosenId)].tensor.row;
    }
    const int scroll = m_view->verticalScrollBar() != nullptr ? m_view->verticalScrollBar()->value() : 0;
    m_model->setTable(std::move(table));
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex group = m_model->index(row, 0);
        m_view->setExpanded(group, first || !folded.contains(group.data().toString()));
        m_view->setFirstColumnSpanned(row, {}, true);
    }
    if (chosenRow) {
        for (const TensorLine &line : m_model->table().lines) {
            const LedgerRow &row = line.tensor.row;
            if (row.name == chosenRow->name && row.place == chosenRow->place && row.memoryClass == chosenRow->memoryClass) {
                m_view->setCurrentIndex(m_model->indexOfLine(line.id));
                break;
            }
        }
    }
    if (m_view->verticalScrollBar() != nullptr) {
        m_view->verticalScrollBar()->setValue(scroll);
    }
    m_refilling = false;
    m_title->setText(title);
    m_note->setText(note);
    setLook(m_title, "tone", stale ? QStringLiteral("stale") : QString());
    m_view->setEnabled(!stale);
    showTotal();
    if (m_card->isVisible()) {
        showCard();
    }
}

void TensorPanel::showTotal()
{
    const TensorTable &table = m_model->table();
    QString text = tr("Total %1 GiB").arg(fixedText(static_cast<double>(table.total) / bytesPerGiB, 2));
    if (table.otherTotal) {
        text = tr("Total A %1, B %2, A vs B %3 GiB")
                   .arg(fixedText(static_cast<double>(table.total) / bytesPerGiB, 2),
                        fixedText(static_cast<double>(*table.otherTotal) / bytesPerGiB, 2),
                        signedGib(table.total - *table.otherTotal));
    }
    m_total->setText(text);
}

void TensorPanel::setExplain(std::function<Term(const TensorLine &)> explain, const QString &letter)
{
    m_explain = std::move(explain);
    m_letter = letter;
}

void TensorPanel::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_model->setTheme(theme);
    m_card->setTheme(theme);
    m_note->setTheme(theme);
}

void TensorPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool compact = width() < compactWidth;
    const bool narrow = width() < narrowWidth;
    m_view->setColumnHidden(TensorModel::Shape, compact);
    m_view->setColumnHidden(TensorModel::Type, compact);
    m_view->setColumnHidden(TensorModel::Place, narrow);
    m_view->setColumnHidden(TensorModel::Share, narrow);
    // Two numbers and their sum need room where the name has less of it.
    m_view->header()->resizeSection(TensorModel::Kept, compact ? 92 : 76);
}

TensorGrouping TensorPanel::grouping() const { return static_cast<TensorGrouping>(m_grouping->current()); }

void TensorPanel::setGrouping(TensorGrouping grouping) { m_grouping->setCurrent(static_cast<int>(grouping)); }

std::optional<int> TensorPanel::current() const
{
    const QModelIndex index = m_view->currentIndex();
    if (!index.isValid()) {
        return std::nullopt;
    }
    const int id = index.data(TensorModel::IdRole).toInt();
    return id < 0 ? std::nullopt : std::optional(id);
}

void TensorPanel::setCurrent(std::optional<int> id)
{
    if (!id) {
        m_view->setCurrentIndex({});
        m_card->hide();
        return;
    }
    const QModelIndex index = m_model->indexOfLine(*id);
    if (index.isValid()) {
        m_view->setCurrentIndex(index);
        m_view->scrollTo(index);
    }
}

void TensorPanel::showCard()
{
    const std::optional<int> id = current();
    if (!id || !m_explain || !m_view->isVisible()) {
        m_card->hide();
        return;
    }
    const QRect row = m_view->visualRect(m_view->currentIndex());
    const QRect anchor(m_view->viewport()->mapToGlobal(QPoint(0, row.top())), QSize(m_view->viewport()->width(), row.height()));
    m_card->showTerms({ { m_letter, m_explain(m_model->table().lines[static_cast<std::size_t>(*id)]) } }, anchor);
}

QString TensorPanel::copyText() const
{
    const std::optional<int> id = current();
    if (!id || !m_explain) {
        return {};
    }
    const Term term = m_explain(m_model->table().lines[static_cast<std::size_t>(*id)]);
    return QStringLiteral("%1 %2\t%3\t%4\t%5: %6")
        .arg(m_letter, QString::fromStdString(term.label), termValue(term), QString::fromStdString(term.inputs),
             QString::fromLatin1(name(term.tag)), QString::fromStdString(term.source));
}

void TensorPanel::copy() const
{
    const QString row = copyText();
    QApplication::clipboard()->setText(row.isEmpty() ? csv() : row);
}

void TensorPanel::showMenu(const QPoint &position)
{
    QMenu menu(this);
    QAction *row = menu.addAction(tr("Copy tensor"), this, &TensorPanel::copy);
    row->setEnabled(current().has_value());
    menu.addAction(tr("Copy table as CSV"), this, [this] { QApplication::clipboard()->setText(csv()); });
    menu.addAction(tr("Save table as CSV..."), this, &TensorPanel::saveRequested);
    menu.addSeparator();
    menu.addAction(tr("Unfold all"), m_view, &QTreeView::expandAll);
    menu.addAction(tr("Fold all"), m_view, &QTreeView::collapseAll);
    menu.exec(m_view->viewport()->mapToGlobal(position));
}

bool TensorPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Copy)) {
            copy();
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            setCurrent(std::nullopt);
            return true;
        }
    }
    if (watched == m_view && event->type() == QEvent::FocusOut) {
        m_card->hide();
    }
    return QWidget::eventFilter(watched, event);
}

void TensorPanel::hideEvent(QHideEvent *event)
{
    m_card->hide();
    QWidget::hideEvent(event);
}

} // namespace pipeloom
