// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planner/nearest.h"
#include "core/scenario/evaluation.h"

#include <QObject>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace pipeloom
{

/// Evaluates plans on one thread of its own; the latest request wins. At most one evaluation runs and one waits: a newer request
/// takes the place of the waiting one, and lets the running one end so that a long drag still shows results. The search for
/// nearest plans and the plans after the shown ones are stopped by a new request.
class Evaluator : public QObject
{
    Q_OBJECT
public:
    using Evaluate = std::function<std::shared_ptr<const Evaluation>(const Scenario &, const std::stop_token &)>;
    using Nearest = std::function<std::vector<NearbyPlan>(const Scenario &, const std::stop_token &)>;
    using Results = std::vector<std::shared_ptr<const Evaluation>>;

    explicit Evaluator(QObject *parent = nullptr);
    Evaluator(Evaluate evaluate, Nearest nearest, QObject *parent = nullptr);
    ~Evaluator() override;

    /// Plans A, B, .. ; returns the request's generation. Results come as evaluated(), later plans as extraEvaluated().
    quint64 request(std::vector<Scenario> plans);
    /// Forgets everything requested so far: none of it is delivered any more.
    void cancel();
    /// True until the last request has delivered its first results.
    [[nodiscard]] bool isBusy() const { return m_delivered < m_generation; }

signals:
    /// The shown plans of one request, and how long they took.
    void evaluated(quint64 generation, const pipeloom::Evaluator::Results &results, double milliseconds);
    /// A plan after the shown ones.
    void extraEvaluated(quint64 generation, int plan, const std::shared_ptr<const pipeloom::Evaluation> &result);
    /// The search for a plan that is over the limit ended.
    void nearestFound(quint64 generation, int plan, const std::vector<pipeloom::NearbyPlan> &plans);

private:
    struct Job
    {
        quint64 generation = 0;
        std::vector<Scenario> plans;
        std::stop_token background; ///< stops what a newer request makes useless
        std::stop_token all; ///< stops everything
    };

    void run();
    void work(const Job &job);
    [[nodiscard]] bool isQuiet();
    void searchNearest(const Job &job, const Results &results);
    [[nodiscard]] std::shared_ptr<const Evaluation> evaluateOne(const Scenario &plan, const std::stop_token &stop);
    void deliver(quint64 generation, std::function<void()> emission);

    const Evaluate m_evaluate;
    const Nearest m_nearest;
    // Shared with the thread, under the mutex.
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::optional<Job> m_waiting;
    bool m_quit = false;
    std::stop_source m_background, m_all;
    // GUI thread only.
    quint64 m_generation = 0;
    quint64 m_delivered = 0;
    quint64 m_oldest = 0; ///< results of older requests are dropped
    // Worker only.
    Results m_last;
    std::thread m_thread; ///< last: it uses all of the above
};

} // namespace pipeloom
