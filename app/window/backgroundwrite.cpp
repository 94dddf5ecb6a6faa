// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/backgroundwrite.h"

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

constexpr int showsAfter = 400; ///< ms: what is done sooner needs no dialog
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
    QProgressDialog dialog(QObject::tr("Writing %1").arg(QFileInfo(path).fileName()), QObject::tr("Cancel"), 0, whole, window);
    dialog.setObjectName(QStringLiteral("exportProgress"));
    dialog.setWindowTitle(QObject::tr("Export"));
    dialog.setWindowModality(Qt::WindowModal);
    dialog.setMinimumDuration(showsAfter);
    dialog.setAutoClose(false);
    dialog.setAutoReset(false);
    dialog.setValue(0); // from here the dialog counts the time until it shows
    QEventLoop loop;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &dialog, [&] { dialog.setValue(static_cast<int>(share * whole)); });
    QObject::connect(&dialog, &QProgressDialog::canceled, &dialog, [&] { stopped = true; });
    QObject::connect(thread.get(), &QThread::finished, &loop, &QEventLoop::quit);
    look.start(looksEvery);
    thread->start();
    loop.exec();
    thread->wait();
    return result;
}

} // namespace pipeloom
