// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/timeline/phases.h"
#include "views/plot/overlay.h"
#include "views/plot/planheader.h"
#include "views/theme.h"

#include <qcustomplot.h>

#include <memory>
#include <vector>

namespace pipeloom
{

/// In the free part of a plan's header, the phase of the step that the selected rank is in at the playhead: "Rank 0: Step 4 of
/// 8: pairs F0 with B1, F1 with B0". Lives on the overlay layer, so that playback does not replot the lanes.
class PhaseLabel : public OverlayItem
{
    Q_OBJECT
public:
    /// `header` outlives the label; it says where there is room.
    PhaseLabel(QCustomPlot *plot, const PlanHeader *header);

    /// The plan (nullptr or without lanes = no text), the rank and the time. Phases are found once per evaluation and rank.
    void setMoment(const std::shared_ptr<const PlanPicture> &picture, int rank, Nanoseconds time);
    /// The phase with its rank; empty when there is none.
    [[nodiscard]] QString text() const;
    /// What is written where, by the header as last drawn: the rank is left out when not every phase fits with it.
    [[nodiscard]] QString shownText() const;

    static constexpr double leastWidth = 90; ///< with less room nothing is written

protected:
    void draw(QCPPainter *painter) override;

private:
    const PlanHeader *m_header;
    std::shared_ptr<const Evaluation> m_evaluation; ///< whose phases these are
    int m_rank = -1;
    std::vector<Phase> m_phases;
    double m_widest = 0; ///< of the phases with their rank, logical pixels
    QString m_prefix; ///< "Rank 0: "
    QString m_name;
};

} // namespace pipeloom
