// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/viewstate.h"

#include <QDialog>

#include <vector>

class QLineEdit;
class QTreeWidget;

namespace pipeloom
{

/// "Why these numbers": every term of the shown plans with formula, inputs, source and tag, in full; rows can be filtered and
/// copied.
class TermsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit TermsDialog(const std::vector<ShownPlan> &plans, QWidget *parent = nullptr);
    [[nodiscard]] QTreeWidget *table() const { return m_table; }
    /// The selected rows, or all shown ones, as tab-separated text with a header.
    [[nodiscard]] QString text() const;

private:
    void filter(const QString &words);

    QLineEdit *m_search;
    QTreeWidget *m_table;
};

/// "What is not modelled", with the assumptions that are in.
class NotModelledDialog : public QDialog
{
    Q_OBJECT
public:
    explicit NotModelledDialog(const Evaluation &evaluation, QWidget *parent = nullptr);
};

} // namespace pipeloom
