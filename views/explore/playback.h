// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/navigation.h"
#include "views/viewstate.h"

#include <QObject>

namespace pipeloom
{

/// Moves the playhead by the elapsed clock. Its unit of speed is a round part of the step: at 1x a step takes about 20 s.
class Playback : public QObject
{
    Q_OBJECT
public:
    explicit Playback(ViewState *state, QObject *parent = nullptr);

    [[nodiscard]] bool isPlaying() const { return m_playing; }
    [[nodiscard]] bool loops() const { return m_loop; }
    [[nodiscard]] double speed() const { return m_speed; }
    /// Nanoseconds of the step that pass in one second of the clock.
    [[nodiscard]] Nanoseconds perSecond() const;
    /// "1 s = 0.5 s", "1 s = 20 ms".
    [[nodiscard]] QString speedText() const;

    /// Lets `elapsed` ns of the clock pass.
    void advance(qint64 elapsed);
    /// Times that reduced motion steps through, four a second, instead of moving smoothly; empty = smooth.
    void setStops(std::vector<Nanoseconds> stops) { m_stops = std::move(stops); }
    /// False while no plan has a schedule: nothing plays, and what plays stops.
    void setPlayable(bool playable);
    [[nodiscard]] bool isPlayable() const { return m_playable; }

    static constexpr double slowest = 0.1, fastest = 10;

public slots:
    void setPlaying(bool playing);
    void setLoop(bool loop);
    void setSpeed(double speed); ///< clamped to 0.1 .. 10

signals:
    void playingChanged(bool playing);
    void loopChanged(bool loop);
    void speedChanged(double speed);
    void playableChanged(bool playable);

private:
    [[nodiscard]] TimeRange span() const; ///< what is played: the measured range when looping, else the step
    void moveTo(Nanoseconds time);

    ViewState *m_state;
    bool m_playing = false;
    bool m_playable = true;
    bool m_loop = false;
    double m_speed = 1;
    double m_rest = 0; ///< fraction of a nanosecond, or the clock time towards the next stop
    std::vector<Nanoseconds> m_stops;
};

} // namespace pipeloom
