// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/term.h"
#include "views/theme.h"

#include <QFrame>

#include <vector>

class QLabel;

namespace pipeloom
{

/// A term with the letter of the plan it belongs to.
struct LetteredTerm
{
    QString letter;
    Term term;
};

/// Where a number comes from: value, formula, the formula with its numbers, source and tag. Floats beside the row it explains.
class FormulaCard : public QFrame
{
public:
    explicit FormulaCard(QWidget *parent = nullptr);

    /// Shows the card left of `anchor` (global coordinates), or right of it where there is no room.
    void showTerms(const std::vector<LetteredTerm> &terms, const QRect &anchor);
    void setTheme(const Theme &theme);
    [[nodiscard]] QString text() const; ///< what it shows, without markup

private:
    QLabel *m_text;
    Theme m_theme = lightTheme();
};

} // namespace pipeloom
