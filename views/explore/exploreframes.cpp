// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/exploreframes.h"

#include "views/explore/stackspanel.h"
#include "views/explore/timelineplot.h"

#include <QSignalBlocker>

namespace pipeloom
{

ExploreFrames::ExploreFrames(const ExploreView &view, const Theme &theme)
    : m_picture(view.exportPicture(m_state, theme, m_drawn))
{
}

QImage ExploreFrames::at(Nanoseconds playhead, double scale)
{
    {
        // The hidden view would draw for its own screen as well; the picture needs only its content.
        const QSignalBlocker blocker(&m_state);
        m_state.setPlayhead(playhead);
    }
    m_drawn->timelines().updateMarks();
    m_drawn->stacks().refresh();
    return paintImage(m_picture, scale);
}

} // namespace pipeloom
