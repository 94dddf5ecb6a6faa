// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/transportbar.h"

#include "views/icons.h"
#include "views/plot/numbers.h"
#include "views/plot/paint.h"
#include "views/stylesheet.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QToolButton>

#include <array>
#include <cmath>

namespace pipeloom
{

namespace
{

constexpr int speedSteps = 40; ///< slider positions from 0.1x to 10x, 20 a decade

double speedAt(int position) { return std::pow(10, static_cast<double>(position) * 2 / speedSteps - 1); }

int positionOf(double speed) { return static_cast<int>(std::lround((std::log10(speed) + 1) * speedSteps / 2)); }

} // namespace

TransportBar::TransportBar(ViewState *state, Playback *playback, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_playback(playback)
    , m_theme(lightTheme())
{
    setFixedHeight(barHeight);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(4);

    m_start = addButton(tr("To the start"));
    m_back = addButton(tr("Step back (Left)"));
    m_play = new QPushButton(this);
    m_play->setFixedSize(72, 26);
    m_play->setProperty("kind", QStringLiteral("primary"));
    m_play->setFont(uiFont(12, QFont::Medium));
    m_play->setFocusPolicy(Qt::TabFocus);
    m_forward = addButton(tr("Step forward (Right)"));
    m_end = addButton(tr("To the end"));
    m_loop = addButton(tr("Loop the step, or the measured range (L)"));
    m_loop->setCheckable(true);
    for (QWidget *widget : std::array<QWidget *, 5>{ m_start, m_back, m_play, m_forward, m_end })
        layout->addWidget(widget);
    layout->addSpacing(6);
    layout->addWidget(m_loop);
    layout->addSpacing(14);

    m_stepLabel = new QLabel(tr("Step by"), this);
    m_stepLabel->setProperty("tone", QStringLiteral("2"));
    layout->addWidget(m_stepLabel);
    layout->addSpacing(4);
    m_units = new QButtonGroup(this);
    const std::array<QString, 3> words{ tr("op"), tr("microbatch"), tr("phase") };
    auto *segments = new QHBoxLayout;
    segments->setSpacing(0);
    for (int i = 0; i < 3; ++i) {
        auto *segment = new QToolButton(this);
        segment->setText(words[static_cast<std::size_t>(i)]);
        segment->setCheckable(true);
        segment->setChecked(i == 0);
        segment->setProperty("kind", QStringLiteral("segment"));
        segment->setProperty("place",
                             i == 0       ? QStringLiteral("first")
                                 : i == 2 ? QStringLiteral("last")
                                          : QStringLiteral("middle"));
        segment->setAccessibleName(tr("Step by %1").arg(segment->text()));
        segment->setFocusPolicy(Qt::TabFocus);
        m_units->addButton(segment, i);
        segments->addWidget(segment);
    }
    layout->addLayout(segments);
    layout->addSpacing(14);

    m_speedLabel = new QLabel(tr("Speed"), this);
    m_speedLabel->setProperty("tone", QStringLiteral("2"));
    m_speed = new QSlider(Qt::Horizontal, this);
    m_speed->setRange(0, speedSteps);
    m_speed->setPageStep(speedSteps / 10);
    m_speed->setFixedWidth(88);
    m_speed->setAccessibleName(tr("Playback speed"));
    m_speed->setToolTip(tr("Playback speed (− and +)"));
    m_speedText = new QLabel(this);
    m_speedText->setFont(uiFont(12, QFont::Medium));
    m_speedText->setFixedWidth(static_cast<int>(std::ceil(textWidth(m_speedText->font(), QStringLiteral("1 s = 0.63 ms")))));
    layout->addWidget(m_speedLabel);
    layout->addSpacing(4);
    layout->addWidget(m_speed);
    layout->addSpacing(6);
    layout->addWidget(m_speedText);
    layout->addSpacing(10);
    m_follow = new QCheckBox(tr("Follow"), this);
    m_follow->setToolTip(tr("Scroll with the playhead while playing"));
    layout->addWidget(m_follow);
    layout->addStretch(1);
    m_readOut = new QLabel(this);
    m_readOut->setFont(uiFont(13, QFont::Medium));
    m_readOut->setAccessibleName(tr("Playhead"));
    layout->addWidget(m_readOut);

    connect(m_start, &QToolButton::clicked, this, &TransportBar::startRequested);
    connect(m_end, &QToolButton::clicked, this, &TransportBar::endRequested);
    connect(m_back, &QToolButton::clicked, this, [this] { emit stepRequested(-1); });
    connect(m_forward, &QToolButton::clicked, this, [this] { emit stepRequested(1); });
    connect(m_play, &QPushButton::clicked, this, [this] { m_playback->setPlaying(!m_playback->isPlaying()); });
    connect(m_loop, &QToolButton::toggled, m_playback, &Playback::setLoop);
    connect(m_speed, &QSlider::valueChanged, this, [this](int position) { m_playback->setSpeed(speedAt(position)); });
    connect(m_follow, &QCheckBox::toggled, this, &TransportBar::followChanged);
    connect(m_playback, &Playback::playingChanged, this, &TransportBar::showPlaying);
    connect(m_playback, &Playback::playableChanged, this, &TransportBar::showPlayable);
    connect(m_playback, &Playback::loopChanged, m_loop, &QToolButton::setChecked);
    connect(m_playback, &Playback::speedChanged, this, &TransportBar::showSpeed);
    connect(m_state, &ViewState::extentChanged, this, &TransportBar::showSpeed);
    showPlaying();
    showSpeed();
    refreshReadOut();
}

QToolButton *TransportBar::addButton(const QString &tip)
{
    auto *button = new QToolButton(this);
    button->setFixedSize(28, 26);
    button->setIconSize(QSize(14, 14));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void TransportBar::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_start->setIcon(themedIcon(Icon::Start, theme));
    m_back->setIcon(themedIcon(Icon::StepBack, theme));
    m_forward->setIcon(themedIcon(Icon::StepForward, theme));
    m_end->setIcon(themedIcon(Icon::End, theme));
    m_loop->setIcon(themedIcon(Icon::Loop, theme));
    showPlaying();
}

void TransportBar::showPlaying()
{
    const bool playing = m_playback->isPlaying();
    m_play->setText(playing ? tr("Pause") : tr("Play"));
    m_play->setToolTip(!m_playback->isPlayable() ? tr("Nothing to play: no plan has a schedule")
                           : playing             ? tr("Pause (Space)")
                                                 : tr("Play (Space)"));
    m_play->setIcon(plainIcon(playing ? Icon::Pause : Icon::Play, m_playback->isPlayable() ? m_theme.onAccent : m_theme.text3));
    m_play->setIconSize(QSize(14, 14));
}

void TransportBar::showPlayable()
{
    const bool playable = m_playback->isPlayable();
    for (QWidget *widget : std::array<QWidget *, 7>{ m_start, m_back, m_play, m_forward, m_end, m_loop, m_speed })
        widget->setEnabled(playable);
    for (QAbstractButton *unit : m_units->buttons())
        unit->setEnabled(playable);
    m_follow->setEnabled(playable);
    showPlaying();
    showSpeed();
    refreshReadOut();
}

void TransportBar::showSpeed()
{
    const QSignalBlocker blocker(m_speed);
    m_speed->setValue(positionOf(m_playback->speed()));
    m_speedText->setText(m_playback->isPlayable() && m_state->extent() > 0 ? m_playback->speedText() : QString());
    m_speed->setAccessibleDescription(m_speedText->text());
}

StepUnit TransportBar::stepUnit() const { return static_cast<StepUnit>(m_units->checkedId()); }

void TransportBar::setStepUnit(StepUnit unit) { m_units->button(static_cast<int>(unit))->setChecked(true); }

bool TransportBar::follows() const { return m_follow->isChecked(); }

void TransportBar::setFollow(bool follow) { m_follow->setChecked(follow); }

void TransportBar::refreshReadOut()
{
    if (m_state->extent() <= 0 || !m_playback->isPlayable()) {
        m_readOut->setText(QStringLiteral("–"));
        return;
    }
    TimeUnit unit = TimeUnit::forView(m_state->extent(), 1e9);
    unit.decimals = 3;
    const QString text =
        tr("%1 of %2")
            .arg(unit.number(static_cast<double>(m_state->playhead())), unit.text(static_cast<double>(m_state->extent())));
    if (text != m_readOut->text())
        m_readOut->setText(text);
}

QString TransportBar::readOut() const { return m_readOut->text(); }

} // namespace pipeloom
