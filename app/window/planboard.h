// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/document.h"
#include "app/window/evaluator.h"
#include "views/controls/verdictcard.h"
#include "views/viewstate.h"

#include <QElapsedTimer>
#include <QObject>

#include <vector>

namespace pipeloom
{

/// Keeps the plans that the views show in step with the document: asks for evaluations, keeps the last valid result of each plan,
/// and knows how old it is.
class PlanBoard : public QObject
{
    Q_OBJECT
public:
    PlanBoard(Document *document, Evaluator *evaluator, QObject *parent = nullptr);

    [[nodiscard]] const std::vector<ShownPlan> &plans() const { return m_plans; }
    [[nodiscard]] const NearestState &nearest(std::size_t plan) const { return m_nearest.at(plan); }
    /// Milliseconds since the oldest change that no result covers yet; -1 when everything is up to date.
    [[nodiscard]] qint64 waiting() const;
    [[nodiscard]] double milliseconds() const { return m_milliseconds; } ///< of the last evaluation
    /// True when nothing is missing: every plan evaluated and every search ended.
    [[nodiscard]] bool isSettled() const;

signals:
    void plansChanged();
    void nearestChanged(int plan);
    /// A result is missing since `milliseconds`; -1: it came.
    void waitingChanged(qint64 milliseconds);
    void settled();

private:
    void restart();
    void ask();
    [[nodiscard]] std::vector<Scenario> inputs() const;
    void takeResults(quint64 generation, const Evaluator::Results &results, double milliseconds);
    void takeExtra(quint64 generation, int plan, const std::shared_ptr<const Evaluation> &result);
    void takeNearest(quint64 generation, int plan, const std::vector<NearbyPlan> &found);
    void put(std::size_t plan, const std::shared_ptr<const Evaluation> &result);
    void labelPlans();
    void checkSettled();

    Document *m_document;
    Evaluator *m_evaluator;
    std::vector<ShownPlan> m_plans;
    std::vector<NearestState> m_nearest;
    QElapsedTimer m_asked;
    bool m_waiting = false;
    quint64 m_generation = 0; ///< of the last request
    quint64 m_shown = 0; ///< of the last results
    double m_milliseconds = 0;
};

/// The plans as the evaluator gets them: without alternatives, and with the published measurement only on the plan it measured.
[[nodiscard]] std::vector<Scenario> evaluationInputs(const std::vector<Scenario> &plans, const Scenario &opened);

} // namespace pipeloom
