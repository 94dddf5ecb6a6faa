// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/backgroundwrite.h"

#include "app/window/exportprogress.h"

#include <QEventLoop>
#include <QFileInfo>
#include <QProgressDialog>
#include <QSaveFile>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <memory>

namespace pipeloom
{

namespace
{

constexpr int looksEvery = 50; ///< ms between two looks at the progress
constexpr int whole = 1000;

} // namespace

Error unwritableFile(const QString &path, const QString &reason)
{
    return { ErrorCode::Unwritable, reason.toStdString(), path.toStdString(), {}, "choose another folder or name" };
}

Expected<bool> writeText(const QString &path, const TextMaker &make, const WriteProgress &progress)
{
    // A folder that cannot be written is found before the work, not after it.
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return unwritableFile(path, file.errorString());
    }
    const Expected<std::optional<std::string>> text = make(progress);
    if (!text) {
        return text.errors();
    }
    if (!*text || (progress && !progress(1))) {
        return false;
    }
    const auto size = static_cast<qint64>((*text)->size());
    if (file.write((*text)->data(), size) != size || !file.commit()) {
        return unwritableFile(path, file.errorString());
    }
    return true;
}

Expected<bool> writeInBackground(QWidget *window, const QString &path, TextMaker make)
{
    std::atomic<bool> stopped = false;
    std::atomic<double> share = 0;
    Expected<bool> result = false;
    const std::unique_ptr<QThread> thread(QThread::create([&] {
        result = writeText(path, make, [&](double done) {
            share = done;
            return !stopped.load();
        });
    }));
    const std::unique_ptr<QProgressDialog> dialog = exportProgress(window, path, whole);
    QEventLoop loop;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, dialog.get(), [&] { dialog->setValue(static_cast<int>(share * whole)); });
    QObject::connect(dialog.get(), &QProgressDialog::canceled, dialog.get(), [&] { stopped = true; });
    QObject::connect(thread.get(), &QThread::finished, &loop, &QEventLoop::quit);
    look.start(looksEvery);
    thread->start();
    loop.exec();
    thread->wait();
    return result;
}

} // namespace pipeloom
