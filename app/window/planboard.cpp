// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/planboard.h"

#include "app/window/planedits.h"

#include <algorithm>

namespace pipeloom
{

namespace
{

/// Everything that makes a plan another run than the measured one. Durations, reserve and price do not.
bool sameRun(const Scenario &a, const Scenario &b)
{
    return a.model == b.model && a.cluster == b.cluster && a.plan == b.plan && a.precision == b.precision
        && a.recompute == b.recompute && a.runtime == b.runtime;
}

bool needsSearch(const ShownPlan &plan)
{
    return plan.latest && plan.latest->valid
        && (plan.latest->memory.verdict == Verdict::Over || plan.latest->memory.verdict == Verdict::Tight);
}

constexpr std::size_t searchedPlans = 2;

} // namespace

std::vector<Scenario> evaluationInputs(const std::vector<Scenario> &plans, const Scenario &opened)
{
    std::vector<Scenario> inputs = plans;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i].alternatives.clear();
        if (i > 0 || !sameRun(inputs[i], opened)) {
            inputs[i].measured.reset();
        }
    }
    return inputs;
}

PlanBoard::PlanBoard(Document *document, Evaluator *evaluator, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_evaluator(evaluator)
    , m_nearest(searchedPlans)
{
    connect(document, &Document::replaced, this, &PlanBoard::restart);
    connect(document, &Document::changed, this, &PlanBoard::ask);
    connect(evaluator, &Evaluator::evaluated, this, &PlanBoard::takeResults);
    connect(evaluator, &Evaluator::extraEvaluated, this, &PlanBoard::takeExtra);
    connect(evaluator, &Evaluator::nearestFound, this, &PlanBoard::takeNearest);
}

void PlanBoard::restart()
{
    m_evaluator->cancel();
    m_plans.clear();
    m_nearest.assign(searchedPlans, {});
}

void PlanBoard::ask()
{
    const std::vector<Scenario> inputs = evaluationInputs(m_document->plans(), m_document->opened());
    m_generation = m_evaluator->request(inputs);
    const std::size_t count = inputs.size();
    // Letters are places: after a swap or removal a place holds another plan, whose old result would be wrong there.
    std::vector<ShownPlan> plans(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto same = std::ranges::find_if(
            m_plans, [&](const ShownPlan &each) { return each.latest && each.latest->scenario == inputs[i]; });
        if (same != m_plans.end()) {
            plans[i] = *same;
        } else if (i < m_plans.size() && count == m_plans.size()) {
            plans[i] = m_plans[i];
        }
    }
    m_plans = std::move(plans);
    labelPlans();
    const bool first = !m_waiting;
    if (first) {
        m_waiting = true;
        m_asked.start();
    }
    emit plansChanged();
    if (first) {
        emit waitingChanged(0);
    }
}

void PlanBoard::labelPlans()
{
    const std::vector<Scenario> &scenarios = m_document->plans();
    const Scenario &base = m_document->scenario();
    for (std::size_t i = 0; i < m_plans.size(); ++i) {
        m_plans[i].letter = QString(QChar(u'A' + static_cast<char16_t>(i)));
        m_plans[i].name = QString::fromStdString(i == 0 ? planName(scenarios[i], base) : base.alternatives[i - 1].name);
    }
}

qint64 PlanBoard::waiting() const { return m_waiting ? m_asked.elapsed() : -1; }

void PlanBoard::put(std::size_t plan, const std::shared_ptr<const Evaluation> &result)
{
    if (plan < m_plans.size()) {
        m_plans[plan].latest = result;
        if (result->valid) {
            m_plans[plan].shown = result;
        }
    }
}

void PlanBoard::takeResults(quint64 generation, const Evaluator::Results &results, double milliseconds)
{
    m_shown = generation;
    m_milliseconds = milliseconds;
    for (std::size_t i = 0; i < results.size(); ++i) {
        put(i, results[i]);
    }
    if (generation == m_generation) {
        m_waiting = false;
        emit waitingChanged(-1);
    } else {
        m_asked.start(); // what is shown now is younger
        emit waitingChanged(0);
    }
    std::vector<int> changedNearest;
    for (std::size_t i = 0; i < searchedPlans; ++i) {
        const bool search = generation == m_generation && i < m_plans.size() && needsSearch(m_plans[i]);
        const bool changed = search != m_nearest[i].searching || (!search && m_nearest[i].plans);
        m_nearest[i] = NearestState{ search, search ? m_nearest[i].plans : std::nullopt };
        if (changed) {
            changedNearest.push_back(static_cast<int>(i));
        }
    }
    emit plansChanged();
    for (const int plan : changedNearest) {
        emit nearestChanged(plan);
    }
    checkSettled();
}

void PlanBoard::takeExtra(quint64 generation, int plan, const std::shared_ptr<const Evaluation> &result)
{
    if (generation == m_generation) {
        put(static_cast<std::size_t>(plan), result);
        emit plansChanged();
        checkSettled();
    }
}

void PlanBoard::takeNearest(quint64 generation, int plan, const std::vector<NearbyPlan> &found)
{
    if (generation == m_generation && static_cast<std::size_t>(plan) < m_nearest.size()) {
        m_nearest[static_cast<std::size_t>(plan)] = NearestState{ false, found };
        emit nearestChanged(plan);
        checkSettled();
    }
}

bool PlanBoard::isSettled() const
{
    const bool searching = std::ranges::any_of(m_nearest, &NearestState::searching);
    const bool complete = std::ranges::all_of(m_plans, [](const ShownPlan &plan) { return plan.latest != nullptr; });
    return !m_plans.empty() && m_shown == m_generation && complete && !searching;
}

void PlanBoard::checkSettled()
{
    if (isSettled()) {
        emit settled();
    }
}

} // namespace pipeloom
