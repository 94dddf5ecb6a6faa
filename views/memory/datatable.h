// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/document.h"

#include <QTableView>

#include <functional>

namespace pipeloom
{

class DataTableModel;

/// The numbers behind a plot: a table of ready texts. Ctrl+C copies the chosen rows, or all of them, as CSV in exact numbers; the
/// context menu also saves them.
class DataTable : public QTableView
{
    Q_OBJECT
public:
    explicit DataTable(QWidget *parent = nullptr);

    /// `exact` gives the same rows with the numbers for CSV; it is called when they are copied or saved.
    void setTable(ReportTable shown, std::function<ReportTable()> exact);
    [[nodiscard]] const ReportTable &table() const;
    /// The chosen rows, or all when none is, under the header.
    [[nodiscard]] QString csv() const;

signals:
    void saveRequested(const QString &csv); ///< all rows

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void showMenu(const QPoint &position);

    DataTableModel *m_model;
    std::function<ReportTable()> m_exact;
};

} // namespace pipeloom
