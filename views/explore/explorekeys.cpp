// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of Explore. Single letters act only while a plot has the focus.
#include "views/explore/exploreview.h"

#include "views/explore/hovercard.h"
#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"
#include "views/explore/transportbar.h"

#include <QKeyEvent>
#include <QWheelEvent>

#include <algorithm>
#include <array>

namespace pipeloom
{

namespace
{

/// The printable keys that a plot uses. Others, "?" among them, stay shortcuts of the window.
bool isPlotLetter(int key)
{
    constexpr std::array<int, 15> letters{ Qt::Key_Space, Qt::Key_Slash,  Qt::Key_L,           Qt::Key_W,
                                           Qt::Key_S,     Qt::Key_A,      Qt::Key_D,           Qt::Key_F,
                                           Qt::Key_Comma, Qt::Key_Period, Qt::Key_BracketLeft, Qt::Key_BracketRight,
                                           Qt::Key_Minus, Qt::Key_Plus,   Qt::Key_Equal };
    return std::ranges::find(letters, key) != letters.end();
}

} // namespace

bool ExploreView::eventFilter(QObject *watched, QEvent *event)
{
    // Keys go on working while text in the card is marked.
    if (watched == m_detailCard && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        keyPressed(key);
        return key->isAccepted();
    }
    if (watched == m_detailCard && event->type() == QEvent::Wheel)
        return passWheel(static_cast<QWheelEvent *>(event));
    // The focused plot takes its letters before any shortcut of the window does.
    if ((watched == m_timelines || watched == &m_stacks->plot()) && event->type() == QEvent::ShortcutOverride) {
        auto *key = static_cast<QKeyEvent *>(event);
        if ((key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0 && isPlotLetter(key->key()))
            key->accept();
    }
    return QWidget::eventFilter(watched, event);
}

/// Keys of a focused plot. Accepts what it uses.
void ExploreView::keyPressed(QKeyEvent *event)
{
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    event->accept();
    if (event->matches(QKeySequence::Copy)) {
        if (!copySelection())
            event->ignore();
        return;
    }
    if (event->matches(QKeySequence::Find)) {
        openSearch();
        return;
    }
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        const StepUnit unit = (modifiers & Qt::ControlModifier) != 0 ? StepUnit::Phase
            : (modifiers & Qt::ShiftModifier) != 0                   ? StepUnit::Microbatch
                                                                     : m_transport->stepUnit();
        step(unit, event->key() == Qt::Key_Right ? 1 : -1);
        return;
    }
    if ((modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0 || !keyMoves(event))
        event->ignore();
}

bool ExploreView::keyMoves(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Space:
        if (!event->isAutoRepeat())
            togglePlay();
        return true;
    case Qt::Key_L:
        setLoop(!loops());
        return true;
    case Qt::Key_W:
        zoomIn();
        return true;
    case Qt::Key_S:
        zoomOut();
        return true;
    case Qt::Key_A:
        panLeft();
        return true;
    case Qt::Key_D:
        panRight();
        return true;
    case Qt::Key_F:
        fitSelection();
        return true;
    case Qt::Key_Home:
        fitAll();
        return true;
    case Qt::Key_Up:
        selectRank(-1);
        return true;
    case Qt::Key_Down:
        selectRank(1);
        return true;
    case Qt::Key_Comma:
        selectNeighbour(-1);
        return true;
    case Qt::Key_Period:
        selectNeighbour(1);
        return true;
    case Qt::Key_BracketLeft:
        selectDependency(-1);
        return true;
    case Qt::Key_BracketRight:
        selectDependency(1);
        return true;
    case Qt::Key_Minus:
        slower();
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        faster();
        return true;
    case Qt::Key_Slash:
        openSearch();
        return true;
    case Qt::Key_F3:
        findNext((event->modifiers() & Qt::ShiftModifier) != 0 ? -1 : 1);
        return true;
    case Qt::Key_Escape:
        if (!m_state->selection() && !m_state->measured() && !m_state->hover())
            return false;
        clearSelection();
        return true;
    default:
        return false;
    }
}

} // namespace pipeloom
