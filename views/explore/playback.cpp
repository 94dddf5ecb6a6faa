// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/playback.h"

#include "core/base/format.h"

#include <algorithm>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr qint64 stopInterval = 250'000'000; ///< ns between two stops: 4 Hz

/// The nearest of 1, 2, 5 times a power of ten.
double roundPart(double value)
{
    const double magnitude = std::pow(10, std::floor(std::log10(value)));
    const double leading = value / magnitude;
    return (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10) * magnitude;
}

} // namespace

Playback::Playback(ViewState *state, QObject *parent)
    : QObject(parent)
    , m_state(state)
{
}

Nanoseconds Playback::perSecond() const
{
    const double base = m_state->extent() > 0 ? roundPart(static_cast<double>(m_state->extent()) / 20) : 1e9;
    return std::max<Nanoseconds>(1, std::llround(base * m_speed));
}

QString Playback::speedText() const
{
    const auto value = static_cast<double>(perSecond());
    const double unit = value >= 0.1e9 ? 1e9 : value >= 0.1e6 ? 1e6 : 1e3;
    const char *name = value >= 0.1e9 ? "s" : value >= 0.1e6 ? "ms" : "µs";
    const double shown = value / unit;
    QString number = QString::fromStdString(formatFixed(shown, shown >= 100 ? 0 : shown >= 10 ? 1 : 2));
    while (number.contains(QLatin1Char('.')) && (number.endsWith(QLatin1Char('0')) || number.endsWith(QLatin1Char('.'))))
        number.chop(1);
    return QStringLiteral("1 s = %1 %2").arg(number, QString::fromUtf8(name));
}

void Playback::setPlayable(bool playable)
{
    if (playable == m_playable)
        return;
    if (!playable)
        setPlaying(false);
    m_playable = playable;
    emit playableChanged(playable);
}

void Playback::setPlaying(bool playing)
{
    if (playing == m_playing || (playing && !m_playable))
        return;
    // From the end, play starts over; a looped range is entered at its begin.
    const TimeRange range = span();
    if (playing && (m_state->playhead() >= range.end || m_state->playhead() < range.begin))
        m_state->setPlayhead(range.begin);
    m_playing = playing && m_state->extent() > 0;
    m_rest = 0;
    if (m_playing == playing)
        emit playingChanged(m_playing);
}

void Playback::setLoop(bool loop)
{
    if (loop == m_loop)
        return;
    m_loop = loop;
    emit loopChanged(loop);
}

void Playback::setSpeed(double speed)
{
    speed = std::clamp(speed, slowest, fastest);
    if (speed == m_speed)
        return;
    m_speed = speed;
    emit speedChanged(speed);
}

TimeRange Playback::span() const
{
    if (m_loop && m_state->measured() && m_state->measured()->end > m_state->measured()->begin)
        return { m_state->measured()->begin, std::min(m_state->measured()->end, m_state->extent()) };
    return { 0, m_state->extent() };
}

void Playback::moveTo(Nanoseconds time)
{
    const TimeRange range = span();
    if (time < range.end) {
        m_state->setPlayhead(time);
        return;
    }
    if (m_loop && range.end > range.begin) {
        m_state->setPlayhead(range.begin + (time - range.end) % (range.end - range.begin));
        return;
    }
    m_state->setPlayhead(range.end);
    setPlaying(false);
}

void Playback::advance(qint64 elapsed)
{
    if (!m_playing || elapsed <= 0)
        return;
    if (!m_stops.empty()) {
        m_rest += static_cast<double>(elapsed);
        if (m_rest < static_cast<double>(stopInterval))
            return;
        m_rest = 0;
        const auto next = std::ranges::upper_bound(m_stops, m_state->playhead());
        moveTo(next == m_stops.end() ? span().end : *next);
        return;
    }
    const double exact = static_cast<double>(elapsed) * 1e-9 * static_cast<double>(perSecond()) + m_rest;
    const double whole = std::floor(exact);
    m_rest = exact - whole;
    moveTo(m_state->playhead() + static_cast<Nanoseconds>(whole));
}

} // namespace pipeloom
