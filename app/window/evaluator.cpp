// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/evaluator.h"

#include "views/mostplans.h"

#include <QElapsedTimer>

#include <algorithm>
#include <chrono>

namespace pipeloom
{

namespace
{
constexpr std::size_t searchedPlans = 2; ///< for which plans nearby are searched
constexpr std::size_t mostNearest = 4;
constexpr std::chrono::milliseconds quietTime{ 100 };
} // namespace

Evaluator::Evaluator(QObject *parent)
    : Evaluator(
        &pipeloom::evaluate,
        [](const Scenario &scenario, const std::stop_token &stop) { return nearestPlans(scenario, mostNearest, stop); }, parent)
{
}

Evaluator::Evaluator(Evaluate evaluate, Nearest nearest, QObject *parent)
    : QObject(parent)
    , m_evaluate(std::move(evaluate))
    , m_nearest(std::move(nearest))
    , m_thread([this] { run(); })
{
}

Evaluator::~Evaluator()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
        m_waiting.reset();
        m_background.request_stop();
        m_all.request_stop();
    }
    m_wake.notify_one();
    m_thread.join();
}

quint64 Evaluator::request(std::vector<Scenario> plans)
{
    ++m_generation;
    {
        const std::lock_guard lock(m_mutex);
        m_background.request_stop();
        m_background = std::stop_source();
        m_waiting = Job{ m_generation, std::move(plans), m_background.get_token(), m_all.get_token() };
    }
    m_wake.notify_one();
    return m_generation;
}

void Evaluator::cancel()
{
    const std::lock_guard lock(m_mutex);
    m_waiting.reset();
    m_background.request_stop();
    m_all.request_stop();
    m_background = std::stop_source();
    m_all = std::stop_source();
    m_oldest = m_generation + 1;
    m_delivered = m_generation;
}

void Evaluator::run()
{
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [this] { return m_quit || m_waiting; });
        if (m_quit) {
            return;
        }
        const Job job = std::move(*m_waiting);
        m_waiting.reset();
        lock.unlock();
        work(job);
    }
}

void Evaluator::work(const Job &job)
{
    QElapsedTimer clock;
    clock.start();
    Results results;
    for (std::size_t i = 0; i < job.plans.size() && i < mostPlans; ++i) {
        auto result = evaluateOne(job.plans[i], job.all);
        if (!result) {
            return;
        }
        results.push_back(std::move(result));
    }
    const double milliseconds = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    deliver(job.generation, [this, generation = job.generation, results, milliseconds] {
        m_delivered = std::max(m_delivered, generation);
        emit evaluated(generation, results, milliseconds);
    });
    Results all = results;
    for (std::size_t i = mostPlans; i < job.plans.size(); ++i) {
        auto result = evaluateOne(job.plans[i], job.background);
        if (!result) {
            break;
        }
        all.push_back(result);
        deliver(job.generation, [this, generation = job.generation, plan = static_cast<int>(i), result] {
            emit extraEvaluated(generation, plan, result);
        });
    }
    m_last = std::move(all);
    if (isQuiet()) {
        searchNearest(job, results);
    }
}

/// Waits a moment; false when a newer request comes meanwhile. Under a moving slider the search would only take time from the
/// results.
bool Evaluator::isQuiet()
{
    std::unique_lock lock(m_mutex);
    return !m_wake.wait_for(lock, quietTime, [this] { return m_quit || m_waiting; });
}

void Evaluator::searchNearest(const Job &job, const Results &results)
{
    for (std::size_t i = 0; i < std::min(results.size(), searchedPlans); ++i) {
        const Evaluation &evaluation = *results[i];
        const bool wanted =
            evaluation.valid && (evaluation.memory.verdict == Verdict::Over || evaluation.memory.verdict == Verdict::Tight);
        if (!wanted || job.background.stop_requested()) {
            continue;
        }
        auto plans = m_nearest(job.plans[i], job.background);
        if (job.background.stop_requested()) {
            return;
        }
        deliver(job.generation, [this, generation = job.generation, plan = static_cast<int>(i), plans = std::move(plans)] {
            emit nearestFound(generation, plan, plans);
        });
    }
}

/// A plan that has not changed keeps its result.
std::shared_ptr<const Evaluation> Evaluator::evaluateOne(const Scenario &plan, const std::stop_token &stop)
{
    const auto known = std::ranges::find_if(m_last, [&plan](const auto &result) { return result && result->scenario == plan; });
    return known != m_last.end() ? *known : m_evaluate(plan, stop);
}

void Evaluator::deliver(quint64 generation, std::function<void()> emission)
{
    QMetaObject::invokeMethod(
        this,
        [this, generation, emission = std::move(emission)] {
            if (generation >= m_oldest) {
                emission();
            }
        },
        Qt::QueuedConnection);
}

} // namespace pipeloom
