// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/leversearch.h"

#include <utility>

namespace pipeloom
{

LeverSearch::LeverSearch(QObject *parent)
    : QObject(parent)
    , m_thread([this] { run(); })
{
}

LeverSearch::~LeverSearch()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
        m_stop.request_stop();
    }
    m_wake.notify_one();
    m_thread.join();
}

void LeverSearch::request(Scenario scenario)
{
    ++m_generation;
    {
        const std::lock_guard lock(m_mutex);
        m_stop.request_stop();
        m_stop = {};
        m_waiting = Job{ m_generation, std::move(scenario), m_stop.get_token() };
    }
    m_wake.notify_one();
}

void LeverSearch::cancel()
{
    const std::lock_guard lock(m_mutex);
    m_stop.request_stop();
    m_waiting.reset();
    m_delivered = m_generation;
}

void LeverSearch::run()
{
    for (;;) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_quit || m_waiting.has_value(); });
            if (m_quit) {
                return;
            }
            job = std::move(*m_waiting);
            m_waiting.reset();
        }
        std::vector<MemoryLever> levers = memoryLevers(job.scenario, job.stop);
        if (job.stop.stop_requested()) {
            continue;
        }
        QMetaObject::invokeMethod(
            this,
            [this, generation = job.generation, levers = std::move(levers)] {
                if (generation == m_generation && m_delivered < generation) {
                    m_delivered = generation;
                    emit found(levers);
                }
            },
            Qt::QueuedConnection);
    }
}

} // namespace pipeloom
