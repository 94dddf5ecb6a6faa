// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace pipeloom
{

/// The 60 Hz heart beat of a view. Input events only gather what they want and call request(); once per frame gather() lets
/// everything that moves write to the view state, then draw() replots what became dirty, each plot once. At rest there is no
/// timer.
class FrameClock : public QObject
{
    Q_OBJECT
public:
    explicit FrameClock(QObject *parent = nullptr);

    /// One frame: at once when the last one is at least a frame ago, else when its time comes. Repeated calls are one frame.
    void request();
    /// Frames without requests, for as long as something moves by itself.
    void setRunning(bool running);
    [[nodiscard]] bool isRunning() const { return m_running; }
    [[nodiscard]] bool isPending() const { return m_timer.isActive(); } ///< a frame has been asked for

    static constexpr int frameMilliseconds = 16;

signals:
    /// `elapsed`: ns since the previous frame; 0 in the first one after a rest.
    void gather(qint64 elapsed);
    void draw();

private:
    void frame();
    void schedule();

    QTimer m_timer;
    QElapsedTimer m_sinceFrame;
    bool m_running = false;
    bool m_resting = true; ///< the previous frame belongs to another movement
};

} // namespace pipeloom
