// SPDX-License-Identifier: GPL-3.0-or-later
#include "support.h"

#include "app/window/evaluator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace pipeloom
{

namespace
{

/// An evaluation that waits at a gate: the test decides when it ends.
class Gate
{
public:
    std::shared_ptr<const Evaluation> evaluate(const Scenario &scenario, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        m_entered.push_back(scenario.name);
        m_changed.notify_all();
        m_changed.wait(lock, [&] { return m_open > 0 || stop.stop_requested(); });
        if (stop.stop_requested()) {
            m_stopped.push_back(scenario.name);
            return nullptr;
        }
        --m_open;
        auto result = std::make_shared<Evaluation>();
        result->scenario = scenario;
        return result;
    }

    void open(int count)
    {
        const std::lock_guard lock(m_mutex);
        m_open += count;
        m_changed.notify_all();
    }

    /// Wakes whoever waits, so that it sees a stop.
    void wake()
    {
        const std::lock_guard lock(m_mutex);
        m_changed.notify_all();
    }

    void waitForEntries(std::size_t count)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_entered.size() >= count; });
    }

    std::vector<std::string> entered()
    {
        const std::lock_guard lock(m_mutex);
        return m_entered;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_open = 0;
    std::vector<std::string> m_entered, m_stopped;
};

Scenario named(const std::string &name)
{
    Scenario scenario;
    scenario.name = name;
    return scenario;
}

std::vector<NearbyPlan> noNearest(const Scenario &, const std::stop_token &) { return {}; }

struct Received
{
    explicit Received(Evaluator &evaluator)
    {
        QObject::connect(&evaluator, &Evaluator::evaluated, &evaluator,
                         [this](quint64 generation, const Evaluator::Results &results, double) {
                             generations.push_back(generation);
                             names.push_back(results.front()->scenario.name);
                         });
    }
    std::vector<quint64> generations;
    std::vector<std::string> names;
};

} // namespace

TEST(Evaluator, theLatestRequestWins)
{
    Gate gate;
    Evaluator evaluator([&gate](const Scenario &scenario, const std::stop_token &stop) { return gate.evaluate(scenario, stop); },
                        noNearest);
    Received received(evaluator);
    evaluator.request({ named("first") });
    gate.waitForEntries(1); // running, held at the gate
    for (const char *name : { "second", "third", "fourth" }) {
        evaluator.request({ named(name) }); // only the last of them waits
    }
    EXPECT_TRUE(evaluator.isBusy());
    gate.open(100);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !evaluator.isBusy(); }, patience));
    EXPECT_EQ(gate.entered(), (std::vector<std::string>{ "first", "fourth" }));
    EXPECT_EQ(received.names, (std::vector<std::string>{ "first", "fourth" }));
    EXPECT_EQ(received.generations, (std::vector<quint64>{ 1, 4 }));
}

TEST(Evaluator, forgottenRequestsAreNeverDelivered)
{
    Gate gate;
    Evaluator evaluator([&gate](const Scenario &scenario, const std::stop_token &stop) { return gate.evaluate(scenario, stop); },
                        noNearest);
    Received received(evaluator);
    evaluator.request({ named("old") });
    gate.waitForEntries(1);
    evaluator.cancel();
    gate.wake();
    evaluator.request({ named("new") });
    gate.open(100);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !received.names.empty(); }, patience));
    EXPECT_EQ(received.names, std::vector<std::string>{ "new" });
}

TEST(Evaluator, aResultOnItsWayIsDroppedAfterCancel)
{
    Gate gate;
    Evaluator evaluator([&gate](const Scenario &scenario, const std::stop_token &stop) { return gate.evaluate(scenario, stop); },
                        noNearest);
    Received received(evaluator);
    gate.open(100);
    evaluator.request({ named("old") });
    gate.waitForEntries(1);
    evaluator.cancel(); // the result may be queued already; this thread has not run its event loop
    evaluator.request({ named("new") });
    ASSERT_TRUE(QTest::qWaitFor([&] { return !received.names.empty() && received.names.back() == "new"; }, patience));
    EXPECT_EQ(received.names, std::vector<std::string>{ "new" });
}

TEST(Evaluator, unchangedPlansAreNotEvaluatedAgain)
{
    Gate gate;
    Evaluator evaluator([&gate](const Scenario &scenario, const std::stop_token &stop) { return gate.evaluate(scenario, stop); },
                        noNearest);
    gate.open(100);
    evaluator.request({ named("a"), named("b") });
    ASSERT_TRUE(QTest::qWaitFor([&] { return !evaluator.isBusy(); }, patience));
    evaluator.request({ named("a2"), named("b") });
    ASSERT_TRUE(QTest::qWaitFor([&] { return !evaluator.isBusy(); }, patience));
    EXPECT_EQ(gate.entered(), (std::vector<std::string>{ "a", "b", "a2" }));
}

TEST(Evaluator, endsWhileAnEvaluationRuns)
{
    Gate gate;
    {
        Evaluator evaluator(
            [&gate](const Scenario &scenario, const std::stop_token &stop) {
                const std::stop_callback wake(stop, [&gate] { gate.wake(); });
                return gate.evaluate(scenario, stop);
            },
            noNearest);
        evaluator.request({ named("endless") });
        gate.waitForEntries(1);
    }
    EXPECT_EQ(gate.entered().size(), 1U);
}

} // namespace pipeloom
