// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/term.h"
#include "views/memory/tensormodel.h"
#include "views/theme.h"

#include <QWidget>

#include <functional>
#include <optional>

class QLabel;
class QLineEdit;
class QTreeView;

namespace pipeloom
{

class FormulaCard;
class Segments;
class TextLabel;

/// The tensors of a rank at an instant as a table that can be searched, copied and saved, with the formula of the chosen one.
/// Where there is no room, shape and type go first, then place and share: the names stay readable.
class TensorPanel : public QWidget
{
    Q_OBJECT
public:
    explicit TensorPanel(QWidget *parent = nullptr);

    void setTable(TensorTable table, const QString &title, const QString &note, bool stale);
    /// What a tensor's formula card says; the letter of the plan stands before it.
    void setExplain(std::function<Term(const TensorLine &)> explain, const QString &letter);
    void setTheme(const Theme &theme);
    [[nodiscard]] TensorGrouping grouping() const;
    void setGrouping(TensorGrouping grouping);

    [[nodiscard]] std::optional<int> current() const; ///< line id
    void setCurrent(std::optional<int> id);
    [[nodiscard]] const TensorTable &table() const { return m_model->table(); }
    [[nodiscard]] QString csv() const { return tensorCsv(m_model->table()); }
    /// The chosen tensor with unit and source, as Ctrl+C takes it; empty when none is chosen.
    [[nodiscard]] QString copyText() const;

    [[nodiscard]] QTreeView *view() const { return m_view; }
    [[nodiscard]] QLineEdit *filter() const { return m_filter; }
    [[nodiscard]] FormulaCard *card() const { return m_card; }

signals:
    void chosen(std::optional<int> id);
    void groupingChosen(pipeloom::TensorGrouping grouping);
    void saveRequested(); ///< as CSV

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void showCard();
    void showTotal();
    void showMenu(const QPoint &position);
    void copy() const;

    TensorModel *m_model;
    QTreeView *m_view;
    QLineEdit *m_filter;
    Segments *m_grouping;
    QLabel *m_title;
    TextLabel *m_note;
    QLabel *m_total;
    FormulaCard *m_card;
    std::function<Term(const TensorLine &)> m_explain;
    QString m_letter;
    Theme m_theme = lightTheme();
    bool m_refilling = false;
};

} // namespace pipeloom
