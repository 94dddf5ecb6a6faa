// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/animationexport.h"

#include "app/window/backgroundwrite.h"
#include "app/window/exportprogress.h"
#include "views/explore/exploreframes.h"
#include "views/plot/gifwriter.h"

#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QProgressDialog>

#include <algorithm>
#include <array>
#include <cmath>

namespace pipeloom
{

int frameCount(const AnimationRequest &request)
{
    return std::max(2, static_cast<int>(std::lround(request.perSecond * request.seconds)));
}

Nanoseconds frameTime(const AnimationRequest &request, int index)
{
    const double share = static_cast<double>(index) / (frameCount(request) - 1);
    return request.range.begin + std::llround(share * static_cast<double>(request.range.end - request.range.begin));
}

std::optional<TimeRange> animatedRange(const ViewState &state)
{
    const TimeRange range = state.measured().value_or(state.range());
    const TimeRange inStep{ std::max<Nanoseconds>(0, range.begin), std::min(range.end, state.extent()) };
    return inStep.end > inStep.begin ? std::optional(inStep) : std::nullopt;
}

QString framePath(const QString &path, int index)
{
    const QFileInfo info(path);
    const QString number = QStringLiteral("%1").arg(index + 1, 4, 10, QLatin1Char('0'));
    return QDir(info.path()).filePath(QStringLiteral("%1-%2.png").arg(info.completeBaseName(), number));
}

AnimationJob::AnimationJob(const QString &path, const AnimationRequest &request, Frames frames, QObject *parent)
    : QObject(parent)
    , m_path(path)
    , m_request(request)
    , m_frames(std::move(frames))
    , m_file(path)
{
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &AnimationJob::makeFrame);
}

AnimationJob::~AnimationJob() = default;

void AnimationJob::start() { m_turn.start(); }

void AnimationJob::cancel()
{
    if (!m_turn.isActive())
        return;
    m_result = false;
    end();
}

/// What was not published goes with the writers.
void AnimationJob::end()
{
    m_turn.stop();
    m_gif.reset();
    if (m_file.isOpen()) {
        m_file.cancelWriting();
        m_file.commit(); // removes the temporary file now, not when the job goes
    }
    m_folder.reset();
    emit finished();
}

bool AnimationJob::fail(const QString &reason)
{
    m_result = unwritableFile(m_path, reason);
    return false;
}

bool AnimationJob::open()
{
    if (m_request.gif) {
        if (!m_file.open(QIODevice::WriteOnly))
            return fail(m_file.errorString());
        const int last = frameCount(m_request) - 1;
        const std::array<QImage, 3> samples{ m_frames(frameTime(m_request, 0)), m_frames(frameTime(m_request, last / 2)),
                                             m_frames(frameTime(m_request, last)) };
        m_gif = std::make_unique<GifWriter>(&m_file, samples);
        return true;
    }
    // The file dialog asked about "x.png" only: frames of an earlier animation are not replaced unasked.
    for (int i = 0; i < frameCount(m_request); ++i) {
        if (QFileInfo::exists(framePath(m_path, i)))
            return fail(tr("%1 is already there").arg(QFileInfo(framePath(m_path, i)).fileName()));
    }
    // Beside the target, so that publishing only renames.
    m_folder = std::make_unique<QTemporaryDir>(QDir(QFileInfo(m_path).path()).filePath(QStringLiteral(".pipeloom-XXXXXX")));
    return m_folder->isValid() || fail(m_folder->errorString());
}

bool AnimationJob::write(const QImage &image)
{
    if (m_request.gif)
        return m_gif->addFrame(image, frameDelay(m_next, m_request.perSecond)) || fail(m_file.errorString());
    const QString name = QFileInfo(framePath(m_path, m_next)).fileName();
    return image.save(m_folder->filePath(name), "PNG") || fail(tr("frame %1 cannot be written").arg(m_next + 1));
}

bool AnimationJob::publish()
{
    if (m_request.gif)
        return (m_gif->finish() && m_file.commit()) || fail(m_file.errorString());
    for (int i = 0; i < frameCount(m_request); ++i) {
        const QString target = framePath(m_path, i);
        if (QFile::rename(m_folder->filePath(QFileInfo(target).fileName()), target))
            continue;
        for (int moved = 0; moved < i; ++moved)
            QFile::remove(framePath(m_path, moved));
        return fail(tr("%1 cannot be written").arg(QFileInfo(target).fileName()));
    }
    return true;
}

void AnimationJob::makeFrame()
{
    if (m_next == 0 && !open()) {
        end();
        return;
    }
    if (!write(m_frames(frameTime(m_request, m_next)))) {
        end();
        return;
    }
    ++m_next;
    if (m_next == frameCount(m_request)) {
        if (publish())
            m_result = true;
        end();
        return;
    }
    emit progressed(m_next);
}

Expected<bool> writeAnimation(QWidget *window, const QString &path, const AnimationRequest &request, const ExploreView &view)
{
    ExploreFrames frames(view, request.dark ? darkTheme() : lightTheme());
    AnimationJob job(path, request, [&](Nanoseconds playhead) { return frames.at(playhead, request.scale); });
    const std::unique_ptr<QProgressDialog> dialog = exportProgress(window, path, frameCount(request));
    QEventLoop loop;
    QObject::connect(&job, &AnimationJob::progressed, dialog.get(), &QProgressDialog::setValue);
    QObject::connect(dialog.get(), &QProgressDialog::canceled, &job, &AnimationJob::cancel);
    QObject::connect(&job, &AnimationJob::finished, &loop, &QEventLoop::quit);
    job.start();
    loop.exec();
    return job.result();
}

} // namespace pipeloom
