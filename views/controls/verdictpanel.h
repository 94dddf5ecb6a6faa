// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/controls/verdictcard.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QWidget>

#include <array>
#include <vector>

class QPushButton;
class QTimer;

namespace pipeloom
{

class CompareTable;
class FormulaCard;
class MeasuredTable;
class OtherPlans;
class StepBars;
class TextLabel;

/// The plans judged: verdict, cause and cure of each, A against B, where the step goes, and where the numbers come from.
class VerdictPanel : public QWidget
{
    Q_OBJECT
public:
    explicit VerdictPanel(QWidget *parent = nullptr);

    void setPlans(const std::vector<ShownPlan> &plans);
    void setNearest(int plan, const NearestState &nearest);
    void setTheme(const Theme &theme);
    [[nodiscard]] VerdictCard *card(int plan) const { return m_cards.at(static_cast<std::size_t>(plan)); }
    [[nodiscard]] CompareTable *table() const { return m_table; }
    [[nodiscard]] FormulaCard *formula() const { return m_formula; }
    [[nodiscard]] TextLabel *noFigures() const { return m_noFigures; }

public slots:
    void showTerms();
    void showNotModelled();

signals:
    void fixRequested(int plan, const Fix &fix);
    void compareRequested(int plan);
    void removeRequested(int plan);

private:
    [[nodiscard]] QWidget *makeHeader();
    [[nodiscard]] QWidget *makeFooter();
    void explainRow(int row);
    void showCard();
    void showBand();
    void showMeasured();

    std::array<VerdictCard *, 2> m_cards{};
    std::array<QWidget *, 2> m_cardLines{};
    CompareTable *m_table;
    StepBars *m_bars;
    QWidget *m_barsHeader = nullptr;
    QPushButton *m_why = nullptr;
    QPushButton *m_missing = nullptr;
    TextLabel *m_noFigures = nullptr; ///< in place of table and bars while no plan has figures
    MeasuredTable *m_measured;
    OtherPlans *m_others;
    FormulaCard *m_formula;
    TextLabel *m_band = nullptr;
    QTimer *m_hoverTimer;
    int m_hoverRow = -1;
    std::vector<ShownPlan> m_plans;
};

} // namespace pipeloom
