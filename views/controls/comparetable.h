// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/controls/format.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <vector>

namespace pipeloom
{

/// One row of the table: a quantity of each plan and the difference.
struct CompareRow
{
    QString label;
    QString unit;
    QString a, b;
    Delta difference;
    int better = 0; ///< tone of `difference` that is better: -1 less, +1 more
    QString note; ///< a small line below
    bool noteWarns = false;
    std::string term; ///< id of the term that explains it; the rank is part of memory ids, hence one for each plan
    std::string termB;
};

/// The rows for the shown results of plans A and, if there is one, B.
[[nodiscard]] std::vector<CompareRow> compareRows(const Evaluation *a, const Evaluation *b);

/// A against B, painted as one widget: it changes at every slider tick. Hovering or walking to a row shows where its number comes
/// from.
class CompareTable : public QWidget
{
    Q_OBJECT
public:
    explicit CompareTable(QWidget *parent = nullptr);
    void setPlans(const std::vector<ShownPlan> &plans);
    void setTheme(const Theme &theme);
    [[nodiscard]] const std::vector<CompareRow> &rows() const { return m_rows; }
    /// The table as tab-separated text, with units.
    [[nodiscard]] QString text() const;
    /// Centre of a row, for tests and for the card.
    [[nodiscard]] QRect rowRect(int row) const;

signals:
    /// -1: none.
    void rowHovered(int row);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    [[nodiscard]] QSize sizeHint() const override;

private:
    void setHovered(int row);
    void paintRow(QPainter &painter, const CompareRow &row, const QRect &box) const;
    [[nodiscard]] int rightOf(int column) const;

    std::vector<CompareRow> m_rows;
    QString m_letterB;
    bool m_staleA = false; ///< the column holds figures of the last valid plan, or none
    bool m_staleB = false;
    int m_hovered = -1;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
