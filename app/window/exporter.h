// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/animationexport.h"
#include "app/window/backgroundwrite.h"
#include "core/base/expected.h"
#include "views/theme.h"
#include "views/viewstate.h"

#include <QDialog>
#include <QString>

#include <functional>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace pipeloom
{

class ExploreView;

/// What an export writes.
enum class ExportFormat
{
    Png,
    Svg,
    Pdf,
    Gif, ///< the playhead passing over a range of the step
    PngSequence, ///< the same as numbered pictures
    Csv, ///< numbers of every shown plan
    Json, ///< everything about one plan
    ScheduleCsv, ///< the order of one plan's schedule, as PyTorch reads it
    Trace, ///< the simulated step of one plan, for Perfetto
};

struct ExportRequest
{
    ExportFormat format = ExportFormat::Png;
    double scale = 2; ///< PNG, GIF
    bool dark = false; ///< pictures and animations
    int plan = 0; ///< index into the shown plans; see isOfOnePlan()
    double perSecond = 20; ///< frames of an animation
    double seconds = 6; ///< length of an animation
};

[[nodiscard]] QString suffixOf(ExportFormat format);
[[nodiscard]] bool isPicture(ExportFormat format);
[[nodiscard]] bool isAnimation(ExportFormat format);
[[nodiscard]] bool isOfOnePlan(ExportFormat format);
/// The name proposed for a file, with its ending: "deepseek-v3.png", "deepseek-v3-B-1f1b-trace.json". Of one plan among several
/// the name tells which.
[[nodiscard]] QString proposedName(const QString &base, const ExportRequest &request, const std::vector<ShownPlan> &plans);
/// What makes the text of a format that is no picture. Holds the evaluations: it may run on another thread.
[[nodiscard]] TextMaker textOf(const ExportRequest &request, const std::vector<ShownPlan> &plans);

/// Writes the view or the numbers; the target is replaced only when all of it was written.
[[nodiscard]] Expected<bool> exportTo(const QString &path, const ExportRequest &request, ExploreView &view,
                                      const std::vector<ShownPlan> &plans);

/// Asks what to export; the file name comes after.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    /// `themed`: the picture can be drawn in another theme than the window's. `plan` is chosen first.
    ExportDialog(const std::vector<ShownPlan> &plans, int plan, bool dark, bool themed, QWidget *parent);
    /// Lets animations be chosen; `range` of the step is what they show, `measured` when it is the measured one.
    void offerAnimation(TimeRange range, bool measured);
    [[nodiscard]] ExportRequest request() const;

private:
    void showOptions();
    void showLength();

    const bool m_themed;
    QComboBox *m_format;
    QComboBox *m_scale;
    QComboBox *m_theme;
    QComboBox *m_plan;
    QLabel *m_scaleLabel;
    QLabel *m_themeLabel;
    QLabel *m_planLabel;
    QSpinBox *m_perSecond;
    QDoubleSpinBox *m_seconds;
    QLabel *m_perSecondLabel;
    QLabel *m_secondsLabel;
    QLabel *m_lengthText; ///< what the two make: frames, and how much of the step a second shows
    TimeRange m_range;
    bool m_measured = false;
};

} // namespace pipeloom
