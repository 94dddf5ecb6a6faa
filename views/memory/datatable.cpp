// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/datatable.h"

#include "views/theme.h"

#include <QAbstractTableModel>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

#include <set>

namespace pipeloom
{

namespace
{

constexpr int lineHeight = 20;

} // namespace

class DataTableModel : public QAbstractTableModel
{
public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(ReportTable table)
    {
        beginResetModel();
        m_table = std::move(table);
        endResetModel();
    }
    [[nodiscard]] const ReportTable &table() const { return m_table; }

    [[nodiscard]] int rowCount(const QModelIndex &parent) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex &parent) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override
    {
        if (role == Qt::TextAlignmentRole)
            return alignment(index.column());
        if (role != Qt::DisplayRole)
            return {};
        return QString::fromStdString(
            m_table.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())]);
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return alignment(section);
        if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
            return {};
        return QString::fromStdString(m_table.columns[static_cast<std::size_t>(section)].title);
    }

private:
    [[nodiscard]] QVariant alignment(int column) const
    {
        const bool number = m_table.columns[static_cast<std::size_t>(column)].number;
        return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    }

    ReportTable m_table;
};

DataTable::DataTable(QWidget *parent)
    : QTableView(parent)
    , m_model(new DataTableModel(this))
{
    setModel(m_model);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setFont(uiFont(12));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setContextMenuPolicy(Qt::CustomContextMenu);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(lineHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setFont(uiFont(11.5));
    horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    connect(this, &QWidget::customContextMenuRequested, this, &DataTable::showMenu);
}

void DataTable::setTable(ReportTable shown, std::function<ReportTable()> exact)
{
    m_exact = std::move(exact);
    setAccessibleName(QString::fromStdString(shown.title));
    m_model->setTable(std::move(shown));
}

const ReportTable &DataTable::table() const { return m_model->table(); }

QString DataTable::csv() const
{
    if (!m_exact)
        return {};
    ReportTable exact = m_exact();
    std::set<int> rows;
    for (const QModelIndex &index : selectionModel()->selectedRows())
        rows.insert(index.row());
    if (!rows.empty()) {
        std::vector<std::vector<std::string>> kept;
        for (const int row : rows)
            kept.push_back(std::move(exact.rows[static_cast<std::size_t>(row)]));
        exact.rows = std::move(kept);
    }
    return QString::fromStdString(toCsv(exact));
}

void DataTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(csv());
        return;
    }
    QTableView::keyPressEvent(event);
}

void DataTable::showMenu(const QPoint &position)
{
    QMenu menu(this);
    const bool some = selectionModel()->hasSelection();
    menu.addAction(some ? tr("Copy chosen rows as CSV") : tr("Copy table as CSV"), this,
                   [this] { QGuiApplication::clipboard()->setText(csv()); });
    menu.addAction(tr("Save table as CSV..."), this, [this] {
        if (m_exact)
            emit saveRequested(QString::fromStdString(toCsv(m_exact())));
    });
    menu.exec(viewport()->mapToGlobal(position));
}

} // namespace pipeloom
