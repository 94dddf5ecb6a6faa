// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/frameclock.h"

#include <algorithm>

namespace pipeloom
{

FrameClock::FrameClock(QObject *parent)
    : QObject(parent)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &FrameClock::frame);
}

void FrameClock::schedule()
{
    if (m_timer.isActive())
        return;
    const qint64 since = m_sinceFrame.isValid() ? m_sinceFrame.elapsed() : frameMilliseconds;
    m_timer.start(static_cast<int>(std::clamp<qint64>(frameMilliseconds - since, 0, frameMilliseconds)));
}

void FrameClock::request() { schedule(); }

void FrameClock::setRunning(bool running)
{
    if (running == m_running)
        return;
    m_running = running;
    if (running) {
        m_resting = true;
        schedule();
    }
}

void FrameClock::frame()
{
    const qint64 elapsed = m_resting || !m_sinceFrame.isValid() ? 0 : m_sinceFrame.nsecsElapsed();
    m_sinceFrame.start();
    m_resting = !m_running;
    // Before the work, so that the work's time counts towards the frame and what it asks for joins the next one.
    if (m_running)
        schedule();
    emit gather(elapsed);
    emit draw();
}

} // namespace pipeloom
