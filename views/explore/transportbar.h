// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/navigation.h"
#include "views/explore/playback.h"
#include "views/theme.h"

#include <QWidget>

class QButtonGroup;
class QCheckBox;
class QLabel;
class QPushButton;
class QSlider;
class QToolButton;

namespace pipeloom
{

/// The bar below the timelines: jump, step, play, loop, unit of a step, speed, follow and the time of the playhead.
class TransportBar : public QWidget
{
    Q_OBJECT
public:
    TransportBar(ViewState *state, Playback *playback, QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    [[nodiscard]] StepUnit stepUnit() const;
    void setStepUnit(StepUnit unit);
    [[nodiscard]] bool follows() const;
    void setFollow(bool follow);
    void refreshReadOut();
    [[nodiscard]] QString readOut() const;

    static constexpr int barHeight = 42;

signals:
    void startRequested();
    void endRequested();
    void stepRequested(int direction);
    void followChanged(bool follow);

private:
    QToolButton *addButton(const QString &tip);
    void showPlaying();
    void showPlayable();
    void showSpeed();

    ViewState *m_state;
    Playback *m_playback;
    Theme m_theme;
    QToolButton *m_start, *m_back, *m_forward, *m_end, *m_loop;
    QPushButton *m_play;
    QButtonGroup *m_units;
    QSlider *m_speed;
    QLabel *m_stepLabel, *m_speedLabel, *m_speedText, *m_readOut;
    QCheckBox *m_follow;
};

} // namespace pipeloom
