// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/planner/levers.h"

#include <QObject>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace pipeloom
{

/// Looks for levers on a thread of its own; the latest request wins and stops the one before.
class LeverSearch : public QObject
{
    Q_OBJECT
public:
    explicit LeverSearch(QObject *parent = nullptr);
    ~LeverSearch() override;

    void request(Scenario scenario);
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_delivered < m_generation; }

signals:
    void found(const std::vector<pipeloom::MemoryLever> &levers);

private:
    struct Job
    {
        quint64 generation = 0;
        Scenario scenario;
        std::stop_token stop;
    };
    void run();

    // Shared with the thread, under the mutex.
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::optional<Job> m_waiting;
    bool m_quit = false;
    std::stop_source m_stop;
    // GUI thread only.
    quint64 m_generation = 0;
    quint64 m_delivered = 0;
    std::thread m_thread; ///< last: it uses all of the above
};

} // namespace pipeloom
