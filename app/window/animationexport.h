// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/expected.h"
#include "views/viewstate.h"

#include <QImage>
#include <QObject>
#include <QSaveFile>
#include <QString>
#include <QTemporaryDir>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

class QWidget;

namespace pipeloom
{

class ExploreView;
class GifWriter;

/// What an animation shows and how long it takes.
struct AnimationRequest
{
    TimeRange range; ///< of the step, ns: the playhead moves from its begin to its end
    double perSecond = 20; ///< frames, 1 to 50
    double seconds = 6; ///< length of the animation
    double scale = 1; ///< device pixels to the logical pixel
    bool dark = false;
    bool gif = true; ///< else numbered PNG files
};

/// At least two: one at each end of the range.
[[nodiscard]] int frameCount(const AnimationRequest &request);
/// Where the playhead stands in frame `index`: the first at the begin, the last at the end of the range.
[[nodiscard]] Nanoseconds frameTime(const AnimationRequest &request, int index);
/// The range an animation of this state shows: the measured one, else what is visible of the step. Nothing without a step.
[[nodiscard]] std::optional<TimeRange> animatedRange(const ViewState &state);
/// The file of frame `index` beside the chosen "x.png": "x-0001.png", counted from 1.
[[nodiscard]] QString framePath(const QString &path, int index);

/// Makes the frames one per turn of the event loop and writes them; the files appear only when all of them were written.
class AnimationJob : public QObject
{
    Q_OBJECT
public:
    /// Draws the frame at a time of the step; all of one size.
    using Frames = std::function<QImage(Nanoseconds playhead)>;

    AnimationJob(const QString &path, const AnimationRequest &request, Frames frames, QObject *parent = nullptr);
    ~AnimationJob() override;

    void start();
    /// Ends the job and removes what it wrote so far.
    void cancel();
    /// True when written, false when cancelled, else why not. Valid from finished() on.
    [[nodiscard]] const Expected<bool> &result() const { return m_result; }

signals:
    void progressed(int frames);
    void finished();

private:
    void makeFrame();
    [[nodiscard]] bool open();
    [[nodiscard]] bool write(const QImage &image);
    [[nodiscard]] bool publish();
    bool fail(const QString &reason);
    void end();

    const QString m_path;
    const AnimationRequest m_request;
    const Frames m_frames;
    QTimer m_turn;
    int m_next = 0;
    QSaveFile m_file; ///< the GIF
    std::unique_ptr<GifWriter> m_gif;
    std::unique_ptr<QTemporaryDir> m_folder; ///< the PNG files until all are there
    Expected<bool> m_result = false;
};

/// Writes an animation of the view while the event loop of the caller runs; when it takes long a dialog over `window` shows how
/// far it is and can stop it. False when it was stopped: nothing is written then.
[[nodiscard]] Expected<bool> writeAnimation(QWidget *window, const QString &path, const AnimationRequest &request,
                                            const ExploreView &view);

} // namespace pipeloom
