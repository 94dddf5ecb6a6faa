// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/exportprogress.h"

#include <QFileInfo>
#include <QProgressDialog>

namespace pipeloom
{

namespace
{

constexpr int showsAfter = 400; ///< ms: what is done sooner needs no dialog

} // namespace

std::unique_ptr<QProgressDialog> exportProgress(QWidget *window, const QString &path, int whole)
{
    auto dialog = std::make_unique<QProgressDialog>(QObject::tr("Writing %1").arg(QFileInfo(path).fileName()),
                                                    QObject::tr("Cancel"), 0, whole, window);
    dialog->setObjectName(QStringLiteral("exportProgress"));
    dialog->setWindowTitle(QObject::tr("Export"));
    dialog->setWindowModality(Qt::WindowModal);
    dialog->setMinimumDuration(showsAfter);
    dialog->setAutoClose(false);
    dialog->setAutoReset(false);
    dialog->setValue(0); // from here the dialog counts the time until it shows
    return dialog;
}

} // namespace pipeloom
