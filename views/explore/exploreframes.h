// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/exploreview.h"

#include <memory>

namespace pipeloom
{

/// The picture of an Explore view at any playhead, drawn by a hidden view of its own: neither what the user does meanwhile nor
/// new results change the frames of one animation.
class ExploreFrames
{
public:
    ExploreFrames(const ExploreView &view, const Theme &theme);

    /// The view with the playhead at `playhead` (ns from the begin of the step), `scale` device pixels to the logical pixel.
    [[nodiscard]] QImage at(Nanoseconds playhead, double scale);

private:
    ViewState m_state; ///< outlives the view that draws
    std::unique_ptr<ExploreView> m_drawn;
    ExportPicture m_picture;
};

} // namespace pipeloom
